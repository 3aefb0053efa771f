import { Hono } from 'hono'
import { authenticate } from '../auth/authenticate.ts'
import { loadConfig } from '../../config/load.ts'
import { newestPlays } from '../../history/plays.ts'
import { chooseAction } from '../http/actions.ts'
import { answer, answerRefusal, answerText } from '../http/answer.ts'
import { readJsonObject, type JsonObject } from '../http/body.ts'
import { clientAddress, spend } from '../http/limits.ts'
import { onlyMethods } from '../http/methods.ts'
import { validate } from '../http/schema.ts'
import type { NextPlay, PlayRequest } from '../../games/placement.ts'
import { withinBankroll, type Bankroll } from '../../money/bankroll.ts'
import { ledger, retried } from '../../objects.ts'
import { isRefusal, refuse, type Refusal } from '../../core/refusal.ts'
import { currentBankroll } from '../vault/bankroll.ts'
import { publicConfig } from './config.ts'
import { publish } from './feed.ts'
import type { EntropyRules } from '../../games/play.ts'
import { PlayBody, PlayQuery, RecentBody, SelectionBody, WalletQuery } from './schema.ts'
import { newestTables } from '../../games/tables.ts'

const NEWEST = 20

export const entropyRoutes = new Hono<{ Bindings: Env }>()
  .get('/', (c) => {
    switch (c.req.query('action')) {
      case undefined:
        return readConfig(c.env, c.req.raw, c.req.query())
      case 'play':
        return readPlay(c.env, c.req.raw, c.req.query())
      default:
        return answerRefusal(
          refuse('unknown_action', 'Known actions: play, or none for the configuration.'),
        )
    }
  })
  .post('/', async (c) => {
    const read = await readJsonObject(c.req.raw)
    if (isRefusal(read)) return answerRefusal(read)
    const action = chooseAction(actions, read.body)
    if (isRefusal(action)) return answerRefusal(action)
    return action(c.env, c.executionCtx, c.req.raw, read.body)
  })
  .all('/', onlyMethods('GET, POST'))

type Action = (
  env: Env,
  context: Pick<ExecutionContext, 'waitUntil'>,
  request: Request,
  body: JsonObject,
) => Promise<Response>

const actions: Record<string, Action> = {
  play,
  recent: (env, _context, request, body) => recent(env, request, body),
}

/** The games' bounds and tables, and what a wallet's next play is committed to. */
async function readConfig(
  env: Env,
  request: Request,
  query: Record<string, string>,
): Promise<Response> {
  const limited = await spend(env.READS, clientAddress(request))
  if (limited) return answerRefusal(limited)
  const parsed = validate(WalletQuery, query)
  if (isRefusal(parsed)) return answerRefusal(parsed)
  const { wallet, authSig } = parsed.value
  if (wallet === undefined) return answerText(`${await configJson(env)}}`)
  const fairness = await nextPlay(env, request, { wallet, authSig })
  if (fairness && isRefusal(fairness)) return answerRefusal(fairness)
  return answerText(`${await configJson(env)},"fairness":${JSON.stringify(fairness)}}`)
}

/** What a wallet's next play is committed to. Only the wallet itself has its first seed drawn. */
async function nextPlay(
  env: Env,
  request: Request,
  { wallet, authSig }: { wallet: string; authSig: string | undefined },
): Promise<NextPlay | null | Refusal> {
  if (authSig === undefined) return retried(async () => ledger(env, wallet).nextPlay())
  const caller = await authenticate(env, request, { wallet, authSig })
  if (isRefusal(caller)) return caller
  const limited = await spend(env.READS, wallet)
  return limited ?? retried(async () => ledger(env, wallet).commitNextPlay())
}

/** A settled play by its wallet and number, for as long as the wallet's journal has it. */
async function readPlay(
  env: Env,
  request: Request,
  query: Record<string, string>,
): Promise<Response> {
  const limited = await spend(env.READS, clientAddress(request))
  if (limited) return answerRefusal(limited)
  const parsed = validate(PlayQuery, query)
  if (isRefusal(parsed)) return answerRefusal(parsed)
  const { wallet, nonce } = parsed.value
  const found = await retried(async () => ledger(env, wallet).findPlay(nonce))
  if (found) return answer({ ok: true, wallet, ...found })
  return answerRefusal(refuse('not_found', 'This wallet has not made a play with this number.'))
}

let written: { rules: EntropyRules; json: string } | null = null

/** The configuration, written out once for each bankroll, without its closing brace. */
async function configJson(env: Env): Promise<string> {
  const { rules, bankroll } = await currentRules(env)
  if (written?.rules === rules) return written.json
  const json = JSON.stringify(publicConfig(rules, bankroll)).slice(0, -1)
  written = { rules, json }
  return json
}

let bounded: { amounts: Bankroll['amounts']; rules: EntropyRules } | null = null

/** The configured rules within what the house has to lose now. */
async function currentRules(env: Env) {
  const { entropy } = loadConfig(env)
  const bankroll = await currentBankroll(env)
  if (!bankroll) return { rules: entropy, bankroll }
  if (bounded?.amounts !== bankroll.amounts) {
    const limits = withinBankroll(entropy.limits, bankroll)
    bounded = { amounts: bankroll.amounts, rules: { ...entropy, limits } }
  }
  return { rules: bounded.rules, bankroll }
}

async function play(
  env: Env,
  context: Pick<ExecutionContext, 'waitUntil'>,
  request: Request,
  body: JsonObject,
): Promise<Response> {
  const caller = await authenticate(env, request, body)
  if (isRefusal(caller)) return answerRefusal(caller)
  const { wallet } = caller
  const limited = await spend(env.MONEY_CALLS, wallet)
  if (limited) return answerRefusal(limited)
  const { rules } = await currentRules(env)
  const asked = parsePlay(rules, wallet, body)
  if (isRefusal(asked)) return answerRefusal(asked)
  // Without a nonce a repetition would be another play.
  const call = async () => ledger(env, wallet).play(asked)
  const settled = await (asked.nonce === null ? call() : retried(call))
  if (isRefusal(settled)) return answerRefusal(settled)
  const { ok: _ok, me: _me, ...stored } = settled
  publish(env, context, { wallet, ...stored })
  return answer(settled)
}

function parsePlay(rules: EntropyRules, wallet: string, body: JsonObject): PlayRequest | Refusal {
  const selection = validate(SelectionBody, body)
  if (isRefusal(selection)) return selection
  const parsed = validate(PlayBody, body)
  if (isRefusal(parsed)) return parsed
  const { token, amountWei, clientSeed, nonce = null } = parsed.value
  const { edgeBps, limits } = rules
  const { min, max, maxPayout } = limits[token]
  return {
    selection: selection.value,
    token,
    amountWei,
    clientSeed: clientSeed ?? wallet.toLowerCase(),
    nonce,
    edgeBps,
    tables: newestTables(),
    min: BigInt(min),
    max: BigInt(max),
    maxPayout: BigInt(maxPayout),
  }
}

/** The newest plays of everybody, or of one game or wallet. */
async function recent(env: Env, request: Request, body: JsonObject): Promise<Response> {
  const limited = await spend(env.READS, clientAddress(request))
  if (limited) return answerRefusal(limited)
  const parsed = validate(RecentBody, body)
  if (isRefusal(parsed)) return answerRefusal(parsed)
  const { game = null, wallet = null, limit } = parsed.value
  const plays = await newestPlays(env.HISTORY, { game, wallet, limit: limit ?? NEWEST })
  return answer({ ok: true, recent: plays })
}
