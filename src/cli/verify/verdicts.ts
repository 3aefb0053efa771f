import { tierTable } from '../../box-nft/tier.ts'
import { isoTime } from '../../core/utc-day.ts'
import type {
  DisclosedBet,
  DisclosedRound,
  DisclosedVoid,
  WholeRound,
} from '../../crash/disclosure.ts'
import { checkSeen, sameFields, type Check } from '../../fairness/check.ts'
import { sourceText } from '../../fairness/pepper.ts'
import { spinDay, spinId } from '../../lootbox/spin.ts'
import { FUN } from '../../money/token.ts'
import { verifyBox, verifyPepperAsLogged, type DisclosedBox } from '../../verify/box.ts'
import { verifyAsLogged } from '../../verify/logged-round.ts'
import {
  verifyOpening,
  verifySeedAsLogged,
  type DisclosedOpening,
  type SeenOpening,
} from '../../verify/opening.ts'
import { verifyPayment, type PaymentOnChain } from '../../verify/payment.ts'
import { verifyPlay } from '../../verify/play.ts'
import { verifyBet, verifyRound, verifyVoid } from '../../verify/round.ts'
import { verifyBets } from '../../verify/whole-round.ts'
import { CommandError } from '../shared/terminal.ts'
import type { Evidence } from './evidence.ts'
import type { VerifyOptions } from './options.ts'
import type { Kind } from './wanted.ts'

/** The checks of one wanted result. */
export interface Verdict {
  kind: Kind
  name: string
  title: string
  checks: Check[]
  /** Doubts that an honest house may explain, but a lying one could use. */
  doubts?: string[]
  /** Values that the reader can compare with those shown elsewhere, each with its name. */
  facts?: string[]
  /** The hash of its seed as disclosed, in hex; undefined for a box, which has no seed. */
  seedHash?: string
}

type VerifyRequest = Pick<VerifyOptions, 'wanted' | 'seen'>

/** Checks the wanted results in the evidence. */
export function verdictsOf(evidence: Evidence, asked: VerifyRequest): Verdict[] {
  const { only, wallet } = asked.wanted
  const verdicts = [
    ...(wallet === undefined ? roundVerdicts(evidence, asked) : []),
    ...betVerdicts(evidence, asked),
    ...playVerdicts(evidence, asked),
    ...openingVerdicts(evidence, asked),
    ...boxVerdicts(evidence, asked),
  ]
  return verdicts.filter(({ kind }) => only === null || kind === only)
}

/** Shows both seed hashes if a result's is not the one that was seen; returns no lines otherwise. */
export function otherSeedHash(
  { seedHash }: Pick<Verdict, 'seedHash'>,
  { seedHash: seen }: VerifyRequest['seen'],
): string[] {
  if (seen === undefined || seedHash === undefined || seedHash === seen) return []
  return [`its seed hash  ${seedHash}`, `the one given  ${seen}`]
}

function roundVerdicts(evidence: Evidence, { wanted, seen }: VerifyRequest): Verdict[] {
  const { rounds, voided } = evidence
  const isWanted = (round: { roundId: number }) =>
    wanted.roundId === undefined || round.roundId === wanted.roundId
  return [
    ...rounds.filter(isWanted).map((round) => ({
      kind: 'round' as const,
      seedHash: round.seedHash,
      name: `round ${round.roundId}`,
      title: `crashed at ${round.crash}x, ${closeOf(round)}`,
      checks: [
        ...verifyRound(round, seen),
        ...orderOf(round, evidence),
        ...betsOf(round, evidence),
      ],
    })),
    ...voided.filter(isWanted).map((round) => ({
      kind: 'round' as const,
      seedHash: round.seedHash,
      name: `round ${round.roundId}`,
      title: `voided, bets refunded: ${round.reason}, ${closeOf(round)}`,
      checks: [...verifyVoid(round, seen), ...orderOf(round, evidence), ...betsOf(round, evidence)],
    })),
  ]
}

type Ended = DisclosedRound | DisclosedVoid

function closeOf({ betsCloseAt }: Ended): string {
  return `bets closed ${isoTime(betsCloseAt)}`
}

