import { Hono } from 'hono'
import { authenticate } from '../auth/authenticate.ts'
import { isSignedBeacon } from '../fairness/beacon.ts'
import { findRound } from '../../history/rounds.ts'
import { chooseAction } from '../http/actions.ts'
import { answer, answerRefusal, answerText } from '../http/answer.ts'
import { readJsonObject, type JsonObject } from '../http/body.ts'
import { clientAddress, spend } from '../http/limits.ts'
import { onlyMethods } from '../http/methods.ts'
import { validate } from '../http/schema.ts'
import type { BetRequest } from '../../crash/placement.ts'
import { crashRound, crashStream, ledger, retried } from '../../objects.ts'
import { isRefusal, refuse, type Refusal } from '../../core/refusal.ts'
import { toMultiplier } from '../../money/multiplier.ts'
import { houseTopup, withdraw } from '../vault/actions.ts'
import { disclose, discloseBet } from '../../crash/disclosure.ts'
import { limitsOf } from '../../crash/plan.ts'
import { BeaconBody, BetBody, BetQuery, CashoutBody, SeedsQuery } from './schema.ts'
import {
  currentSnapshot,
  disclosureJson,
  lastSeenRoundId,
  roundNow,
  roundTime,
  stateJson,
} from './snapshot.ts'

export const crashRoutes = new Hono<{ Bindings: Env }>()
  .get('/', (c) => {
    switch (c.req.query('action')) {
      case undefined:
        return readState(c.env, c.req.raw, c.req.query())
      case 'watch':
        return watch(c.env, c.req.raw)
      case 'verify-seeds':
        return verifySeeds(c.env, c.req.raw, c.req.query())
      case 'bet':
        return readBet(c.env, c.req.raw, c.req.query())
      default:
        return answerRefusal(
          refuse(
            'unknown_action',
            'Known actions: verify-seeds, bet, watch, or none for the state.',
          ),
        )
    }
  })
  .post('/', async (c) => {
    const read = await readJsonObject(c.req.raw)
    return isRefusal(read) ? answerRefusal(read) : act(c.env, c.req.raw, read.body)
  })
  .all('/', onlyMethods('GET, POST'))
  .get('/stream', (c) => stream(c.env, c.req.raw))
  .all('/stream', onlyMethods('GET'))
  .get('/verify-seeds', (c) => verifySeeds(c.env, c.req.raw, c.req.query()))
  .all('/verify-seeds', onlyMethods('GET'))

/** The whole state of the table and of the wallet that asks. */
async function readState(
  env: Env,
  request: Request,
  query: Record<string, string>,
): Promise<Response> {
  const caller = await authenticate(env, request, query)
  if (isRefusal(caller)) return answerRefusal(caller)
  const limited = await spend(env.READS, caller.wallet)
  if (limited) return answerRefusal(limited)
  const current = await currentSnapshot(env)
  const me = await retried(() => ledger(env, caller.wallet).me(roundNow(current)))
  return answerText(`${stateJson(current, Date.now())},"me":${JSON.stringify(me)}}`)
}

/** The table without a wallet: for whoever only looks on. */
async function watch(env: Env, request: Request): Promise<Response> {
  const limited = await spend(env.READS, clientAddress(request))
  if (limited) return answerRefusal(limited)
  const current = await currentSnapshot(env)
  return answerText(`${stateJson(current, Date.now())}}`)
}

/** The same as it goes on, over a WebSocket. */
async function stream(env: Env, request: Request): Promise<Response> {
  if (request.headers.get('upgrade')?.toLowerCase() !== 'websocket')
    return answerRefusal(
      refuse('invalid_request', 'This path is a WebSocket: connect with Upgrade: websocket.'),
    )
  const limited = await spend(env.READS, clientAddress(request))
  return limited ? answerRefusal(limited) : crashStream(env).fetch(request)
}

/** The newest rounds with their seeds, or any ended round by its number. */
async function verifySeeds(
  env: Env,
  request: Request,
  query: Record<string, string>,
): Promise<Response> {
  const limited = await spend(env.READS, clientAddress(request))
  if (limited) return answerRefusal(limited)
  const parsed = validate(SeedsQuery, query)
  if (isRefusal(parsed)) return answerRefusal(parsed)
  const { roundId } = parsed.value
  if (roundId === undefined) return answerText(await disclosureJson(env))
  const round = await findRound(env.HISTORY, roundId)
  if (round) return answer(disclose([round]))
  return answerRefusal(
    refuse('not_found', 'No ended round has this number (a new one takes a moment).'),
  )
}

