import { bytesToHex, hexToBytes } from '@noble/hashes/utils'
import { invariant } from '../core/invariant.ts'
import { TOKENS } from '../money/token.ts'
import { ACCOUNTS, emptyBalances, type Balances } from './accounts.ts'
import { PackedReader, pushNumber, pushSigned } from './packing.ts'

/** What a journal amounts to after an entry. It has the seed of the next play, so it never leaves its object. */
export interface Head {
  balances: Balances
  /** The number and the seed of the next play, in hex; null before the first play. */
  nextPlay: { nonce: number; seed: string } | null
  /** The latest crash round that the wallet has tried to bet in; 0 before the first. */
  lastRoundId: number
}

export const EMPTY_HEAD: Head = { balances: emptyBalances(), nextPlay: null, lastRoundId: 0 }

/** The first byte. Another layout, such as one with another account or token, has another one. */
const LAYOUT = 2
const SEED_BYTES = 32

/**
 * Packs a head into bytes: for each token the accounts that are not zero, as bits in the order of
 * `ACCOUNTS`, and their balances; then the latest round, and the next play's nonce plus one, or zero, and
 * its seed.
 */
export function packHead({ balances, nextPlay, lastRoundId }: Head): Uint8Array {
  const bytes = [LAYOUT]
  for (const token of TOKENS) {
    const amounts = ACCOUNTS.map((account) => balances[token][account])
    const bits = amounts.map((amount, index) => (amount === 0n ? 0n : 1n << BigInt(index)))
    pushNumber(
      bytes,
      bits.reduce((all, bit) => all | bit, 0n),
    )
    for (const amount of amounts) if (amount !== 0n) pushSigned(bytes, amount)
  }
  pushNumber(bytes, BigInt(lastRoundId))
  pushNumber(bytes, nextPlay ? BigInt(nextPlay.nonce) + 1n : 0n)
  if (nextPlay) bytes.push(...hexToBytes(nextPlay.seed))
  return Uint8Array.from(bytes)
}

/** Returns the head that was packed. @throws InvariantError if the bytes are not a packed head */
export function unpackHead(bytes: Uint8Array): Head {
  const reader = new PackedReader(bytes)
  invariant(reader.byte() === LAYOUT, `a head begins with ${LAYOUT}`)
  const balances = emptyBalances()
  for (const token of TOKENS) {
    const bits = reader.number()
    invariant(bits >> BigInt(ACCOUNTS.length) === 0n, 'a head has known accounts only')
    for (const [index, account] of ACCOUNTS.entries()) {
      if ((bits >> BigInt(index)) & 1n) balances[token][account] = reader.signed()
    }
  }
  const lastRoundId = Number(reader.number())
  const played = reader.number()
  const seed = reader.rest()
  invariant(seed.length === (played === 0n ? 0 : SEED_BYTES), 'a head is complete and no longer')
  if (played === 0n) return { balances, nextPlay: null, lastRoundId }
  return { balances, nextPlay: { nonce: Number(played) - 1, seed: bytesToHex(seed) }, lastRoundId }
}
