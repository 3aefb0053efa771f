import { setTimeout as sleep } from 'node:timers/promises'
import { get, type Recorder } from '../recording.ts'

/** The kinds of message. Their order depends on when the viewer connects. */
const KINDS = [
  'snapshot',
  'phase betting',
  'phase flight',
  'phase results',
  'win',
  'history',
  'pong',
]
const PATIENCE_MS = 180_000
const POLL_MS = 200

/** Watches the table over a WebSocket. `finish` waits for one message of each kind and keeps them. */
export function watchLive(recorder: Recorder): { finish: () => Promise<void> } {
  const path = '/api/crash/stream'
  const seen = new Map<string, string>()
  const socket = new WebSocket(`${recorder.baseUrl.replace('http', 'ws')}${path}`)
  socket.addEventListener('open', () => socket.send('ping'))
  socket.addEventListener('message', ({ data }) => {
    const text = String(data)
    const kind = kindOf(text)
    if (!seen.has(kind)) seen.set(kind, text)
  })
  return {
    finish: async () => {
      const until = Date.now() + PATIENCE_MS
      while (!KINDS.every((kind) => seen.has(kind)) && Date.now() < until) await sleep(POLL_MS)
      socket.close()
      await recorder.ask('the stream without an upgrade', get(path))
      const upgrade = { ...get(path), headers: { upgrade: 'websocket' } }
      for (const kind of KINDS) {
        const body = seen.get(kind)
        if (body === undefined) throw new Error(`The stream had no message "${kind}".`)
        recorder.keep(`the stream's ${kind}`, upgrade, { status: 101, headers: {}, body })
      }
    },
  }
}

function kindOf(text: string): string {
  if (text === 'pong') return text
  const { type, phase } = JSON.parse(text) as { type: string; phase?: string }
  return phase === undefined ? type : `${type} ${phase}`
}
