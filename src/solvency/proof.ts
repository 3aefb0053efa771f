import { bytesToHex, hexToBytes } from '@noble/hashes/utils'
import { parseAmount } from '../money/amount.ts'
import { amountTexts, perToken, type PerToken } from '../money/token.ts'
import { leafOf, packRecord, readRecord, saltOf, type Standing } from './leaf.ts'
import type { Sibling, SolvencyProof } from './statement.ts'
import { climb, packNode, readNode, rootOf } from './tree.ts'

/** Writes a proof from the parts of a tree. */
export function proofOf(parts: {
  epoch: number
  walletSalt: Uint8Array
  record: Uint8Array
  index: number
  top: Uint8Array
  siblings: readonly Uint8Array[]
}): SolvencyProof {
  const { epoch, walletSalt, record, index, top, siblings } = parts
  const { seq, ...amounts } = readRecord(record)
  return {
    salt: bytesToHex(saltOf(walletSalt, epoch)),
    walletSalt: bytesToHex(walletSalt),
    leaf: {
      seq,
      owed: amountTexts(amounts.owed),
      deposited: amountTexts(amounts.deposited),
      withdrawn: amountTexts(amounts.withdrawn),
    },
    index,
    top: bytesToHex(readNode(top).hash),
    siblings: siblings.map((sibling): Sibling => {
      const { hash, sums } = readNode(sibling)
      return { hash: bytesToHex(hash), ...amountTexts(sums) }
    }),
  }
}

/** The result of recomputing a proof. */
interface Climbed {
  /** In hex, as the top's hash. */
  root: string
  top: string
  /** The sums of the whole tree. */
  owed: PerToken<string>
  /** The salt that follows from the wallet's secret. */
  salt: string
  /** The number of leaves of a tree of this height, with the empty ones. */
  size: number
}

/** A tree of more levels has more leaves than there are wallets in the world. */
const MAX_SIBLINGS = 40

/** Computes the root that a wallet's proof leads to, or returns null if the proof is malformed. */
export function climbProof(wallet: string, epoch: number, proof: SolvencyProof): Climbed | null {
  try {
    const { siblings, index } = proof
    const size = 2 ** siblings.length
    if (siblings.length > MAX_SIBLINGS || !Number.isInteger(index)) return null
    if (index < 0 || index >= size) return null
    const record = packRecord(wallet.toLowerCase(), standingOf(proof))
    const leaf = leafOf(hexToBytes(proof.salt), epoch, record)
    const nodes = siblings.map(({ hash, ETH, USDG }) =>
      packNode(hash32(hash), { ETH: amount(ETH), USDG: amount(USDG) }),
    )
    const top = climb(leaf, index, nodes)
    const { hash, sums } = readNode(top)
    return {
      root: bytesToHex(rootOf(epoch, top)),
      top: bytesToHex(hash),
      owed: amountTexts(sums),
      salt: bytesToHex(saltOf(hash32(proof.walletSalt), epoch)),
      size,
    }
  } catch {
    // The service's data must decide neither whether a check runs nor how it ends.
    return null
  }
}

function standingOf({ leaf }: SolvencyProof): Standing {
  const amounts = (texts: PerToken<string>) => perToken((token) => amount(texts[token]))
  return {
    seq: leaf.seq,
    owed: amounts(leaf.owed),
    deposited: amounts(leaf.deposited),
    withdrawn: amounts(leaf.withdrawn),
  }
}

function amount(text: string): bigint {
  const amountWei = parseAmount(text)
  if (amountWei === null) throw new Error(`${text} is not an amount`)
  return amountWei
}

function hash32(hex: string): Uint8Array {
  const bytes = hexToBytes(hex)
  if (bytes.length !== 32) throw new Error('a hash has 32 bytes')
  return bytes
}
