import type { MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { isJsonObject, parseJson } from '../../core/json.ts'
import { refuse, type Refusal } from '../../core/refusal.ts'

/** The maximum size of a body. Larger bodies are refused unread. */
export const MAX_BODY_BYTES = 65_536

export type JsonObject = Record<string, unknown>

/** The refusal of a body that its sender breaks off. */
export const brokenOff = () =>
  refuse('invalid_request', 'The request body is incomplete. Send the request again.')

/**
 * Limits the size of a body. To do so it reads a body of unknown length, whose sender may break it off.
 * @param answers builds the answer to a body that is too large, or that was broken off
 */
export function limitedBody(answers: {
  tooLarge: () => Response
  incomplete: () => Response
}): MiddlewareHandler<{ Bindings: Env }> {
  const limit = bodyLimit({ maxSize: MAX_BODY_BYTES, onError: answers.tooLarge })
  return async (c, next) => {
    if (statesAllowedSize(c.req.raw)) return next()
    try {
      return await limit(c, next)
    } catch {
      // Only reading fails here: Hono answers the faults of later handlers before this one sees them.
      return answers.incomplete()
    }
  }
}

/**
 * Returns whether a request states a size within the limit. Hono's check creates the stream, which slows reading down.
 */
function statesAllowedSize({ headers }: Request): boolean {
  const length = headers.get('content-length') ?? ''
  return (
    /^\d+$/.test(length) && Number(length) <= MAX_BODY_BYTES && !headers.has('transfer-encoding')
  )
}

/** Returns null in place of a body that its sender breaks off. */
export function unlessBrokenOff<T>(reading: Promise<T>): Promise<T | null> {
  return reading.catch(() => null)
}

/** Reads a request's JSON object. Refuses duplicate keys and anything but an object. */
export async function readJsonObject(request: Request): Promise<{ body: JsonObject } | Refusal> {
  const refusal = expectJson(request)
  if (refusal) return refusal
  const bytes = await unlessBrokenOff(request.arrayBuffer())
  return bytes === null ? brokenOff() : readObject(bytes)
}

/**
 * Reads a request's JSON object together with its raw bytes, to check a signature over them. They are returned even if
 * they are refused as an object.
 */
export async function readSignedJson(
  request: Request,
): Promise<{ read: { body: JsonObject } | Refusal; bytes: Uint8Array } | Refusal> {
  const bytes = await unlessBrokenOff(request.arrayBuffer())
  const refusal = expectJson(request)
  if (bytes === null) return refusal ?? brokenOff()
  return { read: refusal ?? readObject(bytes), bytes: new Uint8Array(bytes) }
}

function expectJson(request: Request): Refusal | null {
  const type = request.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase()
  if (type === 'application/json') return null
  return refuse(
    'unsupported_media_type',
    'The content type is not JSON. Send JSON with content-type: application/json.',
  )
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

function readObject(bytes: ArrayBuffer): { body: JsonObject } | Refusal {
  let text
  try {
    text = UTF8.decode(bytes)
  } catch {
    return refuse('invalid_request', 'The body is not JSON in UTF-8. Send a JSON object in UTF-8.')
  }
  const body = parseJson(text)
  if (isJsonObject(body)) return { body }
  return refuse(
    'invalid_request',
    'The body is not a JSON object, or has duplicate keys or broken Unicode. Send one JSON object.',
  )
}
