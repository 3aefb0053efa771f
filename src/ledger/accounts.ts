import { invariant } from '../core/invariant.ts'
import { perToken, TOKENS, type PerToken, type Token } from '../money/token.ts'

/** The name of the ledger for the house's own funds. */
export const HOUSE = 'house'

/**
 * The accounts in one wallet's ledger. `chips`, `in_play`, `withdrawing` and `quarantine` belong to the player; the
 * others are the counterparties as seen from this wallet and may be negative. `quarantine` has deposits above the
 * player's own limit: they can only be withdrawn. `faucet` stands in for the vault in local play.
 */
export const ACCOUNTS = [
  'chips',
  'in_play',
  'withdrawing',
  'house',
  'vault',
  'partner',
  'fees',
  'faucet',
  'quarantine',
] as const

export type Account = (typeof ACCOUNTS)[number]

/** The accounts that are never negative. */
export const PLAYERS_OWN: readonly Account[] = ['chips', 'in_play', 'withdrawing', 'quarantine']

/** Returns the debt to a wallet in a token: chips, those in play, those being withdrawn, and its quarantine. */
export function owedTo(accounts: Record<Account, bigint>): bigint {
  return PLAYERS_OWN.reduce((total, account) => total + accounts[account], 0n)
}

/** A movement between two accounts of a ledger, in smallest units, above zero. */
export interface Posting {
  token: Token
  from: Account
  to: Account
  amountWei: string
}

/** Returns the postings for amounts moved between accounts, in smallest units. Leaves out zeros. */
export function postingsOf(
  token: Token,
  ...moves: [from: Account, to: Account, amountWei: bigint | string][]
): Posting[] {
  return moves
    .filter(([, , amountWei]) => BigInt(amountWei) !== 0n)
    .map(([from, to, amountWei]) => ({ token, from, to, amountWei: amountWei.toString() }))
}

export type Balances = PerToken<Record<Account, bigint>>

export function emptyBalances(): Balances {
  return perToken(
    () => Object.fromEntries(ACCOUNTS.map((account) => [account, 0n])) as Record<Account, bigint>,
  )
}

/**
 * Returns the balances after some postings.
 * @throws InvariantError if a player's account would become negative or a posting moves nothing
 */
export function post(balances: Balances, postings: readonly Posting[]): Balances {
  const after = perToken((token) => ({ ...balances[token] }))
  for (const { token, from, to, amountWei } of postings) {
    const amount = BigInt(amountWei)
    invariant(amount > 0n, `a posting of ${amountWei} moves nothing`)
    invariant(from !== to, `a posting from ${from} to itself moves nothing`)
    after[token][from] -= amount
    after[token][to] += amount
  }
  assertSound(after)
  return after
}

/** Returns the first account whose balances differ, or null if all are equal. */
export function differenceOf(some: Balances, others: Balances): string | null {
  for (const token of TOKENS) {
    for (const account of ACCOUNTS) {
      if (some[token][account] !== others[token][account]) return `${account} of ${token}`
    }
  }
  return null
}

/**
 * Asserts that the accounts of every token sum to zero and that no player's account is negative.
 * @throws InvariantError if they don't
 */
export function assertSound(balances: Balances): void {
  for (const token of TOKENS) {
    const sum = ACCOUNTS.reduce((total, account) => total + balances[token][account], 0n)
    invariant(sum === 0n, `the ${token} accounts sum to ${sum}`)
    for (const account of PLAYERS_OWN) {
      invariant(balances[token][account] >= 0n, `the ${token} account ${account} is negative`)
    }
  }
}
