import { z } from 'zod'
import { isPublicHttps, LONGEST_TITLE, LONGEST_URL } from '../../ad-rental/rental.ts'
import { TxHash, WholeNumber } from '../http/schema.ts'

const HOURS_A_YEAR = 8_760

/** Excludes control, direction-changing and invisible characters, and lone surrogates. */
const PLAIN_TEXT = /^[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u2800\u3164\uffa0\u115f\u1160]*$/u

const HttpsUrl = z
  .string()
  .max(LONGEST_URL)
  .refine(isPublicHttps, 'must be an https URL with a public host name, without user or password')
  .transform(keptUrl)
  .refine((kept) => kept.length <= LONGEST_URL, `must have at most ${LONGEST_URL} characters`)

/** Returns a URL as sent if only the slash of an empty path is missing, and otherwise as the check has read it. */
function keptUrl(text: string): string {
  const { href } = new URL(text)
  return href === text.replace(/^https:\/\/[^/?#]+(?=[?#]|$)/, '$&/') ? text : href
}

/** The body of a rental request, apart from `wallet` and `authSig`. */
export const RentBody = z.object({
  txHash: TxHash,
  date: z.iso.date().describe('The first UTC day, as YYYY-MM-DD.'),
  hours: WholeNumber(1, HOURS_A_YEAR).describe('The hours of one of the `tiers`.'),
  title: z
    .string()
    .trim()
    .min(1)
    .max(LONGEST_TITLE)
    .regex(PLAIN_TEXT, 'must be plain text on one line')
    .describe('Plain text on one line.'),
  imageUrl: HttpsUrl.describe('The image: an https URL with a public host name.'),
  linkUrl: HttpsUrl.describe('The link target: an https URL with a public host name.'),
})
