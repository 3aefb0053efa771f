import { checksumAddress, isAddress, type Address, type Hex } from 'viem'
import { z } from 'zod'
import { AD_DAYS, type AdTier } from './ad-rental/slots.ts'
import type { BoxConfig } from './box-nft/config.ts'
import type { CrashRules } from './crash/plan.ts'
import type { EntropyRules } from './entropy/play.ts'
import type { CreditLimits } from './ledger/transfer.ts'
import { parseJson } from './http/json.ts'
import { parseAmount } from './money/amount.ts'
import type { BankrollShares } from './money/bankroll.ts'
import { perToken, type PerToken } from './money/token.ts'

/** Everything an operator may set, validated once. */
export interface Config {
  environment: 'local' | 'production'
  /** What players sign in to: never taken from a request. */
  domain: string
  origin: string
  chainId: number
  /** Null where no chain is configured. */
  rpcUrl: string | null
  /** The chain that payments are made on; null where none is configured. */
  chain: ChainConfig | null
  depositFeeBps: number
  crash: CrashRules
  drandRelays: string[]
  /** The vault behind the chips; null where none is configured, and chips are only chips. */
  vault: VaultConfig | null
  bankroll: BankrollShares
  entropy: EntropyRules
  /** Platforms that may call the wallet bridge, by their ids. */
  partners: ReadonlyMap<string, Partner>
  ads: AdConfig
  /** The box contracts; null where there are none. */
  boxes: BoxConfig | null
  rpc: RpcConfig
}

/** A chain and how to ask it. */
export interface ChainConfig {
  chainId: number
  rpcUrl: string
  /** Blocks that count as one more than none: 1 is the block that a transaction is in. */
  confirmations: number
}

/** Where an advertisement can be shown, and for how long at what price. */
export interface AdConfig {
  /** Who is paid; null where nobody is, and nothing can be rented. */
  protocolWallet: Address | null
  tiers: AdTier[]
}

/** A platform whose players play with their chips there. */
export interface Partner {
  id: string
  /** One, or two while they are changed; none, and it cannot sign in. */
  keys: { kid: string; secret: string }[]
  /** Whether its tokens have to carry the hash of the body. */
  requireBodyHash: boolean
  /** The most it may credit, in smallest units. */
  limits: PerToken<CreditLimits>
  /** What it has been paid outside of what it debited and did not credit, in smallest units, in all. */
  settled: PerToken<bigint>
}

/** Which chains the JSON-RPC proxy reaches, and what it lets through. */
export interface RpcConfig {
  /** A chain's nodes in the order they are asked, by chain id. Their URLs may carry keys: secrets. */
  upstreams: ReadonlyMap<number, readonly string[]>
  /** Sites besides our own whose pages may read the answers. */
  origins: readonly string[]
  sendsTransactions: boolean
}

/** A vault contract, how to read it, and the account that calls it. */
export interface VaultConfig extends ChainConfig {
  /** Chain and contract: what a nonce and a cursor belong to. */
  id: string
  address: Address
  usdg: Address
  /** The block that the contract was deployed in: nothing is older. */
  startBlock: number
  /** Blocks that the node takes in one request for logs. */
  logRange: number
  depositFeeBps: number
  /** The smallest withdrawal, in smallest units: each costs the relayer gas. */
  withdrawalMin: PerToken<bigint>
  relayer: {
    privateKey: Hex
    /** Below this the relayer asks to be funded. */
    reserveWei: bigint
    /** The most it pays for gas, in wei per gas. */
    maxFeePerGas: bigint
  }
}

const amount = z
  .string()
  .refine((text) => parseAmount(text) !== null, 'an amount in smallest units')
const bounds = z.object({ min: amount, max: amount, maxPayout: amount })
const areBounds = ({ min, max, maxPayout }: z.infer<typeof bounds>) =>
  0n < BigInt(min) && BigInt(min) <= BigInt(max) && BigInt(max) <= BigInt(maxPayout)
