import { perToken, type PerToken } from '../money/token.ts'
import { smallestWithdrawal } from '../relayer/gas.ts'
import type { TermsSummary } from '../transparency/terms.ts'

/** An account that may become the vault's relayer, with all that it may do. Times in unix milliseconds. */
export interface NextRelayer {
  /** In EIP-55 form. */
  address: string
  /** From when and until when it may take over. */
  from: number
  until: number
}

/** The facts about the vault's chain that a page needs for deposits and withdrawals. */
export interface PublicChain {
  chainId: number
  /** In EIP-55 form. */
  vault: string
  usdg: string
  /** Blocks before a deposit counts; 1 is the deposit's own block. */
  confirmations: number
  /** Equal to `withdrawal.min` of the terms. */
  withdrawalMin: PerToken<string>
  /** Whether the vault was paused when the chain was last read; a paused vault takes and pays nothing. */
  isPaused: boolean
  /** The relayer that the vault's owner had announced then; null without one. */
  nextRelayer: NextRelayer | null
}

/** The part of the state that doesn't depend on the round. */
export interface TableConfig {
  depositFeeBps: number
  terms: TermsSummary
  /** Null without a vault. */
  chain: PublicChain | null
  /** The smallest withdrawal, in smallest units, which follows the gas price; null without a vault. */
  withdrawal: { min: PerToken<string> } | null
}

/** The operator's configuration of the vault. */
interface VaultSettings {
  chainId: number
  address: string
  usdg: string
  confirmations: number
  /** In smallest units; see {@link smallestWithdrawal}. */
  withdrawalMin: { fixed: PerToken<bigint>; perGwei: PerToken<bigint> }
}

/**
 * Returns the terms in the public state, from the configuration and the latest reading of the chain.
 * @param seen the latest reading; null before the first
 */
export function tableConfigOf(
  { depositFeeBps, vault }: { depositFeeBps: number; vault: VaultSettings | null },
  seen: { gasPriceWei: bigint; isPaused: boolean; nextRelayer: NextRelayer | null } | null,
  terms: TermsSummary,
): TableConfig {
  if (!vault) return { depositFeeBps, terms, chain: null, withdrawal: null }
  const smallest = smallestWithdrawal(vault.withdrawalMin, seen?.gasPriceWei ?? null)
  const min = perToken((token) => smallest[token].toString())
  const chain = {
    chainId: vault.chainId,
    vault: vault.address,
    usdg: vault.usdg,
    confirmations: vault.confirmations,
    withdrawalMin: min,
    isPaused: seen?.isPaused ?? false,
    nextRelayer: seen?.nextRelayer ?? null,
  }
  return { depositFeeBps, terms, chain, withdrawal: { min } }
}
