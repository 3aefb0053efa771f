/**
 * Reads a body as text.
 * @param signal stops reading
 * @param spend charges a chunk's bytes to the caller's limits; returns false once they are exceeded
 * @returns the text, only part of it if aborted; null for a body above the limits, which isn't read to
 *   its end
 */
export async function readText(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
  spend: (bytes: number) => boolean,
): Promise<string | null> {
  const reader = body.getReader()
  const cancel = () => void reader.cancel().catch(() => {})
  signal.addEventListener('abort', cancel, { once: true })
  if (signal.aborted) cancel()
  const decoder = new TextDecoder()
  let text = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    if (!spend(value.byteLength)) {
      cancel()
      return null
    }
    text += decoder.decode(value, { stream: true })
  }
}
