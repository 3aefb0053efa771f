import type { Check } from '../fairness/check.ts'
import type { Receipt } from '../receipts/claims.ts'
import { isSignedWith, thumbprintOf, type Jws } from '../receipts/jws.ts'
import type { PublishedKey } from '../receipts/key.ts'

/** A receipt with its signature. */
export interface SignedReceipt {
  receipt: Receipt
  /** The thumbprint of the key that signed it, by its header. */
  kid: string
  jws: Jws
}

/** Checks that the house signed a receipt. If not, the receipt proves nothing. */
export function verifySignature(
  {
    receipt,
    kid,
    jws,
  }: Pick<SignedReceipt, 'kid' | 'jws'> & { receipt: Pick<Receipt, 'iss' | 'iat'> },
  keys: readonly PublishedKey[],
): Check[] {
  const { iss, iat } = receipt
  // The thumbprint is computed, so that no other key can be published under the same name.
  const key = keys.find((each) => thumbprintOf(each) === kid)
  const signed = {
    claim: `it is signed with the key ${kid} of ${iss}`,
    holds: key !== undefined && isSignedWith(jws, key),
  }
  if (key?.exp === undefined) return [signed]
  // There is no such check of `nbf`: a repeated call is signed with the newest key.
  return [signed, { claim: 'the key had not expired by then', holds: iat <= key.exp }]
}
