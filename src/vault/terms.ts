import { perToken, type PerToken } from '../money/token.ts'
import { smallestWithdrawal } from '../relayer/gas.ts'

/** What a page needs to know of the vault's chain, for deposits and withdrawals. */
export interface PublicChain {
  chainId: number
  /** In EIP-55 form. */
  vault: string
  usdg: string
  /** Blocks until a deposit counts; 1 is the block that it is in. */
  confirmations: number
  /** The same as `withdrawal.min` of the terms. */
  withdrawalMin: PerToken<string>
  /** Whether the vault was paused when the chain was last looked at: then it takes and pays nothing. */
  isPaused: boolean
}

/** The part of the state that is the same in every round. */
export interface Terms {
  depositFeeBps: number
  /** Null where there is no vault. */
  chain: PublicChain | null
  /** The smallest withdrawal, in smallest units, which follows the price of gas; null where there is no vault. */
  withdrawal: { min: PerToken<string> } | null
}

/** What the operator has configured of the vault. */
interface VaultTerms {
  chainId: number
  address: string
  usdg: string
  confirmations: number
  /** In smallest units; see {@link smallestWithdrawal}. */
  withdrawalMin: { fixed: PerToken<bigint>; perGwei: PerToken<bigint> }
}

/**
 * Returns what the public state tells of the configuration, and of the chain as it was last seen.
 * @param seen null where it was not
 */
export function termsOf(
  { depositFeeBps, vault }: { depositFeeBps: number; vault: VaultTerms | null },
  seen: { gasPriceWei: bigint; isPaused: boolean } | null,
): Terms {
  if (!vault) return { depositFeeBps, chain: null, withdrawal: null }
  const smallest = smallestWithdrawal(vault.withdrawalMin, seen?.gasPriceWei ?? null)
  const min = perToken((token) => smallest[token].toString())
  const chain = {
    chainId: vault.chainId,
    vault: vault.address,
    usdg: vault.usdg,
    confirmations: vault.confirmations,
    withdrawalMin: min,
    isPaused: seen?.isPaused ?? false,
  }
  return { depositFeeBps, chain, withdrawal: { min } }
}
