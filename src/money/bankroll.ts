import { max, min } from '../core/bigint.ts'
import { amountTexts, perToken, type PerToken, type Token } from './token.ts'

/** The shares of its bankroll that the house puts at risk, in basis points. */
export interface BankrollShares {
  /** At risk in one bet or play. */
  payoutBps: number
  /** At risk in one round of crash. */
  roundBps: number
}

/** The house's funds, in smallest units, and the shares of them at risk at a time. */
export interface Bankroll extends BankrollShares {
  amounts: PerToken<bigint>
}

/** A bankroll as stored with rounds and shown on the wire. */
export interface ShownBankroll extends BankrollShares {
  amounts: PerToken<string>
}

/** The sums over all ledgers, in smallest units. */
export interface Totals {
  /** Owed to players: chips, including those in play and those being withdrawn. */
  owedWei: bigint
  /** The house's own: wins, fees and funding, less losses and withdrawals. */
  houseWei: bigint
  /** The players' deposits into the vault, less their withdrawals. */
  netDepositsWei: bigint
  /** The partners' debits less their credits; negative if the credits are larger. */
  partnerWei: bigint
}

/**
 * Counts the house's funds in one token, in smallest units.
 * @param heldWei the vault's balance, without tokens that its books lack
 * @param partnersWei the debt to partners: see {@link owedToPartners}
 * @returns `amountWei`, the bankroll: the house's balance in the ledgers or the vault's balance beyond all
 *   debts to players and partners, whichever is less, never negative; `resultWei`, the house's winnings:
 *   the players' net deposits less all debts to players and partners
 */
export function countHouse(
  { owedWei, houseWei, netDepositsWei }: Omit<Totals, 'partnerWei'>,
  heldWei: bigint,
  partnersWei: bigint,
): { amountWei: bigint; resultWei: bigint } {
  const freeWei = heldWei - owedWei - partnersWei
  return {
    amountWei: max(0n, min(houseWei, freeWei)),
    resultWei: netDepositsWei - owedWei - partnersWei,
  }
}

/** The limits in one token, as decimal text in smallest units. */
export interface Limits {
  /** Smallest and largest stake. */
  min: string
  max: string
  /** The largest payout of one bet or play. */
  maxPayout: string
}

type SomeLimits = Limits & { maxRoundPayout?: string }

/** One partner's account in one token, in smallest units. */
export interface PartnerAccount {
  /** Its debits less its credits, as far as they are known. */
  balanceWei: bigint
  /** The amount paid to it outside the service; negative if it has paid the house. */
  settledWei: bigint
}

/**
 * Returns the debt to partners in one token, never negative, in smallest units. One partner's debt to the house pays no
 * other partner, so it reduces nothing.
 * @param partnerWei the debits of all partners less their credits, by the ledgers: they have no account for each
 *   partner
 */
export function owedToPartners(partnerWei: bigint, accounts: readonly PartnerAccount[]): bigint {
  const sum = (of: (account: PartnerAccount) => bigint) =>
    accounts.reduce((total, account) => total + of(account), 0n)
  const netWei = partnerWei - sum(({ settledWei }) => settledWei)
  const owedByWei = sum(({ balanceWei, settledWei }) => max(0n, settledWei - balanceWei))
  // A single partner has all that the ledgers have, whatever else is known of its balance.
  return max(0n, accounts.length > 1 ? netWei + owedByWei : netWei)
}

/**
 * Lowers configured limits to those the bankroll can bear. The largest stake is at most the largest
 * payout divided by 1.01, so a house without funds takes no bets.
 * @param bankroll null without a vault: the configured limits then stay as they are
 */
export function withinBankroll<L extends SomeLimits>(
  limits: PerToken<L>,
  bankroll: Bankroll | null,
): PerToken<L> {
  if (!bankroll) return limits
  return perToken((token) => bounded(limits[token], token, bankroll))
}

function bounded<L extends SomeLimits>(limits: L, token: Token, bankroll: Bankroll): L {
  const share = (bps: number) => (bankroll.amounts[token] * BigInt(bps)) / 10_000n
  const maxPayout = min(BigInt(limits.maxPayout), share(bankroll.payoutBps))
  const { maxRoundPayout } = limits
  return {
    ...limits,
    max: min(BigInt(limits.max), (maxPayout * 100n) / 101n).toString(),
    maxPayout: maxPayout.toString(),
    ...(maxRoundPayout !== undefined && {
      maxRoundPayout: min(BigInt(maxRoundPayout), share(bankroll.roundBps)).toString(),
    }),
  }
}

/** Converts a bankroll to its form on the wire. */
export function shownBankroll({ amounts, payoutBps, roundBps }: Bankroll): ShownBankroll {
  return { amounts: amountTexts(amounts), payoutBps, roundBps }
}
