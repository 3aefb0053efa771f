import { keccak_256 } from '@noble/hashes/sha3'
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils'
import { ALL_BPS } from '../money/rational.ts'

/** A tier of a kind of box: its chance in basis points, and its prize in the reward token's smallest unit. */
export interface BoxTier {
  bps: number
  prize: bigint
}

/**
 * Returns keccak256(abi.encode(uint256 boxId, bytes32 pepper)) in hex, as the contract computes it.
 * @param pepper 32 bytes in hex, without 0x
 */
export function boxHash(boxId: bigint, pepper: string): string {
  const id = hexToBytes(boxId.toString(16).padStart(64, '0'))
  return bytesToHex(keccak_256(concatBytes(id, hexToBytes(pepper))))
}

/** Returns the tier of a box: the first whose cumulative bps exceed {@link boxHash} mod 10000. */
export function tierOfBox(boxId: bigint, pepper: string, tiers: readonly BoxTier[]): number {
  const value = BigInt(`0x${boxHash(boxId, pepper)}`) % BigInt(ALL_BPS)
  let sum = 0n
  return tiers.findIndex(({ bps }) => (sum += BigInt(bps)) > value)
}

/** Returns the tiers' prizes and odds as text, to compare: `bps:prize` of each, with commas between. */
export function tierTable(tiers: readonly { bps: number; prize: bigint | string }[]): string {
  return tiers.map(({ bps, prize }) => `${bps}:${prize}`).join()
}
