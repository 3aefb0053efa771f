import { connect } from 'node:net'
import type { Random } from '../live/random.ts'
import type { FuzzRequest } from './calls.ts'
import type { FuzzAnswer } from './client.ts'
import { ODD_HEADERS, ODD_HEADER_VALUES } from './values.ts'

/** How long to wait for an answer to what may not deserve one. */
const WAIT_MS = 250

const utf8 = (text: string) => Buffer.from(text)

/** Breaks a sound request on its way: its line, its headers, its length, its chunks or its bytes. */
export function brokenBytes(random: Random, host: string, request: FuzzRequest): Buffer {
  const { method, path, headers } = request
  const body = request.body ?? Buffer.alloc(0)
  const others = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  const line = `${method} ${path} HTTP/1.1\r\n`
  const usual = `host: ${host}\r\n${others}`
  const length = (bytes: number | string) => `content-length: ${bytes}\r\n`
  const whole = (head: string, sent = body) => Buffer.concat([utf8(`${head}\r\n`), sent])
  const sound = whole(line + usual + length(body.length))
  const chunked = `${line}${usual}transfer-encoding: chunked\r\n`
  const size = body.length.toString(16)
  const place = random.between(0, body.length)
  const header = random.pick(ODD_HEADERS)
  const value = random.pick(ODD_HEADER_VALUES)
  return random.pick<() => Buffer>([
    () => sound.subarray(0, random.between(1, sound.length)),
    () => whole(line + usual + length(body.length + random.between(1, 100))),
    () => whole(line + usual + length(Math.max(0, body.length - random.between(1, 20)))),
    () =>
      whole(
        line +
          usual +
          length(random.pick(['-1', '1e3', '0x10', '', '99999999999999999999', '1, 2'])),
      ),
    () => whole(line + usual + length(body.length) + length(0)),
    () => whole(line + usual),
    () =>
      whole(`${chunked}${length(body.length)}`, utf8(`${size}\r\n${body.toString()}\r\n0\r\n\r\n`)),
    () => whole(chunked, utf8(`${size}\r\n${body.toString()}\r\n0\r\n\r\n`)),
    () => whole(chunked, utf8(`${size};ext=1\r\n${body.toString()}\r\n0\r\nx-trailer: 1\r\n\r\n`)),
    () =>
      whole(
        chunked,
        utf8(
          `${random.pick(['-1', 'zz', 'ffffffffffffffff', '0x5', ''])}\r\n${body.toString()}\r\n0\r\n\r\n`,
        ),
      ),
    () => whole(chunked, utf8(`${size}\r\n${body.subarray(0, place).toString()}`)),
    () =>
      whole(
        chunked,
        utf8(
          [...body].map((byte) => `1\r\n${String.fromCharCode(byte)}\r\n`).join('') + '0\r\n\r\n',
        ),
      ),
    () => whole(line + usual + length(body.length), spoiled(random, body, place)),
    () =>
      whole(
        line + usual + length(body.length),
        Buffer.from(body.toString(), 'utf16le').subarray(0, body.length),
      ),
    () =>
      whole(
        `${random.pick(['G', 'get', 'GET\t', 'POST POST', '\u0000', 'TRACE', 'CONNECT', 'PRI', 'A'.repeat(5_000)])} ${path} HTTP/1.1\r\n${usual}${length(body.length)}`,
      ),
    () =>
      whole(
        `${method} ${path} HTTP/${random.pick(['0.9', '1.0', '1.2', '2.0', '3', 'x', '1.1 '])}\r\n${usual}${length(body.length)}`,
      ),
    () => whole(`${method} ${path}\r\n`),
    () =>
      whole(
        `${method} ${random.pick(['*', 'http://evil.example/api/crash', `${path}#a`, `${path} x`, '', '\\', `${path}\u0000`])} HTTP/1.1\r\n${usual}${length(body.length)}`,
      ),
    () =>
      whole(
        `${method} ${path}?${'a=1&'.repeat(random.pick([2_000, 20_000]))} HTTP/1.1\r\n${usual}${length(body.length)}`,
      ),
    () =>
      whole(
        `${line}${usual}x-long: ${'a'.repeat(random.pick([8_000, 70_000]))}\r\n${length(body.length)}`,
      ),
    () =>
      whole(
        `${line}${usual}${'x-many: 1\r\n'.repeat(random.pick([200, 3_000]))}${length(body.length)}`,
      ),
    () =>
      whole(`${line}${usual}${header}: ${value}\r\n${header}: ${value}\r\n${length(body.length)}`),
    () => whole(`${line}${usual}${header} : ${value}\r\n ${value}\r\n${length(body.length)}`),
    () => whole(`${line}${usual}\u0000: a\r\n: b\r\nno colon\r\n${length(body.length)}`),
    () => whole(`${line}host: ${host}\r\nhost: evil.example\r\n${others}${length(body.length)}`),
    () => whole(`${line}${others}${length(body.length)}`),
    () => Buffer.from(sound.toString('latin1').replaceAll('\r\n', '\n'), 'latin1'),
    () => Buffer.concat([sound, sound, sound]),
    () => Buffer.concat([sound, utf8('GARBAGE\r\n\r\n')]),
    () => Buffer.from(Array.from({ length: random.between(1, 500) }, () => random.between(0, 255))),
    () => utf8('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\u0000\u0000\u0000'),
    () => Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03]),
  ])()
}

