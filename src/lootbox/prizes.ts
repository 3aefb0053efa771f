import { first52Bits, hmacOf, TWO_POW_52 } from '../fairness/seed.ts'
import { ALL_BPS } from '../money/rational.ts'

const WHOLE = BigInt(ALL_BPS)

/** A tier of the lootbox: its chance in basis points, and its prize in the asset's smallest unit. */
export interface PrizeTier {
  bps: number
  label: string
  /** `ETH` (the chain's native coin), `REWARD`, or a stock's symbol. */
  asset: string
  amountWei: string
}

/** Returns the HMAC message for a paid roll: the payment's hash and its block's, both with 0x. */
export function paymentMessage(txHash: string, blockHash: string): string {
  return `${txHash}:${blockHash}`
}

/** Returns an opening's roll: the first 52 bits of the message's HMAC-SHA256, keyed with the day's seed. */
export function rollOf(seed: string, message: string): bigint {
  return first52Bits(hmacOf(seed, message))
}

/** Returns a roll's tier: the first one with roll · 10000 < cumulative bps · 2^52. */
export function tierOfRoll(roll: bigint, prizes: readonly Pick<PrizeTier, 'bps'>[]): number {
  let sum = 0n
  return prizes.findIndex(({ bps }) => roll * WHOLE < (sum += BigInt(bps)) * TWO_POW_52)
}

/**
 * Returns an opening's exact average win in each asset, the sum of bps · amount / 10000, as decimal text
 * in smallest units.
 */
export function expectedValue(prizes: readonly PrizeTier[]): Record<string, string> {
  const sums = new Map<string, bigint>()
  for (const { asset, bps, amountWei } of prizes) {
    sums.set(asset, (sums.get(asset) ?? 0n) + BigInt(bps) * BigInt(amountWei))
  }
  return Object.fromEntries([...sums].map(([asset, sum]) => [asset, tenThousandths(sum)]))
}

function tenThousandths(sum: bigint): string {
  const fraction = (sum % WHOLE).toString().padStart(4, '0').replace(/0+$/, '')
  return `${sum / WHOLE}${fraction && `.${fraction}`}`
}
