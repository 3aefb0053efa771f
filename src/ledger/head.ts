import { bytesToHex, hexToBytes } from '@noble/hashes/utils'
import { invariant } from '../core/invariant.ts'
import { TOKENS } from '../money/token.ts'
import { ACCOUNTS, emptyBalances, type Balances } from './accounts.ts'

/** What a journal amounts to after an entry. It has the seed of the next play, so it never leaves its object. */
export interface Head {
  balances: Balances
  /** The number and the seed of the next play, in hex; null before the first play. */
  nextPlay: { nonce: number; seed: string } | null
}

export const EMPTY_HEAD: Head = { balances: emptyBalances(), nextPlay: null }

/** The first byte. Another layout, such as one with another account or token, has another one. */
const LAYOUT = 1
const SEED_BYTES = 32

/**
 * Packs a head into bytes: for each token the accounts that are not zero, as bits in the order of
 * `ACCOUNTS`, and their balances; then the next play's nonce plus one, or zero, and its seed. Numbers are
 * LEB128, balances zigzag.
 */
export function packHead({ balances, nextPlay }: Head): Uint8Array {
  const bytes = [LAYOUT]
  for (const token of TOKENS) {
    const amounts = ACCOUNTS.map((account) => balances[token][account])
    const bits = amounts.map((amount, index) => (amount === 0n ? 0n : 1n << BigInt(index)))
    const used = amounts.filter((amount) => amount !== 0n)
    for (const number of [bits.reduce((all, bit) => all | bit, 0n), ...used.map(zigzag)]) {
      bytes.push(...leb128(number))
    }
  }
  bytes.push(...leb128(nextPlay ? BigInt(nextPlay.nonce) + 1n : 0n))
  if (nextPlay) bytes.push(...hexToBytes(nextPlay.seed))
  return Uint8Array.from(bytes)
}

/** Returns the head that was packed. @throws InvariantError if the bytes are not a packed head */
export function unpackHead(bytes: Uint8Array): Head {
  invariant(bytes[0] === LAYOUT, `a head begins with ${LAYOUT}`)
  let at = 1
  const number = () => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++]
      invariant(byte !== undefined, 'a head is complete')
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }
  const balances = emptyBalances()
  for (const token of TOKENS) {
    const bits = number()
    invariant(bits >> BigInt(ACCOUNTS.length) === 0n, 'a head has known accounts only')
    for (const [index, account] of ACCOUNTS.entries()) {
      if ((bits >> BigInt(index)) & 1n) balances[token][account] = unzigzag(number())
    }
  }
  const played = number()
  const seed = bytes.subarray(at)
  invariant(seed.length === (played === 0n ? 0 : SEED_BYTES), 'a head is complete and no longer')
  if (played === 0n) return { balances, nextPlay: null }
  return { balances, nextPlay: { nonce: Number(played) - 1, seed: bytesToHex(seed) } }
}

function leb128(number: bigint): number[] {
  const bytes = []
  for (let rest = number; ; rest >>= 7n) {
    if (rest < 0x80n) return [...bytes, Number(rest)]
    bytes.push(Number(rest & 0x7fn) | 0x80)
  }
}

/** Maps 0, −1, 1, −2, … to 0, 1, 2, 3, … */
function zigzag(number: bigint): bigint {
  return number < 0n ? -2n * number - 1n : 2n * number
}

function unzigzag(number: bigint): bigint {
  return number & 1n ? -(number >> 1n) - 1n : number >> 1n
}
