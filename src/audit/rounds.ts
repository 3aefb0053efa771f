import { messageOf } from '../core/fault.ts'
import { crashPointOf, roundMessage } from '../crash/crash-point.ts'
import { flightMs } from '../crash/curve.ts'
import type { WholeRound } from '../crash/disclosure.ts'
import type { BetRow, RoundRow } from '../exports/rows.ts'
import type { SignedBeacon } from '../fairness/drand.ts'
import { first52Bits, hmacOf, isSecret } from '../fairness/seed.ts'
import { toHundredths } from '../money/multiplier.ts'
import { TOKENS } from '../money/token.ts'
import { verifyRound, verifyVoid } from '../verify/round.ts'
import { verifyBets } from '../verify/whole-round.ts'
import { findingsOf, type Finding } from './finding.ts'
import { digestOf, type RoundDigest } from './in-log.ts'
import {
  addCrash,
  addRound,
  emptyCrash,
  emptyVoids,
  type CrashTally,
  type VoidTally,
} from './tally.ts'

/** The facts of a round for the checks of order and for the statistics. */
export interface RoundFacts {
  roundId: number
  seedHash: string
  openedAt: number
  betsCloseAt: number
  endedAt: number
  /** From 0 to 1; null for a voided round. */
  draw: number | null
  /** Whether its pepper was a secret of the house. */
  isCommitted: boolean
}

/** The result of auditing some rounds and their bets. */
export interface RoundsPart {
  findings: Finding[]
  rounds: RoundFacts[]
  bets: number
  crash: CrashTally
  voids: VoidTally[]
  /** The digests that the public log must have of the rounds. */
  digests: RoundDigest[]
  /** The signatures, which are verified together. */
  beacons: SignedBeacon[]
}

/**
 * Recomputes rounds and their bets, but for the signatures of their beacons.
 * @param needsBeacon whether a pepper must come from a public beacon
 */
export function auditRounds(
  rounds: readonly { round: RoundRow; bets: BetRow[] }[],
  needsBeacon = false,
): RoundsPart {
  const part: RoundsPart = {
    findings: [],
    rounds: [],
    bets: 0,
    crash: emptyCrash(),
    voids: TOKENS.map(emptyVoids),
    beacons: [],
    digests: [],
  }
  for (const { round, bets } of rounds) {
    const where = `round ${round.roundId}`
    try {
      part.findings.push(...auditRound(round, bets, { part, needsBeacon }))
    } catch (fault) {
      part.findings.push({ where, problem: `it can't be recomputed: ${messageOf(fault)}` })
    }
  }
  return part
}

function auditRound(
  round: RoundRow,
  bets: BetRow[],
  { part, needsBeacon }: { part: RoundsPart; needsBeacon: boolean },
): Finding[] {
  const where = `round ${round.roundId}`
  const { roundId, seedHash, openedAt, betsCloseAt, endedAt } = round
  const isSigned = (beacon: number, signature: string) => {
    part.beacons.push({ round: beacon, signature })
    return true
  }
  const seen = { needsBeacon }
  const checks =
    round.kind === 'settled' ? verifyRound(round, seen, isSigned) : verifyVoid(round, seen)
  const isCommitted = round.pepperSource.kind === 'committed'
  const times = { openedAt, betsCloseAt, endedAt }
  part.rounds.push({ roundId, seedHash, ...times, draw: drawOf(round), isCommitted })
  part.digests.push(digestOf(round))
  part.bets += bets.length
  if (round.kind === 'settled') addCrash(part.crash, toHundredths(round.crash), round.edgeBps)
  for (const tally of part.voids) {
    const ofToken = bets.filter(({ token }) => token === tally.token)
    addRound(tally, {
      isVoid: round.kind === 'voided',
      staked: ofToken.reduce((sum, { amountWei }) => sum + BigInt(amountWei), 0n),
      paid: ofToken.reduce((sum, { payout }) => sum + BigInt(payout), 0n),
    })
  }
  const byPosition = bets.toSorted((a, b) => a.n - b.n)
  return [
    ...findingsOf(where, [
      ...checks,
      { claim: 'its times follow from its plan and its crash', holds: areTimesRight(round) },
      {
        claim: 'each bet was placed before the close, and each wallet has one',
        holds: areInTime(round, bets),
      },
      ...verifyBets(wholeOf(round, byPosition)),
    ]),
  ]
}

function drawOf(round: RoundRow): number | null {
  if (round.kind === 'voided' || !isSecret(round.seed)) return null
  return Number(first52Bits(hmacOf(round.seed, roundMessage(round)))) / 2 ** 52
}

function areTimesRight(round: RoundRow): boolean {
  const { openedAt, betsCloseAt, endedAt } = round
  if (openedAt >= betsCloseAt || betsCloseAt > endedAt) return false
  if (round.kind === 'voided') return round.plan === null || endedAt === round.plan.voidAt
  const { takeoffAt } = round
  return takeoffAt >= betsCloseAt && endedAt === takeoffAt + flightMs(crashPointOf(round))
}

function areInTime({ openedAt, betsCloseAt }: RoundRow, bets: readonly BetRow[]): boolean {
  const wallets = new Set(bets.map(({ wallet }) => wallet.toLowerCase()))
  return (
    wallets.size === bets.length &&
    bets.every(({ placedAt }) => placedAt >= openedAt && placedAt < betsCloseAt)
  )
}

function wholeOf(round: RoundRow, bets: readonly BetRow[]): WholeRound {
  const isSettled = round.kind === 'settled'
  return {
    ...round,
    ok: true,
    pepper: isSettled ? round.pepper : null,
    crash: isSettled ? round.crash : null,
    takeoffAt: isSettled ? round.takeoffAt : null,
    signature: (isSettled ? round.signature : null) ?? null,
    reason: isSettled ? null : round.reason,
    bets: bets.map((bet) => ({ ...bet, cashedOutAt: bet.at })),
    next: null,
  }
}
