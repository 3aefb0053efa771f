import type { StreamMessage } from '../../crash/stream.ts'
import type { TableBets } from '../../crash/table-bets.ts'
import { perToken } from '../../money/token.ts'
import { get, isFailure } from '../api.ts'
import { ASK_AGAIN_MS, pause } from '../pause.ts'
import { playingWallet, readMe, session, signedInWallet } from '../session.ts'
import { Store } from '../store.ts'
import { countOf, hasGaps, withBetNews, withRead, type Seat, type ShownBets } from './bet-news.ts'
import type { TableState } from './table.ts'

/** The bets of the current round; null until they are known. */
export const bets = new Store<ShownBets | null>(null)

/** Bets are polled at most this often. */
const POLL_MS = 1_000

/** A message may reach thousands of viewers at once. Each reads within this time of it. */
const SPREAD_MS = { first: 300, last: 1_800 }
/** This viewer's place among all who do the same in some time, from 0 to 1. */
export const PLACE = (crypto.getRandomValues(new Uint8Array(1))[0] ?? 0) / 256

let reading: ReturnType<typeof setTimeout> | undefined
let readAt = -Infinity
/** The player's seat when it was last compared with their state. */
let compared = ''

/** Takes a message of the stream. Bets that the messages may have left out are read. */
export function hearOfBets(news: StreamMessage, table: TableState | null): void {
  if (!table) return
  show(withBetNews(bets.value, news, seatAt(table)))
  const shown = bets.value
  if (!shown || countOf(shown) === 0) return
  if (news.type === 'snapshot') readSoon(table, 0)
  if (news.type !== 'phase') return
  const inTurn = SPREAD_MS.first + PLACE * (SPREAD_MS.last - SPREAD_MS.first)
  // Of many cash-outs the stream sends only the newest.
  if (news.phase === 'results') readSoon(table, inTurn)
  else if (hasGaps(shown)) readSoon(table, inTurn)
}

/** Reads the bets, while the stream is down. */
export function pollBets(table: TableState): void {
  if (performance.now() - readAt >= POLL_MS) readSoon(table, 0)
}

/** Forgets a planned reading. */
export function leaveBets(): void {
  clearTimeout(reading)
}

function readSoon(table: TableState, ms: number): void {
  clearTimeout(reading)
  reading = setTimeout(() => void read(table), ms)
}

async function read(table: TableState): Promise<void> {
  readAt = performance.now()
  const wallet = signedInWallet()
  // Naming a wallet may cost the round a call, and until the round ends the page knows the player's bet.
  const isNamed = wallet !== undefined && table.phase === 'results'
  const answer = await get<TableBets>('/api/crash', { action: 'bets', ...(isNamed && { wallet }) })
  if (!isFailure(answer)) show(withRead(bets.value, withOwn(answer), seatAt(table)))
}

/** Adds the player's open bet, in case it is not among the largest. */
function withOwn(answer: TableBets): TableBets {
  const wallet = signedInWallet()
  const bet = session.value.me?.openBet
  if (wallet === undefined || bet?.roundId !== answer.roundId || bet.token === 'FUN') return answer
  const { token, amountWei } = bet
  return {
    ...answer,
    bets: [...answer.bets, { wallet, token, amountWei, multiplier: null, payout: null }],
  }
}

/** Shows the bets. The player's own state is read again if another tab or device has bet or cashed out. */
function show(shown: ShownBets | null): void {
  bets.set(shown)
  const { me } = session.value
  const own = shown?.bets.find(({ wallet }) => wallet === playingWallet())
  if (!shown || !own || !me) return
  const isOpen = own.multiplier === null
  const seat = `${own.wallet} ${shown.roundId} ${isOpen}`
  if (seat === compared) return
  compared = seat
  if (isOpen !== (me.openBet?.roundId === shown.roundId)) void readFor(seat)
}

/** Reads the player's state. If it can't be read, it is soon compared with the seat again. */
async function readFor(seat: string): Promise<void> {
  const state = await readMe()
  if (!state || !isFailure(state)) return
  await pause(ASK_AGAIN_MS)
  if (compared !== seat) return
  compared = ''
  show(bets.value)
}

function seatAt({ config }: TableState): Seat {
  const maxWei = perToken((token) => BigInt(config.bounds[token].max))
  return { maxWei, wallet: signedInWallet() }
}
