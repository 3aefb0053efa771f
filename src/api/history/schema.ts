import { z } from 'zod'
import { ACTIVITY_KINDS } from '../../activity/activity.ts'
import { QueryNumber } from '../http/schema.ts'

/** The query for a wallet's own activity, beside its credentials. */
export const ActivityQuery = z.object({
  kind: z.enum(ACTIVITY_KINDS).optional().describe('Only entries of this kind.'),
  before: QueryNumber(1, Number.MAX_SAFE_INTEGER)
    .optional()
    .describe('Only entries with lower numbers: `next` of the page before.'),
  limit: QueryNumber(1, 100).optional().describe('The largest number of entries. Default: 100.'),
  format: z.enum(['json', 'csv']).optional().describe('Default: json.'),
})

/** The query for the exported days. */
export const ExportsQuery = z.object({
  before: z.iso
    .date()
    .optional()
    .describe('Only days before this one, as YYYY-MM-DD: the last one of the page before.'),
})
