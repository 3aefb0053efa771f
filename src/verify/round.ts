import { crashPointOf } from '../crash/crash-point.ts'
import type { DisclosedBet, DisclosedRound, DisclosedVoid } from '../crash/disclosure.ts'
import type { ShownLimits } from '../crash/plan.ts'
import { checkSeen, sameFields, type Check } from '../fairness/check.ts'
import {
  sourceText,
  verifyFromBeacon,
  verifyPepper,
  verifyPepperTimes,
  type IsSigned,
  type PepperSource,
} from '../fairness/pepper.ts'
import { commits, isSecret } from '../fairness/seed.ts'
import { payoutOf, toMultiplier } from '../money/multiplier.ts'

/** A bet in a round that crashed. */
type Bet = Exclude<DisclosedBet, { outcome: 'voided' }>

/** A bet that a player has sent. The round may have bets of other wallets. */
type SentBet = Pick<DisclosedBet, 'wallet' | 'token' | 'amountWei' | 'autoCashout'>

/** The facts that a player saw before bets closed. The house is held to them. */
export interface SeenRound {
  seedHash?: string
  pepperSource?: PepperSource
  betsCloseAt?: number
  edgeBps?: number
  /** When the seed hash was first seen, in unix milliseconds by the player's own clock. */
  seenAt?: number
  /** The root and the number of the bets, shown once bets had closed. */
  betsRoot?: string
  betCount?: number
  /** The limits of stakes and payouts, shown before the bet. */
  shownLimits?: ShownLimits
  /** The player's own bet, as it was sent and accepted. */
  bet?: SentBet
  /** Whether the pepper must come from a public beacon: on any site except local play. */
  needsBeacon?: boolean
}

/**
 * Checks a disclosed round's claims: the house's commitment, the pepper's source and time, and the
 * crash point that follows from both. Without `seen` this shows that the maths is right; with it,
 * that the house changed nothing afterwards.
 */
export function verifyRound(
  round: DisclosedRound,
  seen: SeenRound = {},
  isSigned?: IsSigned,
): Check[] {
  const claim = `seed and pepper give a crash at ${round.crash}x`
  const holds = isSecret(round.seed) && toMultiplier(crashPointOf(round)) === round.crash
  return [
    verifySeed(round),
    verifyPepper(round, isSigned),
    { claim, holds },
    ...verifySeen(round, seen),
    ...checkSeen(
      `its house edge is the one you saw, ${(seen.edgeBps ?? 0) / 100}%`,
      round.edgeBps,
      seen.edgeBps,
    ),
  ]
}

/** Checks the commitment of a voided round, and the beacon it waited for. */
export function verifyVoid(round: DisclosedVoid, seen: SeenRound = {}): Check[] {
  return [verifySeed(round), ...verifySeen(round, seen)]
}

/** Checks an ended bet: its round, and that the payout follows from the round's crash point. */
export function verifyBet(bet: DisclosedBet, seen: SeenRound = {}): Check[] {
  // The browser may have sent a bet of another wallet in the same round.
  const isOwn = isOf(bet, seen.bet?.wallet)
  return [...verifyEnded(bet, seen), ...(isOwn ? checkSent([bet], seen.bet) : [])]
}

/** Checks that some bets have the player's own as it was sent. Checks nothing if the player sent none. */
export function checkSent(bets: readonly SentBet[], sent?: SentBet): Check[] {
  if (!sent) return []
  const isSent = (bet: SentBet) =>
    isOf(bet, sent.wallet) && sameFields(bet, sent, ['token', 'amountWei', 'autoCashout'])
  return [
    {
      claim: 'your bet has the token, the stake and the automatic cash-out that you sent',
      holds: bets.some(isSent),
    },
  ]
}

/** Returns whether a bet is a wallet's, in any letter case. */
export function isOf(bet: { wallet: string }, wallet = ''): boolean {
  return bet.wallet.toLowerCase() === wallet.toLowerCase()
}

function verifyEnded(bet: DisclosedBet, seen: SeenRound): Check[] {
  if (bet.outcome === 'voided') {
    const holds = bet.payout === bet.amountWei && bet.multiplier === 1
    return [...verifyVoid(bet, seen), { claim: 'the stake was refunded', holds }]
  }
  return [...verifyRound(bet, seen), bet.outcome === 'won' ? checkWin(bet) : checkLoss(bet)]
}

function checkWin(bet: Bet): Check {
  const { amountWei, autoCashout, multiplier, payout, crash } = bet
  const pays = payoutOf(BigInt(amountWei), Math.round(multiplier * 100)).toString()
  return {
    claim: `cashed out at ${multiplier}x, no later than the crash, the bet pays ${pays} in smallest units`,
    holds: multiplier <= Math.min(crash, autoCashout ?? crash) && payout === pays,
  }
}

function checkLoss({ autoCashout, multiplier, payout, crash }: Bet): Check {
  const isReached = autoCashout !== null && autoCashout <= crash
  const target = autoCashout === null ? 'not cashed out' : `set to cash out at ${autoCashout}x`
  return {
    claim: `${target}, the bet lost at ${crash}x`,
    holds: !isReached && multiplier === 0 && payout === '0',
  }
}

function verifySeed({ seed, seedHash }: { seed: string; seedHash: string }): Check {
  return { claim: `the seed matches its seed hash ${seedHash}`, holds: commits(seedHash, seed) }
}

function verifySeen(
  round: DisclosedRound | DisclosedVoid,
  { seedHash, pepperSource, betsCloseAt, seenAt, needsBeacon = false }: SeenRound,
): Check[] {
  return [
    ...(needsBeacon ? [verifyFromBeacon(round.pepperSource)] : []),
    ...verifyPepperTimes({
      pepperSource: round.pepperSource,
      fixedAt: round.betsCloseAt,
      event: 'bets closed',
      seenAt,
      isSourceSeen: pepperSource !== undefined,
    }),
    ...checkSeen('its seed hash is the one you saw before bets closed', round.seedHash, seedHash),
    ...checkSeen(
      'its pepper comes from the source announced before bets closed',
      sourceText(round.pepperSource),
      pepperSource && sourceText(pepperSource),
    ),
    ...checkSeen('its bets closed at the announced time', round.betsCloseAt, betsCloseAt),
  ]
}
