import { GROUPS } from '../../../src/certify/cases.ts'
import type { Break } from './break.ts'

function titles(...groups: string[]): string[] {
  return GROUPS.filter(({ name }) => groups.includes(name)).flatMap(({ cases }) =>
    cases.map(({ title }) => title),
  )
}

const AMOUNT = 'src/wallet-bridge/amount.ts'
const TRANSFERS = 'durable-objects/ledger/transfers.ts'
const ROUTES = 'src/api/wallet-bridge/routes.ts'
const IDS = 'src/wallet-bridge/ids.ts'
const SCHEMA = 'src/api/wallet-bridge/schema.ts'
const PARTNER_IDS = 'durable-objects/partner-ids.ts'
const TOKEN = 'src/api/auth/partner-token.ts'
const DECIMAL = 'src/money/decimal.ts'

const input: Break[] = [
  {
    name: 'refusals have status 200',
    edits: [['src/api/http/answer.ts', 'STATUS[code]', '200 + 0 * STATUS[code]']],
    seenBy: [
      ...titles('Input', 'Token', 'Amounts').filter((title) => /(is|are) refused$/.test(title)),
      'a token in the query is not read',
    ],
  },
  {
    name: 'exponents of numbers are not read',
    edits: [[DECIMAL, '(?:[eE]([+-]?\\d+))?$/', '(?:[e]([-]?\\d+))?$/']],
    seenBy: ['exponents are read exactly'],
  },
  {
    name: 'some valid ids are refused',
    edits: [[SCHEMA, '/^[\\x20-\\x7e]{1,128}$/', '/^[\\x21-\\x7e]{1,128}$/']],
    seenBy: ['an id of 128 printable characters is accepted'],
  },
  {
    name: 'any text is accepted as an id',
    edits: [[SCHEMA, '/^[\\x20-\\x7e]{1,128}$/', '/^[^]*$/']],
    seenBy: titles('Input')
      .filter((title) => title.startsWith('an id ') || title.startsWith('an empty id'))
      .filter((title) => !title.endsWith('accepted')),
  },
  {
    name: 'the last of two duplicate keys counts',
    edits: [['src/core/json.ts', 'members === countColons(text) ? value : undefined', 'value']],
    seenBy: ['the same key twice is refused'],
  },
  {
    name: 'address checksums are not checked',
    edits: [['src/api/http/schema.ts', '{ strict: !isOneCase }', '{ strict: false && isOneCase }']],
    seenBy: ['an address with a wrong checksum is refused'],
  },
  {
    name: 'an invalid call uses up its id',
    edits: [
      [
        ROUTES,
        '?? validate(TransactionBody, body)\n',
        "?? validate(TransactionBody, body)\n  if (isRefusal(parsed)) await partnerIds(env, partner.id, String(body['partnerTransactionId'])).original(String(body['partnerTransactionId']))\n",
      ],
    ],
    seenBy: ['an invalid call leaves its id free'],
  },
]

const amounts: Break[] = [
  {
    name: 'amountWei is ignored',
    edits: [
      [
        SCHEMA,
        'amount: amount?.source, amountWei: amountWei ?? undefined }',
        'amount: amount?.source, amountWei: undefined }',
      ],
    ],
    seenBy: [
      'amountWei alone decides',
      'amountWei decides beside an amount with floating noise',
      'the same amount in either field is the same transaction',
      'unknown keys are ignored',
    ],
  },
  {
    name: 'amount and amountWei may contradict each other',
    edits: [[AMOUNT, 'if (decimal && agreeTo(', 'if (decimal !== null || agreeTo(']],
    seenBy: titles('Amounts')
      .filter((title) => title.startsWith('amount and amountWei that disagree'))
      .filter((title) => !title.includes('is text')),
  },
  {
    name: 'amount and amountWei must be equal',
    edits: [[AMOUNT, 'const AGREEING_DIGITS = 12', 'const AGREEING_DIGITS = 40']],
    seenBy: ['amountWei decides beside an amount with floating noise'],
  },
  {
    name: 'amountWei accepts anything that BigInt does',
    edits: [['src/money/amount.ts', '/^(0|-?[1-9][0-9]{0,77})$/', '/^[^]*$/']],
    seenBy: titles('Amounts')
      .filter((title) => title.startsWith('as amountWei'))
      .filter((title) => !/a number|null/.test(title)),
  },
  {
    name: 'misspelled names are ignored',
    edits: [
      [
        'src/api/http/schema.ts',
        'if (details.length === 0) return null',
        'if (details) return null',
      ],
    ],
    seenBy: [
      ...titles('Amounts').filter((title) => title.startsWith('a misspelt name')),
      'misspelt names in a permission are refused',
    ],
  },
  {
    name: 'an unknown key is refused',
    edits: [
      [SCHEMA, 'const TransactionFields = z.object(', 'const TransactionFields = z.strictObject('],
    ],
    seenBy: ['unknown keys are ignored'],
  },
  {
    name: 'the hourly limit is checked before the chips',
    edits: [
      [
        TRANSFERS,
        'checkPermitted(-amountWei, debits, permit, recent) ??',
        'checkPermitted(-amountWei, debits, permit, recent) ??\n      checkHour(-amountWei, debits, recent) ??',
      ],
    ],
    seenBy: [
      'a debit far above the balance lacks chips, whatever the hourly limit, and stays refused',
    ],
  },
]

