import { Hono } from 'hono'
import type { Hex } from 'viem'
import type { z } from 'zod'
import { operatorMessage, OPERATOR_SIGN_IN_MS } from '../../auth/operator-message.ts'
import { retried } from '../../calls/call.ts'
import { control } from '../../calls/objects.ts'
import { actHash, actScope } from '../../chain/operator-act.ts'
import { loadConfig } from '../../config/load.ts'
import { isRefusal, refuse } from '../../core/refusal.ts'
import { logEvent } from '../../log.ts'
import { notAnOperator, roleRequired } from '../../operator/approval.ts'
import { authorityOf, includesRole } from '../../operator/roles.ts'
import type { ModesVersion } from '../../operator/versions.ts'
import { BriefCache } from '../http/brief-cache.ts'
import { getByAction, limited, parsed, post, type ApiCall } from '../http/call.ts'
import { onlyMethods } from '../http/methods.ts'
import { guarded, signedIn, type OperatorCall } from './guard.ts'
import { inspectionRoutes } from './inspection-routes.ts'
import { readJournals, verifyJournals } from './journals.ts'
import { moneyRoutes } from './money-routes.ts'
import { ActBody, JournalQuery, JournalsQuery, SignInQuery } from './schema.ts'
import { checkSignedByOperator } from './sign-in.ts'
import { serviceState } from './state.ts'

const versions = new BriefCache<ModesVersion | null>(1_000)

export const operatorRoutes = new Hono<{ Bindings: Env }>()
  .get(
    '/',
    getByAction(
      {
        modes: limited('READS', readModes),
        'sign-in': limited('READS', guarded(parsed(SignInQuery, readMessage))),
        verify: limited('READS', guarded(signedIn(parsed(JournalsQuery, readVerification)))),
        journals: limited('READS', guarded(signedIn(parsed(JournalsQuery, readEntries)))),
        journal: limited('READS', guarded(signedIn(parsed(JournalQuery, readJournal)))),
      },
      limited('READS', guarded(signedIn(readState))),
      'state of the service',
    ),
  )
  .post('/', post(guarded(parsed(ActBody, act)), 'MONEY_CALLS'))
  .all('/', onlyMethods('GET, POST'))
  .route('/', moneyRoutes)
  .route('/', inspectionRoutes)

/**
 * Answers with the switches that operators have set. Anyone may ask, and stakes need the same object, so it is cached.
 */
async function readModes({ env }: ApiCall<unknown>): Promise<object> {
  const version = await versions.get('newest', () =>
    retried(async () => control(env).newestModes()),
  )
  return { ok: true, version }
}

/**
 * Answers with the message that an operator signs to look at the service, and with the scope that acts are signed for.
 */
async function readMessage({ env, input }: ApiCall<z.infer<typeof SignInQuery>>): Promise<object> {
  const issuedAt = Date.now()
  const config = loadConfig(env)
  const message = operatorMessage(config.operatorSite, input.wallet, issuedAt)
  const expiresAt = issuedAt + OPERATOR_SIGN_IN_MS
  return { ok: true, message, issuedAt, expiresAt, scope: actScope(config) }
}

/** Answers with everything that an operator sees at once. */
async function readState({ env, operator }: OperatorCall): Promise<object> {
  return { ok: true, operator, ...(await serviceState(env)) }
}

/** Answers with a page of the operators' journal. */
async function readJournal({
  env,
  input,
}: OperatorCall<z.infer<typeof JournalQuery>>): Promise<object> {
  return { ok: true, entries: await retried(async () => control(env).journal(input.after)) }
}

/** Has the next ledgers verify their journals, which costs too much to let every role ask for it. */
async function readVerification({
  env,
  operator,
  input,
}: OperatorCall<z.infer<typeof JournalsQuery>>): Promise<object> {
  if (!includesRole(operator.role, 'support')) return roleRequired('support')
  return { ok: true, ...(await verifyJournals(env, input.after ?? null)) }
}

/** Answers with some entries of all journals. They show every player's operations, so only admins get them. */
async function readEntries({
  env,
  operator,
  input,
}: OperatorCall<z.infer<typeof JournalsQuery>>): Promise<object> {
  if (!includesRole(operator.role, 'admin')) return roleRequired('admin')
  logEvent('journals_read', { operator: operator.wallet })
  const page = await readJournals(env, input.after ?? null)
  return isRefusal(page) ? page : { ok: true, ...page }
}

/** Takes an operator's signature of an act, and carries the act out if it needs no other. */
async function act({ env, request, input }: ApiCall<z.infer<typeof ActBody>>): Promise<object> {
  const config = loadConfig(env)
  const { operator, signature, ...ordered } = input
  const hash = actHash(actScope(config), ordered)
  const refusal = await checkSignedByOperator(
    { env, request },
    { wallet: operator, hash, signature: signature as Hex },
    refuse(
      'signature_invalid',
      'The signature does not match. Sign exactly this act with the wallet in operator.',
    ),
  )
  if (refusal) return refusal
  // Anybody can sign acts with wallets of their own, and must not load Control.
  if (!config.operators.has(operator)) {
    return notAnOperator(operator, authorityOf(ordered).role)
  }
  const kept = await retried(async () =>
    control(env).approve(hash, ordered, { operator, signature }),
  )
  if (isRefusal(kept)) return kept
  // An operator reads the act's changes next.
  versions.forget()
  return { ok: true, act: kept }
}
