import { hmac } from '@noble/hashes/hmac'
import { sha256 } from '@noble/hashes/sha2'
import { concatBytes, hexToBytes } from '@noble/hashes/utils'
import { max } from '../core/bigint.ts'
import type { PerToken } from '../money/token.ts'
import { amountAt, numberAt, packAmount, packNumber } from './bytes.ts'
import { NODE_BYTES, packNode } from './tree.ts'

/** A ledger's report on its wallet for the tree. Amounts in smallest units. */
export interface Standing {
  /** The number of the journal's entry that it follows from. */
  seq: number
  /** Chips, those in play, and those being withdrawn. */
  owed: PerToken<bigint>
  /** Cumulative, as booked. */
  deposited: PerToken<bigint>
  withdrawn: PerToken<bigint>
}

/** A wallet's standing, packed as in the preimage of its leaf: the address, the number, six amounts. */
export const RECORD_BYTES = 20 + 8 + 6 * 16

const LEAF_PREFIX = Uint8Array.of(0)

/** Packs a wallet's standing. A debt below zero would hide a part of the debts to others, so it counts as zero. */
export function packRecord(
  wallet: string,
  { seq, owed, deposited, withdrawn }: Standing,
): Uint8Array {
  return concatBytes(
    hexToBytes(wallet.slice(2)),
    packNumber(seq),
    ...[owed, deposited, withdrawn].flatMap(({ ETH, USDG }) => [
      packAmount(max(0n, ETH)),
      packAmount(max(0n, USDG)),
    ]),
  )
}

/** Returns the standing in a packed record. */
export function readRecord(record: Uint8Array): Standing {
  const amounts = (at: number) => ({ ETH: amountAt(record, at), USDG: amountAt(record, at + 16) })
  const [owed, deposited, withdrawn] = [amounts(28), amounts(60), amounts(92)]
  return { seq: numberAt(record, 20), owed, deposited, withdrawn }
}

/**
 * Returns a wallet's secret, which determines the salts of all its leaves.
 * @param key the service's secret
 * @param wallet its address of 20 bytes
 */
export function walletSaltOf(key: Uint8Array, wallet: Uint8Array): Uint8Array {
  return hmac(sha256, key, wallet)
}

/** Returns the salt of a wallet's leaf, which hides the wallet and its amounts from its neighbours. */
export function saltOf(walletSalt: Uint8Array, epoch: number): Uint8Array {
  return hmac(sha256, walletSalt, packNumber(epoch))
}

/** Returns a wallet's packed leaf. @param record see {@link packRecord} */
export function leafOf(salt: Uint8Array, epoch: number, record: Uint8Array): Uint8Array {
  const [player, rest] = [record.subarray(0, 20), record.subarray(20)]
  const hash = sha256(concatBytes(LEAF_PREFIX, salt, player, packNumber(epoch), rest))
  return packNode(hash, { ETH: amountAt(record, 28), USDG: amountAt(record, 44) })
}

/** Returns the packed leaves of packed records, one after another. @param key the service's secret */
export function leavesOf(key: Uint8Array, epoch: number, records: Uint8Array): Uint8Array {
  const count = records.length / RECORD_BYTES
  const leaves = new Uint8Array(count * NODE_BYTES)
  for (let index = 0; index < count; index++) {
    const record = records.subarray(index * RECORD_BYTES, (index + 1) * RECORD_BYTES)
    const salt = saltOf(walletSaltOf(key, record.subarray(0, 20)), epoch)
    leaves.set(leafOf(salt, epoch, record), index * NODE_BYTES)
  }
  return leaves
}