/** Checks a round's times against its predecessor's, which exposes a time forged to fit a known beacon. */
function orderOf(round: Ended, { rounds, voided }: Evidence): Check[] {
  const [before] = [...rounds, ...voided]
    .filter(({ roundId }) => roundId < round.roundId)
    .toSorted((a, b) => b.roundId - a.roundId)
  if (!before) return []
  return [
    {
      claim: `it opened after bets closed in round ${before.roundId}`,
      holds: round.openedAt > before.betsCloseAt && round.betsCloseAt > round.openedAt,
    },
  ]
}

/** Checks that a bet is among those of its round, and the round against the public log, as far as both were loaded. */
function roundOf(bet: DisclosedBet, evidence: Evidence): Check[] {
  if (evidence.whole === null) return []
  const isAmong = evidence.whole.bets.some(
    (other) => isOf(other.wallet, bet.wallet) && sameFields(bet, other, OF_BET),
  )
  return [
    { claim: 'the list of bets of its round discloses it identically', holds: isAmong },
    ...betsOf(bet, evidence),
  ]
}

/** The times differ: its ledger holds the stake before the round takes the bet. */
const OF_BET = ['token', 'amountWei', 'autoCashout', 'outcome', 'multiplier', 'payout'] as const

/** Checks a round's bets, and the round against the public log, as far as both were loaded. */
function betsOf(round: Ended, { whole, logged }: Evidence): Check[] {
  if (whole === null) return []
  return [
    {
      claim: 'its bets are disclosed with the same seed, pepper, edge, times and end',
      holds: isSameRound(round, whole),
    },
    ...verifyBets(whole),
    ...(logged ? verifyAsLogged(logged, whole) : []),
  ]
}

const OF_ALL = ['roundId', 'seed', 'seedHash', 'openedAt', 'betsCloseAt'] as const

function isSameRound(round: Ended, whole: WholeRound): boolean {
  const isSame =
    sourceText(round.pepperSource) === sourceText(whole.pepperSource) &&
    sameFields(round, whole, OF_ALL)
  if (!('crash' in round)) return isSame && whole.crash === null && round.reason === whole.reason
  return isSame && sameFields(round, whole, ['pepper', 'crash', 'edgeBps'])
}

function betVerdicts(evidence: Evidence, { wanted, seen }: VerifyRequest): Verdict[] {
  return evidence.bets
    .filter(({ roundId }) => wanted.roundId === undefined || roundId === wanted.roundId)
    .filter((bet) => isOf(bet.wallet, wanted.wallet))
    .map((bet) => ({
      kind: 'bet',
      seedHash: bet.seedHash,
      name: `bet of ${bet.wallet} in round ${bet.roundId}`,
      title: `${bet.outcome}, paid ${bet.multiplier}x`,
      checks: [...verifyBet(bet, seen), ...roundOf(bet, evidence)],
    }))
}

function playVerdicts({ plays }: Evidence, { wanted, seen }: VerifyRequest): Verdict[] {
  const found = plays
    .filter((play) => wanted.nonce === undefined || play.nonce === wanted.nonce)
    .filter((play) => isOf(play.wallet, wanted.wallet))
  // The facts seen belong to one play. Another wallet's play with the same nonce proves nothing.
  if (wanted.only === 'play' && Object.keys(seen).length > 0 && found.length > 1) {
    throw new CommandError(
      `Several plays have nonce ${wanted.nonce}. To choose one, add --wallet 0x….`,
    )
  }
  return found.map((play) => ({
    kind: 'play',
    seedHash: play.seedHash,
    name: `play ${play.nonce}${play.wallet === null ? '' : ` of ${play.wallet}`}`,
    title: `${play.game}${play.token === FUN ? ' with fun chips, worth nothing' : ''}, paid ${play.multiplier}x`,
    checks: verifyPlay(play, seen),
  }))
}

