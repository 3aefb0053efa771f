import { perToken, TOKENS, type PerToken, type Token } from '../money/token.ts'

/** The kinds of vault events that affect a ledger. */
export type VaultEventKind = 'deposited' | 'withdrawn' | 'burned' | 'funded' | 'house-withdrawn'

/** One event of the vault's contract, with the wallet whose ledger it affects. */
export interface VaultEvent {
  txHash: string
  /**
   * Its position among the vault's events of this transaction, from 0. Unlike its index in the block, it
   * stays the same when a reorganisation mines the transaction again.
   */
  position: number
  block: number
  blockHash: string
  kind: VaultEventKind
  /** A player in EIP-55 form, or the house. */
  account: string
  /** Null if no token moved: a burned nonce. */
  token: Token | null
  /** In smallest units; zero if no token moved. */
  amountWei: bigint
  /** The withdrawal's nonce; null for other kinds. */
  nonce: number | null
}

/** The vault's totals in one token since its deployment, in smallest units. */
export interface VaultTotals {
  deposited: bigint
  withdrawn: bigint
  funded: bigint
  houseWithdrawn: bigint
}

/** An event as its watch keeps it. Times are in unix milliseconds. */
export interface WatchedEvent extends VaultEvent {
  seenAt: number
  /**
   * When the ledger confirmed the report of it; null before that. A payout counts as confirmed, because the relayer
   * reports it.
   */
  toldAt: number | null
  /** Whether the ledger has received an earlier state of its transaction, which may have had this event. */
  isRepeated: boolean
}

/** An event of an account that its latest position may lack, or several movements that differ only in their amounts. */
export interface FreshEvent extends Pick<
  WatchedEvent,
  'kind' | 'amountWei' | 'nonce' | 'toldAt' | 'isRepeated' | 'seenAt'
> {
  token: Token
  /** Whether it is so new that a position without it may still be on its way. */
  isRecent: boolean
}

/** An account's share of the vault's events up to a block, in smallest units. */
export interface SettledNet {
  block: number
  net: PerToken<bigint>
}

/** An account's share of the vault's events, in smallest units. */
export interface AccountEvents {
  /** A player in EIP-55 form, or the house. */
  wallet: string
  /** Deposits and funding, less withdrawals. */
  net: PerToken<bigint>
  /** The events in it that are recent, or that its ledger may not know. */
  fresh: FreshEvent[]
}

const TOTAL_OF: Record<VaultEventKind, keyof VaultTotals | null> = {
  deposited: 'deposited',
  withdrawn: 'withdrawn',
  burned: null,
  funded: 'funded',
  'house-withdrawn': 'houseWithdrawn',
}

export function noTotals(): PerToken<VaultTotals> {
  return perToken(() => ({ deposited: 0n, withdrawn: 0n, funded: 0n, houseWithdrawn: 0n }))
}

/** Returns the totals including more events. */
export function addEvents(
  totals: PerToken<VaultTotals>,
  events: Iterable<VaultEvent>,
): PerToken<VaultTotals> {
  const sums = perToken((token) => ({ ...totals[token] }))
  for (const event of events) add(sums, event)
  return sums
}

function add(sums: PerToken<VaultTotals>, { kind, token, amountWei }: VaultEvent): void {
  const total = TOTAL_OF[kind]
  if (total && token) sums[token][total] += amountWei
}

/** Returns the vault's holdings that follow from its totals, in smallest units. */
export function netOf(totals: PerToken<VaultTotals>): PerToken<bigint> {
  return perToken((token) => {
    const { deposited, withdrawn, funded, houseWithdrawn } = totals[token]
    return deposited + funded - withdrawn - houseWithdrawn
  })
}

/**
 * A ledger sends its position within five minutes of a movement, and repeats a failed write within five more. So an
 * event of this age is in the position once its ledger has confirmed it.
 */
export const IN_FLIGHT_MS = 600_000

/** Payouts of any age that a ledger may not know: its withdrawals in progress, of which there is usually one. */
export const LATEST_PAYOUTS = 10

/**
 * Sums an account's events: those after the settled block, and any earlier ones that its ledger may not know. Keeps and
 * returns few: anybody may make many, by depositing or funding the house in the smallest amounts. So movements that a
 * position can only lack together are added up.
 */
export class AccountShare {
  readonly #wallet: string
  readonly #settled: SettledNet
  readonly #now: number
  readonly #later = noTotals()
  readonly #payouts: FreshEvent[] = []
  readonly #movements = new Map<string, FreshEvent>()

  /** @param now in unix milliseconds */
  constructor(wallet: string, settled: SettledNet, now: number) {
    this.#wallet = wallet
    this.#settled = settled
    this.#now = now
  }

  add(event: WatchedEvent): void {
    if (event.block > this.#settled.block) add(this.#later, event)
    const { kind, token, amountWei, nonce, seenAt, toldAt, isRepeated } = event
    if (token === null) return
    const isRecent = toldAt === null || this.#now - Math.max(seenAt, toldAt) < IN_FLIGHT_MS
    const fresh = { kind, token, amountWei, nonce, seenAt, toldAt, isRepeated, isRecent }
    const alike = `${kind} ${token} ${seenAt} ${toldAt} ${isRepeated}`
    const sum = this.#movements.get(alike)
    if (kind === 'withdrawn') this.#payouts.push(fresh)
    else if (sum) sum.amountWei += amountWei
    else if (isRecent) this.#movements.set(alike, fresh)
  }

  events(): AccountEvents {
    const latest = this.#payouts
      .toSorted((a, b) => (b.nonce ?? 0) - (a.nonce ?? 0))
      .slice(0, LATEST_PAYOUTS)
    const kept = this.#payouts.filter((payout) => payout.isRecent || latest.includes(payout))
    const later = netOf(this.#later)
    return {
      wallet: this.#wallet,
      net: perToken((token) => this.#settled.net[token] + later[token]),
      fresh: [...kept, ...this.#movements.values()],
    }
  }
}

const FIGURES = ['deposited', 'withdrawn', 'funded', 'houseWithdrawn'] as const

export function areSameTotals(a: PerToken<VaultTotals>, b: PerToken<VaultTotals>): boolean {
  return !exceed(a, b) && !exceed(b, a)
}

/** Returns whether any of the totals is larger than that of others. */
export function exceed(totals: PerToken<VaultTotals>, others: PerToken<VaultTotals>): boolean {
  return TOKENS.some((token) =>
    FIGURES.some((figure) => totals[token][figure] > others[token][figure]),
  )
}

/** An account with movements that the chain has dropped, and when the first was read, in unix milliseconds. */
export interface MissingSince {
  account: string
  since: number
}
