import { retried } from '../../calls/call.ts'
import { ledger } from '../../calls/objects.ts'
import { refuse, type Refusal } from '../../core/refusal.ts'
import { hasMoved } from '../../ledger/totals.ts'

/** The `period` of every limit in wrangler.toml. */
const PERIOD_SECONDS = 10

/** Counts a call against a limit. @param key the caller to count it for */
export async function checkRateLimit(limiter: RateLimit, key: string): Promise<Refusal | null> {
  const { success } = await limiter.limit({ key })
  if (success) return null
  const message = `Too many calls. Wait ${PERIOD_SECONDS} seconds and try again.`
  return refuse('rate_limited', message, { retryAfterSeconds: PERIOD_SECONDS })
}

/**
 * Counts a call against its client's network before the chain's node is asked. Keys and addresses cost nothing, so the
 * limit of a wallet or an address does not protect the node that pays withdrawals.
 * @param purpose whose calls are counted separately
 */
export function limitNodeCalls(
  env: Env,
  request: Request,
  purpose: 'boxes' | 'contract' | 'payment' | 'sign-in',
): Promise<Refusal | null> {
  return checkRateLimit(env.MONEY_CALLS, `${purpose} ${clientNetwork(request)}`)
}

/**
 * Counts a call that may store a wallet's first row against its client's network: wallets are free, and each one's
 * ledger is stored permanently.
 */
export function limitNewLedgers(env: Env, request: Request): Promise<Refusal | null> {
  return checkRateLimit(env.MONEY_CALLS, `new ledgers ${clientNetwork(request)}`)
}

/**
 * Counts a call that may store an entry for free, as {@link limitNewLedgers} does. Above the limit, it refuses only
 * wallets whose chips have never moved, so that others in a network can't keep a player from excluding themselves.
 */
export async function limitFreeEntries(
  env: Env,
  request: Request,
  wallet: string,
): Promise<Refusal | null> {
  const tooMany = await limitNewLedgers(env, request)
  return tooMany && ((await hasMovedChips(env, wallet)) ? null : tooMany)
}

/** Returns whether a wallet's chips have ever moved. A wallet with a bet, however uncertain, has moved some. */
export async function hasMovedChips(env: Env, wallet: string): Promise<boolean> {
  const position = await retried(async () => ledger(env, wallet).position())
  return position !== null && hasMoved(position)
}

/**
 * Counts a read of the public log's object against its client's network, because one client can hold many addresses,
 * and rounds wait for that object.
 */
export function limitLogReads(env: Env, request: Request): Promise<Refusal | null> {
  return checkRateLimit(env.READS, `log ${clientNetwork(request)}`)
}

/** Counts a cash-out without a bet against its client's network: wallets are free, and all call the same round. */
export function limitBetlessCashOuts(env: Env, request: Request): Promise<Refusal | null> {
  return checkRateLimit(env.MONEY_CALLS, `no bet ${clientNetwork(request)}`)
}

/**
 * Counts a beacon's signature against its client's network before it is verified: that takes 25 ms of processor time,
 * and other rounds' beacons are millions of signatures that only a verification tells from the awaited one.
 */
export function limitBeacons(env: Env, request: Request): Promise<Refusal | null> {
  return checkRateLimit(env.MONEY_CALLS, `beacons ${clientNetwork(request)}`)
}

/** Counts a read of an ended round from the table against its client's network: rounds wait for the table. */
export function limitTableReads(env: Env, request: Request): Promise<Refusal | null> {
  return checkRateLimit(env.READS, `rounds ${clientNetwork(request)}`)
}

/**
 * Counts a read of a wallet's openings and free spin against its client's network: anyone may name any wallet, and the
 * day that openings wait for is asked about each.
 */
export function limitOpeningReads(env: Env, request: Request): Promise<Refusal | null> {
  return checkRateLimit(env.READS, `openings ${clientNetwork(request)}`)
}

/**
 * Counts an unsigned read of a wallet's plays and bets against its client's network: anyone may name any wallet, whose
 * player waits for the same ledger.
 */
export function limitWalletReads(env: Env, request: Request): Promise<Refusal | null> {
  return checkRateLimit(env.READS, `wallets ${clientNetwork(request)}`)
}

/** Counts a read of earlier days' exports against its client's network: the same object makes the exports. */
export function limitExportReads(env: Env, request: Request): Promise<Refusal | null> {
  return checkRateLimit(env.READS, `exports ${clientNetwork(request)}`)
}

/**
 * Counts a free spin that makes the service ask another site against its client's network: wallets and invented posts
 * cost nothing, and the site would turn the service away, with all its players.
 */
export function limitPostReads(env: Env, request: Request): Promise<Refusal | null> {
  return checkRateLimit(env.MONEY_CALLS, `posts ${clientNetwork(request)}`)
}

/** Returns a request's client address as the platform saw it; for IPv6 the /64, which one client holds. */
export function clientAddress(request: Request): string {
  return prefixOf(request, 4)
}

/** Returns a request's network; for IPv6 the /48, which one site holds and contains 65,536 such /64s. */
export function clientNetwork(request: Request): string {
  return prefixOf(request, 3)
}

/** Returns an IPv4 address unchanged, and the first groups of 16 bits of an IPv6 address. */
function prefixOf(request: Request, groups: number): string {
  const address = request.headers.get('cf-connecting-ip') ?? 'unknown'
  if (!address.includes(':')) return address
  const [beforeZeros = ''] = address.split('::')
  const zeros = Array<string>(groups).fill('0')
  return [...beforeZeros.split(':'), ...zeros].slice(0, groups).join(':')
}
