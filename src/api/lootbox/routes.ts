import { Hono } from 'hono'
import { retried } from '../../calls/call.ts'
import { configNow } from '../../calls/current-config.ts'
import { namedTerms } from '../../calls/log-terms.ts'
import { currentModes } from '../../calls/modes.ts'
import { lootboxDay, payment, sharedPost } from '../../calls/objects.ts'
import type { LootboxConfig } from '../../config/config.ts'
import { loadConfig } from '../../config/load.ts'
import { isRefusal } from '../../core/refusal.ts'
import { DAY_MS, dateOf } from '../../core/utc-day.ts'
import { newestWins, openingsOf } from '../../history/openings.ts'
import { logFault } from '../../log.ts'
import { NO_LOOTBOX } from '../../lootbox/offer.ts'
import { expectedValue, type PrizeTier } from '../../lootbox/prizes.ts'
import { judgePost, readPostUrl, shareCodeOf } from '../../lootbox/share.ts'
import { spinUsed, type SpinUsed } from '../../lootbox/spin.ts'
import { announcedMode, checkOpenFor, LOOTBOX } from '../../operator/modes.ts'
import { signed, type SignedCall } from '../auth/signed.ts'
import { BriefCache } from '../http/brief-cache.ts'
import { getByAction, limited, postByAction, type ApiCall } from '../http/call.ts'
import { onlyMethods } from '../http/methods.ts'
import { limitNetwork } from '../http/rate-limits.ts'
import { validate } from '../http/schema.ts'
import { accepted } from '../payment/accepted.ts'
import { fetchEmbed } from './oembed.ts'
import { currentPrices } from './prices.ts'
import { OpenBody, SpinBody, WalletQuery } from './schema.ts'

const NEWEST = 20
/** The decimals of the chain's native coin and of the reward token. */
const COIN_DECIMALS = 18
const DISCLOSED_DAYS = 7

type Commitments = Awaited<ReturnType<typeof commitmentsOf>>

/** How long an isolate keeps answers of objects that openings need, too. A new day has its own copy. */
const KEPT_MS = 1_000
const commitments = new BriefCache<Commitments>(KEPT_MS)
const disclosures = new BriefCache<Awaited<ReturnType<typeof disclosuresOf>>>(KEPT_MS)
const wins = new BriefCache<Awaited<ReturnType<typeof newestWins>>>(KEPT_MS)

export const lootboxRoutes = new Hono<{ Bindings: Env }>()
  .get(
    '/',
    getByAction(
      { 'verify-seeds': limited('READS', verifySeeds) },
      limited('READS', readConfig),
      'configuration',
    ),
  )
  .post(
    '/',
    postByAction({
      open: accepted(limited('MONEY_CALLS', open)),
      'share-spin': accepted(shareSpin),
    }),
  )
  .all('/', onlyMethods('GET, POST'))

/** Answers with the price, the prizes, the commitments for today and tomorrow, and the newest wins. */
async function readConfig({ env, request, input }: ApiCall<unknown>): Promise<object> {
  const config = loadConfig(env)
  const { lootbox, crash, chain } = config
  if (!lootbox) return NO_LOOTBOX
  const read = validate(WalletQuery, input)
  if (isRefusal(read)) return read
  const { wallet } = read.value
  const tooMany = wallet === undefined ? null : await limitNetwork(env, request, 'openings')
  if (tooMany) return tooMany
  const now = Date.now()
  const committed = commitments.get(dateOf(now), () => commitmentsOf(env, now))
  const [known, [today, tomorrow], newest, prices, mine] = await Promise.all([
    currentModes(env),
    committed,
    recentWins(env),
    currentPrices(chain, lootbox),
    wallet === undefined ? null : readWallet(env, wallet, committed),
  ])
  const isCommitted = crash.pepper === 'committed'
  const [kind, { pepperHash }] = [crash.pepper, today]
  // The day's offers bind payments and spins; this worker's configuration may be newer or older.
  const { offer, spinPrizes, spinDailyLimit } = today
  const { price, pool, prizes } = offer
  return {
    ok: true,
    terms: await namedTerms(env, configNow(env, known.changes)),
    mode: announcedMode(known.changes, LOOTBOX),
    price,
    pool,
    prizes: prizes.map((prize) => shownPrize(prize, lootbox)),
    expectedValue: expectedValue(prizes),
    prices,
    day: today.day,
    seedHash: today.seedHash,
    nextSeedHash: tomorrow.seedHash,
    spin: {
      prizes: spinPrizes.map((prize) => shownPrize(prize, lootbox)),
      expectedValue: expectedValue(spinPrizes),
      dailyLimit: spinDailyLimit,
      hosts: lootbox.shareProviders.flatMap(({ hosts }) => hosts),
      pepperSource: isCommitted ? { kind, pepperHash } : { kind },
    },
    recentWins: newest,
    ...mine,
  }
}

/** Returns the commitments of the day of a time and of the next. */
function commitmentsOf(env: Env, now: number) {
  const commitment = (at: number) => retried(async () => lootboxDay(env, dateOf(at)).commitment())
  return Promise.all([commitment(now), commitment(now + DAY_MS)])
}

