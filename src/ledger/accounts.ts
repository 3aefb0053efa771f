import { invariant } from '../core/invariant.ts'
import { perToken, TOKENS, type PerToken, type Token } from '../money/token.ts'

/** The name of the ledger that keeps the house's own funds. */
export const HOUSE = 'house'

/**
 * The accounts of one wallet's ledger. `chips`, `in_play` and `withdrawing` are the player's;
 * the others are the counterparties seen from this wallet and may go below zero.
 * `faucet` stands in for the vault in local play.
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
] as const

export type Account = (typeof ACCOUNTS)[number]

/** Accounts that are never below zero. */
const PLAYERS_OWN: readonly Account[] = ['chips', 'in_play', 'withdrawing']

/** One movement between two accounts of one ledger, in smallest units, more than zero. */
export interface Posting {
  token: Token
  from: Account
  to: Account
  amountWei: string
}

export type Balances = PerToken<Record<Account, bigint>>

export function emptyBalances(): Balances {
  return perToken(
    () => Object.fromEntries(ACCOUNTS.map((account) => [account, 0n])) as Record<Account, bigint>,
  )
}

/**
 * The balances after some postings.
 * @throws InvariantError if a player's account would go below zero or a posting moves nothing
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

/** @throws InvariantError unless every token sums to zero and no player's account is negative */
export function assertSound(balances: Balances): void {
  for (const token of TOKENS) {
    const sum = ACCOUNTS.reduce((total, account) => total + balances[token][account], 0n)
    invariant(sum === 0n, `the ${token} accounts sum to ${sum}`)
    for (const account of PLAYERS_OWN) {
      invariant(balances[token][account] >= 0n, `${account} of ${token} is below zero`)
    }
  }
}
