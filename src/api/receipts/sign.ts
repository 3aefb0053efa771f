import { calculateJwkThumbprint, CompactSign, importJWK } from 'jose'
import type { ReceiptKey } from '../../config/config.ts'
import { loadConfig } from '../../config/load.ts'
import { utf8 } from '../../core/utf8.ts'
import type { WithEntry, TakenPlace, TakenRef } from '../../ledger/journal.ts'
import { logFault } from '../../log.ts'
import { RECEIPT_TYPE, type Receipt, type OperationClaims } from '../../receipts/claims.ts'
import { signingKey } from '../../receipts/key.ts'

interface Signer {
  key: CryptoKey | Uint8Array
  kid: string
}

const signers = new WeakMap<ReceiptKey, Signer>()

/**
 * Signs a receipt for an operation that an object has carried out, and adds it to the answer.
 * @param answer with its place in the wallet's journal, which the caller must not see
 */
export async function receipted<Answer extends object>(
  env: Env,
  wallet: string,
  answer: WithEntry<Answer, TakenRef>,
  claims: OperationClaims,
): Promise<Omit<WithEntry<Answer>, 'entry'> & { receipt?: string }> {
  const { entry: _, ...rest } = answer
  const receipt = await receiptOf(env, wallet, answer.entry, claims)
  return receipt === null ? rest : { ...rest, receipt }
}

/**
 * Returns a signed receipt as a compact JWS (RFC 7515); null if no keys are configured. Never throws, because the
 * operation has already been carried out.
 * @param entry without `owed` for a partner
 */
export async function receiptOf(
  env: Env,
  wallet: string,
  entry: TakenPlace | TakenRef,
  claims: OperationClaims,
): Promise<string | null> {
  const config = loadConfig(env)
  const signing = signingKey(config.receiptKeys, Date.now() / 1_000)
  if (!signing) return null
  const receipt: Receipt = {
    iss: config.origin,
    sub: wallet.toLowerCase(),
    iat: Math.floor(entry.at / 1_000),
    chainId: config.chainId,
    seq: entry.seq,
    entry: entry.hash,
    ...('owed' in entry && { owed: entry.owed }),
    terms: entry.terms,
    ...claims,
  }
  try {
    const { key, kid } = await signerOf(signing)
    return await new CompactSign(utf8(JSON.stringify(receipt)))
      .setProtectedHeader({ alg: 'ES256', typ: RECEIPT_TYPE, kid })
      .sign(key)
  } catch (fault) {
    logFault('receipt_not_signed', fault)
    return null
  }
}

async function signerOf(signing: ReceiptKey): Promise<Signer> {
  const known = signers.get(signing)
  if (known) return known
  const { kty, crv, x, y, d } = signing
  const [key, kid] = await Promise.all([
    importJWK({ kty, crv, x, y, ...(d !== undefined && { d }) }, 'ES256'),
    calculateJwkThumbprint({ kty, crv, x, y }),
  ])
  const signer = { key, kid }
  signers.set(signing, signer)
  return signer
}