const NEEDS_BOUNDS = 'needs 0 < min <= max <= maxPayout'
const entropyLimits = bounds.refine(areBounds, NEEDS_BOUNDS)
const crashLimits = bounds
  .extend({ maxRoundPayout: amount })
  .refine(areBounds, NEEDS_BOUNDS)
  .refine(
    ({ max, maxPayout, maxRoundPayout }) =>
      BigInt(max) * 101n <= BigInt(maxPayout) * 100n && BigInt(maxPayout) <= BigInt(maxRoundPayout),
    'needs 1.01 * max <= maxPayout <= maxRoundPayout',
  )
const optional = <T extends z.ZodType>(schema: T) => z.union([z.literal(''), schema]).optional()
const address = z.string().transform((text, context): Address => {
  if (isAddress(text)) return checksumAddress(text)
  context.addIssue({ code: 'custom', message: 'must be an address' })
  return z.NEVER
})
/** What an operation's id and an object's name are made of. */
const partnerId = z.string().regex(/^[a-z0-9-]{1,32}$/, 'must be 1 to 32 of a-z, 0-9 and -')
const perTokenAmount = z.object({ ETH: amount, USDG: amount })
/** HS256 wants a key no shorter than its hash. */
const partnerSecret = z
  .string()
  .refine((text) => new TextEncoder().encode(text).length >= 32, 'must have 32 bytes or more')
const partnerKeys = z
  .record(z.string().min(1).max(64), partnerSecret)
  .refine((keys) => Object.keys(keys).length <= 2, 'two keys at most are live')
const jsonText = z.string().transform((text, context): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    context.addIssue({ code: 'custom', message: 'must be JSON' })
    return z.NEVER
  }
})
/** Written as a table, or as JSON text where it is a secret. */
const rpcUpstreams = z.preprocess(
  (value) =>
    value === '' ? undefined : typeof value === 'string' ? (parseJson(value) ?? value) : value,
  z
    .record(
      z.string().regex(/^[1-9]\d{0,14}$/, 'must be a chain id'),
      z.array(z.url({ protocol: /^https?$/ })).min(1),
    )
    .default({}),
)
const webOrigin = z
  .url()
  .refine(
    (text) => new URL(text).origin === text,
    'must be an origin: no path and no slash after it',
  )
const privateKey = z.string().regex(/^0x[0-9a-fA-F]{64}$/, 'must be a private key')
const integer = (min: number, max: number) => z.coerce.number().int().min(min).max(max)

const Environment = z
  .object({
    ENVIRONMENT: z.enum(['local', 'production']),
    SITE_DOMAIN: z.string().min(1),
    SITE_ORIGIN: z.url(),
    CHAIN_ID: integer(1, Number.MAX_SAFE_INTEGER),
    CHAIN_RPC_URL: optional(z.url()),
    CHAIN_CONFIRMATIONS: integer(1, 1_000),
    CHAIN_LOG_RANGE: integer(1, 1_000_000),
    VAULT_ADDRESS: optional(address),
    USDG_ADDRESS: optional(address),
    VAULT_START_BLOCK: integer(0, Number.MAX_SAFE_INTEGER),
    WITHDRAWAL_MIN: perTokenAmount,
    RELAYER_PRIVATE_KEY: optional(privateKey),
    RELAYER_RESERVE_WEI: amount,
    RELAYER_MAX_FEE_WEI: amount,
    BANKROLL_PAYOUT_BPS: integer(1, 10_000),
    BANKROLL_ROUND_BPS: integer(1, 10_000),
    DEPOSIT_FEE_BPS: integer(0, 10_000),
    CRASH_BETTING_MS: integer(1_000, 600_000),
    CRASH_RESULTS_MS: integer(500, 600_000),
    CRASH_EDGE_BPS: integer(0, 5_000),
    CRASH_PEPPER: z.enum(['drand-quicknet', 'committed']),
    CRASH_LIMITS: z.object({ ETH: crashLimits, USDG: crashLimits }),
    DRAND_RELAYS: z.array(z.url()),
    ENTROPY_EDGE_BPS: integer(0, 5_000),
    ENTROPY_LIMITS: z.object({ ETH: entropyLimits, USDG: entropyLimits }),
    BOX_NFT_ADDRESS: optional(address),
    AWARD_ADDRESS: optional(address),
    BOX_SIGNER_KEY: optional(privateKey),
    BOX_PEPPERS: optional(
      jsonText.pipe(
        z.record(z.string().regex(/^[1-9]\d{0,8}$/), z.string().regex(/^[0-9a-f]{64}$/)),
      ),
    ),
    BOX_LABELS: z.array(z.array(z.string().min(1).max(40)).max(16)).max(32),
    PROTOCOL_WALLET: optional(address),
    AD_TIERS: z
      .array(
        z.object({
          days: z.number().int().min(1).max(AD_DAYS),
          label: z.string().min(1).max(80),
          priceWei: amount,
        }),
      )
      .max(20)
      .refine(
        (tiers) => new Set(tiers.map(({ days }) => days)).size === tiers.length,
        'one a length',
      ),
    PARTNERS: z.record(
      partnerId,
      z.object({
        requireBodyHash: z.boolean(),
        maxCredit: perTokenAmount,
        maxNetCreditPerDay: perTokenAmount,
        settled: perTokenAmount,
      }),
    ),
    PARTNER_KEYS: optional(jsonText.pipe(z.record(partnerId, partnerKeys))),
    RPC_UPSTREAMS: rpcUpstreams,
    RPC_ORIGINS: z.array(webOrigin),
    RPC_SEND_TRANSACTIONS: z.enum(['true', 'false']),
  })
  .refine(
    ({ ENVIRONMENT, CRASH_PEPPER }) => ENVIRONMENT === 'local' || CRASH_PEPPER !== 'committed',
    'production needs a pepper that the house cannot choose: CRASH_PEPPER must be drand-quicknet',
  )
  .refine(
    ({ CRASH_PEPPER, DRAND_RELAYS }) => CRASH_PEPPER === 'committed' || DRAND_RELAYS.length > 0,
    'drand-quicknet needs at least one relay in DRAND_RELAYS',
  )

