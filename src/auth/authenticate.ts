import { loadConfig } from '../config.ts'
import { Wallet, validate } from '../http/schema.ts'
import { clientAddress, spend } from '../http/limits.ts'
import { isRefusal, refuse, type Refusal } from '../refusal.ts'
import { isKnownSignature, verifySignature } from './wallet-signature.ts'

/**
 * The wallet that a request's `wallet` and `authSig` prove, in EIP-55 form. Checking a signature
 * that is not known yet is expensive, so it counts against the client's address first.
 */
export async function authenticate(
  env: Env,
  request: Request,
  credentials: { wallet?: unknown; authSig?: unknown },
): Promise<{ wallet: string } | Refusal> {
  if (!credentials.wallet || !credentials.authSig) {
    return refuse(
      'auth_required',
      'Send wallet and authSig; GET /api/auth/message has what to sign.',
    )
  }
  const parsed = validate(Wallet, credentials.wallet)
  if (isRefusal(parsed))
    return refuse('invalid_request', 'wallet is not a wallet address.', [
      { path: 'wallet', message: 'must be a wallet address with a right checksum' },
    ])
  if (typeof credentials.authSig !== 'string') {
    return refuse('invalid_request', 'authSig must be a string.', [
      { path: 'authSig', message: 'must be a string' },
    ])
  }
  const wallet = parsed.value
  const now = Date.now()
  if (isKnownSignature(wallet, credentials.authSig, now)) return { wallet }
  const refusal =
    (await spend(env.READS, clientAddress(request))) ??
    (await verifySignature(loadConfig(env), wallet, credentials.authSig, now))
  return refusal ?? { wallet }
}
