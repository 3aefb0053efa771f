import { bytesToHex } from '@noble/hashes/utils'
import { canonicalJson } from '../core/canonical-json.ts'
import { utf8 } from '../core/utf8.ts'
import type { Mac } from '../fairness/seed.ts'
import { toMultiplier } from '../money/multiplier.ts'
import type { Token } from '../money/token.ts'
import { leafHash, treeHash } from '../transparency/merkle.ts'
import type { Bet, BetParams } from './bet.ts'

/** The bets of a round, fixed when betting closes. */
export interface FixedBets {
  /** The root over their leaves, in hex. */
  betsRoot: string
  betCount: number
}

/** A bet as the root covers it. Public once its round has ended. */
export interface BetLeaf {
  /** Its position in the round, from 0. */
  n: number
  betId: string
  wallet: string
  token: Token
  amountWei: string
  autoCashout: number | null
  /** Keeps the auto-cash-out from being guessed from the leaf's hash, in hex. */
  salt: string
}

const SALT_DIGITS = 32

/** Returns a bet's leaf. @param macOfRound the HMAC with the round's seed, which determines the salt */
export function betLeaf(
  { betId, wallet, token, amountWei, autoCashout }: Pick<Bet, 'betId' | 'wallet' | keyof BetParams>,
  n: number,
  macOfRound: Mac,
): BetLeaf {
  return {
    n,
    betId,
    wallet,
    token,
    amountWei: amountWei.toString(),
    autoCashout: autoCashout === null ? null : toMultiplier(autoCashout),
    salt: bytesToHex(macOfRound(`bet:${betId}`)).slice(0, SALT_DIGITS),
  }
}

/** Returns the root over a round's leaves, in the order of their positions. */
export function betsRootOf(leaves: readonly BetLeaf[]): string {
  return rootOfHashes(leaves.map(betLeafHash))
}

/** Returns the root over the hashes of a round's leaves. */
export function rootOfHashes(hashes: readonly Uint8Array[]): string {
  return bytesToHex(treeHash(hashes))
}

/** Returns the hash of a bet's leaf. */
export function betLeafHash(leaf: BetLeaf): Uint8Array {
  return leafHash(utf8(canonicalJson(leafData(leaf))))
}

/** Returns a leaf without anything that a longer record of the bet has. */
function leafData({ n, betId, wallet, token, amountWei, autoCashout, salt }: BetLeaf): BetLeaf {
  return { n, betId, wallet, token, amountWei, autoCashout, salt }
}
