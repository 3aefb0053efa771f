import { bytesToHex } from '@noble/hashes/utils'
import { isOwnMachine } from '../../core/own-machine.ts'
import { isoTime } from '../../core/utc-day.ts'
import { crashPointFromBits, roundMessage } from '../../crash/crash-point.ts'
import {
  endOf,
  type DisclosedBet,
  type DisclosedRound,
  type DisclosedVoid,
  type Disclosure,
  type WholeRound,
} from '../../crash/disclosure.ts'
import type { Check, Step } from '../../fairness/check.ts'
import { commitmentOf, first52Bits, hmacOf } from '../../fairness/seed.ts'
import { toMultiplier } from '../../money/multiplier.ts'
import { isOf, verifyBet, verifyRound, verifyVoid, type SeenRound } from '../../verify/round.ts'
import { ownCashoutOf, verifyWhole } from '../../verify/whole-round.ts'
import { fail, get, isFailure, type Failure } from '../api.ts'
import { kept } from '../keepsakes.ts'
import type { Proof } from './proof.ts'

/** Verifies an ended round of crash on this machine. */
export async function proveRound(roundId: string): Promise<Proof | Failure> {
  const told = await disclosureOf(roundId)
  if (isFailure(told)) return told
  const seen = seenOf(roundId)
  const round = told.rounds.find((each) => String(each.roundId) === roundId)
  if (round) return { ...shownRound(round, seen), checks: verifyRound(round, seen) }
  const voided = told.voided.find((each) => String(each.roundId) === roundId)
  return voided
    ? { ...shownVoid(voided), checks: verifyVoid(voided, seen) }
    : fail('not_found', 'This round does not exist.')
}

/** Verifies on this machine that an answer is the round with this number, with its end and all of its bets. */
export function proofOfWhole(round: WholeRound, roundId: string): Proof {
  const seen = seenOf(roundId)
  const end = endOf(round)
  const shown = 'crash' in end ? shownRound(end, seen) : shownVoid(end)
  const isAsked = { claim: `it is round ${roundId}`, holds: round.roundId === Number(roundId) }
  const { bet, hasCashedOut } = seen
  const claimed = bet && !hasCashedOut ? ownCashoutOf(bet.wallet, round) : null
  return {
    ...shown,
    checks: [isAsked, ...verifyWhole(round, seen)],
    ...(claimed !== null && {
      note: `The house says that you cashed out at ${claimed}x. ${FORCED}`,
    }),
  }
}

const FORCED =
  'This browser did not. If you did not cash out on another device either, the house forced it, and no limit required that.'

/** Reads the further pages of a round's bets, without which nothing about them can be verified. */
export async function withAllBets(round: WholeRound): Promise<WholeRound | Failure> {
  const bets = [...round.bets]
  while (bets.length < round.betCount) {
    const query = { action: 'round', roundId: String(round.roundId), from: String(bets.length) }
    const page = await get<WholeRound>('/api/crash', query)
    if (isFailure(page)) return page
    if (page.bets.length === 0) break
    bets.push(...page.bets)
  }
  return { ...round, bets }
}

type SeenHere = SeenRound & { hasCashedOut?: true }

/** Returns this browser's evidence on a round, and whether only a public beacon may have made its pepper. */
function seenOf(roundId: string): SeenHere {
  const seen = kept('rounds', roundId) ?? kept('rounds.fun', roundId)
  return { ...seen, needsBeacon: !isOwnMachine(location.hostname) }
}

/** Verifies a wallet's ended bet and its round on this machine. */
export async function proveBet(wallet: string, roundId: string): Promise<Proof | Failure> {
  const bet = await get<DisclosedBet>('/api/crash', { action: 'bet', wallet, roundId })
  return isFailure(bet) ? bet : proofOfBet(bet, wallet, roundId)
}

