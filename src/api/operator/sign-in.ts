import { hashMessage, isHex, size, type Address, type Hash, type Hex } from 'viem'
import { isOperatorMessageValid, operatorMessage } from '../../auth/operator-message.ts'
import { loadConfig } from '../../config/load.ts'
import { refuse, type Refusal } from '../../core/refusal.ts'
import { SIGNATURE_UNCHECKED } from '../../ledger/refusals.ts'
import { notAnOperator } from '../../operator/approval.ts'
import { isSignedBy, isSignedByKey } from '../auth/account-signature.ts'
import type { ApiCall } from '../http/call.ts'
import { limitNetwork } from '../http/rate-limits.ts'
import { MAX_SIGNATURE_CHARS, parseWallet } from '../http/schema.ts'
import type { Operator } from './answers.ts'

/** `Wallet <address>.<time of the message>.<signature>` */
const AUTHORIZATION = /^Wallet (0x[0-9a-fA-F]{40})\.([1-9]\d{0,14})\.(0x[0-9a-fA-F]+)$/

/**
 * Returns the operator who has signed in, by the wallet's signature of a message of the last 15 minutes.
 * @param now unix milliseconds
 */
export async function signedInOperator(
  call: Pick<ApiCall<unknown>, 'env' | 'request'>,
  now: number,
): Promise<Operator | Refusal> {
  const config = loadConfig(call.env)
  const authorization = call.request.headers.get('authorization')
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
  const signed = { wallet, hash: hashMessage(message), signature }
  const refusal = await checkSignedByOperator(call, signed, invalid)
  if (refusal) return refusal
  const role = config.operators.get(wallet)
  return role === undefined ? notAnOperator(wallet, 'viewer') : { wallet, role }
}

/**
 * Returns null if a wallet has signed a hash, and otherwise `invalid`. Asks the chain only about operators' wallets
 * that are configured as contracts: a node that lies could pass off any signature as theirs. Anybody can name such a
 * wallet, so this counts against the client's network.
 * @param signed its wallet is in EIP-55 form
 */
export async function checkSignedByOperator(
  { env, request }: Pick<ApiCall<unknown>, 'env' | 'request'>,
  { wallet, hash, signature }: { wallet: string; hash: Hash; signature: Hex },
  invalid: Refusal,
): Promise<Refusal | null> {
  const { chain, operatorContracts } = loadConfig(env)
  const account = wallet as Address
  if (isSignedByKey(account, hash, signature)) return null
  if (!operatorContracts.has(wallet)) return invalid
  const tooMany = await limitNetwork(env, request, 'signIns')
  if (tooMany) return tooMany
  const isSigned = await isSignedBy(chain, account, hash, signature)
  if (isSigned === null) return SIGNATURE_UNCHECKED
  return isSigned ? null : invalid
}

function isBytes(text: string): text is Hex {
  return isHex(text) && text.length % 2 === 0 && size(text) > 0
}
