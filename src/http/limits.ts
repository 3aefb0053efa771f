import { refuse, type Refusal } from '../refusal.ts'

/** How long a caller over the limit is asked to wait, in seconds. */
export const RETRY_AFTER_SECONDS = 1

/** Counts a call against a limit; `key` is whom it is counted for. */
export async function spend(limiter: RateLimit, key: string): Promise<Refusal | null> {
  const { success } = await limiter.limit({ key })
  return success ? null : refuse('rate_limited', 'Too many calls; wait a second and try again.')
}

/** The address a request came from, as the platform saw it. */
export function clientAddress(request: Request): string {
  return request.headers.get('cf-connecting-ip') ?? 'unknown'
}
