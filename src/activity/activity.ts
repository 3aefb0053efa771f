import { csvOf } from '../core/csv.ts'
import { isRefusal } from '../core/refusal.ts'
import type { FinalOutcome } from '../crash/bet.ts'
import { GAME_NAMES, type GameName } from '../games/games.ts'
import type { Account, Posting } from '../ledger/accounts.ts'
import type { JournalEntry } from '../ledger/journal.ts'
import { partsOfId, type OperationKind } from '../ledger/operation.ts'
import type { TransferAnswer } from '../ledger/transfer.ts'
import { toMultiplier } from '../money/multiplier.ts'
import type { Token } from '../money/token.ts'

/** The header with the `before` of a CSV's next page, because the CSV has no place for it. */
export const NEXT_HEADER = 'fairhouse-next'

export const ACTIVITY_KINDS = [
  'crash',
  ...GAME_NAMES,
  ...(['deposit', 'withdrawal', 'partner'] as const),
] as const

export type ActivityKind = 'crash' | GameName | 'deposit' | 'withdrawal' | 'partner'

/** A movement of a player's chips, from the journal. */
export interface Activity {
  /** The number of its entry in the journal. */
  seq: number
  /** In unix milliseconds. */
  at: number
  kind: ActivityKind
  token: Token
  /**
   * The stake of a bet or play, otherwise the amount; negative for a partner's debit, and for a withdrawal whose chips
   * came back. In smallest units.
   */
  amountWei: string
  /** Of a bet or play; null for anything else. */
  payout: string | null
  /** Of a crash bet. */
  roundId?: number
  /** Of a crash bet. A game of mines that only returned its stake is `voided`, too, and counts in no total. */
  outcome?: 'won' | 'lost' | 'voided'
  /** Of a crash bet: the payout divided by the stake. */
  multiplier?: number
  /** Of a play or a withdrawal. */
  nonce?: number
  /** Of a deposit from a vault. */
  txHash?: string
  partner?: string
  partnerTransactionId?: string
}

type Entry = Pick<JournalEntry, 'seq' | 'operationId' | 'request' | 'postings' | 'result' | 'at'>

/** The parts of an activity that its kind of operation decides. */
type EntryActivity = Omit<Activity, 'seq' | 'at'> | null

type Teller = (entry: Entry, names: string[]) => EntryActivity

const TELLERS: ReadonlyMap<OperationKind, Teller> = new Map<OperationKind, Teller>([
  ['settle', ofBet],
  ['entropy', ofPlay],
  ['deposited', ofDeposit],
  ['faucet', (entry) => ofDeposit(entry, [])],
  ['withdraw', ofWithdrawal],
  ['withdrawal', ofReturn],
  ['resolve', ofReturn],
  ['bridge', ofPartner],
])

/** Returns a journal entry's movement for its player; null if it belongs to another entry, or moved nothing. */
export function activityOf(entry: Entry): Activity | null {
  const { kind, names } = partsOfId(entry.operationId)
  const told = TELLERS.get(kind)?.(entry, names)
  return told ? { seq: entry.seq, at: entry.at, ...told } : null
}

function ofBet({ postings, result }: Entry, [roundId]: string[]): EntryActivity {
  const outcome = JSON.parse(result) as FinalOutcome
  const [first] = postings
  if (outcome.kind === 'never_placed' || !first) return null
  const amountWei = moved(postings, 'in_play')
  const bet = { kind: 'crash' as const, token: first.token, amountWei, roundId: Number(roundId) }
  if (outcome.kind === 'voided') {
    return { ...bet, payout: amountWei, outcome: outcome.kind, multiplier: 1 }
  }
  if (outcome.kind === 'lost') return { ...bet, payout: '0', outcome: outcome.kind, multiplier: 0 }
  const { multiplier, payoutWei } = outcome
  return { ...bet, payout: payoutWei, outcome: 'won', multiplier: toMultiplier(multiplier) }
}

function ofPlay({ request, postings, result }: Entry, [nonce]: string[]): EntryActivity {
  const [game, , token, amountWei] = JSON.parse(request) as [GameName, unknown, Token, string]
  const [, , payout] = JSON.parse(result) as [number, number, string]
  const play = { kind: game, token, amountWei, payout, nonce: Number(nonce) }
  // A game of mines without a pick only returns its stake.
  const isReturn = postings.length === 1 && postings[0]?.from === 'in_play'
  return isReturn ? { ...play, outcome: 'voided' } : play
}

function ofDeposit({ postings }: Entry, [, txHash]: string[]): EntryActivity {
  const [first] = postings
  if (!first) return null
  const amountWei = moved(postings, null, 'chips', 'quarantine')
  const deposit = { kind: 'deposit' as const, token: first.token, amountWei, payout: null }
  return txHash === undefined ? deposit : { ...deposit, txHash }
}

function ofWithdrawal({ postings }: Entry, name: string[]): EntryActivity {
  const [first] = postings
  if (!first) return null
  const { token } = first
  const amountWei = moved(postings, null, 'withdrawing')
  return { kind: 'withdrawal', token, amountWei, payout: null, nonce: Number(name.at(-1)) }
}

/** Tells only an end that moved the player's chips: one that was paid moves those that left with the withdrawal. */
function ofReturn({ postings }: Entry, [, , nonce]: string[]): EntryActivity {
  const [first] = postings
  const isOwn = (account: Account) => account === 'chips' || account === 'quarantine'
  const amountWei = postings.reduce(
    (sum, { from, to, amountWei: wei }) =>
      sum + (isOwn(from) ? BigInt(wei) : 0n) - (isOwn(to) ? BigInt(wei) : 0n),
    0n,
  )
  if (!first || amountWei === 0n) return null
  const { token } = first
  return {
    kind: 'withdrawal',
    token,
    amountWei: `${amountWei}`,
    payout: null,
    nonce: Number(nonce),
  }
}

function ofPartner({ result }: Entry, [partner = '', ...id]: string[]): EntryActivity {
  const answer = JSON.parse(result) as TransferAnswer
  if (isRefusal(answer)) return null
  const { token, beforeWei, afterWei } = answer
  const amountWei = BigInt(afterWei) - BigInt(beforeWei)
  if (amountWei === 0n) return null
  const named = { partner, partnerTransactionId: id.join(':') }
  return { kind: 'partner', token, amountWei: `${amountWei}`, payout: null, ...named }
}

/** Returns the sum of the postings from an account or to some, in smallest units. */
function moved(postings: readonly Posting[], from: Account | null, ...to: Account[]): string {
  return postings
    .filter((posting) => posting.from === from || to.includes(posting.to))
    .reduce((sum, { amountWei }) => sum + BigInt(amountWei), 0n)
    .toString()
}

const COLUMNS = [
  'seq',
  'at',
  'kind',
  'token',
  'amountWei',
  'payout',
  'roundId',
  'outcome',
  'multiplier',
  'nonce',
  'txHash',
  'partner',
  'partnerTransactionId',
] as const

/** Writes activities as CSV, with a header. */
export function activitiesCsv(activities: readonly Activity[]): string {
  return csvOf(COLUMNS, activities)
}
