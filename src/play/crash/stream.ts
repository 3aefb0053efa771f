import type { StreamMessage } from '../../crash/stream.ts'
import { PLACE } from './bets.ts'

/**
 * The stream drops thousands of viewers at once, at each deployment. Each waits up to three times as long: see
 * {@link PLACE}.
 */
const RECONNECT_MS = { first: 1_000, last: 30_000 }
const TICK_MS = 1_000
/** The stream closes a socket that has not pinged for ten minutes, however much the page hears. */
const PING_MS = 60_000

interface Listener {
  hear: (news: StreamMessage) => void
  /** Called when the connection is lost, before the next attempt. @param wasSilent whether it was given up */
  lost: (wasSilent: boolean) => void
  /** Returns after how much silence to ping. The connection is given up after twice as much. */
  silenceMs: () => number
}

/**
 * Listens to the table's stream, and connects again whenever the connection is lost.
 * @returns a function that closes it
 */
export function openStream({ hear, lost, silenceMs }: Listener): () => void {
  let socket: WebSocket | null = null
  let retryMs = RECONNECT_MS.first
  let heardAt = 0
  let pingedAt = Date.now()
  let connecting: ReturnType<typeof setTimeout> | undefined

  function connect(): void {
    const url = new URL('/api/crash/stream', location.href)
    url.protocol = url.protocol.replace('http', 'ws')
    const opened = new WebSocket(url)
    socket = opened
    heardAt = Date.now()
    opened.addEventListener('message', ({ data }: MessageEvent<string>) => {
      if (socket !== opened) return
      heardAt = Date.now()
      if (data === 'pong') return
      hear(JSON.parse(data) as StreamMessage)
      retryMs = RECONNECT_MS.first
    })
    opened.addEventListener('close', () => {
      if (socket === opened) reconnect(false)
    })
  }

  /** A browser may take a minute to say that a silent connection is closed, so this does not wait for it. */
  function reconnect(wasSilent: boolean): void {
    leave()
    connecting = setTimeout(connect, retryMs * (1 + 2 * PLACE))
    retryMs = Math.min(retryMs * 2, RECONNECT_MS.last)
    lost(wasSilent)
  }

  function leave(): void {
    const gone = socket
    socket = null
    gone?.close()
  }

  const listening = setInterval(() => {
    if (socket?.readyState !== WebSocket.OPEN) return
    const now = Date.now()
    const silentMs = now - heardAt
    if (silentMs >= 2 * silenceMs()) reconnect(true)
    else if (now - pingedAt >= (silentMs < silenceMs() ? PING_MS : silenceMs())) {
      pingedAt = now
      socket.send('ping')
    }
  }, TICK_MS)
  connect()
  return () => {
    clearInterval(listening)
    clearTimeout(connecting)
    leave()
  }
}
