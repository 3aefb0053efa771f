import { perToken, TOKENS, type PerToken, type Token } from '../money/token.ts'

/** The kinds of vault logs that affect a ledger. */
export type VaultLogKind = 'deposited' | 'withdrawn' | 'burned' | 'funded' | 'house-withdrawn'

/** One log of the vault's contract, with the wallet whose ledger it affects. */
export interface VaultLog {
  txHash: string
  /**
   * Its position among the vault's logs of this transaction, from 0. Unlike its index in the block, it
   * stays the same when a reorganisation mines the transaction again.
   */
  position: number
  block: number
  blockHash: string
  kind: VaultLogKind
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

/** An account's share of the vault's logs, in smallest units. */
export interface AccountLogs {
  /** A player in EIP-55 form, or the house. */
  wallet: string
  /** Deposits and funding, less withdrawals. */
  net: PerToken<bigint>
  /** The deposits and funding in it that its position may lack: they are recent, or its ledger was not told. */
  arriving: PerToken<bigint>
  /** The withdrawals in it that its position may lack, as a positive amount. */
  leaving: PerToken<bigint>
}

const TOTAL_OF: Record<VaultLogKind, keyof VaultTotals | null> = {
  deposited: 'deposited',
  withdrawn: 'withdrawn',
  burned: null,
  funded: 'funded',
  'house-withdrawn': 'houseWithdrawn',
}

export function noTotals(): PerToken<VaultTotals> {
  return perToken(() => ({ deposited: 0n, withdrawn: 0n, funded: 0n, houseWithdrawn: 0n }))
}

/** Returns the totals including more logs. */
export function addLogs(
  totals: PerToken<VaultTotals>,
  logs: readonly VaultLog[],
): PerToken<VaultTotals> {
  const sums = perToken((token) => ({ ...totals[token] }))
  for (const { kind, token, amountWei } of logs) {
    const total = TOTAL_OF[kind]
    if (total && token) sums[token][total] += amountWei
  }
  return sums
}

/** Returns the vault's holdings that follow from its totals, in smallest units. */
export function netOf(totals: PerToken<VaultTotals>): PerToken<bigint> {
  return perToken((token) => {
    const { deposited, withdrawn, funded, houseWithdrawn } = totals[token]
    return deposited + funded - withdrawn - houseWithdrawn
  })
}

/**
 * A ledger sends its position within five minutes of a movement, and repeats a failed write within five more. So a
 * log of this age is in the position, once its ledger was told.
 */
export const IN_FLIGHT_MS = 600_000

/** Sums an account's logs. @param isRecent whether its position may lack a log */
export function accountLogs<L extends VaultLog>(
  wallet: string,
  logs: readonly L[],
  isRecent: (log: L) => boolean,
): AccountLogs {
  const recent = addLogs(noTotals(), logs.filter(isRecent))
  return {
    wallet,
    net: netOf(addLogs(noTotals(), logs)),
    arriving: perToken((token) => recent[token].deposited + recent[token].funded),
    leaving: perToken((token) => recent[token].withdrawn + recent[token].houseWithdrawn),
  }
}

export function areSameTotals(a: PerToken<VaultTotals>, b: PerToken<VaultTotals>): boolean {
  const figures = ['deposited', 'withdrawn', 'funded', 'houseWithdrawn'] as const
  return TOKENS.every((token) => figures.every((figure) => a[token][figure] === b[token][figure]))
}
