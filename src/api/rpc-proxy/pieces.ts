import { FLOOR_BYTES } from './allowance.ts'

/**
 * Returns a body that is sent piece by piece, as fast as its client takes it.
 * @param whenSent is called once the body is sent, or its client has hung up
 */
export function inPieces(text: string, whenSent: () => void): BodyInit {
  if (text.length <= FLOOR_BYTES) {
    whenSent()
    return text
  }
  const bytes = new TextEncoder().encode(text)
  let at = 0
  const pull = (body: ReadableStreamDefaultController<Uint8Array>) => {
    body.enqueue(bytes.subarray(at, (at += FLOOR_BYTES)))
    if (at < bytes.length) return
    body.close()
    whenSent()
  }
  return new ReadableStream({ pull, cancel: whenSent }, { highWaterMark: 0 })
}
