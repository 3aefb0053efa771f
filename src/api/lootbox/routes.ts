import { Hono } from 'hono'
import { authenticate } from '../auth/authenticate.ts'
import { loadConfig } from '../../config/load.ts'
import { newestWins, openingsOf } from '../../history/openings.ts'
import { chooseAction } from '../http/actions.ts'
import { answer, answerRefusal } from '../http/answer.ts'
import { readJsonObject, type JsonObject } from '../http/body.ts'
import { clientAddress, spend } from '../http/limits.ts'
import { onlyMethods } from '../http/methods.ts'
import { validate } from '../http/schema.ts'
import { logFault } from '../../log.ts'
import { lootboxDay, payment, retried, sharedPost } from '../../objects.ts'
import { isPending } from '../../payment/answers.ts'
import { isRefusal, refuse, type Refusal } from '../../core/refusal.ts'
import { DAY_MS, dateOf } from '../../core/utc-day.ts'
import type { LootboxConfig } from '../../config/config.ts'
import { fetchEmbed } from './oembed.ts'
import { expectedValue, type Prize } from '../../lootbox/prizes.ts'
import { OpenBody, SpinBody, WalletQuery } from './schema.ts'
import { judgePost, readPostUrl, shareCodeOf } from '../../lootbox/share.ts'

const NEWEST = 20
/** Of the chain's own coin and of the reward token. */
const COIN_DECIMALS = 18
const DISCLOSED_DAYS = 7

export const lootboxRoutes = new Hono<{ Bindings: Env }>()
  .get('/', (c) =>
    c.req.query('action') === 'verify-seeds'
      ? verifySeeds(c.env, c.req.raw)
      : readConfig(c.env, c.req.raw, c.req.query()),
  )
  .post('/', async (c) => {
    const read = await readJsonObject(c.req.raw)
    if (isRefusal(read)) return answerRefusal(read)
    const action = chooseAction({ open, 'share-spin': shareSpin }, read.body)
    if (isRefusal(action)) return answerRefusal(action)
    const result = await action(c.env, c.req.raw, read.body)
    if (isRefusal(result)) return answerRefusal(result)
    return answer(result, isPending(result) ? 202 : 200)
  })
  .all('/', onlyMethods('GET, POST'))

/** What can be won, for how much, and what today and tomorrow are committed to. */
async function readConfig(
  env: Env,
  request: Request,
  query: Record<string, string>,
): Promise<Response> {
  const limited = await spend(env.READS, clientAddress(request))
  if (limited) return answerRefusal(limited)
  const { lootbox, crash } = loadConfig(env)
  if (!lootbox) return answerRefusal(noLootbox())
  const parsed = validate(WalletQuery, query)
  if (isRefusal(parsed)) return answerRefusal(parsed)
  const { wallet } = parsed.value
  const now = Date.now()
  const [today, tomorrow, wins, mine] = await Promise.all([
    retried(async () => lootboxDay(env, dateOf(now)).commitment()),
    retried(async () => lootboxDay(env, dateOf(now + DAY_MS)).commitment()),
    recentWins(env),
    wallet === undefined ? null : readWallet(env, wallet, dateOf(now)),
  ])
  const isCommitted = crash.pepper === 'committed'
  const [kind, { pepperHash }] = [crash.pepper, today]
  // Payments are held against this; the worker's configuration may be of another deployment.
  const { price, pool, prizes } = today.offer ?? lootbox
  return answer({
    ok: true,
    price,
    pool,
    prizes: prizes.map((prize) => shownPrize(prize, lootbox)),
    expectedValue: expectedValue(prizes),
    day: today.day,
    seedHash: today.seedHash,
    nextSeedHash: tomorrow.seedHash,
    spin: {
      prizes: lootbox.spinPrizes.map((prize) => shownPrize(prize, lootbox)),
      expectedValue: expectedValue(lootbox.spinPrizes),
      dailyLimit: lootbox.spinDailyLimit,
      hosts: lootbox.shareProviders.flatMap(({ hosts }) => hosts),
      pepperSource: isCommitted ? { kind, pepperHash } : { kind },
    },
    recentWins: wins,
    ...mine,
  })
}

