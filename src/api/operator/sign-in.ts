import { hashMessage, isHex, size, type Address, type Hash, type Hex } from 'viem'
import { isOperatorMessageValid, operatorMessage } from '../../auth/operator-message.ts'
import type { Config } from '../../config/config.ts'
import { refuse, type Refusal } from '../../core/refusal.ts'
import { signatureUnchecked } from '../../ledger/refusals.ts'
import { notAnOperator } from '../../operator/approval.ts'
import { MAX_SIGNATURE_CHARS, parseWallet } from '../http/schema.ts'
import { isSignedBy } from '../vault/signature.ts'
import type { Operator } from './seen.ts'

/** `Wallet <address>.<time of the message>.<signature>` */
const AUTHORIZATION = /^Wallet (0x[0-9a-fA-F]{40})\.([1-9]\d{0,14})\.(0x[0-9a-fA-F]+)$/

/**
 * Returns the operator who has signed in, by the wallet's signature of a message of the last 15 minutes.
 * @param authorization the request's header
 * @param now unix milliseconds
 */
export async function signedInOperator(
  config: Config,
  authorization: string | null,
  now: number,
): Promise<Operator | Refusal> {
  const [, address = '', time = '', signature = ''] = AUTHORIZATION.exec(authorization ?? '') ?? []
  const wallet = parseWallet(address)
  if (wallet === null || signature.length > MAX_SIGNATURE_CHARS || !isBytes(signature)) {
    return refuse(
      'auth_required',
      'Sign the message of GET /api/operate?action=sign-in, and send Authorization: Wallet <wallet>.<issuedAt>.<signature>.',
    )
  }
  const issuedAt = Number(time)
  const invalid = refuse('auth_invalid', 'The sign-in is not valid or has expired. Sign in again.')
  if (!isOperatorMessageValid(issuedAt, now)) return invalid
  const message = operatorMessage(config.operatorSite, wallet, issuedAt)
  const isSigned = await isSignedByOperator(config, wallet, hashMessage(message), signature)
  if (isSigned === null) return signatureUnchecked()
  if (!isSigned) return invalid
  const role = config.operators.get(wallet)
  return role === undefined ? notAnOperator(wallet, 'viewer') : { wallet, role }
}

/**
 * Returns whether a wallet has signed a hash. Asks the chain only about operators' wallets that are configured as
 * contracts: a node that lies could pass off any signature as theirs.
 * @param wallet in EIP-55 form
 * @returns null if only the chain can tell and it can't be reached
 */
export function isSignedByOperator(
  { chain, operatorContracts }: Pick<Config, 'chain' | 'operatorContracts'>,
  wallet: string,
  hash: Hash,
  signature: Hex,
): Promise<boolean | null> {
  const asked = operatorContracts.has(wallet) ? chain : null
  return isSignedBy(asked, wallet as Address, hash, signature)
}

function isBytes(text: string): text is Hex {
  return isHex(text) && text.length % 2 === 0 && size(text) > 0
}
