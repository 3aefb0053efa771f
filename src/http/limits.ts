import { refuse, type Refusal } from '../refusal.ts'

/** Counts a call against a limit; `key` is whom it is counted for. */
export async function spend(limiter: RateLimit, key: string): Promise<Refusal | null> {
  const { success } = await limiter.limit({ key })
  return success ? null : refuse('rate_limited', 'Too many calls; wait a second and try again.')
}

/** The address a request came from, as the platform saw it; of IPv6 the /64 that one client holds. */
export function clientAddress(request: Request): string {
  const address = request.headers.get('cf-connecting-ip') ?? 'unknown'
  if (!address.includes(':')) return address
  const [beforeZeros = ''] = address.split('::')
  return [...beforeZeros.split(':'), '0', '0', '0', '0'].slice(0, 4).join(':')
}
