import { Hono } from 'hono'
import type { z } from 'zod'
import { isSignedBeacon, knownVerdict } from '../../calls/beacon.ts'
import { retried } from '../../calls/call.ts'
import { currentModes } from '../../calls/modes.ts'
import { crashRound, crashStream, ledger } from '../../calls/objects.ts'
import { findInLog } from '../../calls/public-log.ts'
import { loadConfig } from '../../config/load.ts'
import { invariant } from '../../core/invariant.ts'
import { mergeJson } from '../../core/json.ts'
import { isRefusal, refuse, type Refusal } from '../../core/refusal.ts'
import type { BetRequest } from '../../crash/bet-request.ts'
import { betsRootOf } from '../../crash/bets-root.ts'
import { disclose, discloseWhole } from '../../crash/disclosure.ts'
import { mayHaveDecided } from '../../crash/due.ts'
import { loggedPlan } from '../../crash/log-entries.ts'
import { limitsOf, type RoundPlan } from '../../crash/plan.ts'
import { noBets } from '../../crash/table-bets.ts'
import { toMultiplier, type Hundredths } from '../../money/multiplier.ts'
import { signed, type SignedCall } from '../auth/signed.ts'
import { answerText } from '../http/answer.ts'
import { get, getByAction, limited, parsed, postByAction, type ApiCall } from '../http/call.ts'
import { onlyMethods } from '../http/methods.ts'
import { limitNetwork } from '../http/rate-limits.ts'
import { receipted } from '../receipts/sign.ts'
import { houseTopup, withdraw } from '../vault/actions.ts'
import { cashOutOf } from './cash-out.ts'
import { endedBet } from './ended-bet.ts'
import { endedRound, NO_ENDED_ROUND, wholeRound } from './ended-round.ts'
import {
  BeaconBody,
  BetBody,
  BetQuery,
  BetsQuery,
  CashoutBody,
  RoundQuery,
  SeedsQuery,
} from './schema.ts'
import {
  currentSnapshot,
  disclosureJson,
  historyJson,
  lastSeenRound,
  mayShow,
  roundNow,
  roundTime,
  stateJson,
  type CachedSnapshot,
} from './snapshot.ts'
import { betsOf, currentBets } from './table-bets.ts'

/** A read asks the wallet's ledger at most this often: first, then after take-off, its cash-out and the crash. */
const MAX_ASKS = 4

const seeds = limited('READS', parsed(SeedsQuery, verifySeeds))

export const crashRoutes = new Hono<{ Bindings: Env }>()
  .get(
    '/',
    getByAction(
      {
        'verify-seeds': seeds,
        bet: limited('READS', parsed(BetQuery, readBet)),
        bets: limited('READS', parsed(BetsQuery, readBets)),
        history: limited('READS', readHistory),
        round: limited('READS', parsed(RoundQuery, readRound)),
        watch: limited('READS', watch),
      },
      signed('READS', readState),
      'state',
    ),
  )
  .post(
    '/',
    postByAction({
      bet: signed('MONEY_CALLS', parsed(BetBody, bet)),
      cashout: signed('MONEY_CALLS', parsed(CashoutBody, cashout)),
      withdraw: signed('MONEY_CALLS', withdraw),
      'house-topup': signed('MONEY_CALLS', houseTopup),
      beacon: limited('MONEY_CALLS', parsed(BeaconBody, beacon)),
    }),
  )
  .all('/', onlyMethods('GET, POST'))
  .get('/stream', get(stream))
  .all('/stream', onlyMethods('GET'))
  .get('/verify-seeds', get(seeds))
  .all('/verify-seeds', onlyMethods('GET'))

/** Answers with the state of the table and of the caller's wallet. */
async function readState({ env, wallet }: SignedCall<unknown>): Promise<Response> {
  let current = await currentSnapshot(env)
  let now = roundNow(current, wallet)
  let me = await retried(() => ledger(env, wallet).me(now))
  // A ledger waits for the chain's node, for longer than the table stays as it is.
  for (let asks = 1; asks < MAX_ASKS && !mayShow(current, Date.now()); asks++) {
    current = await currentSnapshot(env)
    const then = now
    now = roundNow(current, wallet)
    if (!mayHaveDecided(me.openBet, current.snapshot.plan, then, now)) break
    me = await retried(() => ledger(env, wallet).me(now, true))
  }
  return answerText(mergeJson(stateJson(current, Date.now()), JSON.stringify({ me })))
}

