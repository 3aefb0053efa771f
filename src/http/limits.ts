import { refuse, type Refusal } from '../refusal.ts'

/** Counts a call against a limit; `key` is whom it is counted for. */
export async function spend(limiter: RateLimit, key: string): Promise<Refusal | null> {
  const { success } = await limiter.limit({ key })
  return success ? null : refuse('rate_limited', 'Too many calls; wait a second and try again.')
}

/** The address a request came from, as the platform saw it. */
export function clientAddress(request: Request): string {
  return request.headers.get('cf-connecting-ip') ?? 'unknown'
}
