import { checksumAddress, isAddress, type Address } from 'viem'
import { z } from 'zod'
import { AD_DAYS } from '../ad-rental/slots.ts'
import { parseJson } from '../core/json.ts'
import { utf8 } from '../core/utf8.ts'
import { tooTight } from '../crash/stakes.ts'
import { parseAmount, parseSignedAmount } from '../money/amount.ts'
import { parseCount } from '../money/decimal.ts'
import { includesRole, ROLES, type Role } from '../operator/roles.ts'
import { parseSignerKey } from '../transparency/note.ts'
import { LOCATIONS } from './locations.ts'
import { parsing } from './parse.ts'

const AN_AMOUNT = 'must be an amount in smallest units, in quotes'
/** An amount in smallest units. Checks of several amounts run only if each is valid. */
const amount = z
  .string(AN_AMOUNT)
  .refine((text) => parseAmount(text) !== null, { message: AN_AMOUNT, abort: true })
/** An amount that may be owed in either direction. */
const signedAmount = z
  .string(AN_AMOUNT)
  .refine((text) => parseSignedAmount(text) !== null, AN_AMOUNT)
const price = amount.refine((text) => text !== '0', 'must be above 0')
const bounds = z.strictObject({ min: amount, max: amount, maxPayout: amount })
const areBounds = ({ min, max, maxPayout }: z.infer<typeof bounds>) =>
  0n < BigInt(min) && BigInt(min) <= BigInt(max) && BigInt(max) <= BigInt(maxPayout)
const NEEDS_BOUNDS = 'must have 0 < min <= max <= maxPayout'
export const entropyLimits = bounds.refine(areBounds, NEEDS_BOUNDS)
export const crashLimits = bounds
  .extend({ maxRoundPayout: amount })
  .refine(areBounds, NEEDS_BOUNDS)
  .refine(
    ({ max, maxPayout, maxRoundPayout }) =>
      BigInt(max) * 101n <= BigInt(maxPayout) * 100n && BigInt(maxPayout) <= BigInt(maxRoundPayout),
    'must have 1.01 * max <= maxPayout <= maxRoundPayout',
  )
/** A setting that may be empty, which means unset. */
const optional = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => (value === '' ? undefined : value), schema.optional())
/** A table or its JSON text, because every secret is text. Empty text means unset. */
const table = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => {
    if (value === '') return undefined
    return typeof value === 'string' ? (jsonIn(value) ?? value) : value
  }, schema)
const address = z
  .string()
  .transform(
    parsing(
      (text) => (isAddress(text) ? checksumAddress(text) : null),
      'must be an address: 0x and 40 hex digits, in lower case or with the right checksum',
    ),
  )
/** The id of a partner or a share provider, which becomes part of operation ids and object names. */
const id = z.string().regex(/^[a-z0-9-]{1,32}$/, 'must be 1 to 32 characters of a-z, 0-9 and -')
const perTokenOf = <T extends z.ZodType>(schema: T) =>
  z.strictObject(
    { ETH: schema, USDG: schema },
    'must be an amount for each token, such as { ETH = "1", USDG = "1" }',
  )
const perTokenAmount = perTokenOf(amount)
const NOTHING = { ETH: '0', USDG: '0' }
/** A partner's secret. HS256 needs a key at least as long as its hash. */
const partnerSecret = z
  .string()
  .refine((text) => utf8(text).length >= 32, 'must have at least 32 bytes')
const partnerKeys = z
  .record(
    z.string().min(1).max(64),
    partnerSecret,
    'must have a secret for each id of a key, which has 1 to 64 characters',
  )
  .refine((keys) => Object.keys(keys).length <= 2, 'must have at most two keys')
const allPartnerKeys = z
  .record(
    id,
    partnerKeys,
    `must be JSON with each partner's keys, such as {"acme": {"2026": "32 bytes or more"}}`,
  )
  .refine(areApart, 'must have different secrets for different partners')
/** A node's URL. Calls are HTTP requests, so no websocket will do. */
const nodeUrl = z.url({ protocol: /^https?$/ })
const rpcUpstreams = z.record(
  z.string().regex(/^[1-9]\d{0,14}$/),
  z.array(nodeUrl).min(1),
  'must be the nodes of each chain id, such as {"1": ["https://node.example.com"]}',
)
const stocks = z.record(
  z.string().regex(/^[A-Za-z0-9.]{1,12}$/),
  z.strictObject({ token: address, decimals: z.number().int().min(0).max(36), feed: address }),
  'must be the token, decimals and feed of each stock, by a name of 1 to 12 letters, digits or dots',
)
/** The secrets of batches of boxes. */
const boxPeppers = z.record(
  z.string().regex(/^[1-9]\d{0,8}$/),
  z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 hex digits in lower case'),
  'must be JSON with the pepper of each batch, such as {"1": "64 hex digits"}',
)
const prize = z.strictObject({
  bps: z.number().int().min(1).max(10_000),
  label: z.string().min(1).max(40),
  asset: z.string().min(1).max(12),
  amountWei: price,
})
const prizeTable = z
  .array(prize)
  .min(1)
  .max(32)
  .refine(
    (prizes) => prizes.reduce((sum, { bps }) => sum + bps, 0) === 10_000,
    'bps must add up to 10000',
  )
