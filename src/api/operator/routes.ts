import { Hono } from 'hono'
import type { Hex } from 'viem'
import { ownerActHash } from '../../chain/owner-act.ts'
import { vaultOwner } from '../../chain/vault.ts'
import { loadConfig } from '../../config/load.ts'
import { answer, answerRefusal } from '../http/answer.ts'
import { readJsonObject, type JsonObject } from '../http/body.ts'
import { clientAddress, spend } from '../http/limits.ts'
import { onlyMethods } from '../http/methods.ts'
import { validate } from '../http/schema.ts'
import { logFault } from '../../log.ts'
import { control, retried } from '../../objects.ts'
import { isRefusal, refuse, type Refusal } from '../../core/refusal.ts'
import { isSignedBy } from '../vault/signature.ts'
import { ActBody } from './schema.ts'

export const operatorRoutes = new Hono<{ Bindings: Env }>()
  .get('/', async (c) => {
    const limited = await spend(c.env.READS, clientAddress(c.req.raw))
    if (limited) return answerRefusal(limited)
    const { vault } = loadConfig(c.env)
    if (!vault) return answerRefusal(noVault())
    const nonce = await retried(async () => control(c.env).nextNonce(vault.id))
    return answer({ ok: true, nonce })
  })
  .post('/', async (c) => {
    const limited = await spend(c.env.MONEY_CALLS, clientAddress(c.req.raw))
    if (limited) return answerRefusal(limited)
    const read = await readJsonObject(c.req.raw)
    if (isRefusal(read)) return answerRefusal(read)
    const result = await act(c.env, read.body)
    return isRefusal(result) ? answerRefusal(result) : answer(result)
  })
  .all('/', onlyMethods('GET, POST'))

/** Carries out what the vault's owner has signed, once for each nonce. */
async function act(env: Env, body: JsonObject): Promise<object> {
  const { vault } = loadConfig(env)
  if (!vault) return noVault()
  const parsed = validate(ActBody, body)
  if (isRefusal(parsed)) return parsed
  const { signature, ...ordered } = parsed.value
  let isSigned: boolean | null
  try {
    const owner = await vaultOwner(vault)
    isSigned = await isSignedBy(vault, owner, ownerActHash(vault, ordered), signature as Hex)
  } catch (fault) {
    logFault('the owner of the vault could not be asked for', fault)
    isSigned = null
  }
  if (isSigned === null) {
    return refuse('chain_unavailable', 'The chain cannot be asked for the owner now. Try again.')
  }
  if (!isSigned) {
    return refuse('signature_invalid', "The signature is not the vault owner's over this act.")
  }
  const kept = await retried(async () => control(env).carryOut(vault.id, ordered))
  return isRefusal(kept) ? kept : { ok: true, act: kept }
}

function noVault(): Refusal {
  return refuse('not_configured', 'This service has no vault, so there is no owner to obey.')
}
