import type { Address, Hex } from 'viem'
import { authenticate } from '../auth/authenticate.ts'
import { permissionHash, permissionScope } from '../../chain/permission.ts'
import { loadConfig } from '../../config/load.ts'
import type { Partner } from '../../config/config.ts'
import { chooseAction } from '../http/actions.ts'
import { answer, answerRefusal } from '../http/answer.ts'
import { readJsonObject, type JsonObject } from '../http/body.ts'
import { spend } from '../http/limits.ts'
import { refuseNearMisses, validate } from '../http/schema.ts'
import type { Permission } from '../../ledger/permission.ts'
import { ledger, retried } from '../../objects.ts'
import { isRefusal, refuse, type Refusal } from '../../core/refusal.ts'
import { isSignedBy } from '../vault/signature.ts'
import { GrantBody, PERMISSION_NAMES, RevokeBody } from './schema.ts'

/** What the caller permits every partner, and what a permission is signed for. */
export async function readPermissions(
  env: Env,
  request: Request,
  query: Record<string, string>,
): Promise<Response> {
  const caller = await authenticate(env, request, query)
  if (isRefusal(caller)) return answerRefusal(caller)
  const limited = await spend(env.READS, caller.wallet)
  if (limited) return answerRefusal(limited)
  const config = loadConfig(env)
  const permissions = await retried(async () =>
    ledger(env, caller.wallet).permissions([...config.partners.keys()]),
  )
  const shown = permissions.flatMap((permission) => {
    const partner = config.partners.get(permission.partner)
    return partner ? [withTerms(permission, partner)] : []
  })
  return answer({ ok: true, ...permissionScope(config), permissions: shown })
}

/** Grants or revokes a permission of the caller's. */
export async function changePermission(env: Env, request: Request): Promise<Response> {
  const read = await readJsonObject(request)
  if (isRefusal(read)) return answerRefusal(read)
  const { body } = read
  const change = chooseAction({ grant, revoke }, body)
  if (isRefusal(change)) return answerRefusal(change)
  const caller = await authenticate(env, request, body)
  if (isRefusal(caller)) return answerRefusal(caller)
  const { wallet } = caller
  const refusal = (await spend(env.MONEY_CALLS, wallet)) ?? refuseNearMisses(PERMISSION_NAMES, body)
  if (refusal) return answerRefusal(refusal)
  const changed = await change(env, wallet, body)
  return isRefusal(changed) ? answerRefusal(changed) : answer(changed)
}

/** Not made again by itself where its answer is lost: the nonce would be used up. */
async function grant(env: Env, wallet: string, body: JsonObject): Promise<object> {
  const parsed = validate(GrantBody, body)
  if (isRefusal(parsed)) return parsed
  const { signature, ...terms } = parsed.value
  const config = loadConfig(env)
  const partner = config.partners.get(terms.partner)
  if (!partner) return noPartner()
  const player = wallet as Address
  const hash = permissionHash(permissionScope(config), player, terms)
  const isSigned = await isSignedBy(config.chain, player, hash, signature as Hex)
  const granted = await ledger(env, wallet).grant({ ...terms, signature, isSigned })
  return isRefusal(granted) ? granted : { ok: true, permission: withTerms(granted, partner) }
}

async function revoke(env: Env, wallet: string, body: JsonObject): Promise<object> {
  const parsed = validate(RevokeBody, body)
  if (isRefusal(parsed)) return parsed
  const { partner: id, token } = parsed.value
  const partner = loadConfig(env).partners.get(id)
  if (!partner) return noPartner()
  const revoked = await retried(async () => ledger(env, wallet).revoke(id, token))
  return { ok: true, permission: withTerms(revoked, partner) }
}

/** A permission beside the operator's terms for what it permits. */
function withTerms(permission: Permission, { consent, debits }: Partner): object {
  const { isOpen, hourWei } = debits[permission.token]
  return { ...permission, consent, debits: isOpen, maxPerHourWei: hourWei.toString() }
}

function noPartner(): Refusal {
  return refuse('not_found', 'There is no such partner here; see GET /api/wallet/permissions.')
}