const tokens: Break[] = [
  {
    name: 'signatures are not checked',
    edits: [[TOKEN, 'if (await isMacOf(key, token)) return true', 'if (key) return true']],
    seenBy: [
      'a token signed with another secret is refused',
      'a token signed with an empty secret is refused',
      'a token with alg RS256 is refused',
      'a token with alg HS512 is refused',
      'a token without a signature is refused',
      "one partner's key does not sign for another",
      'a token with any one character changed is refused',
    ],
  },
  {
    name: 'several encodings of a signature are accepted',
    edits: [[TOKEN, '[AEIMQUYcgkosw048]$/', '[\\w-]=?$/']],
    seenBy: ['another encoding of the signature is refused'],
  },
  {
    name: "a token's lifetime has no limit",
    edits: [[TOKEN, 'exp <= iat || exp - iat > MAX_LIFETIME_S', 'exp !== exp']],
    seenBy: [
      'a token with a lifetime of 31 seconds is refused',
      'a token with a lifetime of a day is refused',
      'a token that expires before it is issued is refused',
    ],
  },
  {
    name: 'a token never expires',
    edits: [[TOKEN, 'if (exp > iat && exp <= nowS)', 'if (exp <= 0)']],
    seenBy: ['an expired token is refused'],
  },
  {
    name: 'the clock tolerance is too large',
    edits: [
      [TOKEN, 'if (exp > iat && exp <= nowS)', 'if (exp > iat && exp + 4 <= nowS)'],
      [TOKEN, 'const MAX_AHEAD_S = 5', 'const MAX_AHEAD_S = 55'],
    ],
    seenBy: [
      'a token issued ten seconds ahead is refused',
      'a token that expired two seconds ago is refused',
    ],
  },
  {
    name: 'a jti is valid for every path',
    edits: [[ROUTES, '`${request.method} ${pathname}\\n`', '`${request.method}\\n`']],
    seenBy: ['a jti is not accepted for another path with the same body'],
  },
  {
    name: 'reading takes no jti',
    edits: [[ROUTES, 'if (claims.jti === undefined) return caller', 'if (claims) return caller']],
    seenBy: ['a jti used to read is not accepted to move money'],
  },
  {
    name: 'a token may come from the future',
    edits: [[TOKEN, 'Math.max(iat, nbf ?? iat) >', 'Math.max(nbf ?? 0) >']],
    seenBy: ['a token issued in the future is refused'],
  },
  {
    name: 'a token is accepted for any audience',
    edits: [[TOKEN, 'aud: z.literal(AUDIENCE)', 'aud: z.any().optional()']],
    seenBy: ['a token for another audience is refused', 'a token without aud is refused'],
  },
  {
    name: 'a jti is accepted for any call',
    edits: [
      [IDS, 'keptHash === null || keptHash === use.callHash', 'keptHash === null || use.callHash'],
    ],
    seenBy: [
      'a jti is not accepted for another body',
      'a jti is not accepted for another path',
      'a call refused for its token leaves its id free',
    ],
  },
  {
    name: 'a jti is refused for a repeat of the same call',
    edits: [[IDS, 'keptHash === null || keptHash === use.callHash', 'keptHash === null']],
    seenBy: ['a jti is accepted again for the same call'],
  },
  {
    name: 'the id is claimed before the token is checked',
    edits: [
      [
        PARTNER_IDS,
        'return refusal ?? (claim && this.#claim(claim, use))',
        'return (claim && this.#claim(claim, use)) ?? refusal',
      ],
      [
        ROUTES,
        '(await recordUse(env, partner, use)) ?? (await claimWith(null))',
        '(await claimWith(null)) ?? (await recordUse(env, partner, use))',
      ],
    ],
    seenBy: ['a call refused for its token leaves its id free'],
  },
  {
    name: 'every call needs a jti',
    edits: [[TOKEN, 'jti: z.string().min(8).max(64).optional()', 'jti: z.string().min(8).max(64)']],
    seenBy: ['a balance needs no jti'],
  },
  {
    name: 'a kid must name a key',
    edits: [[TOKEN, 'named.length > 0 ? named : live', 'kid === undefined ? live : named']],
    seenBy: ['a kid that names no key is ignored'],
  },
  {
    name: 'only the first key is valid',
    edits: [
      [
        'src/config/load.ts',
        'keys: Object.entries(keys[id] ?? {}).map(',
        'keys: Object.entries(keys[id] ?? {}).slice(0, 1).map(',
      ],
    ],
    seenBy: ['the next key is already valid'],
  },
]

export const REQUEST_BREAKS: Break[] = [...input, ...amounts, ...tokens]