/** An ended bet by its wallet and round, from the objects that decided it. */
async function readBet(
  env: Env,
  request: Request,
  query: Record<string, string>,
): Promise<Response> {
  const limited = await spend(env.READS, clientAddress(request))
  if (limited) return answerRefusal(limited)
  const parsed = validate(BetQuery, query)
  if (isRefusal(parsed)) return answerRefusal(parsed)
  const { wallet, roundId } = parsed.value
  // The ledger first: it touches a round only where the wallet has a bet in it.
  const ended = await retried(async () => ledger(env, wallet).endedBet(roundId))
  const round = ended && (await retried(async () => crashRound(env, roundId).result()))
  if (ended && round) return answer(discloseBet(wallet, ended, round))
  return answerRefusal(
    refuse('not_found', 'This wallet has no bet in this round, or the round has not ended.'),
  )
}

async function act(env: Env, request: Request, body: JsonObject): Promise<Response> {
  const action = chooseAction(actions, body)
  if (isRefusal(action)) return answerRefusal(action)
  const result = await action(env, request, body)
  return isRefusal(result) ? answerRefusal(result) : answer(result)
}

type Action = (env: Env, request: Request, body: JsonObject) => Promise<object>

const actions: Record<string, Action> = {
  bet: signed(bet),
  cashout: signed(cashout),
  withdraw: signed(withdraw),
  'house-topup': signed(houseTopup),
  beacon,
}

/** An action of a wallet: its signature is verified, and the call counted against it. */
function signed(
  action: (env: Env, wallet: string, body: JsonObject) => Promise<object> | object,
): Action {
  return async (env, request, body) => {
    const caller = await authenticate(env, request, body)
    if (isRefusal(caller)) return caller
    const limited = await spend(env.MONEY_CALLS, caller.wallet)
    return limited ?? action(env, caller.wallet, body)
  }
}

async function bet(env: Env, wallet: string, body: JsonObject): Promise<object> {
  const parsed = validate(BetBody, body)
  if (isRefusal(parsed)) return parsed
  const { token, amountWei, autoCashout = null, roundId } = parsed.value
  const current = await currentSnapshot(env)
  const { plan, stage } = current.snapshot
  const request: BetRequest = {
    roundId: roundId ?? plan.roundId,
    order: { token, amountWei, autoCashout },
    open: stage === 'open' && roundTime(current, Date.now()) < plan.betsCloseAt,
    betsCloseAt: plan.betsCloseAt,
    ...limitsOf(plan, token),
    now: roundNow(current),
  }
  return retried(async () => ledger(env, wallet).bet(request))
}

/** Takes a late beacon from anybody: no wallet is needed, since the signature proves itself. */
async function beacon(env: Env, request: Request, body: JsonObject): Promise<object> {
  const limited = await spend(env.MONEY_CALLS, clientAddress(request))
  if (limited) return limited
  const parsed = validate(BeaconBody, body)
  if (isRefusal(parsed)) return parsed
  const { roundId, signature } = parsed.value
  const current = await currentSnapshot(env)
  const { plan, stage } = current.snapshot
  const { pepperSource, betsCloseAt } = plan
  const isClosed = roundTime(current, Date.now()) >= betsCloseAt
  if (roundId !== plan.roundId || pepperSource.kind !== 'drand-quicknet' || !isClosed) {
    return refuse('not_found', 'Only the present round takes a beacon, once its bets have closed.')
  }
  if (!isSignedBeacon(pepperSource.round, signature)) {
    return refuse(
      'signature_invalid',
      `This is not drand quicknet's signature of round ${pepperSource.round}.`,
    )
  }
  // What has taken off has its beacon: the busy round need not be asked.
  const isMissing = stage === 'open' || stage === 'locked'
  const accepted =
    isMissing && (await retried(async () => crashRound(env, roundId).takeBeacon(signature)))
  return typeof accepted === 'boolean' ? { ok: true, roundId, accepted } : accepted
}

async function cashout(env: Env, wallet: string, body: JsonObject): Promise<object> {
  const parsed = validate(CashoutBody, body)
  if (isRefusal(parsed)) return parsed
  const { roundId } = parsed.value
  if (roundId) return shownCashout(roundId, await cashOutOf(env, wallet, roundId))
  // Every millisecond counts: the round this isolate saw last is asked before the table is.
  const seen = lastSeenRoundId()
  const result = seen === null ? null : await cashOutOf(env, wallet, seen)
  // Only a bet in flight is cashed out afresh. An earlier cash-out may be of a round long past.
  if (seen !== null && result && !isRefusal(result) && result.fresh)
    return shownCashout(seen, result)
  const { roundId: present } = (await currentSnapshot(env)).snapshot.plan
  const isPresent = result !== null && present === seen
  return shownCashout(present, isPresent ? result : await cashOutOf(env, wallet, present))
}

function cashOutOf(env: Env, wallet: string, roundId: number) {
  return retried(async () => crashRound(env, roundId).cashOut(wallet))
}

function shownCashout(
  roundId: number,
  result: Awaited<ReturnType<typeof cashOutOf>>,
): object | Refusal {
  if (isRefusal(result)) return result
  const { multiplier, payoutWei, me } = result
  return { ok: true, roundId, multiplier: toMultiplier(multiplier), payout: payoutWei, me }
}