/** Verifies on this machine that an answer is a wallet's bet in this round, with its end and its round. */
export function proofOfBet(bet: DisclosedBet, wallet: string, roundId: string): Proof {
  // The house chooses the contents of its answer, so the answer must not choose the evidence.
  const seen: SeenHere = {
    ...kept('rounds', String(Number(roundId))),
    needsBeacon: !isOwnMachine(location.hostname),
  }
  const { steps, note = noteOf(bet, seen) } =
    bet.outcome === 'voided' ? shownVoid(bet) : shownRound(bet, seen)
  const paid = {
    name: 'Stake, multiplier and payout, in smallest units',
    value: `${bet.amountWei}, ${bet.multiplier.toFixed(2)}x, ${bet.payout}`,
  }
  return {
    title: `Bet in round ${roundId}`,
    steps: [...steps, paid],
    checks: [checkIsOf(bet, wallet, Number(roundId)), ...verifyBet(bet, seen)],
    ...(note !== undefined && { note }),
  }
}

/** Notes a cash-out that neither this browser nor the bet's target explains. */
function noteOf(bet: DisclosedBet, { bet: sent, hasCashedOut }: SeenHere): string | undefined {
  const isForced = bet.outcome === 'won' && bet.multiplier !== bet.autoCashout
  return isForced && isOf(bet, sent?.wallet) && !hasCashedOut
    ? 'This browser did not cash the bet out. The page of the round shows whether a limit required it.'
    : undefined
}

function checkIsOf(bet: DisclosedBet, wallet: string, roundId: number): Check {
  const claim = `it is the bet of ${wallet} in round ${roundId}`
  return { claim, holds: isOf(bet, wallet) && bet.roundId === roundId }
}

/** Looks among the newest rounds with bets first, and asks for an older round by its number. */
async function disclosureOf(roundId: string): Promise<Disclosure | Failure> {
  const newest = await get<Disclosure>('/api/crash/verify-seeds')
  if (isFailure(newest)) return newest
  const isListed = [...newest.rounds, ...newest.voided].some(
    (round) => String(round.roundId) === roundId,
  )
  return isListed ? newest : get<Disclosure>('/api/crash/verify-seeds', { roundId })
}

/** A proof without its checks, the slow part of it. */
type UncheckedProof = Omit<Proof, 'checks'>

function shownRound(round: DisclosedRound, seen: SeenRound): UncheckedProof {
  const { roundId, seed, pepper, pepperSource, signature } = round
  return {
    title: `Round ${roundId}`,
    steps: [
      { name: 'The house’s seed, revealed after the round', value: seed },
      { name: 'SHA-256 of the seed’s bytes', value: commitmentOf(seed) },
      { name: 'Bets closed', value: isoTime(round.betsCloseAt) },
      ...sourceSteps(pepperSource, signature),
      { name: 'Pepper', value: pepper },
      ...crashSteps(round),
    ],
    ...(seen.seedHash === undefined && { note: NOT_SEEN }),
  }
}

/** Returns the steps from a round's seed and pepper to its crash point. */
export function crashSteps(
  round: Pick<DisclosedRound, 'roundId' | 'seed' | 'pepper' | 'edgeBps'>,
): Step[] {
  const message = roundMessage(round)
  const digest = hmacOf(round.seed, message)
  const r = first52Bits(digest)
  const crash = toMultiplier(crashPointFromBits(r, round.edgeBps))
  return [
    { name: 'Message', value: message },
    { name: 'HMAC-SHA256 of the message, keyed with the seed', value: bytesToHex(digest) },
    { name: 'First 52 bits, r', value: String(r) },
    {
      name: `max(1, ⌊(10000 − ${round.edgeBps}) · 2⁵² / (2⁵² − r) / 100⌋ / 100)`,
      value: `${crash.toFixed(2)}x`,
    },
  ]
}

function sourceSteps(source: DisclosedRound['pepperSource'], signature?: string): Step[] {
  if (source.kind === 'committed') {
    return [{ name: 'Hash of the pepper, shown with the seed’s hash', value: source.pepperHash }]
  }
  return [
    { name: 'drand quicknet round, fixed before betting', value: String(source.round) },
    { name: 'Signature of the drand round', value: signature ?? '' },
  ]
}

function shownVoid(round: DisclosedVoid): UncheckedProof {
  return {
    title: `Round ${round.roundId}, voided`,
    steps: [
      { name: 'Why all bets were refunded', value: round.reason },
      { name: 'The house’s seed', value: round.seed },
      { name: 'SHA-256 of the seed’s bytes', value: commitmentOf(round.seed) },
    ],
  }
}

const NOT_SEEN =
  'The maths is right. Only a browser that watched this round can also confirm what was shown before bets closed.'