/** Thrown when the service is set up wrongly. Its message is for the operator's log alone. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

type Vars = z.infer<typeof Environment>

function chainOf({ CHAIN_ID, CHAIN_RPC_URL, CHAIN_CONFIRMATIONS }: Vars): ChainConfig | null {
  if (!CHAIN_RPC_URL) return null
  return { chainId: CHAIN_ID, rpcUrl: CHAIN_RPC_URL, confirmations: CHAIN_CONFIRMATIONS }
}

/** @throws ConfigError where a vault is configured by halves */
function vaultOf(vars: Vars): VaultConfig | null {
  const { VAULT_ADDRESS, USDG_ADDRESS, CHAIN_RPC_URL, RELAYER_PRIVATE_KEY } = vars
  if (!VAULT_ADDRESS) return null
  if (!USDG_ADDRESS || !CHAIN_RPC_URL || !RELAYER_PRIVATE_KEY) {
    throw new ConfigError(
      'VAULT_ADDRESS needs USDG_ADDRESS, CHAIN_RPC_URL and RELAYER_PRIVATE_KEY beside it',
    )
  }
  return {
    id: `${vars.CHAIN_ID}:${VAULT_ADDRESS}`,
    chainId: vars.CHAIN_ID,
    rpcUrl: CHAIN_RPC_URL,
    confirmations: vars.CHAIN_CONFIRMATIONS,
    address: VAULT_ADDRESS,
    usdg: USDG_ADDRESS,
    startBlock: vars.VAULT_START_BLOCK,
    logRange: vars.CHAIN_LOG_RANGE,
    depositFeeBps: vars.DEPOSIT_FEE_BPS,
    withdrawalMin: perToken((token) => BigInt(vars.WITHDRAWAL_MIN[token])),
    relayer: {
      privateKey: RELAYER_PRIVATE_KEY as Hex,
      reserveWei: BigInt(vars.RELAYER_RESERVE_WEI),
      maxFeePerGas: BigInt(vars.RELAYER_MAX_FEE_WEI),
    },
  }
}

