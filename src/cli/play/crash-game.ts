import type { ErrorCode } from '../../core/refusal.ts'
import type { Check } from '../../fairness/check.ts'
import type { PepperSource } from '../../fairness/pepper.ts'
import { showHundredths, toMultiplier, type Hundredths } from '../../money/multiplier.ts'
import type { Token } from '../../money/token.ts'
import { showAmount } from '../shared/amounts.ts'
import { ServiceError } from '../shared/client.ts'
import { needsBeacon } from '../shared/local-site.ts'
import { patiently } from '../shared/patiently.ts'
import type { CrashState, Player } from '../shared/player.ts'
import { CommandError, type LiveLine } from '../shared/terminal.ts'
import { PAUSES_MS, type LiveTable, type Moment } from './live-table.ts'
import type { Receipts } from './receipts.ts'

/** A stake, and the multiplier to cash out at. */
export interface Wager {
  token: Token
  amountWei: bigint
  target: Hundredths
}

/** The facts that the player saw before bets closed. The house is held to them. */
export type SeenRound = Pick<
  CrashState,
  'roundId' | 'seedHash' | 'pepperSource' | 'edgeBps' | 'betsCloseAt'
> & {
  /** By this machine's clock, in unix milliseconds. */
  seenAt: number
  needsBeacon?: boolean
}

type GameResult =
  | { kind: 'won'; multiplier: Hundredths; payoutWei: bigint }
  | { kind: 'lost' | 'voided' }

/** A round from the player's side, independent of the house. */
export interface Game extends Wager {
  seen: SeenRound
  chipsBefore: bigint
  /** Null if the bet's answer was lost, and the repeated one may have come after its end. */
  chipsAfterBet: bigint | null
  /** The crash point shown by the table; null if the player missed it. */
  crashShown: number | null
  result: GameResult
  /** The checks of the receipts of the bet and the cash-out. */
  receipts: Check[]
}

/** The resources of a game. */
export interface Seat {
  player: Player
  table: LiveTable
  receipts: Receipts
  line: LiveLine
}

type PlacedBet = Pick<Game, 'seen' | 'chipsBefore' | 'chipsAfterBet' | 'receipts'>

/** The number of rounds that may pass without accepting the bet. */
const MISSED_ROUNDS = 5

/** Plays one round: bets, cashes out at the target, and waits for the end. */
export async function playGame(seat: Seat, wager: Wager): Promise<Game> {
  const placed = await placeBet(seat, wager)
  const { roundId, seedHash, pepperSource } = placed.seen
  seat.line.print(`round ${roundId}: you bet ${showAmount(wager.amountWei, wager.token)}`)
  seat.line.print(`  seed hash  ${seedHash}`)
  seat.line.print(`  pepper     ${showPepper(pepperSource)}`)
  const flown = await fly(seat, wager, roundId)
  return { ...wager, ...placed, ...flown, receipts: [...placed.receipts, ...flown.receipts] }
}

/** Places a bet in the first round that accepts it. */
async function placeBet({ player, table, receipts, line }: Seat, wager: Wager): Promise<PlacedBet> {
  const { token, amountWei, target } = wager
  // The house pays it even if this command, its machine or the connection fails in flight.
  const autoCashout = toMultiplier(target)
  const missed = new Set<number>()
  const miss = (roundId: number, why: string): null => {
    missed.add(roundId)
    if (missed.size > MISSED_ROUNDS) throw new CommandError(`No round accepted the bet: ${why}`)
    line.print(`round ${roundId}: ${why} Waiting for the next round.`)
    return null
  }
  return table.until(async ({ state, now }) => {
    const { roundId, seedHash, pepperSource, edgeBps, betsCloseAt, me } = state
    if (state.phase !== 'betting' || now >= betsCloseAt || missed.has(roundId)) return null
    if (me.openBet) return miss(roundId, 'You already have a bet in this round.')
    const seenAt = Date.now()
    const answer = await unlessRefused(['betting_closed', 'bet_exists'], () =>
      patiently(() => player.bet(roundId, token, amountWei, autoCashout), PAUSES_MS),
    ).catch((fault: unknown) => {
      const isRefused = fault instanceof ServiceError && fault.status < 500
      const then = `It then cashes out at ${showHundredths(target)}.`
      if (!isRefused) line.print(`round ${roundId}: your bet may stand. ${then}`)
      throw fault
    })
    if (answer instanceof ServiceError) return miss(roundId, answer.message)
    const known = {
      kind: 'bet' as const,
      roundId,
      seedHash,
      pepperSource,
      token,
      amountWei: amountWei.toString(),
      autoCashout,
    }
    return {
      receipts: await receipts.check(answer.receipt, known),
      seen: {
        roundId,
        seedHash,
        pepperSource,
        edgeBps,
        betsCloseAt,
        seenAt,
        needsBeacon: needsBeacon(player.client.baseUrl.href),
      },
      chipsBefore: BigInt(me.chips[token]),
      chipsAfterBet: answer.me.openBet?.roundId === roundId ? BigInt(answer.me.chips[token]) : null,
    }
  })
}

