import { MAX_BODY_BYTES } from '../api/http/body.ts'
import { STATUS, type ErrorCode } from '../core/refusal.ts'
import { LIMITS } from './operation.ts'
import { REFUSALS } from './refusals.ts'

const codes = (Object.keys(STATUS) as ErrorCode[]).map(
  (code) => `| \`${code}\` | ${STATUS[code]} | ${REFUSALS[code].means} |`,
)

const limits = Object.entries(LIMITS).map(
  ([name, { perSecond, counted }]) => `| ${name} | ${perSecond} | ${counted} |`,
)

/** The introduction to the API reference, in Markdown. */
export const ABOUT = `The API is under \`/api\` and answers JSON, except \`/api/metrics\` and CSV. The public log is under \`/log\`, exported files are under \`/exports/v1\`, and the keys of receipts are at \`/.well-known/jwks.json\`.

## Amounts

Amounts are decimal text in the token's smallest unit: wei for ETH (18 decimals), millionths for USDG (6 decimals). They are at most 2^256 - 1, without leading zeros, and have no sign, unless their field says that it may be negative. Only the wallet bridge also has amounts in whole tokens, as JSON numbers that are exact in the text. Multipliers are numbers with at most two decimals in crash, and at most four elsewhere. Times are in unix milliseconds.

## Signing in

A wallet signs the message of \`GET /api/auth/message\` (EIP-191) once a day and sends \`wallet\` and \`authSig\` with every call, in the query of a GET or the body of a POST. Addresses are accepted in any letter case and answered in EIP-55 form. A partner's platform signs a token for each call instead.

## Requests

A POST's body is one JSON object of at most ${MAX_BODY_BYTES} bytes, sent as \`application/json\`. Unknown keys are ignored; duplicate keys and lone surrogates are refused. If a body has an \`action\`, the action determines its other fields.

## Answers

Every answer has \`x-request-id\`, and under \`/api\` also \`cache-control: no-store\`. Fields may be added; existing fields keep their name, type and meaning. Repeating a call with the same id, nonce or round returns the same answer; only a permission is granted once by each nonce, so read the permissions again after a lost answer.

## Refusals

A refusal has a status of 400 or more and the body \`{"ok": false, "error": {"code", "message", "details"?}}\`. \`code\` is for programs and never changes its meaning. \`message\` tells a person what happened and what to do. \`details\` has the form given in the code's schema. JSON-RPC calls are refused in JSON-RPC's own form, with status 200.

| code | status | meaning |
| --- | --- | --- |
${codes.join('\n')}

## Limits

Calls are counted over ten seconds, which allows short bursts. A signed call counts against its own limit by wallet, and against \`signed\` by client address, which several players may share. Above a limit the answer is 429 \`rate_limited\` with \`Retry-After\`. Local play has higher limits.

| calls | per second | counted |
| --- | --- | --- |
${limits.join('\n')}
`