/** @throws ConfigError where the boxes are configured by halves */
function boxesOf(vars: Vars): BoxConfig | null {
  const { BOX_NFT_ADDRESS, AWARD_ADDRESS, BOX_SIGNER_KEY, BOX_PEPPERS } = vars
  if (!BOX_NFT_ADDRESS) return null
  const chain = chainOf(vars)
  if (!chain || !AWARD_ADDRESS || !BOX_SIGNER_KEY || !BOX_PEPPERS) {
    throw new ConfigError(
      'BOX_NFT_ADDRESS needs AWARD_ADDRESS, BOX_SIGNER_KEY, BOX_PEPPERS and CHAIN_RPC_URL beside it',
    )
  }
  const peppers = Object.entries(BOX_PEPPERS).map(
    ([batch, pepper]) => [Number(batch), pepper] as const,
  )
  return {
    ...chain,
    contract: BOX_NFT_ADDRESS,
    award: AWARD_ADDRESS,
    signerKey: BOX_SIGNER_KEY as Hex,
    peppers: new Map(peppers),
    labels: vars.BOX_LABELS,
  }
}

/** @throws ConfigError where a key is for nobody */
function partnersOf({ PARTNERS, PARTNER_KEYS }: Vars): Map<string, Partner> {
  const keys = PARTNER_KEYS || {}
  const stranger = Object.keys(keys).find((id) => !Object.hasOwn(PARTNERS, id))
  if (stranger) throw new ConfigError(`PARTNER_KEYS names ${stranger}, which PARTNERS does not`)
  return new Map(
    Object.entries(PARTNERS).map(
      ([id, { requireBodyHash, maxCredit, maxNetCreditPerDay, settled }]) => [
        id,
        {
          settled: perToken((token) => BigInt(settled[token])),
          id,
          keys: Object.entries(keys[id] ?? {}).map(([kid, secret]) => ({ kid, secret })),
          requireBodyHash,
          limits: perToken((token) => ({
            transactionWei: BigInt(maxCredit[token]),
            dayWei: BigInt(maxNetCreditPerDay[token]),
          })),
        },
      ],
    ),
  )
}

/** The listed nodes; where the service's own chain is not listed, its own node serves it. */
function rpcOf(vars: Vars): RpcConfig {
  const listed = Object.entries(vars.RPC_UPSTREAMS).map(
    ([chainId, urls]) => [Number(chainId), urls] as const,
  )
  const own = vars.CHAIN_RPC_URL ? ([[vars.CHAIN_ID, [vars.CHAIN_RPC_URL]]] as const) : []
  return {
    upstreams: new Map<number, readonly string[]>([...own, ...listed]),
    origins: vars.RPC_ORIGINS,
    sendsTransactions: vars.RPC_SEND_TRANSACTIONS === 'true',
  }
}

const loaded = new WeakMap<object, Config>()

/**
 * The configuration of an environment, validated once for each isolate.
 * @throws ConfigError if it is not one this service may run with
 */
export function loadConfig(env: Env): Config {
  const known = loaded.get(env)
  if (known) return known
  const parsed = Environment.safeParse(env)
  if (!parsed.success) throw new ConfigError(z.prettifyError(parsed.error))
  const vars = parsed.data
  const config: Config = {
    environment: vars.ENVIRONMENT,
    domain: vars.SITE_DOMAIN,
    origin: vars.SITE_ORIGIN,
    chainId: vars.CHAIN_ID,
    rpcUrl: vars.CHAIN_RPC_URL || null,
    chain: chainOf(vars),
    depositFeeBps: vars.DEPOSIT_FEE_BPS,
    crash: {
      bettingMs: vars.CRASH_BETTING_MS,
      resultsMs: vars.CRASH_RESULTS_MS,
      edgeBps: vars.CRASH_EDGE_BPS,
      pepper: vars.CRASH_PEPPER,
      limits: perToken((token) => vars.CRASH_LIMITS[token]),
    },
    drandRelays: vars.DRAND_RELAYS,
    vault: vaultOf(vars),
    bankroll: { payoutBps: vars.BANKROLL_PAYOUT_BPS, roundBps: vars.BANKROLL_ROUND_BPS },
    entropy: {
      edgeBps: vars.ENTROPY_EDGE_BPS,
      limits: perToken((token) => vars.ENTROPY_LIMITS[token]),
    },
    partners: partnersOf(vars),
    boxes: boxesOf(vars),
    ads: { protocolWallet: vars.PROTOCOL_WALLET || null, tiers: vars.AD_TIERS },
    rpc: rpcOf(vars),
  }
  loaded.set(env, config)
  return config
}
