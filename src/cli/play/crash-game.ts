import type { Hundredths } from '../../money/multiplier.ts'
import type { PepperSource } from '../../fairness/pepper.ts'
import type { Token } from '../../money/token.ts'
import type { ErrorCode } from '../../core/refusal.ts'
import { showAmount } from '../shared/amounts.ts'
import { ServiceError } from '../shared/client.ts'
import { showMultiplier, type LiveTable, type Moment } from './live-table.ts'
import type { Player } from '../shared/player.ts'
import { CommandError, type LiveLine } from '../shared/terminal.ts'

/** What to play: a stake, and the multiplier to cash out at. */
export interface Wager {
  token: Token
  amountWei: bigint
  target: Hundredths
}

/** What the player saw of a round before its bets closed: the house is held to it afterwards. */
export interface Seen {
  roundId: number
  seedHash: string
  pepperSource: PepperSource
  edgeBps: number
  betsCloseAt: number
  /** By this machine's clock, in unix milliseconds. */
  seenAt: number
}

export type GameResult =
  | { kind: 'won'; multiplier: Hundredths; payoutWei: bigint }
  | { kind: 'lost' }
  | { kind: 'voided' }

/** A round from the player's side, told without the house. */
export interface Game extends Wager {
  seen: Seen
  chipsBefore: bigint
  chipsAfterBet: bigint
  /** The crash point as the table showed it; null if the look at it was missed. */
  crashShown: number | null
  result: GameResult
}

/** Everything a game is played with. */
export interface Seat {
  player: Player
  table: LiveTable
  line: LiveLine
}

type PlacedBet = Pick<Game, 'seen' | 'chipsBefore' | 'chipsAfterBet'>

/** How many rounds may go by without taking the bet. */
const MISSED_ROUNDS = 5

/** Plays one round: bets, cashes out when the target shows, and waits for the end. */
export async function playGame(seat: Seat, wager: Wager): Promise<Game> {
  const placed = await placeBet(seat, wager)
  const { roundId, seedHash, pepperSource } = placed.seen
  seat.line.print(`round ${roundId}: you bet ${showAmount(wager.amountWei, wager.token)}`)
  seat.line.print(`  seed hash  ${seedHash}`)
  seat.line.print(`  pepper     ${showPepper(pepperSource)}`)
  const flown = await fly(seat, wager, roundId)
  return { ...wager, ...placed, ...flown }
}

/** Bets in the first round that takes the bet. */
async function placeBet({ player, table, line }: Seat, wager: Wager): Promise<PlacedBet> {
  const { token, amountWei } = wager
  const missed = new Set<number>()
  const miss = (roundId: number, why: string): null => {
    missed.add(roundId)
    if (missed.size > MISSED_ROUNDS) throw new CommandError(`No round took the bet: ${why}`)
    line.print(`round ${roundId}: ${why} Waiting for the next round.`)
    return null
  }
  return table.until(async ({ state, now }) => {
    const { roundId, seedHash, pepperSource, edgeBps, betsCloseAt, me } = state
    if (state.phase !== 'betting' || now >= betsCloseAt || missed.has(roundId)) return null
    if (me.openBet) return miss(roundId, 'You have a bet in this round already.')
    const seenAt = Date.now()
    const answer = await unlessRefused(['betting_closed', 'bet_exists'], () =>
      player.bet(roundId, token, amountWei),
    )
    if (answer instanceof ServiceError) return miss(roundId, answer.message)
    return {
      seen: { roundId, seedHash, pepperSource, edgeBps, betsCloseAt, seenAt },
      chipsBefore: BigInt(me.chips[token]),
      chipsAfterBet: BigInt(answer.me.chips[token]),
    }
  })
}

/** Watches a round to its end, and cashes out on the way when the target shows. */
async function fly(
  seat: Seat,
  { token, target }: Wager,
  roundId: number,
): Promise<Pick<Game, 'crashShown' | 'result'>> {
  const { table, line } = seat
  const early = await table.until(async (moment) => {
    const { state, multiplier } = moment
    if (isOver(moment, roundId)) return 'over'
    // Without an open bet in flight a published limit has cashed it out already.
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
    const multiplier = Math.round(ended.multiplier * 100)
    return { crashShown, result: { kind: 'won', multiplier, payoutWei: BigInt(ended.payout) } }
  }
  if (ended?.code === 'no_open_bet') return { crashShown, result: { kind: 'voided' } }
  line.print(`it crashed before ${showMultiplier(target)} could be cashed out`)
  return { crashShown, result: { kind: 'lost' } }
}

function isOver({ state }: Moment, roundId: number): boolean {
  return state.roundId !== roundId || state.phase === 'results'
}

/** Cashes out, or hears how the bet ended; null before take-off. */
async function cashOut({ player, line }: Seat, roundId: number, token: Token) {
  const answer = await unlessRefused(['not_in_flight', 'already_crashed', 'no_open_bet'], () =>
    player.cashout(roundId),
  )
  if (answer instanceof ServiceError) return answer.code === 'not_in_flight' ? null : answer
  const payout = showAmount(BigInt(answer.payout), token)
  line.print(`cashed out at ${answer.multiplier.toFixed(2)}x: ${payout}`)
  return answer
}

/** The answer of a call, or its refusal where that is one of the codes to go on after. */
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
    : `drand quicknet round ${source.round}, not published before bets close`
}
