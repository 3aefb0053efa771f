import { invariant } from '../../src/core/invariant.ts'
import { utf8 } from '../../src/core/utf8.ts'

/** Compresses the file of a segment. @param texts its lines, some at a time: only one of the texts is in memory */
export async function packed(texts: Iterable<string>): Promise<ArrayBuffer> {
  const { readable, writable } = new CompressionStream('gzip')
  const [file] = await Promise.all([new Response(readable).arrayBuffer(), write(writable, texts)])
  return file
}

/** Returns the lines of a segment's file in order, some at a time. */
export async function* linesOf(file: ArrayBuffer): AsyncGenerator<string[]> {
  const bytes = new Response(file).body?.pipeThrough(new DecompressionStream('gzip')) ?? []
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of bytes) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield lines
  }
  invariant(rest === '', 'the last line of a segment is complete')
}

/** Writes texts to a stream, each once the one before it has been taken. */
async function write(stream: WritableStream<Uint8Array>, texts: Iterable<string>): Promise<void> {
  const writer = stream.getWriter()
  try {
    for (const text of texts) await writer.write(utf8(text))
    await writer.close()
  } catch (fault) {
    await writer.abort(fault)
    throw fault
  }
}
