import { env } from 'cloudflare:workers'
import type { HDAccount } from 'viem/accounts'
import { expect } from 'vitest'
import { actScope } from '../../src/chain/operator-act.ts'
import { loadConfig } from '../../src/config/load.ts'
import type { Act } from '../../src/operator/act.ts'
import { LEAD_MS } from '../../src/operator/modes.ts'
import type { Role } from '../../src/operator/roles.ts'
import { actTypedData, type ActScope } from '../../src/operator/typed-data.ts'
import { account } from '../shared/mnemonic.ts'
import { call, now, pass, post, type Answer } from './support.ts'

/** One operator of each role, as wrangler.toml names them for local play. */
export const OPERATORS: Readonly<Record<Role, HDAccount>> = {
  admin: account(10),
  treasurer: account(11),
  support: account(12),
  viewer: account(13),
}

/** Returns an act that is valid for ten minutes. */
export function actOf(fields: Partial<Act> = {}): Act {
  return {
    act: 'mode',
    target: 'crash=closed',
    reason: 'a story',
    expiresAt: Math.floor(now() / 1_000) + 600,
    ...fields,
  }
}

/** Returns an act as an operator sends it. */
export async function signAct(
  fields: Partial<Act>,
  signer: HDAccount = OPERATORS.admin,
  scope: ActScope = actScope(loadConfig(env)),
) {
  const act = actOf(fields)
  const signature = await signer.signTypedData(actTypedData(scope, act))
  return { ...act, operator: signer.address, signature }
}

let orders = 0

/** Has the service carry out an act: an admin orders it, and a treasurer confirms it if it takes two. */
export async function order(act: Act['act'], target: string): Promise<Answer> {
  // The same act a second time would be a repetition of the first.
  const fields = actOf({ act, target, reason: `order ${++orders}` })
  const ordered = await post('/api/operate', await signAct(fields))
  if (ordered.body.act?.decidedAt !== null) return ordered
  return post('/api/operate', await signAct(fields, OPERATORS.treasurer))
}

/** Sets switches and waits until every reader goes by them. */
export async function setModes(target: string): Promise<void> {
  const { body } = await order('mode', target)
  expect(body.act.result).toMatchObject({ isDone: true })
  pass(LEAD_MS)
}

/** Sets terms of play and waits until they hold. */
export async function setTerms(terms: object): Promise<void> {
  const { body } = await order('terms', JSON.stringify(terms))
  expect(body.act.result).toMatchObject({ isDone: true })
  pass(LEAD_MS)
}

/** Returns the header of an operator's sign-in. */
export async function signInHeader(signer: HDAccount = OPERATORS.viewer): Promise<string> {
  const { body } = await call(`/api/operate?action=sign-in&wallet=${signer.address}`)
  const signature = await signer.signMessage({ message: String(body.message) })
  return `Wallet ${signer.address}.${body.issuedAt}.${signature}`
}

/** Makes a signed call of an operator. */
export async function look(query = '', authorization?: string): Promise<Answer> {
  const headers = { authorization: authorization ?? (await signInHeader()) }
  return call(`/api/operate${query}`, { headers })
}