const lootboxTable = z.strictObject({
  price,
  prizes: prizeTable,
  spinPrizes: prizeTable.refine(
    (prizes) => prizes.every(({ asset }) => asset === 'REWARD'),
    'must be REWARD for every prize of a free spin',
  ),
  spinDailyLimit: z.number().int().min(0).max(100_000).default(0),
})
const shareProvider = z.strictObject({
  name: id,
  hosts: z.array(z.string().min(1).max(100)).min(1).max(8),
  postPath: z.string().min(1).max(200).transform(parsing(regExpOf, 'must be a regular expression')),
  endpoint: z.url({ protocol: /^https?$/ }),
})
const shareProviders = z
  .array(shareProvider, 'must be a list of sites with name, hosts, postPath and endpoint')
  .max(16)
  .refine(
    (providers) => new Set(providers.map(({ name }) => name)).size === providers.length,
    'must have a different name for each provider',
  )
const webOrigin = z.string().refine((text) => URL.canParse(text) && new URL(text).origin === text, {
  message: 'must be an origin, without a path or trailing slash, such as https://play.example.com',
  abort: true,
})
/** Where players reach the operator. */
const supportUrl = z.url({
  protocol: /^(https|mailto)$/,
  error:
    'must be a page or an address, such as https://example.com/help or mailto:help@example.com',
})
const privateKey = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/, 'must be a private key: 0x and 64 hex digits')
/** The log's signing key, as Go's `sumdb/note` writes it. */
const logKey = z
  .string()
  .transform(
    parsing(
      parseSignerKey,
      'must be the first line that `npm run --silent log-key -- <SITE_ORIGIN>` prints',
    ),
  )

/** A multiplier as decimal text, parsed to hundredths. */
const multiplier = (min: number, max: number) => {
  const form = `must be from ${min / 100} to ${max / 100} with at most two decimals, in quotes`
  return z.string(form).transform(parsing((text) => parseCount(text, 2, { min, max }), form))
}
/** A whole number, or its digits as text. Empty text is neither: the number that it converts to, 0, may be no edge. */
const integer = (min: number, max: number) => {
  const form = `must be a whole number from ${min} to ${max}`
  const number = z.number(form).int(form).min(min, form).max(max, form)
  return z.preprocess(
    (value) => (typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value),
    number,
  )
}

export const MAX_EDGE_BPS = 5_000
/** A tenth. With 100% a deposit would be worth nothing. */
const MAX_DEPOSIT_FEE_BPS = 1_000
export const LONGEST_MIN_PLAY_MS = 60_000

const unixSeconds = z.int().min(0).lt(1e11, 'must be a time in unix seconds')
const base64url = z.string().regex(/^[\w-]{43}$/, 'must be 32 bytes in base64url')
const receiptKey = z.object({
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  x: base64url,
  y: base64url,
  d: base64url.optional(),
  nbf: unixSeconds,
  exp: unixSeconds.optional(),
})
const receiptKeys = z
  .object(
    { keys: z.array(receiptKey).min(1).max(256) },
    'must be what `npm run --silent receipt-key` prints, with old keys after the new one',
  )
  .refine(
    ({ keys: [first] }) => first?.d !== undefined && first.exp === undefined,
    'must begin with the newest key: with d, and without exp',
  )
  .refine(
    ({ keys: [, ...old] }) => old.every(({ exp }) => exp !== undefined),
    'must have exp in every key but the first',
  )
  .refine(
    ({ keys }) => new Set(keys.map(({ x, y }) => `${x}.${y}`)).size === keys.length,
    'must have each key once',
  )

const ROLE_OF_EACH = 'must have a role for each wallet address, once'
/** The operators' roles, by wallet. */
const operators = z
  .record(z.string(), z.enum(ROLES), ROLE_OF_EACH)
  .transform(parsing(operatorsOf, ROLE_OF_EACH))

