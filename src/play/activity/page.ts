import type { z } from 'zod'
import type { ActivityKind } from '../../activity/activity.ts'
import type { ActivityAnswer } from '../../api/history/answers-schema.ts'
import { get, type Failure } from '../api.ts'
import type { Credentials } from '../session.ts'

export type ActivityPage = z.infer<typeof ActivityAnswer>

/**
 * Reads a page of a player's activity, newest first. A page may be empty without being the last.
 * @param kind null for all kinds
 * @param before the `next` of the page before; null for the newest page
 */
export function readActivityPage(
  credentials: Credentials | null,
  kind: ActivityKind | null,
  before: number | null,
): Promise<ActivityPage | Failure> {
  return get('/api/history', {
    ...credentials,
    ...(kind !== null && { kind }),
    ...(before !== null && { before: String(before) }),
  })
}
