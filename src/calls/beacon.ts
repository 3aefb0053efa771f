import { abortAfter } from '../chain/abort-after.ts'
import { setBounded } from '../core/bounded-map.ts'
import { readText } from '../core/read-text.ts'
import { isBeaconSignature, QUICKNET } from '../fairness/drand.ts'

const TIMEOUT_MS = 3_000
const MAX_ANSWER_BYTES = 4_096

/** Cached verdicts: a verification takes milliseconds, and its verdict never changes. */
const verdicts = new Map<string, boolean>()
const MAX_VERDICTS = 1_000

/** Returns whether a signature is the chain's for a round: {@link isBeaconSignature}, cached. */
export function isSignedBeacon(round: number, signature: string): boolean {
  const known = knownVerdict(round, signature)
  if (known !== null) return known
  const isSigned = isBeaconSignature(round, signature)
  setBounded(verdicts, keyOf(round, signature), isSigned, MAX_VERDICTS)
  return isSigned
}

/** Returns the cached verdict on a signature; null if it must be verified. */
export function knownVerdict(round: number, signature: string): boolean | null {
  return verdicts.get(keyOf(round, signature)) ?? null
}

function keyOf(round: number, signature: string): string {
  return `${round} ${signature}`
}

/**
 * Fetches the signature of a drand quicknet round and verifies it, trying each relay in turn.
 * @returns the verified signature in hex, or null if no relay has it
 */
export async function fetchBeacon(
  relays: readonly string[],
  round: number,
): Promise<string | null> {
  for (const relay of relays) {
    const signature = await askRelay(relay, round)
    if (signature !== null && isSignedBeacon(round, signature)) return signature
  }
  return null
}

async function askRelay(relay: string, round: number): Promise<string | null> {
  const url = `${relay}/${QUICKNET.chainHash}/public/${round}`
  try {
    const text = await abortAfter(TIMEOUT_MS, async (signal) => {
      const { ok, body } = await fetch(url, { signal, redirect: 'manual' })
      let left = ok ? MAX_ANSWER_BYTES : 0
      return body && readText(body, signal, (bytes) => (left -= bytes) >= 0)
    })
    if (!text) return null
    const beacon: unknown = JSON.parse(text)
    if (typeof beacon !== 'object' || beacon === null || !('signature' in beacon)) return null
    return typeof beacon.signature === 'string' ? beacon.signature : null
  } catch {
    return null
  }
}
