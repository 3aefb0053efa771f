import { component, count, ok, text, unixMs } from '../http/answers-schema.ts'

export const MessageAnswer = component('SignInMessage', {
  ok,
  message: text('The exact text for the wallet to sign (EIP-191 personal_sign).'),
  window: count('The UTC day of the message, in days since 1970-01-01.'),
  expiresAt: unixMs('When signatures of this message expire'),
})
