import { retried } from '../../calls/call.ts'
import { ledger } from '../../calls/objects.ts'
import { refuse, type Refusal } from '../../core/refusal.ts'
import { hasMoved } from '../../ledger/totals.ts'
import { NETWORK_LIMITS } from './network-limits.ts'

/** The `period` of every limit in wrangler.toml. */
const PERIOD_SECONDS = 10

/** Counts a call against a limit. @param key the caller to count it for */
export async function checkRateLimit(limiter: RateLimit, key: string): Promise<Refusal | null> {
  const { success } = await limiter.limit({ key })
  if (success) return null
  const message = `Too many calls. Wait ${PERIOD_SECONDS} seconds and try again.`
  return refuse('rate_limited', message, { retryAfterSeconds: PERIOD_SECONDS })
}

/** Counts a call against its client's network. */
export function limitNetwork(
  env: Env,
  request: Request,
  name: keyof typeof NETWORK_LIMITS,
): Promise<Refusal | null> {
  return checkRateLimit(env[NETWORK_LIMITS[name]], `${name} ${clientNetwork(request)}`)
}

/**
 * Counts a call that may store an entry for free against the network's limit of new wallets. Above the limit, it
 * refuses only wallets whose chips have never moved, so that others in a network can't keep a player from excluding
 * themselves.
 */
export async function limitFreeEntries(
  env: Env,
  request: Request,
  wallet: string,
): Promise<Refusal | null> {
  const tooMany = await limitNetwork(env, request, 'newWallets')
  return tooMany && ((await hasMovedChips(env, wallet)) ? null : tooMany)
}

/** Returns whether a wallet's chips have ever moved. A wallet with a bet, however uncertain, has moved some. */
export async function hasMovedChips(env: Env, wallet: string): Promise<boolean> {
  const position = await retried(async () => ledger(env, wallet).position())
  return position !== null && hasMoved(position)
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
