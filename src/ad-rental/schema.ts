import { z } from 'zod'
import { TxHash, WholeNumber } from '../http/schema.ts'

const LONGEST_URL = 2_048
const LONGEST_TITLE = 80
const HOURS_A_YEAR = 8_760

/** Neither control characters nor ones that turn the text around them. */
const PLAIN_TEXT = /^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u

const HttpsUrl = z
  .string()
  .max(LONGEST_URL)
  .refine(isPlainHttps, 'must be an https URL of a public name, without user or password')
  .transform((text) => new URL(text).href)

/** The body of a rental; `wallet` and `authSig` are read before it. */
export const RentBody = z.object({
  txHash: TxHash,
  date: z.iso.date(),
  hours: WholeNumber(1, HOURS_A_YEAR),
  title: z
    .string()
    .trim()
    .min(1)
    .max(LONGEST_TITLE)
    .regex(PLAIN_TEXT, 'must be plain text on one line'),
  imageUrl: HttpsUrl,
  linkUrl: HttpsUrl,
})

function isPlainHttps(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, username, password, hostname } = new URL(text)
  const isName = /\.[a-z][a-z0-9-]*$/i.test(hostname)
  return protocol === 'https:' && username === '' && password === '' && isName
}
