/** A decoded PNG: the colour of each pixel, as 0xRRGGBB. */
export interface DecodedPng {
  width: number
  height: number
  at: (x: number, y: number) => number
}

/** Decodes a PNG of indexed colours without filters, checking every checksum with Node's own. */
export async function decodePng(
  png: Uint8Array,
  crc32: (bytes: Uint8Array) => number,
): Promise<DecodedPng> {
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength)
  if (view.getBigUint64(0) !== 0x89504e470d0a1a0an) throw new Error('not a PNG')
  const chunks = new Map<string, Uint8Array>()
  for (let from = 8; from < png.length;) {
    const length = view.getUint32(from)
    const data = png.subarray(from + 8, from + 8 + length)
    if (crc32(png.subarray(from + 4, from + 8 + length)) !== view.getUint32(from + 8 + length)) {
      throw new Error('a chunk has a wrong checksum')
    }
    chunks.set(new TextDecoder().decode(png.subarray(from + 4, from + 8)), data)
    from += 12 + length
  }
  const [header, colours] = [chunks.get('IHDR'), chunks.get('PLTE')]
  const data = chunks.get('IDAT')
  if (!header || !colours || !data || !chunks.has('IEND')) throw new Error('a chunk is missing')
  if (header[8] !== 8 || header[9] !== 3) throw new Error('not 8 bits of indexed colour')
  const [width, height] = [0, 4].map((at) => new DataView(header.slice().buffer).getUint32(at))
  const stream = new Blob([data.slice()]).stream().pipeThrough(new DecompressionStream('deflate'))
  const lines = new Uint8Array(await new Response(stream).arrayBuffer())
  if (lines.length !== (width! + 1) * height!) throw new Error('the pixels have another size')
  const at = (x: number, y: number) => {
    const from = lines[y * (width! + 1) + 1 + x]! * 3
    return (colours[from]! << 16) | (colours[from + 1]! << 8) | colours[from + 2]!
  }
  return { width: width!, height: height!, at }
}
