import { utf8 } from '../core/utf8.ts'
import type { Canvas } from './canvas.ts'

const SIGNATURE = [137, 80, 78, 71, 13, 10, 26, 10]
const INDEXED = 3
const BITS = 8

/** Writes a picture as PNG (ISO/IEC 15948), in indexed colours. */
export async function encodePng({
  width,
  height,
  pixels,
  palette,
}: Pick<Canvas, 'width' | 'height' | 'pixels' | 'palette'>): Promise<Uint8Array<ArrayBuffer>> {
  const header = new DataView(new ArrayBuffer(13))
  header.setUint32(0, width)
  header.setUint32(4, height)
  header.setUint8(8, BITS)
  header.setUint8(9, INDEXED)
  const colours = palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255])
  return joined([
    Uint8Array.from(SIGNATURE),
    chunk('IHDR', new Uint8Array(header.buffer)),
    chunk('PLTE', Uint8Array.from(colours)),
    chunk('IDAT', await deflated(scanlines(width, height, pixels))),
    chunk('IEND', new Uint8Array()),
  ])
}

/** Each line begins with its filter: 0, none. */
function scanlines(width: number, height: number, pixels: Uint8Array): Uint8Array<ArrayBuffer> {
  const lines = new Uint8Array((width + 1) * height)
  for (let row = 0; row < height; row++) {
    lines.set(pixels.subarray(row * width, (row + 1) * width), row * (width + 1) + 1)
  }
  return lines
}

async function deflated(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream('deflate'))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}

function chunk(type: string, data: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(12 + data.length)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, data.length)
  bytes.set(utf8(type), 4)
  bytes.set(data, 8)
  view.setUint32(8 + data.length, crc32(bytes.subarray(4, 8 + data.length)))
  return bytes
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  return value
})

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) crc = CRC_TABLE[(crc ^ byte) & 255]! ^ (crc >>> 8)
  return (crc ^ 0xffffffff) >>> 0
}

function joined(parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}