/** Answers with the state of the table for spectators, without a wallet. */
async function watch({ env }: ApiCall<unknown>): Promise<Response> {
  const current = await currentSnapshot(env)
  return answerText(stateJson(current, Date.now()))
}

/** Answers with the results of the newest rounds, further back than the state. */
async function readHistory({ env }: ApiCall<unknown>): Promise<Response> {
  return answerText(await historyJson(env))
}

/** Answers with the bets of the current round or of an ended one, as everyone at the table sees them. */
async function readBets({
  env,
  request,
  input,
}: ApiCall<z.infer<typeof BetsQuery>>): Promise<object> {
  const { snapshot } = await currentSnapshot(env)
  const { wallet = null, roundId = snapshot.plan.roundId } = input
  if (roundId === snapshot.plan.roundId) {
    const bets = await currentBets(env, snapshot, wallet)
    return isRefusal(bets) ? bets : { ok: true, ...bets }
  }
  const ended = await endedRound(env, request, roundId)
  if (isRefusal(ended)) return ended
  if (ended.betCount === 0) return { ok: true, ...noBets(roundId, betsRootOf([])) }
  const bets = await betsOf(env, roundId, wallet)
  return bets ? { ok: true, ...bets } : NO_ENDED_ROUND
}

/** Opens the live stream of the table, over a WebSocket. */
async function stream(call: ApiCall<unknown>): Promise<object> {
  if (call.request.headers.get('upgrade')?.toLowerCase() !== 'websocket') {
    return refuse('invalid_request', 'This path is a WebSocket. Connect with Upgrade: websocket.')
  }
  return limited('READS', async ({ env, request }) => crashStream(env).fetch(request))(call)
}

/** Discloses the newest rounds, or any ended round by its number. */
async function verifySeeds({
  env,
  request,
  input,
}: ApiCall<z.infer<typeof SeedsQuery>>): Promise<object> {
  const { roundId } = input
  if (roundId === undefined) return answerText(await disclosureJson(env))
  const ended = await endedRound(env, request, roundId)
  return isRefusal(ended) ? ended : disclose([ended])
}

/** Discloses the whole of an ended round, with a page of its bets. */
async function readRound({
  env,
  request,
  input,
}: ApiCall<z.infer<typeof RoundQuery>>): Promise<object> {
  const { roundId, from } = input
  // Ask for the result first, so that no round is touched that has not ended.
  const ended = await endedRound(env, request, roundId)
  if (isRefusal(ended)) return ended
  // A round that nobody bet in has erased itself.
  if (ended.betCount === 0) {
    const plan = await loggedPlanOf(env, request, roundId)
    if (plan && isRefusal(plan)) return plan
    return discloseWhole(ended, { plan, betsRoot: betsRootOf([]) }, [], from)
  }
  return (await wholeRound(env, ended, from)) ?? NO_ENDED_ROUND
}

/**
 * Returns the plan of a round that has erased itself, within the limit of the client's network; null without a public
 * log.
 */
async function loggedPlanOf(
  env: Env,
  request: Request,
  roundId: number,
): Promise<RoundPlan | Refusal | null> {
  if (!loadConfig(env).log) return null
  const tooMany = await limitNetwork(env, request, 'log')
  if (tooMany) return tooMany
  const logged = await findInLog(env, 'plan', String(roundId))
  return logged && loggedPlan(logged.entry)
}

async function readBet({
  env,
  request,
  input,
}: ApiCall<z.infer<typeof BetQuery>>): Promise<object> {
  return (await limitNetwork(env, request, 'walletReads')) ?? endedBet(env, input)
}