/** Follows a round to its end, and cashes out at the target. */
async function fly(
  seat: Seat,
  { token, target }: Wager,
  roundId: number,
): Promise<Pick<Game, 'crashShown' | 'result' | 'receipts'>> {
  const { table, line } = seat
  const early = await table.until(async (moment) => {
    const { state, multiplier } = moment
    if (isOver(moment, roundId)) return 'over'
    // In flight without an open bet: its target or a published limit has already cashed it out.
    const isTime = state.phase === 'flight' && (multiplier >= target || !state.me.openBet)
    return isTime ? cashOut(seat, roundId, token) : null
  })
  const { crashShown } = await table.until(async (moment) => {
    if (!isOver(moment, roundId)) return null
    return { crashShown: moment.state.roundId === roundId ? moment.state.crashPoint : null }
  })
  if (crashShown !== null) line.print(`crashed at ${crashShown.toFixed(2)}x`)

  const ended = early === 'over' ? await cashOut(seat, roundId, token) : early
  if (ended && !(ended instanceof ServiceError)) {
    const { multiplier: shown, payout } = ended
    const known = { kind: 'cashout' as const, roundId, multiplier: shown, payout }
    const receipts = await seat.receipts.check(ended.receipt, known)
    const multiplier = Math.round(shown * 100)
    const result = { kind: 'won' as const, multiplier, payoutWei: BigInt(payout) }
    return { crashShown, receipts, result }
  }
  const none = { crashShown, receipts: [] }
  if (ended?.code === 'no_open_bet') return { ...none, result: { kind: 'voided' } }
  line.print(`the round crashed before you could cash out at ${showHundredths(target)}`)
  return { ...none, result: { kind: 'lost' } }
}

function isOver({ state }: Moment, roundId: number): boolean {
  return state.roundId !== roundId || state.phase === 'results'
}

/** Cashes out, or returns how the bet ended; null before take-off. */
async function cashOut({ player, line }: Seat, roundId: number, token: Token) {
  const answer = await unlessRefused(['not_in_flight', 'already_crashed', 'no_open_bet'], () =>
    patiently(() => player.cashout(roundId), PAUSES_MS),
  )
  if (answer instanceof ServiceError) return answer.code === 'not_in_flight' ? null : answer
  const payout = showAmount(BigInt(answer.payout), token)
  line.print(`cashed out at ${answer.multiplier.toFixed(2)}x: ${payout}`)
  return answer
}

/** Returns a call's answer, or its refusal if it has one of the expected codes. */
async function unlessRefused<T>(
  codes: ErrorCode[],
  call: () => Promise<T>,
): Promise<T | ServiceError> {
  try {
    return await call()
  } catch (fault) {
    if (fault instanceof ServiceError && fault.code && codes.includes(fault.code)) return fault
    throw fault
  }
}

function showPepper(source: PepperSource): string {
  return source.kind === 'committed'
    ? `committed, hash ${source.pepperHash}`
    : `drand quicknet round ${source.round}, published after bets close`
}