/** The newest wins; none while the history cannot be read, since prices and prizes must be shown. */
function recentWins(env: Env) {
  return whileReadable('recent wins', () => newestWins(env.HISTORY, NEWEST))
}

/** What a wallet has won, and what its free spin needs. */
async function readWallet(env: Env, wallet: string, day: string) {
  const [openings, hasSpun] = await Promise.all([
    whileReadable('openings', () => openingsOf(env.HISTORY, wallet, NEWEST)),
    retried(async () => lootboxDay(env, day).hasSpun(wallet)),
  ])
  return { shareCode: shareCodeOf(wallet), hasSpun, openings }
}

async function whileReadable<T>(what: string, read: () => Promise<T[]>): Promise<T[]> {
  try {
    return await read()
  } catch (fault) {
    logFault('history could not be read', fault, { what })
    return []
  }
}

/** The seeds of the days that are over, the newest first; of today the commitment alone. */
async function verifySeeds(env: Env, request: Request): Promise<Response> {
  const limited = await spend(env.READS, clientAddress(request))
  if (limited) return answerRefusal(limited)
  const now = Date.now()
  const days = Array.from({ length: DISCLOSED_DAYS + 1 }, (_, ago) => dateOf(now - ago * DAY_MS))
  const disclosed = await Promise.all(
    days.map((day) => retried(async () => lootboxDay(env, day).disclosure())),
  )
  return answer({ ok: true, days: disclosed.filter((day) => day !== null) })
}

async function open(env: Env, request: Request, body: JsonObject): Promise<object> {
  const limited = await spend(env.MONEY_CALLS, clientAddress(request))
  if (limited) return limited
  const { lootbox, chain } = loadConfig(env)
  if (!lootbox || !chain) return noLootbox()
  const parsed = validate(OpenBody, body)
  if (isRefusal(parsed)) return parsed
  const { wallet, txHash } = parsed.value
  return retried(async () => payment(env, chain.chainId, txHash).open(wallet))
}

/** One free spin a wallet, a post's author and a day, for a post that carries the wallet's code. */
async function shareSpin(env: Env, request: Request, body: JsonObject): Promise<object> {
  const { lootbox } = loadConfig(env)
  if (!lootbox || lootbox.shareProviders.length === 0) return noLootbox()
  const caller = await authenticate(env, request, body)
  if (isRefusal(caller)) return caller
  const { wallet } = caller
  // By address too: wallets cost nothing, and each call may ask another site.
  const limited =
    (await spend(env.MONEY_CALLS, wallet)) ?? (await spend(env.MONEY_CALLS, clientAddress(request)))
  if (limited) return limited
  const parsed = validate(SpinBody, body)
  if (isRefusal(parsed)) return parsed
  const post = readPostUrl(parsed.value.postUrl, lootbox.shareProviders)
  if (isRefusal(post)) return post
  const spun = await retried(async () => sharedPost(env, post.name).spun(wallet))
  if (spun) return spun
  const embed = await fetchEmbed(post)
  if (isRefusal(embed)) return embed
  const judged = judgePost(embed, shareCodeOf(wallet))
  if (isRefusal(judged)) return judged
  const author = `${post.provider.name}:${judged.author}`
  return retried(async () => sharedPost(env, post.name).spin(wallet, author))
}

function shownPrize({ bps, label, asset, amountWei }: Prize, { stocks }: LootboxConfig) {
  const decimals = stocks.get(asset)?.decimals ?? COIN_DECIMALS
  return { bps, chance: bps / 10_000, prize: amountWei, label, asset, decimals }
}

function noLootbox(): Refusal {
  return refuse('not_configured', 'There is no lootbox here.')
}
