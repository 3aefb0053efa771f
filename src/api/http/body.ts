import { isJsonObject, parseJson } from '../../core/json.ts'
import { isRefusal, refuse, type Refusal } from '../../core/refusal.ts'

/** The maximum size of a body. Larger bodies are refused unread. */
export const MAX_BODY_BYTES = 65_536

export type JsonObject = Record<string, unknown>

/** Reads a request's JSON object. Refuses duplicate keys and anything but an object. */
export async function readJsonObject(request: Request): Promise<{ body: JsonObject } | Refusal> {
  return expectJson(request) ?? readObject(await request.text())
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

/** Reads a request's JSON object together with its raw bytes, to check a signature over them. */
export async function readSignedJson(
  request: Request,
): Promise<{ body: JsonObject; bytes: Uint8Array } | Refusal> {
  const refusal = expectJson(request)
  if (refusal) return refusal
  const bytes = new Uint8Array(await request.arrayBuffer())
  try {
    const read = readObject(UTF8.decode(bytes))
    return isRefusal(read) ? read : { ...read, bytes }
  } catch {
    return refuse('invalid_request', 'The body is not JSON in UTF-8. Send a JSON object in UTF-8.')
  }
}

function expectJson(request: Request): Refusal | null {
  const type = request.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase()
  if (type === 'application/json') return null
  return refuse(
    'unsupported_media_type',
    'The content type is not JSON. Send JSON with content-type: application/json.',
  )
}

function readObject(text: string): { body: JsonObject } | Refusal {
  const body = parseJson(text)
  if (isJsonObject(body)) return { body }
  return refuse(
    'invalid_request',
    'The body is not a JSON object without duplicate keys. Send one JSON object.',
  )
}
