import { refuse, type Refusal } from '../../core/refusal.ts'

/** Counts a call against a limit; `key` is whom it is counted for. */
export async function spend(limiter: RateLimit, key: string): Promise<Refusal | null> {
  const { success } = await limiter.limit({ key })
  return success ? null : refuse('rate_limited', 'Too many calls; wait a second and try again.')
}

/** The address a request came from, as the platform saw it; of IPv6 the /64 that one client holds. */
export function clientAddress(request: Request): string {
  return prefixOf(request, 4)
}

/** The network a request came from: of IPv6 the /48 that one site holds, with 65,536 addresses as above. */
export function clientNetwork(request: Request): string {
  return prefixOf(request, 3)
}

/** An IPv4 address as it is; of IPv6 the first groups of 16 bits. */
function prefixOf(request: Request, groups: number): string {
  const address = request.headers.get('cf-connecting-ip') ?? 'unknown'
  if (!address.includes(':')) return address
  const [beforeZeros = ''] = address.split('::')
  const zeros = Array<string>(groups).fill('0')
  return [...beforeZeros.split(':'), ...zeros].slice(0, groups).join(':')
}
