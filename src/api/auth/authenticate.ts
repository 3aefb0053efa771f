import { loadConfig } from '../../config/load.ts'
import { validate, Credentials } from '../http/schema.ts'
import { clientAddress, spend } from '../http/limits.ts'
import { isRefusal, refuse, type Refusal } from '../../core/refusal.ts'
import { isKnownSignature, verifySignature } from './wallet-signature.ts'

/**
 * Returns the wallet that a request's `wallet` and `authSig` prove, in EIP-55 form. Every call counts
 * against the client's address, since wallets cost nothing; the caller counts it against the wallet too.
 * Checking a signature that is not known yet is expensive, so it counts as a read of the address besides.
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
  const parsed = validate(Credentials, credentials)
  if (isRefusal(parsed)) return parsed
  const { wallet, authSig } = parsed.value
  const now = Date.now()
  const address = clientAddress(request)
  const limited = await spend(env.SIGNED_CALLS, address)
  if (limited) return limited
  if (isKnownSignature(wallet, authSig, now)) return { wallet }
  const refusal =
    (await spend(env.READS, address)) ??
    (await verifySignature(loadConfig(env), wallet, authSig, now))
  return refusal ?? { wallet }
}
