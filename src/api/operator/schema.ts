import { z } from 'zod'
import { parsing } from '../../config/parse.ts'
import { isPrintable } from '../../core/printable.ts'
import { ACTS, isTargetOf, type ActName } from '../../operator/act.ts'
import { QueryNumber, Signature, Wallet, WholeNumber } from '../http/schema.ts'
import type { Cursor } from './answers.ts'

/** The query of GET /api/operate?action=sign-in. */
export const SignInQuery = z.object({ wallet: Wallet })

/** The query of GET /api/operate?action=journal. */
export const JournalQuery = z.object({
  after: QueryNumber(0, Number.MAX_SAFE_INTEGER)
    .default(0)
    .meta({ description: 'The number of the entry before the first; 0 by default.' }),
})

const JOURNAL_CURSOR = /^(0x[0-9a-fA-F]{40}|house)(?::([1-9]\d{0,8}))?$/

/** The query of GET /api/operate?action=verify and ?action=journals. */
export const JournalsQuery = z.object({
  after: z
    .string()
    .transform(parsing(parseJournalCursor, 'must be `next` of the answer before it'))
    .optional()
    .meta({
      pattern: JOURNAL_CURSOR.source,
      description: '`next` of the answer before it; absent for the first journals.',
    }),
})

function parseJournalCursor(text: string): Cursor | null {
  const [, wallet, done = '0'] = JOURNAL_CURSOR.exec(text) ?? []
  return wallet === undefined ? null : { wallet, done: Number(done) }
}

/** Other operators are shown it before they sign, so it must not be able to hide or change the text around it. */
const ShownText = z
  .string()
  .refine(isPrintable, 'must not have control characters, line breaks or bidirectional controls')

/** The body of POST /api/operate. */
export const ActBody = z
  .object({
    act: z.enum(Object.keys(ACTS) as ActName[]).describe('The kind of act.'),
    target: ShownText.max(2_000).describe(
      'The target of the act: `<switch>=<mode>`, separated by commas, for `mode`; a wallet for `freeze`, `unfreeze` and `write-off`, which also takes `house`; `<wallet>:<nonce>` for a withdrawal; `<wallet>@<time>` or a wallet for `restore`; `positions`, `everything` or `books:<day>` for `reproject`; terms of play as JSON for `terms`. In mixed case, a wallet must have the right EIP-55 checksum.',
    ),
    reason: ShownText.min(1)
      .max(500)
      .describe(
        'The reason, for the journal: without control characters, line breaks or bidirectional controls.',
      ),
    expiresAt: WholeNumber(0, Number.MAX_SAFE_INTEGER).describe(
      'When the act expires, in unix seconds: at most 24 hours from now.',
    ),
    operator: Wallet.describe('The wallet of the operator who signed.'),
    signature: Signature.describe("The operator's EIP-712 signature of the act, as hex."),
  })
  .refine(({ act, target }) => isTargetOf(act, target), {
    path: ['target'],
    message: "does not have the form of this act's target, or its wallet has a wrong checksum",
  })

const Day = z
  .string()
  .refine((day) => /^\d{4}-\d{2}-\d{2}$/.test(day) && !Number.isNaN(Date.parse(day)), {
    message: 'must be a day as YYYY-MM-DD',
  })
  .meta({ format: 'date' })

/** The query of GET /api/operate/books. */
export const BooksQuery = z.object({
  from: Day.describe('The first UTC day, as YYYY-MM-DD.'),
  to: Day.describe('The last UTC day, as YYYY-MM-DD; at most 366 days in all.'),
  format: z
    .enum(['json', 'csv'])
    .optional()
    .describe('Default: json. With `csv` the report is a file.'),
})

/** The query of GET /api/operate/player?action=verify. */
export const WalletQuery = z.object({ wallet: Wallet })

/** The query of GET /api/operate/player. */
export const PlayerQuery = WalletQuery.extend({
  before: QueryNumber(1, Number.MAX_SAFE_INTEGER)
    .optional()
    .meta({ description: 'The `next` of the page before; absent for the newest entries.' }),
})

/** The query of GET /api/operate/rounds?action=beacon. */
export const RoundQuery = z.object({
  round: QueryNumber(1, Number.MAX_SAFE_INTEGER).meta({ description: 'The number of the round.' }),
})
