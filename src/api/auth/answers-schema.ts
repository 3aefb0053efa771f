import { z } from 'zod'
import { count, ok, text, unixMs } from '../http/answers-schema.ts'

export const MessageAnswer = z
  .object({
    ok,
    message: text('What the wallet signs, as it stands (EIP-191 personal_sign).'),
    window: count('The UTC day of the message, in days since 1970-01-01.'),
    expiresAt: unixMs('When a signature of it is no longer accepted'),
  })
  .meta({ id: 'SignInMessage' })