/** Returns the newest wins, or none while the history can't be read: the offer must be shown anyway. */
function recentWins(env: Env) {
  return whileReadable('recent_wins', () =>
    wins.get('newest', () => newestWins(env.HISTORY, NEWEST)),
  )
}

/** Returns a wallet's openings, and its share code and state for free spins. */
async function readWallet(env: Env, wallet: string, committed: Promise<Commitments>) {
  const [openings, hasSpun] = await Promise.all([
    whileReadable('openings', () => openingsOf(env.HISTORY, wallet, NEWEST)),
    committed.then(([today]) => hasSpunOn(env, wallet, today)),
  ])
  return { shareCode: shareCodeOf(wallet), hasSpun, openings }
}

/** Returns whether a wallet has taken a day's free spin. */
async function hasSpunOn(env: Env, wallet: string, today: Commitments[0]): Promise<boolean> {
  // By default there are no free spins. The limit alone doesn't say so: it may have been lowered during the day.
  if (today.spinDailyLimit === 0 && today.spinsTaken === 0) return false
  return retried(async () => lootboxDay(env, today.day).hasSpun(wallet))
}

async function whileReadable<T>(list: string, read: () => Promise<T[]>): Promise<T[]> {
  try {
    return await read()
  } catch (fault) {
    logFault('history_read_failed', fault, { list })
    return []
  }
}

/** Discloses the seeds of ended days, newest first; for today only the commitment. */
async function verifySeeds({ env }: ApiCall<unknown>): Promise<object> {
  const now = Date.now()
  return { ok: true, days: await disclosures.get(dateOf(now), () => disclosuresOf(env, now)) }
}

/** Returns the disclosures of the day of a time and of earlier days. */
async function disclosuresOf(env: Env, now: number) {
  const days = Array.from({ length: DISCLOSED_DAYS + 1 }, (_, ago) => dateOf(now - ago * DAY_MS))
  const disclosed = await Promise.all(
    days.map((day) => retried(async () => lootboxDay(env, day).disclosure())),
  )
  return disclosed.filter((day) => day !== null)
}

async function open({ env, request, input }: ApiCall): Promise<object> {
  const { chain } = loadConfig(env)
  // A payment made while the lootbox was offered is honoured afterwards.
  if (!chain) return NO_LOOTBOX
  const read = validate(OpenBody, input)
  if (isRefusal(read)) return read
  const { wallet, txHash } = read.value
  const tooMany = await limitNetwork(env, request, 'payments')
  if (tooMany) return tooMany
  const opened = await retried(async () => payment(env, chain.chainId, txHash).open(wallet))
  // Its player sees it among the newest wins.
  wins.forget()
  return opened
}

/** Takes a free spin, one per wallet, post's author and day, for a post with the wallet's code. */
async function shareSpin(call: ApiCall): Promise<object> {
  const { lootbox } = loadConfig(call.env)
  if (!lootbox || lootbox.shareProviders.length === 0) return NO_LOOTBOX
  const { shareProviders } = lootbox
  // Count by address too: wallets are free to create, and each call may ask another site.
  return signed(
    'MONEY_CALLS',
    limited('MONEY_CALLS', (counted: SignedCall) => spin(counted, shareProviders)),
  )(call)
}

async function spin(
  { env, request, wallet, input }: SignedCall,
  providers: LootboxConfig['shareProviders'],
): Promise<object> {
  const read = validate(SpinBody, input)
  if (isRefusal(read)) return read
  const post = readPostUrl(read.value.postUrl, providers)
  if (isRefusal(post)) return post
  const spun = () => retried(async () => sharedPost(env, post.name).spun(wallet))
  const before = await spun()
  if (before) return before
  const closed = checkOpenFor(await currentModes(env), [LOOTBOX], Date.now())
  if (closed) return closed
  const tooMany = await limitNetwork(env, request, 'sharedPosts')
  if (tooMany) return tooMany
  const used = await usedToday(env, wallet)
  // Another call may have spun with this post meanwhile.
  if (used) return (await spun()) ?? spinUsed(used)
  const embed = await fetchEmbed(post)
  if (isRefusal(embed)) return embed
  const judged = judgePost(embed, shareCodeOf(wallet))
  if (isRefusal(judged)) return judged
  const author = `${post.provider.name}:${judged.author}`
  return retried(async () => sharedPost(env, post.name).spin(wallet, author))
}

/** Returns why a wallet can't spin today whatever its post says; null if it may. */
async function usedToday(env: Env, wallet: string): Promise<SpinUsed | null> {
  const now = Date.now()
  const [today] = await commitments.get(dateOf(now), () => commitmentsOf(env, now))
  if (await hasSpunOn(env, wallet, today)) return 'wallet'
  const { spinsTaken, spinDailyLimit } = today
  return spinsTaken >= spinDailyLimit ? 'day' : null
}

function shownPrize({ bps, label, asset, amountWei }: PrizeTier, { stocks }: LootboxConfig) {
  const decimals = stocks.get(asset)?.decimals ?? COIN_DECIMALS
  return { bps, chance: bps / 10_000, prize: amountWei, label, asset, decimals }
}