function operatorsOf(roles: Record<string, Role>): ReadonlyMap<string, Role> | null {
  const entries = Object.entries(roles)
  if (!entries.every(([wallet]) => isAddress(wallet))) return null
  const map = new Map(entries.map(([wallet, role]) => [checksumAddress(wallet as Address), role]))
  return map.size === entries.length ? map : null
}

/** Returns whether acts that take two operators can be carried out, or there are no operators. */
function areEnough(roles: ReadonlyMap<string, Role>): boolean {
  const treasurers = [...roles.values()].filter((role) => includesRole(role, 'treasurer'))
  return roles.size === 0 || treasurers.length > 1
}

/** Returns whether no secret is that of two partners, either of whom could then act as the other. */
function areApart(partners: Record<string, Record<string, string>>): boolean {
  const secrets = Object.values(partners).flatMap((keys) => [...new Set(Object.values(keys))])
  return new Set(secrets).size === secrets.length
}

/** Returns the value of a JSON text; undefined for invalid JSON or a key that stands twice. */
function jsonIn(text: string): unknown {
  return parseJson(text) === undefined ? undefined : JSON.parse(text)
}

function regExpOf(text: string): RegExp | null {
  try {
    return new RegExp(text)
  } catch {
    return null
  }
}

/** Returns whether an endpoint uses https and a public host name: one with a dot, and not an IP address. */
function isPublic(endpoint: string): boolean {
  const { protocol, hostname } = new URL(endpoint)
  const isName =
    /\.[a-z][a-z0-9-]*$/.test(hostname) && !/\.(local|internal|localhost)$/.test(hostname)
  return protocol === 'https:' && isName
}

