import { Hono } from 'hono'
import type { Hex } from 'viem'
import { ownerActHash } from '../../chain/owner-act.ts'
import { vaultOwner } from '../../chain/vault.ts'
import { loadConfig } from '../../config/load.ts'
import { isRefusal, refuse, type Refusal } from '../../core/refusal.ts'
import { logFault } from '../../log.ts'
import { control, retried } from '../../objects.ts'
import { getByAction, limited, post, type Call } from '../http/call.ts'
import { onlyMethods } from '../http/methods.ts'
import { validate } from '../http/schema.ts'
import { isSignedBy } from '../vault/signature.ts'
import { moneyRoutes } from './money-routes.ts'
import { ActBody } from './schema.ts'

export const operatorRoutes = new Hono<{ Bindings: Env }>()
  .get(
    '/',
    getByAction({ modes: limited('READS', readModes) }, limited('READS', readNonce), 'nonce'),
  )
  .post('/', post(act, 'MONEY_CALLS'))
  .all('/', onlyMethods('GET, POST'))
  .route('/', moneyRoutes)

/** Answers with the nonce of the owner's next act. */
async function readNonce({ env }: Call<unknown>): Promise<object> {
  const { vault } = loadConfig(env)
  if (!vault) return noVault()
  return { ok: true, nonce: await retried(async () => control(env).nextNonce(vault.id)) }
}

/** Answers with what operators have opened and closed. It is public. */
async function readModes({ env }: Call<unknown>): Promise<object> {
  return { ok: true, version: await retried(async () => control(env).newestModes()) }
}

/** Carries out an act signed by the vault's owner, once per nonce. */
async function act({ env, input }: Call): Promise<object> {
  const { vault } = loadConfig(env)
  if (!vault) return noVault()
  const read = validate(ActBody, input)
  if (isRefusal(read)) return read
  const { signature, ...ordered } = read.value
  let isSigned: boolean | null
  try {
    const owner = await vaultOwner(vault)
    isSigned = await isSignedBy(vault, owner, ownerActHash(vault, ordered), signature as Hex)
  } catch (fault) {
    logFault('vault_owner_read_failed', fault)
    isSigned = null
  }
  if (isSigned === null) {
    return refuse(
      'chain_unavailable',
      "The chain did not answer, so the vault's owner could not be checked. Try again.",
    )
  }
  if (!isSigned) {
    return refuse(
      'signature_invalid',
      "The signature does not match. Sign this act with the vault owner's wallet.",
    )
  }
  const kept = await retried(async () => control(env).carryOut(vault.id, ordered))
  return isRefusal(kept) ? kept : { ok: true, act: kept }
}

function noVault(): Refusal {
  return refuse(
    'not_configured',
    'This service has no vault, so it takes no orders from an owner. Configure VAULT_ADDRESS.',
  )
}
