import { hashMessage, hexToBytes, isHex, type Address, type Hex } from 'viem'
import { signInMessage } from '../../auth/message.ts'
import { isSignedByWallet } from '../../chain/contract-wallet.ts'
import type { Config } from '../../config/config.ts'
import { setBounded } from '../../core/bounded-map.ts'
import { refuse, type Refusal } from '../../core/refusal.ts'
import { dayAt } from '../../core/utc-day.ts'
import { SIGNATURE_UNCHECKED } from '../../ledger/refusals.ts'
import { MAX_SIGNATURE_CHARS } from '../http/schema.ts'
import { recoverAddress } from './secp256k1.ts'

/** The length of a key's signature in hex with 0x. Longer ones, up to {@link MAX_SIGNATURE_CHARS}, are contracts'. */
const EOA_SIGNATURE_CHARS = 2 + 65 * 2

/** The number of verified signatures that an isolate caches. */
const CACHE_SIZE = 20_000

/** How long a contract wallet's verdict is cached: the contract may change its answer. */
const CONTRACT_VERDICT_MS = 60_000

/**
 * A contract's verdict is renewed from this age on, beside a call that it lets in: a cash-out shouldn't wait for the
 * node, and has a verdict for another minute if the node fails.
 */
const RENEWED_FROM_MS = CONTRACT_VERDICT_MS / 2

/** A cancelled request never reports the end of its renewal, so another one begins after this long. */
const RENEWAL_MS = 10_000

interface Verdict {
  /** The signed message's day, since 1970-01-01. */
  day: number
  until: number
  /** From when on it is renewed: never, if it is a key's. */
  renewFrom: number
}

interface Asking {
  now: number
  /** Counts the call before a contract is asked, which makes the node work. */
  spendOnContract: () => Promise<Refusal | null>
}

/** Contract wallets' signatures may be long, so fewer are cached. */
const CONTRACT_CACHE_SIZE = 500

const keyVerdicts = new Map<string, Verdict>()
const contractVerdicts = new Map<string, Verdict>()

/**
 * Returns this isolate's knowledge of a signature: whether it is valid, and whether its contract should be asked again.
 */
export function knownSignature(
  wallet: string,
  authSig: string,
  now: number,
): 'valid' | 'due' | null {
  const verdict = verdictOn(wallet, authSig)
  if (!verdict || now >= verdict.until || !isAccepted(verdict.day, now)) return null
  return now >= verdict.renewFrom ? 'due' : 'valid'
}

/**
 * Verifies a day's sign-in signature against the current and the previous day.
 * @param wallet in EIP-55 form
 * @returns null if the signature is the wallet's; otherwise `auth_invalid`, or `chain_unavailable` if
 *   only the chain can tell and it can't be reached
 */
export async function verifySignature(
  config: Config,
  { wallet, authSig }: { wallet: string; authSig: string },
  { now, spendOnContract }: Asking,
): Promise<Refusal | null> {
  const invalid = refuse(
    'auth_invalid',
    "The signature is not valid today. Sign today's message (GET /api/auth/message) and send it as authSig.",
  )
  const isBytes = isHex(authSig) && authSig.length % 2 === 0
  if (!isBytes || authSig.length > MAX_SIGNATURE_CHARS) return invalid
  const messages = [dayAt(now), dayAt(now) - 1].map((day) => ({
    day,
    message: signInMessage(config, wallet, day),
  }))
  const signed = messages.find(({ message }) => isSignedByKey(wallet, message, authSig))
  if (signed) {
    remember(wallet, authSig, { day: signed.day, until: Infinity, renewFrom: Infinity })
    return null
  }
  if (!config.chain) return invalid
  const tooMany = await spendOnContract()
  if (tooMany) return tooMany
  try {
    for (const { day, message } of messages) {
      if (await isSignedByWallet(config.chain, wallet as Address, hashMessage(message), authSig)) {
        remember(wallet, authSig, contractVerdict(day, now))
        return null
      }
    }
    return invalid
  } catch {
    return SIGNATURE_UNCHECKED
  }
}

/**
 * Asks a contract again about a signature that it has accepted. If it can't be asked, the verdict stays until its end.
 */
export async function renewVerdict(
  config: Config,
  { wallet, authSig }: { wallet: string; authSig: string },
  { now, spendOnContract }: Asking,
): Promise<void> {
  const verdict = verdictOn(wallet, authSig)
  if (!verdict || !config.chain) return
  verdict.renewFrom = now + RENEWAL_MS
  if (await spendOnContract()) return
  const hash = hashMessage(signInMessage(config, wallet, verdict.day))
  try {
    const isSigned = await isSignedByWallet(config.chain, wallet as Address, hash, authSig as Hex)
    if (isSigned) remember(wallet, authSig, contractVerdict(verdict.day, now))
    else verdict.until = now
  } catch {
    // The verdict has not ended yet.
  }
}

function contractVerdict(day: number, now: number): Verdict {
  return { day, until: now + CONTRACT_VERDICT_MS, renewFrom: now + RENEWED_FROM_MS }
}

function isAccepted(day: number, now: number): boolean {
  return day === dayAt(now) || day === dayAt(now) - 1
}

function isSignedByKey(wallet: string, message: string, authSig: Hex): boolean {
  if (authSig.length !== EOA_SIGNATURE_CHARS) return false
  const hash = hashMessage(message, 'bytes')
  return recoverAddress(hash, hexToBytes(authSig)) === wallet.toLowerCase()
}

function verdictOn(wallet: string, authSig: string): Verdict | undefined {
  return cacheFor(authSig).get(`${wallet} ${authSig}`)
}

function cacheFor(authSig: string): Map<string, Verdict> {
  return authSig.length === EOA_SIGNATURE_CHARS ? keyVerdicts : contractVerdicts
}

function remember(wallet: string, authSig: string, verdict: Verdict): void {
  const cache = cacheFor(authSig)
  const limit = cache === keyVerdicts ? CACHE_SIZE : CONTRACT_CACHE_SIZE
  setBounded(cache, `${wallet} ${authSig}`, verdict, limit)
}
