import { replay } from '../../src/ledger/journal.ts'
import { perToken, TOKENS, type PerToken, type Token } from '../../src/money/token.ts'
import type { Operations } from '../kernel/operations.ts'

/** A ledger's own word on whether its books are right. */
export type Audit =
  | {
      ok: true
      entries: number
      headHash: string
      balances: PerToken<Record<string, string>>
    }
  | { ok: false; problem: string }

/**
 * Replays the journal and holds it against the balances, the open bets and the withdrawals in progress.
 * @param held what the ledger's parts say is set aside, in smallest units
 */
export function audit(
  operations: Operations,
  held: (token: Token) => { inPlay: bigint; withdrawing: bigint },
): Audit {
  const rebuilt = replay(operations.entries())
  if (!rebuilt.ok) return { ok: false, problem: `entry ${rebuilt.seq}: ${rebuilt.problem}` }
  const balances = operations.balances()
  for (const token of TOKENS) {
    for (const [account, amount] of Object.entries(balances[token])) {
      const replayed = Object.entries(rebuilt.balances[token]).find(([name]) => name === account)
      if (replayed?.[1] !== amount) {
        return { ok: false, problem: `${account} of ${token} is not what the journal says` }
      }
    }
    const { inPlay, withdrawing } = held(token)
    if (balances[token].in_play !== inPlay) {
      return { ok: false, problem: `in_play of ${token} is not the sum of the open bets` }
    }
    if (balances[token].withdrawing !== withdrawing) {
      return { ok: false, problem: `withdrawing of ${token} is not what is in progress` }
    }
  }
  const { entries, headHash } = rebuilt
  return { ok: true, entries, headHash, balances: perToken((token) => asText(balances[token])) }
}

function asText(accounts: Record<string, bigint>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(accounts).map(([account, amount]) => [account, amount.toString()]),
  )
}