/** The operator's settings, variables and secrets, before validation. */
export const Environment = z
  .object({
    ENVIRONMENT: z.enum(['local', 'production']),
    SITE_DOMAIN: z.string().min(1),
    SITE_ORIGIN: webOrigin,
    SUPPORT_URL: optional(supportUrl),
    LOCATION: optional(z.enum(LOCATIONS)),
    CHAIN_ID: integer(1, Number.MAX_SAFE_INTEGER),
    CHAIN_RPC_URL: optional(nodeUrl),
    CHAIN_CONFIRMATIONS: integer(1, 1_000),
    CHAIN_LOG_RANGE: integer(1, 1_000_000),
    VAULT_ADDRESS: optional(address),
    USDG_ADDRESS: optional(address),
    VAULT_START_BLOCK: integer(0, Number.MAX_SAFE_INTEGER),
    WITHDRAWAL_MIN: perTokenAmount,
    WITHDRAWAL_MIN_PER_GWEI: perTokenAmount,
    RELAYER_PRIVATE_KEY: optional(privateKey),
    RELAYER_RESERVE_WEI: amount,
    RELAYER_MAX_FEE_WEI: amount,
    RELAYER_GAS_ALLOWANCE: amount,
    BANKROLL_PAYOUT_BPS: integer(1, 10_000),
    BANKROLL_ROUND_BPS: integer(1, 10_000),
    DEPOSIT_FEE_BPS: integer(0, MAX_DEPOSIT_FEE_BPS),
    CRASH_BETTING_MS: integer(1_000, 600_000),
    CRASH_RESULTS_MS: integer(500, 600_000),
    CRASH_EDGE_BPS: integer(0, MAX_EDGE_BPS),
    CRASH_PEPPER: z.enum(['drand-quicknet', 'committed']),
    CRASH_MIN_FORCED_MULTIPLIER: multiplier(101, 10_000),
    CRASH_LIMITS: z.strictObject({ ETH: crashLimits, USDG: crashLimits }),
    DRAND_RELAYS: z.array(z.url(), 'must be a list of URLs'),
    ENTROPY_EDGE_BPS: integer(0, MAX_EDGE_BPS),
    AUTOPLAY: z.enum(['true', 'false']).default('true'),
    FUN_CHIPS: z.enum(['true', 'false']).default('true'),
    MIN_PLAY_MS: integer(0, LONGEST_MIN_PLAY_MS).default(0),
    ENTROPY_LIMITS: z.strictObject({ ETH: entropyLimits, USDG: entropyLimits }),
    BOX_NFT_ADDRESS: optional(address),
    BOX_NFT_START_BLOCK: integer(0, Number.MAX_SAFE_INTEGER),
    AWARD_ADDRESS: optional(address),
    BOX_SIGNER_KEY: optional(privateKey),
    BOX_PEPPERS: table(boxPeppers.optional()),
    BOX_LABELS: z
      .array(z.array(z.string().min(1).max(40)).max(16), 'must be a list of labels for each kind')
      .max(32),
    LOOTBOX_POOL: optional(address),
    REWARD_TOKEN_ADDRESS: optional(address),
    WETH_ADDRESS: optional(address),
    LOOTBOX: lootboxTable,
    LOOTBOX_STOCKS: table(stocks.default({})),
    SHARE_PROVIDERS: table(shareProviders),
    LOOTBOX_SLIPPAGE_BPS: integer(0, 5_000),
    PROTOCOL_WALLET: optional(address),
    AD_TIERS: z
      .array(
        z.strictObject({
          days: z.number().int().min(1).max(AD_DAYS),
          label: z.string().min(1).max(80),
          priceWei: price,
        }),
        'must be a list of tables with days, label and priceWei',
      )
      .max(20)
      .refine(
        (tiers) => new Set(tiers.map(({ days }) => days)).size === tiers.length,
        'must have a different length for each tier',
      ),
    PARTNERS: z.record(
      id,
      z.strictObject({
        requireBodyHash: z.boolean().default(true),
        consent: z.enum(['required', 'implied']).optional(),
        debits: z.boolean().default(true),
        maxDebitPerHour: perTokenAmount.optional(),
        maxCredit: perTokenAmount.default(NOTHING),
        maxNetCreditPerDay: perTokenAmount.default(NOTHING),
        maxDebt: perTokenAmount.optional(),
        maxNewPlayersPerDay: z.number().int().min(0).max(1_000_000).default(10_000),
        settled: perTokenOf(signedAmount),
      }),
      'must be a table for each partner, by an id of 1 to 32 characters of a-z, 0-9 and -',
    ),
    PARTNER_KEYS: table(allPartnerKeys.optional()),
    RECEIPT_KEYS: table(receiptKeys.optional()),
    LOG_KEY: optional(logKey),
    METRICS_TOKEN: optional(
      z
        .string()
        .regex(
          /^[\w.~+/=-]{32,256}$/,
          'must be 32 to 256 letters, digits or ._~+/=-, such as the output of `openssl rand -hex 32`',
        ),
    ),
    LOG_MOVEMENTS: z.enum(['true', 'false']).default('true'),
    DRIFT_PAUSES_WITHDRAWALS: z.enum(['true', 'false']).default('true'),
    OPERATORS: table(operators.default(new Map())),
    OPERATOR_CONTRACTS: z.array(address, 'must be a list of addresses').default([]),
    OPERATE_ORIGIN: optional(webOrigin),
    ACCESS_TEAM_DOMAIN: optional(
      webOrigin.refine((text) => text.startsWith('https:'), 'must use https'),
    ),
    ACCESS_AUD: optional(z.string().max(200)),
    RPC_UPSTREAMS: table(rpcUpstreams.default({})),
    RPC_ORIGINS: z.array(webOrigin, 'must be a list of origins'),
    RPC_SEND_TRANSACTIONS: z.enum(['true', 'false']),
  })
  .refine(
    ({ ENVIRONMENT, CRASH_PEPPER }) => ENVIRONMENT === 'local' || CRASH_PEPPER !== 'committed',
    'CRASH_PEPPER: must be drand-quicknet in production, because the house could choose a committed pepper',
  )
  .refine(
    ({ CRASH_LIMITS, CRASH_MIN_FORCED_MULTIPLIER }) =>
      tooTight(CRASH_LIMITS, CRASH_MIN_FORCED_MULTIPLIER) === null,
    'CRASH_LIMITS: a quarter of maxRoundPayout / CRASH_MIN_FORCED_MULTIPLIER must be at least min',
  )
  .refine(
    ({ CRASH_PEPPER, DRAND_RELAYS }) => CRASH_PEPPER === 'committed' || DRAND_RELAYS.length > 0,
    'DRAND_RELAYS: must have at least one relay when CRASH_PEPPER is drand-quicknet',
  )
  .refine(
    ({ ENVIRONMENT, SHARE_PROVIDERS }) =>
      ENVIRONMENT === 'local' || SHARE_PROVIDERS.every(({ endpoint }) => isPublic(endpoint)),
    'SHARE_PROVIDERS: endpoints must use https and public host names in production',
  )
  .refine(
    ({ ENVIRONMENT, PARTNERS, PARTNER_KEYS: keys = {} }) =>
      ENVIRONMENT === 'local' ||
      Object.entries(PARTNERS).every(
        ([partner, { consent }]) => consent || !Object.hasOwn(keys, partner),
      ),
    'PARTNERS: must set consent to "required" or "implied" for each partner with a key in production',
  )
  .refine(
    ({ ENVIRONMENT, OPERATORS }) => ENVIRONMENT === 'local' || areEnough(OPERATORS),
    'OPERATORS: must name two wallets as treasurer or admin in production, because acts on money take two',
  )

export type Vars = z.infer<typeof Environment>