async function bet({ env, wallet, input }: SignedCall<z.infer<typeof BetBody>>): Promise<object> {
  const { token, amountWei, autoCashout = null, roundId } = input
  const [current, modes] = await Promise.all([currentSnapshot(env), currentModes(env)])
  const { plan, stage } = current.snapshot
  const request: BetRequest = {
    roundId: roundId ?? plan.roundId,
    params: { token, amountWei, autoCashout },
    open: stage === 'open' && roundTime(current, Date.now()) < plan.betsCloseAt,
    isWaiting: stage === 'waiting',
    betsCloseAt: plan.betsCloseAt,
    ...limitsOf(plan, token),
    now: roundNow(current, wallet),
    modes,
  }
  const placed = await retried(async () => ledger(env, wallet).bet(request))
  if (isRefusal(placed)) return placed
  const { seedHash, pepperSource, terms } = await planOf(env, current, placed.roundId)
  const claims = {
    kind: 'bet' as const,
    roundId: placed.roundId,
    seedHash,
    pepperSource,
    token,
    amountWei: amountWei.toString(),
    autoCashout: shownTarget(autoCashout),
  }
  const entry = { ...placed.entry, terms }
  return receipted(env, wallet, { ...placed, entry }, claims)
}

/** Returns the plan of a round that a bet was placed in. A repeated bet may be from a past round. */
async function planOf(env: Env, { snapshot }: CachedSnapshot, roundId: number): Promise<RoundPlan> {
  if (snapshot.plan.roundId === roundId) return snapshot.plan
  const view = await retried(async () => crashRound(env, roundId).view())
  invariant(view, 'a round with a bet keeps its plan')
  return view.plan
}

function shownTarget(autoCashout: Hundredths | null): number | null {
  return autoCashout === null ? null : toMultiplier(autoCashout)
}

/** Accepts a late beacon from any caller: its signature proves it, so no wallet is needed. */
async function beacon({
  env,
  request,
  input,
}: ApiCall<z.infer<typeof BeaconBody>>): Promise<object> {
  const { roundId, signature } = input
  const current = await currentSnapshot(env)
  const { plan, stage } = current.snapshot
  const { pepperSource, betsCloseAt } = plan
  const isClosed = roundTime(current, Date.now()) >= betsCloseAt
  if (roundId !== plan.roundId || pepperSource.kind !== 'drand-quicknet' || !isClosed) {
    return refuse(
      'not_found',
      'This round takes no beacon. Send one for the current round, after its bets have closed.',
    )
  }
  // A round that has taken off has its beacon: there is nothing to verify, and no need to bother the busy object.
  const isMissing = stage === 'open' || stage === 'locked'
  const known = knownVerdict(pepperSource.round, signature)
  if (!isMissing && known !== false) return { ok: true, roundId, accepted: false }
  const tooMany = known === null && (await limitNetwork(env, request, 'beacons'))
  if (tooMany) return tooMany
  if (!isSignedBeacon(pepperSource.round, signature)) {
    return refuse(
      'signature_invalid',
      `The signature does not match. Send drand quicknet's signature of round ${pepperSource.round}.`,
    )
  }
  const accepted = await retried(async () => crashRound(env, roundId).takeBeacon(signature))
  return typeof accepted === 'boolean' ? { ok: true, roundId, accepted } : accepted
}

async function cashout(call: SignedCall<z.infer<typeof CashoutBody>>): Promise<object> {
  const { env, input } = call
  const { roundId = null } = input
  if (roundId !== null) return shownCashout(call, roundId, await cashOutOf(call, roundId))
  // Every millisecond counts: ask the round this isolate saw last before asking the table.
  const seen = lastSeenRound()?.plan.roundId ?? null
  const result = seen === null ? null : await cashOutOf(call, seen)
  // Only a fresh cash-out proves that this is the current round; an earlier one may be from a past round.
  if (seen !== null && result && !isRefusal(result) && result.fresh)
    return shownCashout(call, seen, result)
  const { roundId: present } = (await currentSnapshot(env)).snapshot.plan
  const isPresent = result !== null && present === seen
  const shown = isPresent ? result : await cashOutOf(call, present)
  return shownCashout(call, present, shown)
}

async function shownCashout(
  { env, wallet }: SignedCall<unknown>,
  roundId: number,
  result: Awaited<ReturnType<typeof cashOutOf>>,
): Promise<object> {
  if (isRefusal(result)) return result
  const { at, me, entry, payoutWei: payout } = result
  const multiplier = toMultiplier(result.multiplier)
  const answer = { ok: true, roundId, multiplier, payout, me, entry }
  return receipted(env, wallet, answer, { kind: 'cashout', roundId, multiplier, payout, at })
}
