import { STATUS } from '../api/http/errors.ts'
import { MAX_BODY_BYTES } from '../api/http/body.ts'
import { LIMITS } from './operation.ts'
import { REFUSALS } from './refusals.ts'
import type { ErrorCode } from '../core/refusal.ts'

const codes = (Object.keys(STATUS) as ErrorCode[]).map(
  (code) => `| \`${code}\` | ${STATUS[code]} | ${REFUSALS[code].means} |`,
)

const limits = Object.entries(LIMITS).map(
  ([name, { perSecond, counted }]) => `| ${name} | ${perSecond} | ${counted} |`,
)

/** What holds for every operation, in Markdown. */
export const ABOUT = `Everything is under \`/api\` and answers JSON.

## Amounts

Amounts are decimal text in the token's smallest unit: wei of ETH (18 decimals), millionths of USDG (6 decimals); at most 2^256 - 1, without sign or leading zeros. The wallet bridge alone has whole tokens besides, as JSON numbers that are exact in the text. Multipliers are numbers with two decimals. Times are unix milliseconds.

## Signing in

A wallet signs the message of \`GET /api/auth/message\` (EIP-191) once a day and sends \`wallet\` and \`authSig\` with every call: in the query of a GET, in the body of a POST. Addresses are taken in any letter case and answered in EIP-55 form. A partner's platform signs a token for each call instead.

## Requests

A POST's body is one JSON object of at most ${MAX_BODY_BYTES} bytes, sent as \`application/json\`. Unknown keys are ignored; duplicate keys are refused. Where a body has an \`action\`, it decides what the other fields are.

## Answers

Every answer has \`x-request-id\` and \`cache-control: no-store\`. Fields may be added; those there are keep their name, type and meaning. Repeating a call with the same id, nonce or round answers as the first one did.

## Refusals

A refusal has a status of 400 or more and the body \`{"ok": false, "error": {"code", "message", "details"?}}\`. \`code\` is for programs and never changes its meaning, \`message\` says what to do, \`details\` is of the form that the code's schema has. JSON-RPC answers are refused in their own form, with the status 200.

| code | status | meaning |
| --- | --- | --- |
${codes.join('\n')}

## Limits

Calls are counted over ten seconds, so a short burst passes. A signed call counts against its own limit by wallet, and against \`signed\` by the client's address, which several players may share. Above a limit the answer is 429 \`rate_limited\` with \`Retry-After\`. Local play is more generous.

| calls | a second | counted |
| --- | --- | --- |
${limits.join('\n')}
`
