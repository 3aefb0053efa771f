import type { Address, Hex } from 'viem'
import type { z } from 'zod'
import { disposed, retried } from '../../calls/call.ts'
import { ledger } from '../../calls/objects.ts'
import { VAULT_SIGNATURE_GAS } from '../../chain/contract-wallet.ts'
import { permissionHash, permissionScope } from '../../chain/permission.ts'
import type { PartnerConfig } from '../../config/config.ts'
import { loadConfig } from '../../config/load.ts'
import { isRefusal, refuse } from '../../core/refusal.ts'
import type { Permission } from '../../ledger/permission.ts'
import { askSigned, isSignedBy, isSignedByKey, withFullV } from '../auth/account-signature.ts'
import { signed, type SignedCall } from '../auth/signed.ts'
import type { Handler } from '../http/call.ts'
import { limitFreeEntries } from '../http/rate-limits.ts'
import { refuseNearMisses, validate } from '../http/schema.ts'
import { GrantBody, PERMISSION_NAMES, RevokeBody } from './schema.ts'

/** Answers with the caller's permissions for every partner, and the domain to sign one for. */
export const readPermissions = signed('READS', async ({ env, wallet }) => {
  const config = loadConfig(env)
  const permissions = await retried(async () =>
    ledger(env, wallet).permissions([...config.partners.keys()]),
  )
  const shown = permissions.flatMap((permission) => {
    const partner = config.partners.get(permission.partner)
    return partner ? [withTerms(permission, partner)] : []
  })
  return { ok: true, ...permissionScope(config), permissions: shown }
})

/** Grants a permission. Not retried automatically if the answer is lost, because the nonce may be used up. */
export const grant = change(GrantBody, async (call, partner) => {
  const { env, wallet, input } = call
  const { signature: sent, ...terms } = input
  const config = loadConfig(env)
  const player = wallet as Address
  const hash = permissionHash(permissionScope(config), player, terms)
  const signature = withFullV(player, hash, sent as Hex)
  const granted = await askSigned(
    call,
    // Without a chain no contract can have signed it.
    isSignedByKey(player, hash, signature) || (config.chain ? null : false),
    async (isSigned) =>
      disposed(await ledger(env, wallet).grant({ ...terms, signature, isSigned })),
    // A wallet that takes more gas could not withdraw either.
    () => isSignedBy(config.chain, player, hash, signature, VAULT_SIGNATURE_GAS),
  )
  return isRefusal(granted) ? granted : { ok: true, permission: withTerms(granted, partner) }
})

export const revoke = change(RevokeBody, async ({ env, wallet, input }, partner) => {
  const revoked = await retried(async () => ledger(env, wallet).revoke(partner.id, input.token))
  return isRefusal(revoked) ? revoked : { ok: true, permission: withTerms(revoked, partner) }
})

/** Builds a handler that changes the caller's permission for a configured partner. */
function change<T extends { partner: string }>(
  schema: z.ZodType<T>,
  make: (call: SignedCall<T>, partner: PartnerConfig) => Promise<object>,
): Handler {
  return signed('MONEY_CALLS', async (call) => {
    const read = refuseNearMisses(PERMISSION_NAMES, call.input) ?? validate(schema, call.input)
    if (isRefusal(read)) return read
    const partner = loadConfig(call.env).partners.get(read.value.partner)
    if (!partner) return NO_PARTNER
    const tooMany = await limitFreeEntries(call.env, call.request, call.wallet)
    return tooMany ?? make({ ...call, input: read.value }, partner)
  })
}

/** Adds the operator's terms for debits to a permission. */
function withTerms(permission: Permission, { consent, debits }: PartnerConfig): object {
  const { isOpen, hourWei } = debits[permission.token]
  return { ...permission, consent, debits: isOpen, maxPerHourWei: hourWei.toString() }
}

const NO_PARTNER = refuse(
  'not_found',
  'This partner is not known. GET /api/wallet/permissions lists the partners.',
)
