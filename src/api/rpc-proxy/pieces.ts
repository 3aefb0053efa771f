import { FLOOR_BYTES } from './allowance.ts'

/**
 * Returns a body that is sent piece by piece, as fast as its client takes it, and breaks off if that takes too long.
 * @param mostMs how long it may take, in milliseconds
 * @param whenSent is called once no part of the body is held any more
 */
export function inPieces(text: string, mostMs: number, whenSent: () => void): BodyInit {
  if (text.length <= FLOOR_BYTES) {
    whenSent()
    return text
  }
  let left = new TextEncoder().encode(text)
  let timer: ReturnType<typeof setTimeout> | undefined
  const end = () => {
    clearTimeout(timer)
    left = new Uint8Array()
    whenSent()
  }
  return new ReadableStream(
    {
      start: (body) => {
        timer = setTimeout(() => {
          body.error(new Error('the client takes its answer too slowly'))
          end()
        }, mostMs)
      },
      pull: (body) => {
        body.enqueue(left.slice(0, FLOOR_BYTES))
        left = left.subarray(FLOOR_BYTES)
        if (left.length > 0) return
        body.close()
        end()
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  )
}
