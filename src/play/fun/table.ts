import type { WholeRound } from '../../crash/disclosure.ts'
import { CRASHED, NO_BET } from '../../crash/refusals.ts'
import { toHundredths, toMultiplier } from '../../money/multiplier.ts'
import { fail, get, isFailure, type Failure } from '../api.ts'
import { live, serverNow } from '../crash/live.ts'
import { multiplierNow, type TableState } from '../crash/table.ts'
import { pause } from '../pause.ts'
import {
  cashOutAt,
  placeBet as placed,
  returnBet,
  settleBet,
  type EndedBet,
  type FunBet,
  type PublishedRound,
} from './bets.ts'
import { keep, meOf, purse, step } from './kept.ts'
import { leaveUnlessOffered } from './permitted.ts'

/** Bets of fun chips at the live table, decided by the service's public data on it. */

const ASK_AGAIN_MS = 200
/** A service that has been reset no longer knows a bet's round. */
const GIVE_UP_MS = 600_000

interface NewBet {
  roundId: number
  amountWei: string
  autoCashout: number | null
}

/** Returns the table with the player's own state, after settling the bets that can be settled. */
export async function readState(): Promise<object> {
  const state = await publicState()
  if (isFailure(state)) return state
  const { bet } = purse()
  const published = bet && (await publishedOf(bet, state))
  // Another tab may have settled it meanwhile.
  if (published && purse().bet?.roundId === bet?.roundId) keep(settleBet(purse(), published))
  else if (bet && Date.now() - bet.placedAt > GIVE_UP_MS && bet.roundId !== state.roundId)
    keep(returnBet(purse()))
  return { ...state, me: meOf(purse()) }
}

export function readBet(roundId: number): object {
  const ended = endedBet(roundId)
  if (!ended) return fail('not_found', 'This browser keeps no bet of fun chips in this round.')
  const { multiplier, payoutWei: payout } = ended
  if (multiplier !== null) {
    return { ok: true, outcome: 'won', multiplier: toMultiplier(multiplier), payout }
  }
  const isLost = payout === '0'
  return { ok: true, outcome: isLost ? 'lost' : 'voided', multiplier: isLost ? 0 : 1, payout }
}

/** Bets, by the clock that the page shows. */
export function placeBet({ roundId, amountWei, autoCashout }: NewBet): object {
  const { table } = live.value
  const isOpen =
    table?.roundId === roundId && table.phase === 'betting' && serverNow() < table.betsCloseAt
  const request = {
    roundId,
    amountWei: BigInt(amountWei),
    isOpen,
    at: Date.now(),
    autoCashout: autoCashout === null ? null : toHundredths(autoCashout),
  }
  return step(
    (before) => placed(before, request),
    () => ({ roundId }),
  )
}

/**
 * Cashes out at the multiplier that the page shows, once the service has published that the round got there. A bet
 * that has been cashed out gets the same answer again.
 */
export async function cashOut({ roundId }: { roundId: number }): Promise<object> {
  const { table } = live.value
  const isFlying = table?.roundId === roundId && table.phase === 'flight'
  if (purse().bet?.roundId === roundId && isFlying) {
    keep(cashOutAt(purse(), multiplierNow(table, serverNow())))
    while (purse().bet?.roundId === roundId) {
      const state = await readState()
      if (isFailure(state)) return state
      if (purse().bet?.roundId === roundId) await pause(ASK_AGAIN_MS)
    }
  }
  const ended = endedBet(roundId)
  if (!ended) return NO_BET
  const { multiplier, payoutWei: payout } = ended
  if (multiplier === null) return CRASHED
  return { ok: true, roundId, multiplier: toMultiplier(multiplier), payout, me: meOf(purse()) }
}

function endedBet(roundId: number): EndedBet | undefined {
  return purse().bets.find((each) => each.roundId === roundId)
}

async function publicState(): Promise<TableState | Failure> {
  const state = await get<TableState>('/api/crash', { action: 'watch' })
  return isFailure(state) ? state : (leaveUnlessOffered(state.config.terms) ?? state)
}

/** @returns null while nothing of the bet's round is published that could decide it */
async function publishedOf({ roundId }: FunBet, table: TableState): Promise<PublishedRound | null> {
  if (table.roundId === roundId) return publishedNow(table)
  const ended = table.history.find((each) => each.roundId === roundId)
  if (ended) return { kind: 'crashed', crash: toHundredths(ended.crash) }
  const query = { action: 'round', roundId: String(roundId) }
  const round = await get<WholeRound>('/api/crash', query)
  if (isFailure(round)) return null
  const { crash } = round
  return crash === null ? { kind: 'voided' } : { kind: 'crashed', crash: toHundredths(crash) }
}

function publishedNow({ phase, multiplier, crashPoint }: TableState): PublishedRound | null {
  switch (phase) {
    case 'betting':
      return null
    case 'flight':
      return { kind: 'flight', multiplier: toHundredths(multiplier) }
    case 'results':
      return crashPoint === null
        ? { kind: 'voided' }
        : { kind: 'crashed', crash: toHundredths(crashPoint) }
  }
}
