import type { PerToken, Token } from './token.ts'
import { perToken } from './token.ts'

/** How much of its bankroll the house puts at risk, in hundredths of a percent. */
export interface BankrollShares {
  /** With one bet or play. */
  payoutBps: number
  /** With one round of crash. */
  roundBps: number
}

/** What the house has to lose, in smallest units, and how much of it at a time. */
export interface Bankroll extends BankrollShares {
  amounts: PerToken<bigint>
}

/** A bankroll as rounds keep it and the wire shows it. */
export interface ShownBankroll extends BankrollShares {
  amounts: PerToken<string>
}

/** What all ledgers say together, in smallest units. */
export interface Totals {
  /** Chips, in play and being withdrawn: what players are owed. */
  owed: bigint
  /** Won, paid in fees, and put up for the house, less what it has lost and taken out. */
  house: bigint
  /** What players have brought in through the vault and not taken out again. */
  brought: bigint
  /** What partners have debited beyond their credits; below zero the other way round. */
  partner: bigint
}

/**
 * Counts the house in one token, in smallest units.
 * @param heldWei what the vault really holds
 * @param settledWei what partners were paid outside of what they debited and did not credit
 * @returns `amountWei`, the bankroll: what the ledgers say is the house's, or what the vault holds beyond
 *   what players and partners are owed, whichever is less, never below zero; `resultWei`, what the house
 *   has won from players: all that they brought in, less what they and partners are owed
 */
export function countHouse(
  { owed, house, brought, partner }: Totals,
  heldWei: bigint,
  settledWei: bigint,
): { amountWei: bigint; resultWei: bigint } {
  const owedToPartners = highest(0n, partner - settledWei)
  const free = heldWei - owed - owedToPartners
  return {
    amountWei: highest(0n, house < free ? house : free),
    resultWei: brought - owed - owedToPartners,
  }
}

function highest(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}

/** What a table may take and pay, as decimal text in smallest units. */
interface Limits {
  max: string
  maxPayout: string
  maxRoundPayout?: string
}

/**
 * Configured limits, no higher than the bankroll bears: each limit is the lower of the two, and a
 * stake is never above what it could be paid 1.01 times. A house with nothing takes nothing.
 * @param bankroll null where there is no vault, and with it nothing to lose
 */
export function withinBankroll<L extends Limits>(
  limits: PerToken<L>,
  bankroll: Bankroll | null,
): PerToken<L> {
  if (!bankroll) return limits
  return perToken((token) => bounded(limits[token], token, bankroll))
}

function bounded<L extends Limits>(limits: L, token: Token, bankroll: Bankroll): L {
  const share = (bps: number) => (bankroll.amounts[token] * BigInt(bps)) / 10_000n
  const maxPayout = lower(limits.maxPayout, share(bankroll.payoutBps))
  const max = lower(limits.max, (maxPayout * 100n) / 101n)
  const { maxRoundPayout } = limits
  return {
    ...limits,
    max: max.toString(),
    maxPayout: maxPayout.toString(),
    ...(maxRoundPayout !== undefined && {
      maxRoundPayout: lower(maxRoundPayout, share(bankroll.roundBps)).toString(),
    }),
  }
}

function lower(configured: string, borne: bigint): bigint {
  const limit = BigInt(configured)
  return limit < borne ? limit : borne
}

/** A bankroll as the wire shows it. */
export function shownBankroll({ amounts, payoutBps, roundBps }: Bankroll): ShownBankroll {
  return { amounts: perToken((token) => amounts[token].toString()), payoutBps, roundBps }
}
