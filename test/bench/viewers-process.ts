import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/**
 * A process that holds sockets of the live stream and records when each crash reached them. It reads
 * WebSocket frames as plain text, because Node's own client takes longer for one than the service.
 */

export type ViewersOrder =
  | { order: 'watch'; url: string; sockets: number; resultsMs: number }
  | { order: 'leave' }

/** When a crash reached the sockets, in milliseconds after it. */
export interface CrashReceipts {
  firstMs: number
  lastMs: number
  sockets: number
}

/** How many sockets connect at a time. */
const CONNECTING = 50

const crashes = new Map<number, CrashReceipts>()
const sockets: Socket[] = []
let resultsMs = 0

process.on('message', (order: ViewersOrder) => {
  if (order.order === 'watch') void watch(new URL(order.url), order.sockets, order.resultsMs)
  else leave()
})

async function watch(url: URL, count: number, resultsShownMs: number): Promise<void> {
  resultsMs = resultsShownMs
  for (let from = 0; from < count; from += CONNECTING) {
    const numbers = Array.from({ length: Math.min(CONNECTING, count - from) }, (_, i) => from + i)
    sockets.push(...(await Promise.all(numbers.map((number) => view(url, number)))))
  }
  crashes.clear()
  process.send?.(sockets.length)
}

/** Each connects from its own address, because connections are limited per address. */
async function view({ host, hostname, port, pathname }: URL, number: number): Promise<Socket> {
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  const headers = [
    `host: ${host}`,
    'connection: upgrade',
    'upgrade: websocket',
    'sec-websocket-version: 13',
    `sec-websocket-key: ${randomBytes(16).toString('base64')}`,
    `cf-connecting-ip: 10.0.${number >> 8}.${number & 255}`,
  ]
  socket.write(`GET ${pathname} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`)
  const [answer] = (await once(socket, 'data')) as [Buffer]
  if (!answer.toString('latin1').startsWith('HTTP/1.1 101')) throw new Error('no viewer was taken')
  socket.on('data', (bytes) => note(bytes.toString('latin1')))
  return socket
}

function note(text: string): void {
  const now = performance.timeOrigin + performance.now()
  const [, message] = /("roundId":[0-9]+,"phase":"results".*?"serverTime":[0-9]+)/.exec(text) ?? []
  if (!message) return
  const {
    roundId = 0,
    serverTime = 0,
    msLeft = 0,
  } = JSON.parse(`{${message}}`) as Record<string, number>
  const afterMs = now - (serverTime + msLeft - resultsMs)
  const { firstMs, sockets: before } = crashes.get(roundId) ?? { firstMs: afterMs, sockets: 0 }
  crashes.set(roundId, { firstMs, lastMs: afterMs, sockets: before + 1 })
}

function leave(): void {
  for (const socket of sockets.splice(0)) socket.destroy()
  process.send?.([...crashes.values()])
}
