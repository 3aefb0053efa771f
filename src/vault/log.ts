import { perToken, type PerToken, type Token } from '../money/token.ts'

/** What a log of the vault's contract says. Other logs change nobody's books. */
export type VaultLogKind = 'deposited' | 'withdrawn' | 'burned' | 'funded' | 'house-withdrawn'

/** One log of the vault's contract, with the wallet whose books it concerns. */
export interface VaultLog {
  txHash: string
  /**
   * Its place among the vault's logs of this transaction, from 0. Unlike its number in the block it
   * stays the same when a reorganisation mines the transaction again.
   */
  position: number
  block: number
  blockHash: string
  kind: VaultLogKind
  /** A player in EIP-55 form, or the house. */
  account: string
  /** Null where no token moved: a burned nonce. */
  token: Token | null
  /** Smallest units; zero where no token moved. */
  amountWei: bigint
  /** The withdrawal's nonce; null where there is none. */
  nonce: number | null
}

/** What went through the vault in one token since its deployment, in smallest units. */
export interface VaultTotals {
  deposited: bigint
  withdrawn: bigint
  funded: bigint
  houseWithdrawn: bigint
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

/** Returns the totals after some more logs. */
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

/** Returns what the vault holds by some totals, in smallest units. */
export function netOf(totals: PerToken<VaultTotals>): PerToken<bigint> {
  return perToken((token) => {
    const { deposited, withdrawn, funded, houseWithdrawn } = totals[token]
    return deposited + funded - withdrawn - houseWithdrawn
  })
}

/** Returns whether two totals are equal in every figure. */
export function areSameTotals(a: PerToken<VaultTotals>, b: PerToken<VaultTotals>): boolean {
  return Object.values(
    perToken(
      (token) =>
        a[token].deposited === b[token].deposited &&
        a[token].withdrawn === b[token].withdrawn &&
        a[token].funded === b[token].funded &&
        a[token].houseWithdrawn === b[token].houseWithdrawn,
    ),
  ).every(Boolean)
}
