import { perToken, TOKENS, type PerToken, type Token } from '../money/token.ts'
import type { Account, Balances, Posting } from './accounts.ts'
import { partsOfId, type OperationKind } from './operation.ts'
import { isTransaction } from './transfer.ts'

/**
 * A player's cumulative amounts of one token, in smallest units, and the number of ended bets:
 *
 * - `wagered` and `returned`: stakes and payouts of ended crash bets and plays. A bet counts when it is
 *   settled, so `returned − wagered` is the net result of ended bets. An open bet does not count yet, and a
 *   refused or voided one never does.
 * - `deposited`: deposits before their fee, as the vault's events show them, whatever part of them went into
 *   quarantine. The faucet's chips count too, because it stands in for the vault in local play.
 * - `withdrawn`: confirmed withdrawals, less those that a reorganisation has reverted.
 * - `debited`: partners' debits, whether rolled back or not.
 *
 * Partners' credits count in none of them, and neither do the house's own funds.
 */
export const TOTALS = ['wagered', 'returned', 'deposited', 'withdrawn', 'bets', 'debited'] as const

export type Total = (typeof TOTALS)[number]

export type Totals = PerToken<Record<Total, bigint>>

export function emptyTotals(): Totals {
  return perToken(() => ({
    wagered: 0n,
    returned: 0n,
    deposited: 0n,
    withdrawn: 0n,
    bets: 0n,
    debited: 0n,
  }))
}

/** A kind of operation, as its id begins, and the amounts that its postings add to the totals. */
type Rule = (
  movedWei: (from: Account, to: Account) => bigint,
  request: string,
) => Partial<Record<Exclude<Total, 'bets'>, bigint>>

const withdrawal: Rule = (moved) => ({
  withdrawn:
    moved('withdrawing', 'vault') -
    moved('vault', 'withdrawing') -
    moved('vault', 'chips') -
    moved('vault', 'quarantine'),
})

const RULES: ReadonlyMap<OperationKind, Rule> = new Map<OperationKind, Rule>([
  [
    'settle',
    (moved) => ({ wagered: moved('in_play', 'house'), returned: moved('house', 'chips') }),
  ],
  ['entropy', (moved) => ({ wagered: moved('chips', 'house'), returned: moved('house', 'chips') })],
  [
    'deposited',
    (moved) => ({
      deposited: moved('vault', 'chips') + moved('vault', 'fees') + moved('vault', 'quarantine'),
    }),
  ],
  ['faucet', (moved) => ({ deposited: moved('faucet', 'chips') + moved('faucet', 'quarantine') })],
  ['withdrawal', withdrawal],
  ['resolve', withdrawal],
  [
    'bridge',
    (moved, request) => (isTransaction(request) ? { debited: moved('chips', 'partner') } : {}),
  ],
])

interface Operation {
  operationId: string
  /** The canonical text. */
  request: string
  postings: readonly Posting[]
}

/** Returns the totals with an operation, which follow from the kind in its id, its request and its postings. */
export function addToTotals(totals: Totals, { operationId, request, postings }: Operation): Totals {
  const rule = RULES.get(partsOfId(operationId).kind)
  if (!rule || postings.length === 0) return totals
  return perToken((token) => {
    const { wagered = 0n, ...added } = rule(movedIn(token, postings), request)
    const before = totals[token]
    return {
      wagered: before.wagered + wagered,
      returned: before.returned + (added.returned ?? 0n),
      deposited: before.deposited + (added.deposited ?? 0n),
      withdrawn: before.withdrawn + (added.withdrawn ?? 0n),
      bets: before.bets + (wagered > 0n ? 1n : 0n),
      debited: before.debited + (added.debited ?? 0n),
    }
  })
}

/**
 * Returns whether any chips have moved, as far as balances and totals show: rolled-back credits leave no trace in them.
 */
export function hasMoved({ balances, totals }: { balances: Balances; totals: Totals }): boolean {
  return TOKENS.some((token) =>
    [...Object.values(balances[token]), ...Object.values(totals[token])].some((wei) => wei !== 0n),
  )
}

function movedIn(token: Token, postings: readonly Posting[]) {
  return (from: Account, to: Account) =>
    postings
      .filter((posting) => posting.token === token && posting.from === from && posting.to === to)
      .reduce((sum, { amountWei }) => sum + BigInt(amountWei), 0n)
}

/** Returns the first total that differs between a head and its journal, or null. */
export function differenceOfTotals(head: Totals, replayed: Totals): string | null {
  for (const token of TOKENS) {
    for (const total of TOTALS) {
      if (head[token][total] !== replayed[token][total]) return `${total} of ${token}`
    }
  }
  return null
}
