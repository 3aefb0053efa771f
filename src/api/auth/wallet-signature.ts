import { hashMessage, hexToBytes, isHex, type Address, type Hex } from 'viem'
import { isSignedByWallet } from '../../chain/contract-wallet.ts'
import type { Config } from '../../config/config.ts'
import { refuse, type Refusal } from '../../core/refusal.ts'
import { signInMessage, windowAt } from '../../auth/message.ts'
import { recoverAddress } from './secp256k1.ts'

/** ERC-6492 signatures carry a wallet's deployment; longer than this is not one. */
const MAX_SIGNATURE_CHARS = 8_192
const EOA_SIGNATURE_CHARS = 2 + 65 * 2

/** How many verified signatures an isolate remembers. */
const CACHE_SIZE = 20_000

/** A smart-contract wallet can change its mind, so its verdict is kept only this long. */
const CONTRACT_VERDICT_MS = 60_000

interface Verdict {
  /** The window whose message was signed. */
  window: number
  until: number
}

/** Contract wallets' signatures may be long, so fewer are remembered. */
const CONTRACT_CACHE_SIZE = 500

const keyVerdicts = new Map<string, Verdict>()
const contractVerdicts = new Map<string, Verdict>()

/** Whether this isolate has already verified the signature and may still rely on it. */
export function isKnownSignature(wallet: string, authSig: string, now: number): boolean {
  const verdict = cacheFor(authSig).get(`${wallet} ${authSig}`)
  return verdict !== undefined && now < verdict.until && isAccepted(verdict.window, now)
}

/**
 * Verifies a day's sign-in signature against the current and the previous window.
 * @param wallet in EIP-55 form
 * @returns null if it is the wallet's own; `auth_invalid`, or `chain_unavailable` where only the
 * chain could tell and it cannot be reached
 */
export async function verifySignature(
  config: Config,
  wallet: string,
  authSig: string,
  now: number,
): Promise<Refusal | null> {
  const invalid = refuse(
    'auth_invalid',
    "Sign today's message (GET /api/auth/message) and send it as authSig.",
  )
  if (!isHex(authSig) || authSig.length > MAX_SIGNATURE_CHARS) return invalid
  const messages = [windowAt(now), windowAt(now) - 1].map((window) => ({
    window,
    message: signInMessage(config, wallet, window),
  }))
  const signed = messages.find(({ message }) => isSignedByKey(wallet, message, authSig))
  if (signed) {
    remember(wallet, authSig, { window: signed.window, until: Infinity })
    return null
  }
  if (!config.chain) return invalid
  try {
    for (const { window, message } of messages) {
      if (await isSignedByWallet(config.chain, wallet as Address, hashMessage(message), authSig)) {
        remember(wallet, authSig, { window, until: now + CONTRACT_VERDICT_MS })
        return null
      }
    }
    return invalid
  } catch {
    return refuse(
      'chain_unavailable',
      'The chain cannot be asked about this wallet now; try again.',
    )
  }
}

function isAccepted(window: number, now: number): boolean {
  return window === windowAt(now) || window === windowAt(now) - 1
}

function isSignedByKey(wallet: string, message: string, authSig: Hex): boolean {
  if (authSig.length !== EOA_SIGNATURE_CHARS) return false
  const hash = hashMessage(message, 'bytes')
  return recoverAddress(hash, hexToBytes(authSig)) === wallet.toLowerCase()
}

function cacheFor(authSig: string): Map<string, Verdict> {
  return authSig.length === EOA_SIGNATURE_CHARS ? keyVerdicts : contractVerdicts
}

function remember(wallet: string, authSig: string, verdict: Verdict): void {
  const cache = cacheFor(authSig)
  const limit = cache === keyVerdicts ? CACHE_SIZE : CONTRACT_CACHE_SIZE
  const [oldest] = cache.keys()
  if (cache.size >= limit && oldest !== undefined) cache.delete(oldest)
  cache.set(`${wallet} ${authSig}`, verdict)
}
