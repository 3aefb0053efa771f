import type { StreamMessage } from '../../crash/stream.ts'
import { get, isFailure } from '../api.ts'
import { isShut } from '../components/closing.tsx'
import { session } from '../session.ts'
import { Store } from '../store.ts'
import { hearOfBets, leaveBets, pollBets } from './bets.ts'
import { localTime, ServerClock } from './clock.ts'
import { asTold, newer, withNews } from './news.ts'
import { openStream } from './stream.ts'
import type { TableState } from './table.ts'

/** How the page receives the table's state. `lost`: not at all. */
export type Connection = 'stream' | 'polling' | 'lost'

export interface Live {
  table: TableState | null
  /** When the round's seed hash was first shown, in unix milliseconds by this device's clock. */
  seenAt: number
  connection: Connection
}

const POLL_MS = 1_000
/** In flight the page computes the multiplier itself. A player with a bet must soon see the crash. */
const FLIGHT_POLL_MS = { playing: 400, watching: 2_000 }
/** For a table that opens no next round; one that waits for the log, or is late, is polled as usual. */
const RESTING_POLL_MS = 5_000
/** How long after a planned transition to poll. */
const AFTER_MS = 60
const SOONEST_MS = 100

/**
 * The page pings after this much silence and drops the connection after twice as much. In flight, money depends on it.
 */
const SILENCE_MS = { flight: 4_000, betting: 12_000, results: 12_000 }
/** A poll that takes longer has failed. */
const WATCH_TIMEOUT_MS = 4_000

const clock = new ServerClock()

export const live = new Store<Live>({ table: null, seenAt: 0, connection: 'polling' })

export function serverNow(): number {
  return clock.at(localTime())
}

let lostAt: number | null = null

/** Returns the server's time as pictures show it: it stands still while the connection is lost. */
export function shownNow(): number {
  if (live.value.connection !== 'lost') lostAt = null
  else lostAt ??= serverNow()
  return lostAt ?? serverNow()
}

/** Takes a state that was read. It also tells the server's time. */
export function take(state: TableState, askedAt: number): void {
  const receivedAt = localTime()
  // A state in flight is slightly older than the answer.
  if (state.phase === 'flight') clock.told(state.serverTime, receivedAt)
  else clock.sampled(state.serverTime, askedAt, receivedAt)
  const { table, connection } = live.value
  show(newer(table, connection === 'stream' ? asTold(table, state) : state))
}

function show(table: TableState | null): void {
  const isNew = table?.seedHash !== live.value.table?.seedHash
  live.patch({ table, ...(isNew && { seenAt: Date.now() }) })
}

/**
 * Follows the table by its stream, or by polling while there is no stream.
 * @returns a function that stops following
 */
export function follow(): () => void {
  let hasEnded = false
  let failures = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  async function poll(): Promise<void> {
    clearTimeout(timer)
    const askedAt = localTime()
    const state = await get<TableState>('/api/crash', { action: 'watch' }, {}, WATCH_TIMEOUT_MS)
    if (hasEnded) return
    failures = isFailure(state) ? failures + 1 : 0
    if (!isFailure(state)) take(state, askedAt)
    if (isStreaming()) return
    if (!isFailure(state)) pollBets(state)
    live.patch({ connection: failures > 1 ? 'lost' : 'polling' })
    clearTimeout(timer)
    timer = setTimeout(() => void poll(), nextPollMs())
  }

  const closeStream = openStream({
    hear,
    lost(wasSilent) {
      // One more failure, and the connection is lost.
      if (wasSilent) failures = 1
      if (isStreaming()) live.patch({ connection: 'polling' })
      void poll()
    },
    silenceMs: () => SILENCE_MS[live.value.table?.phase ?? 'betting'],
  })
  const lookAgain = () => {
    if (document.visibilityState === 'visible') void poll()
  }
  const lose = () => live.patch({ connection: 'lost' })
  document.addEventListener('visibilitychange', lookAgain)
  addEventListener('online', lookAgain)
  addEventListener('offline', lose)
  void poll()
  return () => {
    hasEnded = true
    document.removeEventListener('visibilitychange', lookAgain)
    removeEventListener('online', lookAgain)
    removeEventListener('offline', lose)
    clearTimeout(timer)
    closeStream()
    leaveBets()
    live.patch({ connection: 'polling' })
  }
}

function isStreaming(): boolean {
  return live.value.connection === 'stream'
}

function hear(news: StreamMessage): void {
  const state = news.type === 'snapshot' ? news.state : news
  if ('serverTime' in state) clock.told(state.serverTime, localTime())
  show(withNews(live.value.table, news))
  hearOfBets(news, live.value.table)
  live.patch({ connection: 'stream' })
}

/** Returns the time until shortly after the next planned transition, or until a poll before it. */
function nextPollMs(): number {
  const { table } = live.value
  if (!table) return POLL_MS
  if (table.phase === 'flight')
    return FLIGHT_POLL_MS[session.value.me?.openBet ? 'playing' : 'watching']
  if (table.phase === 'results' && table.msLeft === 0)
    return isShut(table.mode) ? RESTING_POLL_MS : POLL_MS
  const endsAt = table.serverTime + table.msLeft
  return Math.min(POLL_MS, Math.max(SOONEST_MS, endsAt + AFTER_MS - serverNow()))
}
