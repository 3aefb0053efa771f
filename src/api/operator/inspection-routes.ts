import { Hono } from 'hono'
import type { z } from 'zod'
import { logEvent } from '../../log.ts'
import { roleRequired } from '../../operator/approval.ts'
import { includesRole, type Role } from '../../operator/roles.ts'
import { get, getByAction, limited, parsed, type ApiCall, type Handler } from '../http/call.ts'
import { onlyMethods } from '../http/methods.ts'
import { guarded, signedIn, type OperatorCall } from './guard.ts'
import { shownPartners } from './partners.ts'
import { inspectedPlayer, verifiedPlayer } from './player.ts'
import { comparedRound, shownRounds } from './rounds.ts'
import { PlayerQuery, RoundQuery, WalletQuery } from './schema.ts'
import { stuckMoney } from './stuck.ts'

/** Routes for operators' inquiries: stuck money, players, partners and rounds. */
export const inspectionRoutes = new Hono<{ Bindings: Env }>()
  .get('/stuck', get(requireRole(readStuck)))
  .all('/stuck', onlyMethods('GET'))
  .get(
    '/player',
    getByAction(
      { verify: requireRole(parsed(WalletQuery, verifyPlayer), 'support') },
      requireRole(parsed(PlayerQuery, readPlayer), 'support'),
      'books of a wallet',
    ),
  )
  .all('/player', onlyMethods('GET'))
  .get('/partners', get(requireRole(({ env }) => shownPartners(env))))
  .all('/partners', onlyMethods('GET'))
  .get(
    '/rounds',
    getByAction(
      { beacon: requireRole(parsed(RoundQuery, compareRound)) },
      requireRole(({ env }) => shownRounds(env)),
      'newest rounds',
    ),
  )
  .all('/rounds', onlyMethods('GET'))

type Query = Record<string, string>
type InspectionCall<Schema extends z.ZodType> = OperatorCall<z.infer<Schema>>

/** Lets operators with a role, or one above it, pass. */
function requireRole(
  handler: Handler<OperatorCall<Query>>,
  least: Role = 'viewer',
): Handler<ApiCall<Query>> {
  const checked = async (call: OperatorCall<Query>) =>
    includesRole(call.operator.role, least) ? handler(call) : roleRequired(least)
  return limited('READS', guarded(signedIn(checked)))
}

async function readStuck({ env }: ApiCall<unknown>): Promise<object> {
  return { ok: true, stuck: await stuckMoney(env, Date.now()) }
}

/** Logged, so that an owner can see who looked at whom. */
function readPlayer({ env, operator, input }: InspectionCall<typeof PlayerQuery>): Promise<object> {
  logEvent('player_inspected', { operator: operator.wallet, wallet: input.wallet })
  return inspectedPlayer(env, input.wallet, input.before ?? null)
}

function verifyPlayer({ env, input }: InspectionCall<typeof WalletQuery>): Promise<object> {
  return verifiedPlayer(env, input.wallet)
}

function compareRound({ env, input }: InspectionCall<typeof RoundQuery>): Promise<object> {
  return comparedRound(env, input.round)
}