/** Makes bytes invalid UTF-8. */
function spoiled(random: Random, body: Buffer, place: number): Buffer {
  const copy = Buffer.from(body)
  const bad = random.pick([0x80, 0xc0, 0xed, 0xf8, 0xfe, 0xff, 0x00, 0x0b])
  if (copy.length > 0) copy[Math.min(place, copy.length - 1)] = bad
  return copy
}

/** Sends bytes on a connection of their own, and returns what came back. */
export function sendBytes(baseUrl: string, bytes: Buffer, half: boolean): Promise<Buffer> {
  const { hostname, port } = new URL(baseUrl)
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const socket = connect(Number(port), hostname, () =>
      half ? socket.end(bytes) : socket.write(bytes),
    )
    socket
      .setTimeout(WAIT_MS, () => socket.destroy())
      .on('data', (chunk) => chunks.push(chunk))
      // A connection that is reset is an answer too.
      .on('error', () => {})
      .once('close', () => resolve(Buffer.concat(chunks)))
  })
}

/** Returns the answers in what came back, as far as they are whole. */
export function answersIn(bytes: Buffer): FuzzAnswer[] {
  const answers: FuzzAnswer[] = []
  let rest = bytes.toString('latin1')
  for (;;) {
    const found = /^HTTP\/1\.1 (\d{3})[^\r\n]*\r\n((?:[^\r\n]+\r\n)*)\r\n/.exec(rest)
    if (!found) return answers
    const [head, status = '0', lines = ''] = found
    const headers = Object.fromEntries(
      lines
        .split('\r\n')
        .filter(Boolean)
        .map((line) => {
          const colon = line.indexOf(':')
          return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const
        }),
    ) as Record<string, string | undefined>
    rest = rest.slice(head.length)
    const { text, length } = bodyIn(rest, headers)
    rest = rest.slice(length)
    answers.push({
      status: Number(status),
      headers,
      at: Date.now(),
      text: Buffer.from(text, 'latin1').toString(),
    })
  }
}

function bodyIn(
  rest: string,
  headers: Record<string, string | undefined>,
): { text: string; length: number } {
  if (headers['transfer-encoding'] !== 'chunked') {
    const declared = headers['content-length']
    const length = declared === undefined ? 0 : Number(declared)
    return { text: rest.slice(0, length), length }
  }
  let text = ''
  let place = 0
  for (;;) {
    const found = /^([0-9a-f]+)\r\n/i.exec(rest.slice(place))
    if (!found) return { text, length: rest.length }
    const size = Number.parseInt(found[1] ?? '0', 16)
    place += found[0].length
    text += rest.slice(place, place + size)
    place += size + 2
    if (size === 0) return { text, length: place }
  }
}
