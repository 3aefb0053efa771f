import { Hono } from 'hono'
import type { z } from 'zod'
import { disposed, retried } from '../../calls/call.ts'
import { namedTerms } from '../../calls/log-terms.ts'
import { ledger } from '../../calls/objects.ts'
import { setBounded } from '../../core/bounded-map.ts'
import { mergeJson } from '../../core/json.ts'
import { isRefusal, refuse, type Refusal } from '../../core/refusal.ts'
import type { Selection } from '../../games/games.ts'
import type { NextPlay, PlayRequest } from '../../games/play-request.ts'
import type { EntropyRules } from '../../games/play.ts'
import { newestPlays } from '../../history/plays.ts'
import type { ModesChange } from '../../operator/modes.ts'
import { authenticate } from '../auth/authenticate.ts'
import { signed, type SignedCall } from '../auth/signed.ts'
import { answerText } from '../http/answer.ts'
import { type JsonObject } from '../http/body.ts'
import { getByAction, limited, parsed, postByAction, type ApiCall } from '../http/call.ts'
import { onlyMethods } from '../http/methods.ts'
import { checkRateLimit, limitNetwork } from '../http/rate-limits.ts'
import { validate } from '../http/schema.ts'
import { publicConfig } from './config.ts'
import { cashOutMines, openMines, pickMines } from './mines-routes.ts'
import { answerPlay } from './played.ts'
import { currentRules, stakeRequest } from './rules.ts'
import { CashOutBody, PickBody, PlayBody, PlayQuery, RecentBody, WalletQuery } from './schema.ts'

const NEWEST = 20

/** Wallets that have their first seed, as this isolate has seen. */
const seeded = new Map<string, true>()
const MAX_SEEDED = 20_000

export const gameRoutes = new Hono<{ Bindings: Env }>()
  .get(
    '/',
    getByAction(
      { play: limited('READS', parsed(PlayQuery, readPlay)) },
      limited('READS', parsed(WalletQuery, readConfig)),
      'configuration',
    ),
  )
  .post(
    '/',
    postByAction({
      play: signed('MONEY_CALLS', play),
      'mines-open': signed('MONEY_CALLS', openMines),
      'mines-pick': signed('MONEY_CALLS', parsed(PickBody, pickMines)),
      'mines-cashout': signed('MONEY_CALLS', parsed(CashOutBody, cashOutMines)),
      recent: limited('READS', parsed(RecentBody, recent)),
    }),
  )
  .all('/', onlyMethods('GET, POST'))

/** Answers with the games' bounds and tables, and the commitment of a wallet's next play. */
async function readConfig(call: ApiCall<z.infer<typeof WalletQuery>>): Promise<object> {
  const { env, input } = call
  const { wallet, authSig } = input
  if (wallet === undefined) return answerText(await configJson(env))
  const shown = await walletsPlays(call, { wallet, authSig })
  if (isRefusal(shown)) return shown
  return answerText(mergeJson(await configJson(env), JSON.stringify(shown)))
}

/**
 * Answers with the commitment of a wallet's next play. Only the wallet's own request draws its first seed, and sees its
 * open game.
 */
async function walletsPlays(
  call: ApiCall<unknown>,
  { wallet, authSig }: { wallet: string; authSig: string | undefined },
): Promise<{ fairness: NextPlay | null } | Refusal> {
  const { env, request } = call
  if (authSig === undefined) {
    const tooMany = await limitNetwork(env, request, 'walletReads')
    return tooMany ?? { fairness: await retried(async () => ledger(env, wallet).nextPlay()) }
  }
  const caller = await authenticate(call, { wallet, authSig })
  if (isRefusal(caller)) return caller
  const tooMany =
    (await checkRateLimit(env.READS, wallet)) ?? (await spendOnFirstSeed(env, request, wallet))
  if (tooMany) return tooMany
  const shown = await retried(async () => ledger(env, wallet).commitNextPlay())
  setBounded(seeded, wallet, true, MAX_SEEDED)
  return shown
}

/** Counts a wallet's first seed, which is stored permanently. Above the limit, it refuses only wallets without one. */
async function spendOnFirstSeed(
  env: Env,
  request: Request,
  wallet: string,
): Promise<Refusal | null> {
  if (seeded.has(wallet)) return null
  const tooMany = await limitNetwork(env, request, 'newWallets')
  if (!tooMany) return null
  const next = await retried(async () => ledger(env, wallet).nextPlay())
  return next ? null : tooMany
}

/** Answers a settled play by its wallet and number, as long as the wallet's journal has it. */
async function readPlay({
  env,
  request,
  input,
}: ApiCall<z.infer<typeof PlayQuery>>): Promise<object> {
  const { wallet, nonce } = input
  const tooMany = await limitNetwork(env, request, 'walletReads')
  if (tooMany) return tooMany
  const found = await retried(async () => ledger(env, wallet).findPlay(nonce))
  if (found && isRefusal(found)) return found
  if (found) return { ok: true, wallet, ...found }
  return refuse('not_found', 'This wallet has not made a play with this number.')
}

let written: { rules: EntropyRules; changes: readonly ModesChange[]; json: string } | null = null

/** The configuration as JSON text, serialised once for each bankroll and reading of the modes. */
async function configJson(env: Env): Promise<string> {
  const { config, rules, bankroll, modes } = await currentRules(env)
  const { changes } = modes
  if (written?.rules === rules && written.changes === changes) return written.json
  const json = JSON.stringify(publicConfig(rules, bankroll, await namedTerms(env, config), changes))
  written = { rules, changes, json }
  return json
}

async function play({ env, wallet, waitUntil, input }: SignedCall): Promise<object> {
  const asked = await parsePlay(env, wallet, input)
  if (isRefusal(asked)) return asked
  // Without a nonce a repetition would be another play.
  const call = async () => ledger(env, wallet).play(asked)
  const settled = asked.nonce === null ? disposed(await call()) : await retried(call)
  if (isRefusal(settled)) return settled
  return answerPlay({ env, wallet, waitUntil }, settled)
}

async function parsePlay(
  env: Env,
  wallet: string,
  body: JsonObject,
): Promise<PlayRequest | Refusal> {
  const read = validate(PlayBody, body)
  if (isRefusal(read)) return read
  const { game, params } = read.value
  const selection = { game, params } as Selection
  return { ...(await stakeRequest(env, wallet, read.value)), selection }
}

/** Answers with the newest plays of all wallets, or of one game or wallet. A wallet's ledger has its plays. */
async function recent({
  env,
  request,
  input,
}: ApiCall<z.infer<typeof RecentBody>>): Promise<object> {
  const { game = null, wallet = null } = input
  const asked = { game, limit: input.limit ?? NEWEST }
  if (wallet === null) return { ok: true, recent: await newestPlays(env.HISTORY, asked) }
  const tooMany = await limitNetwork(env, request, 'walletReads')
  if (tooMany) return tooMany
  const plays = await retried(async () => ledger(env, wallet).newestPlays(asked))
  return { ok: true, recent: plays.map((stored) => ({ wallet, ...stored })) }
}
