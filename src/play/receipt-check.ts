import { canonicalJson } from '../core/canonical-json.ts'
import { isOwnMachine } from '../core/own-machine.ts'
import { AMOUNT_PATTERN } from '../money/amount.ts'
import { TOKENS } from '../money/token.ts'
import { RECEIPT_TYPE } from '../receipts/claims.ts'
import { parseJws, thumbprintOf } from '../receipts/jws.ts'
import type { PublishedKey } from '../receipts/key.ts'
import { verifySignature } from '../verify/receipt-signature.ts'
import { get, isFailure } from './api.ts'
import { keptReceipts } from './receipts.ts'

/** The required content of a receipt. */
export type Facts = Record<string, unknown>

const isCount = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0
const isAmount = (value: unknown) => typeof value === 'string' && AMOUNT_PATTERN.test(value)
const isHash = (value: unknown) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)

/**
 * The form of the further claims in every receipt. The verifier refuses any other, so such a receipt would prove
 * nothing.
 */
const ISSUED: Record<string, (value: unknown) => boolean> = {
  iat: isCount,
  seq: isCount,
  entry: isHash,
  terms: isHash,
  owed: (value) => TOKENS.every((token) => isAmount(recordOf(value)[token])),
  chainId: (value) => isCount(value) && value !== 0,
}

/**
 * A receipt from the future would be due at its date only, so a house could date all of them ahead. A device's clock
 * may be wrong by hours, which must accuse nobody, and the time in an answer is the house's word: beyond a day, it is
 * doubted.
 */
const MAX_AHEAD_S = 86_400

/** All keys that the house has published. One that it withdraws has signed all the same. */
let known: PublishedKey[] = []

/**
 * Returns why a receipt does not prove the answer to its player, in words; null if it does, or if the keys of the house
 * can't be read now.
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
  // After a reload, earlier receipts show that the house has keys.
  const hasKeys = known.length > 0 || keptReceipts(wallet).length > 0
  if (receipt === undefined) return hasKeys ? 'the house has not signed it' : null
  const claims = recordOf(jws?.payload)
  const named = { iss: String(claims['iss']), iat: Number(claims['iat']) }
  const [isSigned, isInTime] = jws
    ? verifySignature({ receipt: named, kid: String(kid), jws }, known)
    : []
  if (!isSigned?.holds) return 'no key of the house has signed it'
  const isIssued = Object.entries(ISSUED).every(([name, isForm]) => isForm(claims[name]))
  if (typ !== RECEIPT_TYPE || !isIssued) return 'it is not a receipt'
  // Local play has several names.
  if (named.iss !== location.origin && !isOwnMachine(location.hostname))
    return 'it is of another site'
  if (named.iat > Date.now() / 1_000 + MAX_AHEAD_S)
    return 'it is dated more than a day later than the clock of this device'
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
  const told = answer.keys.filter(({ x, y }) => typeof x === 'string' && typeof y === 'string')
  const names = told.map(thumbprintOf)
  known = [...told, ...known.filter((key) => !names.includes(thumbprintOf(key)))]
  return true
}

function recordOf(value: unknown): Facts {
  return typeof value === 'object' && value !== null ? (value as Facts) : {}
}
