import { sha256 } from '@noble/hashes/sha2'
import { refuse, type Refusal } from '../../core/refusal.ts'
import { utf8 } from '../../core/utf8.ts'

/**
 * Checks the bearer token of a request in constant time: the comparison takes as long for any token of its length.
 * @param authorization the request's header
 */
export function refuseToken(expected: string, authorization: string | null): Refusal | null {
  const token = /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1]
  if (token === undefined) {
    return refuse(
      'token_missing',
      'The token is missing. Send it as Authorization: Bearer <token>.',
    )
  }
  const [sent, right] = [token, expected].map((text) => sha256(utf8(text)))
  const difference = right?.reduce((bits, byte, at) => bits | (byte ^ (sent?.[at] ?? 0)), 0)
  return difference === 0 ? null : refuse('token_invalid', "The token doesn't match METRICS_TOKEN.")
}
