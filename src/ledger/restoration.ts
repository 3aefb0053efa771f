import { max, min } from '../core/bigint.ts'
import { refuse, type Refusal } from '../core/refusal.ts'
import { TOKENS, type PerToken, type Token } from '../money/token.ts'
import type { LogEntry } from '../transparency/entry.ts'
import { ACCOUNTS, postingsOf, type Balances, type Posting } from './accounts.ts'

/** The rules for a ledger that has gone back in time, and so has lost its latest entries. */

/** A state that a ledger is known to have had before it lost entries. */
export interface LastKnownState {
  /** The number of its latest entry that anybody knows, and the entry's hash; null if only D1 knows the entry. */
  seq: number
  hash: string | null
  balances: Balances
  /**
   * The house's loss by its written-off deposits, in smallest units: a part of `house`. Null if only D1 knows the
   * entry.
   */
  writtenOffWei: PerToken<bigint> | null
}

/** Identifies an entry of a journal. */
export interface EntryId {
  seq: number
  hash: string
}

/** A restoration's effect on a journal, for the public log. */
export interface RestorationResult {
  /** The latest entry that was left. */
  kept: EntryId
  /** The latest entry that was known before. */
  known: { seq: number; hash: string | null }
  /** The entry that goes on from there. */
  goesOn: EntryId
  /** The amount that the house bears so that nobody's chips are negative, in smallest units. */
  borneWei: PerToken<string>
}

/** The most entries that may have been lost: each leaves an empty one, written in one transaction. */
export const MAX_LOST = 10_000

/**
 * The number of entries that may have followed the latest known one, if only D1 knows that one: D1 is up to ten minutes
 * behind, and a wallet plays about five times a second. Their numbers must not be used again.
 */
const MAX_UNKNOWN = 3_000

/**
 * Returns the number of the entry where a journal resumes: above that of every lost entry. It is the number of the next
 * play, too: a play takes an entry or more, so none of those that were lost has a higher number.
 */
export function goesOnFrom({ seq, hash }: LastKnownState): number {
  return seq + (hash === null ? MAX_UNKNOWN : 0) + 1
}

/** Refuses a restoration that the known state doesn't allow. */
export function checkKnown(known: LastKnownState, latestSeq: number): Refusal | null {
  const isOpen = TOKENS.some((token) => {
    const { in_play: inPlay, withdrawing } = known.balances[token]
    return inPlay > 0n || withdrawing > 0n
  })
  if (isOpen) {
    return notPossible('Something was in play or being withdrawn when the ledger was last known.')
  }
  if (goesOnFrom(known) - latestSeq > MAX_LOST) {
    return notPossible(`More than ${MAX_LOST} entries would be lost. Choose a later time.`)
  }
  return null
}

function notPossible(reason: string): Refusal {
  return refuse('invalid_request', reason)
}

/**
 * Returns the balances that a ledger must have before its lost withdrawals are applied again: the house, partners and
 * the faucet as they are known, the vault and fees as the chain's deposits make them. The rest is the player's; of it,
 * the quarantine gets at most its former amount and later deposits. If the rest is negative, the house bears the
 * difference. The written-off deposits may have changed since, so the house's balance is adjusted: without those of
 * then, and with those of now.
 * @param now the ledger's balances, with all deposits of the chain
 * @param writtenOffWei the house's loss by deposits that are written off now, in smallest units
 * @param withdrawn the payouts of its lost withdrawals, in smallest units
 */
export function restoredBalances(
  now: Balances,
  known: Pick<LastKnownState, 'balances' | 'writtenOffWei'>,
  { withdrawn, writtenOffWei }: { withdrawn: PerToken<bigint>; writtenOffWei: PerToken<bigint> },
) {
  const borneWei: PerToken<bigint> = { ETH: 0n, USDG: 0n }
  const ofToken = (token: Token): Balances[Token] => {
    const before = known.balances[token]
    const { partner, faucet } = before
    const { vault, fees } = now[token]
    const moreWei = (known.writtenOffWei ?? writtenOffWei)[token] - writtenOffWei[token]
    const house = before.house + moreWei
    const paidVault = vault + withdrawn[token]
    const left = -(paidVault + fees + house + partner + faucet)
    const owed = left < 0n ? 0n : left
    borneWei[token] = owed - left
    // Withdrawals took from the quarantine first, and a deposit within the former limits may exceed the current ones.
    const depositedWei = max(0n, before.vault - moreWei - paidVault)
    const quarantine = min(owed, min(now[token].quarantine, before.quarantine + depositedWei))
    return {
      in_play: 0n,
      withdrawing: 0n,
      vault,
      fees,
      partner,
      faucet,
      quarantine,
      house: house - borneWei[token],
      chips: owed - quarantine + withdrawn[token],
    }
  }
  return { balances: { ETH: ofToken('ETH'), USDG: ofToken('USDG') }, borneWei }
}

/** Returns the postings that turn some balances into others. */
export function postingsBetween(some: Balances, others: Balances): Posting[] {
  return TOKENS.flatMap((token) => {
    const more = ACCOUNTS.map((account) => ({
      account,
      amountWei: others[token][account] - some[token][account],
    })).filter(({ amountWei }) => amountWei !== 0n)
    const [sources, sinks] = [-1n, 1n].map((sign) =>
      more
        .filter(({ amountWei }) => amountWei * sign > 0n)
        .map(({ account, amountWei }) => ({ account, leftWei: amountWei * sign })),
    )
    const postings: Posting[] = []
    for (const source of sources ?? []) {
      for (const sink of sinks ?? []) {
        const moved = min(source.leftWei, sink.leftWei)
        source.leftWei -= moved
        sink.leftWei -= moved
        postings.push(...postingsOf(token, [source.account, sink.account, moved]))
      }
    }
    return postings
  })
}

/** The answer to a partner who repeats or rolls back a transaction that a restored ledger may have known. */
export function answerLost(id: string): Refusal {
  return refuse(
    'idempotency_conflict',
    `The player's ledger was restored, and whether ${id} was carried out before that is unknown. This id can't be used again. Use your own record of the answer, or contact the operator if you have none.`,
    { reason: 'answer_lost' },
  )
}

/** Returns whether a stored answer stands for one that was lost. No other conflict is ever stored. */
export function isAnswerLost({ error }: Refusal): boolean {
  return error.code === 'idempotency_conflict'
}

/**
 * Returns a restoration as an entry of the public log. It has the kind of the operators' other acts, because a monitor
 * that doesn't know a kind takes its entry for a broken promise.
 */
export function restorationEntry(
  actId: string,
  wallet: string,
  { kept, known, goesOn }: RestorationResult,
  at: number,
): LogEntry {
  return {
    kind: 'control',
    id: `restore:${actId}`,
    at,
    wallet,
    kept: { ...kept },
    known: { ...known },
    goesOn: { ...goesOn },
  }
}
