import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../live/random.ts'

const LISTEN_MS = 300

/**
 * Opens the live stream and sends it frames that are no frames, or that nobody asked for.
 * @returns the text of the messages received
 */
export async function disturbStream(random: Random, baseUrl: string): Promise<string> {
  const { hostname, port, host } = new URL(baseUrl)
  const socket = connect(Number(port), hostname)
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk)).on('error', () => {})
  socket.write(
    `GET /api/crash/stream HTTP/1.1\r\nhost: ${host}\r\nconnection: upgrade\r\nupgrade: websocket\r\n` +
      `sec-websocket-version: ${random.pick(['13', '13', '13', '8', 'x'])}\r\n` +
      `sec-websocket-key: ${random.pick([randomBytes(16).toString('base64'), 'short', ''])}\r\n` +
      `${random.pick(['', 'sec-websocket-extensions: permessage-deflate\r\n', 'sec-websocket-protocol: a, b\r\n'])}\r\n`,
  )
  await sleep(LISTEN_MS / 3)
  for (let frames = random.between(0, 5); frames > 0; frames--) socket.write(oddFrame(random))
  await sleep(LISTEN_MS)
  socket.destroy()
  return Buffer.concat(chunks).toString()
}

/** A WebSocket frame (RFC 6455), rarely a sound one. */
function oddFrame(random: Random): Buffer {
  const payload = random.pick([
    Buffer.from('{}'),
    Buffer.from('ping'),
    Buffer.alloc(0),
    Buffer.from([0xff, 0xfe, 0xc0]),
    Buffer.alloc(125, 97),
    Buffer.alloc(2_000, 97),
    Buffer.from([0x03, 0xe8]),
    Buffer.from([0x00]),
  ])
  const opcode = random.between(0, 15)
  const first = (random.chance(0.8) ? 0x80 : 0) | (random.chance(0.1) ? 0x40 : 0) | opcode
  const isMasked = random.chance(0.9)
  const mask = Buffer.from([1, 2, 3, 4])
  const length = random.chance(0.1) ? 65_536 : payload.length
  const head = [first, ...lengthBytes(length, isMasked ? 0x80 : 0)]
  const body = isMasked
    ? Buffer.from(Array.from(payload, (byte: number, index) => byte ^ (mask[index % 4] ?? 0)))
    : payload
  return Buffer.concat([Buffer.from(head), ...(isMasked ? [mask] : []), body])
}

function lengthBytes(length: number, masked: number): number[] {
  if (length < 126) return [masked | length]
  return [masked | 126, (length >> 8) & 0xff, length & 0xff]
}
