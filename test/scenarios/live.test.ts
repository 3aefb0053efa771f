import { afterAll, beforeAll, expect, it } from 'vitest'
import type { StreamMessage } from '../../src/crash/stream.ts'
import { startService, type StartedService } from './started-service.ts'

/** A round that flies to the highest multiplier takes almost four minutes; here most take seconds. */
const LONGEST_ROUND_MS = 300_000
const SHORT_FLIGHTS = { CRASH_EDGE_BPS: '5000' }

let service: StartedService

beforeAll(async () => {
  service = await startService(SHORT_FLIGHTS)
})

afterAll(async () => {
  await service?.stop()
})

/** What a socket hears until the round after the one it came in is open. */
function watchOneRound(): Promise<StreamMessage[]> {
  const socket = new WebSocket(`${service.baseUrl.replace('http', 'ws')}/api/crash/stream`)
  const heard: StreamMessage[] = []
  return new Promise((resolve, reject) => {
    socket.addEventListener('error', () => reject(new Error('the stream broke')))
    socket.addEventListener('message', ({ data }) => {
      const message = JSON.parse(String(data)) as StreamMessage
      heard.push(message)
      if (message.type !== 'phase' || message.phase !== 'betting') return
      socket.close()
      resolve(heard)
    })
  })
}

it(
  'a started service tells all who watch how a round goes, without being asked',
  async () => {
    const [heard, other] = await Promise.all([watchOneRound(), watchOneRound()])
    expect(heard[0]).toMatchObject({ type: 'snapshot', state: { phase: 'betting' } })
    const [results, history, betting] = heard.slice(-3)
    expect(results).toMatchObject({ type: 'phase', phase: 'results' })
    const { roundId, crashPoint } = results as Extract<StreamMessage, { type: 'phase' }>
    expect(history).toEqual({ type: 'history', entry: { roundId, crash: crashPoint } })
    expect(betting).toMatchObject({ roundId: roundId + 1 })
    expect(other.slice(1)).toEqual(heard.slice(1))
  },
  LONGEST_ROUND_MS,
)
