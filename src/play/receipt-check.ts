import { canonicalJson } from '../core/canonical-json.ts'
import { isSignedWith, parseJws, thumbprintOf } from '../receipts/jws.ts'
import type { PublishedKey } from '../receipts/key.ts'
import { get, isFailure } from './api.ts'

/** What a receipt must say. */
export type Facts = Record<string, unknown>

let known: PublishedKey[] = []

/**
 * Returns why a receipt does not prove what its player was told, in words; null if it does, or if the keys of the house can't
 * be read now.
 * @param receipt undefined if the answer had none, which is right only if the house has no keys
 */
export async function problemOf(
  receipt: string | undefined,
  wallet: string,
  facts: Facts,
): Promise<string | null> {
  const jws = receipt === undefined ? null : parseJws(receipt)
  const kid = (jws?.header as { kid?: unknown } | null)?.kid
  const find = () => known.find((key) => thumbprintOf(key) === kid)
  // A new key is published before it signs.
  if (!find() && !(await readKeys())) return null
  if (receipt === undefined) return known.length === 0 ? null : 'the house has not signed it'
  const key = find()
  if (!jws || !key || !isSignedWith(jws, key)) return 'no key of the house has signed it'
  const claims = jws.payload as Facts
  const wrong = Object.entries({ sub: wallet.toLowerCase(), ...facts }).find(
    ([name, value]) => canonicalJson(claims[name] ?? null) !== canonicalJson(value ?? null),
  )
  return wrong ? `what it says about \u201c${wrong[0]}\u201d is not what this page was told` : null
}

/** @returns false if they could not be read */
async function readKeys(): Promise<boolean> {
  const answer = await get<{ keys: PublishedKey[] }>('/.well-known/jwks.json')
  if (isFailure(answer)) return false
  known = answer.keys
  return true
}