function openingVerdicts(
  { openings, undisclosed, seeds, payments }: Evidence,
  { wanted, seen }: VerifyRequest,
): Verdict[] {
  const withheld = undisclosed.map(({ id, day, checks }) => ({
    kind: 'opening' as const,
    name: `opening ${id}`,
    title: `with the seed of ${day}, which is not disclosed`,
    checks,
  }))
  const disclosed = openings
    .filter(({ from }) => wanted.payment === undefined || paymentOf(from) === wanted.payment)
    .map((opening) => {
      const paid = payments.get(opening.id)
      const known = paid ? { ...seen, paidAt: paid.mined.paidAt } : seen
      return {
        kind: 'opening' as const,
        seedHash: opening.seedHash,
        name: `opening ${opening.id}`,
        title: `won ${opening.label}, with the seed of ${opening.day}`,
        checks: [
          ...verifyOpening(opening, known),
          ...checkOwner(opening, wanted.wallet),
          ...onChain(opening, paid, wanted.wallet),
          ...asLogged(opening, seeds),
        ],
        doubts: doubtsOf(opening, seeds, known),
        facts: factsOf(opening),
      }
    })
  return [...disclosed, ...withheld]
}

/** Checks that a free spin is of the wanted wallet. A payment's opening names no wallet: only the chain does. */
function checkOwner({ id, from }: DisclosedOpening, wallet?: string): Check[] {
  if (wallet === undefined || 'txHash' in from) return []
  return [{ claim: `the spin is of ${wallet}`, holds: id === spinId(wallet, spinDay(id)) }]
}

function onChain(
  { from }: DisclosedOpening,
  paid: PaymentOnChain | undefined,
  wallet: string | undefined,
): Check[] {
  return paid && 'txHash' in from ? verifyPayment(from.blockHash, paid, wallet) : []
}

function factsOf({ from, odds, prize, asset }: DisclosedOpening): string[] {
  const paid =
    'txHash' in from ? [`its payment    ${from.txHash}`, `its block      ${from.blockHash}`] : []
  const won = prize === undefined ? [] : [`its prize      ${prize} smallest units of ${asset}`]
  return [...paid, `its odds       ${odds.join(', ')} basis points`, ...won]
}

function asLogged(opening: DisclosedOpening, seeds: Evidence['seeds']): Check[] {
  const logged = seeds.get(opening.day)
  return logged ? verifySeedAsLogged(opening, logged, Date.now()) : []
}

/**
 * Doubts a seed that was committed to only after the payment or the spin, so that the house could have chosen it,
 * unless the player saw its hash before.
 */
function doubtsOf(
  { day, from }: DisclosedOpening,
  seeds: Evidence['seeds'],
  { paidAt, seedHash }: SeenOpening,
): string[] {
  const [event, at = Infinity] =
    'pepper' in from ? (['spin', from.acceptedAt] as const) : (['payment', paidAt] as const)
  const committedAt = seeds.get(day)?.committedAt ?? 0
  if (committedAt <= at || seedHash !== undefined) return []
  return [
    `The seed hash of ${day} is in the public log only since ${isoTime(committedAt)}, after the ${event} at ${isoTime(at)}. A lootbox that is new or was switched off, or an outage, can cause this. If you noted the seed hash before the ${event}, add --seed-hash.`,
  ]
}

/** Returns an opening's payment; null for a free spin. */
function paymentOf(from: DisclosedOpening['from']): string | null {
  return 'txHash' in from ? from.txHash : null
}

function boxVerdicts({ boxes, batches }: Evidence, { wanted, seen }: VerifyRequest): Verdict[] {
  return boxes
    .filter(({ boxId }) => wanted.boxId === undefined || boxId === wanted.boxId)
    .map((box) => ({
      kind: 'box',
      name: `box ${box.boxId}`,
      title: box.tier === null ? 'not opened yet' : `opened to tier ${box.tier}`,
      checks: [
        ...verifyBox(box, seen),
        ...pepperAsLogged(box, batches),
        ...checkSeen(
          'its odds and prizes are the ones you saw before you bought it',
          tierTable(box.tiers),
          seen.tiers,
        ),
      ],
      facts: [`its tiers      ${tierTable(box.tiers)}`],
    }))
}

function pepperAsLogged(box: DisclosedBox, batches: Evidence['batches']): Check[] {
  const logged = batches.get(box.batch)
  return logged ? verifyPepperAsLogged(box, logged) : []
}

/** Returns whether a result belongs to a wallet. A saved play has no owner, so it always matches. */
function isOf(owner: string | null, wallet?: string): boolean {
  return wallet === undefined || owner === null || owner.toLowerCase() === wallet.toLowerCase()
}
