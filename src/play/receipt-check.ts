import { canonicalJson } from '../core/canonical-json.ts'
import { RECEIPT_TYPE } from '../receipts/claims.ts'
import { parseJws, thumbprintOf } from '../receipts/jws.ts'
import type { PublishedKey } from '../receipts/key.ts'
import { verifySignature } from '../verify/receipt-signature.ts'
import { get, isFailure } from './api.ts'

/** What a receipt must say. */
export type Facts = Record<string, unknown>

/** What every receipt says besides. */
const ISSUED = ['iss', 'iat', 'chainId', 'seq', 'entry', 'terms']

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
  const { kid, typ } = recordOf(jws?.header)
  const isKnown = () => known.some((key) => thumbprintOf(key) === kid)
  // A key may have been published since. The browser keeps an answer without this one for minutes.
  if (!isKnown() && !(await readKeys(String(kid)))) return null
  if (receipt === undefined) return known.length === 0 ? null : 'the house has not signed it'
  const claims = recordOf(jws?.payload)
  const named = { iss: String(claims['iss']), iat: Number(claims['iat']) }
  const [isSigned, isInTime] = jws
    ? verifySignature({ receipt: named, kid: String(kid), jws }, known)
    : []
  if (!isSigned?.holds) return 'no key of the house has signed it'
  const isReceipt = typ === RECEIPT_TYPE && ISSUED.every((name) => claims[name] !== undefined)
  if (!isReceipt) return 'it is not a receipt'
  if (isInTime?.holds === false) return 'its key had expired'
  const wrong = Object.entries({ sub: wallet.toLowerCase(), ...facts }).find(
    ([name, value]) => canonicalJson(claims[name] ?? null) !== canonicalJson(value ?? null),
  )
  return wrong ? `what it says about \u201c${wrong[0]}\u201d is not what this page was told` : null
}

/** @returns false if they could not be read */
async function readKeys(kid: string): Promise<boolean> {
  const answer = await get<{ keys?: PublishedKey[] }>('/.well-known/jwks.json', { kid })
  if (isFailure(answer) || !Array.isArray(answer.keys)) return false
  known = answer.keys.filter(({ x, y }) => typeof x === 'string' && typeof y === 'string')
  return true
}

function recordOf(value: unknown): Facts {
  return typeof value === 'object' && value !== null ? (value as Facts) : {}
}
