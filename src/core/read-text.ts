/**
 * Reads a body as text.
 * @param signal ends the reading
 * @param spend takes a chunk's bytes from whatever limits there are; false where they are above them
 * @returns null for a body above the limits, which is not read to its end; part of it if aborted
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
