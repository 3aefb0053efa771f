import { z } from 'zod'
import { isPublicHttps, LONGEST_TITLE, LONGEST_URL } from '../../ad-rental/rental.ts'
import { TxHash, WholeNumber } from '../http/schema.ts'

const HOURS_A_YEAR = 8_760

/** Neither control characters nor ones that turn the text around them, show nothing, or are half of one. */
const PLAIN_TEXT = /^[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u2800\u3164\uffa0\u115f\u1160]*$/u

const HttpsUrl = z
  .string()
  .max(LONGEST_URL)
  .refine(isPublicHttps, 'must be an https URL of a public name, without user or password')
  .transform((text) => new URL(text).href)
  .refine((href) => href.length <= LONGEST_URL, `must have ${LONGEST_URL} characters at most`)

/** The body of a rental; `wallet` and `authSig` are read before it. */
export const RentBody = z.object({
  txHash: TxHash,
  date: z.iso.date().meta({ description: 'The first UTC day, as YYYY-MM-DD.' }),
  hours: WholeNumber(1, HOURS_A_YEAR).meta({ description: 'The hours of one of the `tiers`.' }),
  title: z
    .string()
    .trim()
    .min(1)
    .max(LONGEST_TITLE)
    .regex(PLAIN_TEXT, 'must be plain text on one line')
    .meta({ description: 'Plain text on one line.' }),
  imageUrl: HttpsUrl.meta({ description: 'What is shown: an https URL of a public name.' }),
  linkUrl: HttpsUrl.meta({ description: 'Where it leads: an https URL of a public name.' }),
})
