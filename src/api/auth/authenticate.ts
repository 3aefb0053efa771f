import { loadConfig } from '../../config/load.ts'
import { isRefusal, refuse, type Refusal } from '../../core/refusal.ts'
import type { ApiCall } from '../http/call.ts'
import { clientAddress, checkRateLimit, limitNetwork } from '../http/rate-limits.ts'
import { validate, Credentials } from '../http/schema.ts'
import { knownSignature, renewVerdict, verifySignature } from './wallet-signature.ts'

/**
 * Returns the wallet proven by a request's `wallet` and `authSig`, in EIP-55 form. Every call counts
 * against the client's address, because wallets are free to create; the caller also counts it against
 * the wallet. Verifying a new signature is expensive, so it also counts as a read from the address, and against the
 * client's network if a contract has to be asked.
 */
export async function authenticate(
  { env, request, waitUntil }: Pick<ApiCall<unknown>, 'env' | 'request' | 'waitUntil'>,
  credentials: { wallet?: unknown; authSig?: unknown },
): Promise<{ wallet: string } | Refusal> {
  if (!credentials.wallet || !credentials.authSig) {
    return refuse(
      'auth_required',
      'The request is not signed. Sign the message of GET /api/auth/message, and send wallet and authSig.',
    )
  }
  const address = clientAddress(request)
  const limited = await checkRateLimit(env.SIGNED_CALLS, address)
  if (limited) return limited
  const now = Date.now()
  const { wallet: sent, authSig: sentSig } = credentials
  const areTexts = typeof sent === 'string' && typeof sentSig === 'string'
  const spendOnContract = () => limitNetwork(env, request, 'signIns')
  const known = (wallet: string, authSig: string) => {
    const found = knownSignature(wallet, authSig, now)
    if (found === 'due')
      waitUntil(renewVerdict(loadConfig(env), { wallet, authSig }, { now, spendOnContract }))
    return found && { wallet }
  }
  // The wallet of a known signature is in EIP-55 form.
  const asSent = areTexts ? known(sent, sentSig) : null
  if (asSent) return asSent
  const parsed = validate(Credentials, credentials)
  if (isRefusal(parsed)) return parsed
  const { wallet, authSig } = parsed.value
  const asParsed = known(wallet, authSig)
  if (asParsed) return asParsed
  const refusal =
    (await checkRateLimit(env.READS, address)) ??
    (await verifySignature(loadConfig(env), parsed.value, {
      now,
      spendOnContract,
    }))
  return refusal ?? { wallet }
}
