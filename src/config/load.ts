import type { Hex } from 'viem'
import type { Site } from '../auth/message.ts'
import { listed } from '../core/words.ts'
import { perToken, readAmounts } from '../money/token.ts'
import { logGeneration, logOrigin } from '../transparency/checkpoint.ts'
import type {
  AccessConfig,
  BoxConfig,
  ChainConfig,
  Config,
  LogConfig,
  LootboxConfig,
  PartnerConfig,
  RpcConfig,
  VaultConfig,
} from './config.ts'
import { Environment, type Vars } from './environment.ts'
import { startUpProblems } from './start-up.ts'
import { problemsOf, worded } from './wording.ts'

/** An invalid configuration. The problems are for the operator's log only. */
export class ConfigError extends Error {
  override name = 'ConfigError'
  readonly problems: readonly string[]

  constructor(...problems: string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}

/** Says which of the settings that another one needs are empty. */
function missing(setting: string, needs: Record<string, unknown>): string {
  const names = Object.keys(needs).filter((name) => !needs[name])
  const [are, them] = names.length === 1 ? ['is', 'it'] : ['are', 'them']
  return `${setting} also needs ${listed(names)}, which ${are} not set. Set ${them}.`
}

function chainOf({ CHAIN_ID, CHAIN_RPC_URL, CHAIN_CONFIRMATIONS }: Vars): ChainConfig | null {
  if (!CHAIN_RPC_URL) return null
  return { chainId: CHAIN_ID, rpcUrl: CHAIN_RPC_URL, confirmations: CHAIN_CONFIRMATIONS }
}

/** @throws ConfigError if the vault is only partly configured */
function vaultOf(vars: Vars): VaultConfig | null {
  const { VAULT_ADDRESS, USDG_ADDRESS, CHAIN_RPC_URL, RELAYER_PRIVATE_KEY } = vars
  if (!VAULT_ADDRESS) return null
  if (!USDG_ADDRESS || !CHAIN_RPC_URL || !RELAYER_PRIVATE_KEY) {
    const needs = { USDG_ADDRESS, CHAIN_RPC_URL, RELAYER_PRIVATE_KEY }
    throw new ConfigError(missing('VAULT_ADDRESS', needs))
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
    withdrawalMin: {
      fixed: readAmounts(vars.WITHDRAWAL_MIN),
      perGwei: readAmounts(vars.WITHDRAWAL_MIN_PER_GWEI),
    },
    relayer: {
      privateKey: RELAYER_PRIVATE_KEY as Hex,
      reserveWei: BigInt(vars.RELAYER_RESERVE_WEI),
      maxFeePerGas: BigInt(vars.RELAYER_MAX_FEE_WEI),
      gasAllowance: BigInt(vars.RELAYER_GAS_ALLOWANCE),
    },
  }
}

/** @throws ConfigError if the boxes are only partly configured */
function boxesOf(vars: Vars): BoxConfig | null {
  const { BOX_NFT_ADDRESS, AWARD_ADDRESS, BOX_SIGNER_KEY, BOX_PEPPERS } = vars
  if (!BOX_NFT_ADDRESS) return null
  const chain = chainOf(vars)
  if (!chain || !AWARD_ADDRESS || !BOX_SIGNER_KEY || !BOX_PEPPERS) {
    const needs = { AWARD_ADDRESS, BOX_SIGNER_KEY, BOX_PEPPERS, CHAIN_RPC_URL: chain }
    throw new ConfigError(missing('BOX_NFT_ADDRESS', needs))
  }
  const peppers = Object.entries(BOX_PEPPERS).map(
    ([batch, pepper]) => [Number(batch), pepper] as const,
  )
  return {
    ...chain,
    contract: BOX_NFT_ADDRESS,
    startBlock: vars.BOX_NFT_START_BLOCK,
    logRange: vars.CHAIN_LOG_RANGE,
    award: AWARD_ADDRESS,
    signerKey: BOX_SIGNER_KEY as Hex,
    peppers: new Map(peppers),
    labels: vars.BOX_LABELS,
  }
}

/** @throws ConfigError if production asks for payments that it can't see */
function adsOf({ ENVIRONMENT, PROTOCOL_WALLET, CHAIN_RPC_URL, AD_TIERS }: Vars): Config['ads'] {
  if (ENVIRONMENT === 'production' && PROTOCOL_WALLET && !CHAIN_RPC_URL) {
    throw new ConfigError(missing('PROTOCOL_WALLET', { CHAIN_RPC_URL }))
  }
  return { protocolWallet: PROTOCOL_WALLET || null, tiers: AD_TIERS }
}

/** Keys of unlisted partners are ignored: the secret and `PARTNERS` don't change at the same moment. */
function partnersOf({ PARTNERS, PARTNER_KEYS }: Vars): Map<string, PartnerConfig> {
  const keys = PARTNER_KEYS || {}
  return new Map(
    Object.entries(PARTNERS).map(([id, partner]) => {
      const { requireBodyHash, consent = 'implied', debits } = partner
      const { maxCredit, maxNetCreditPerDay, maxDebt, maxNewPlayersPerDay, settled } = partner
      const { maxDebitPerHour = maxNetCreditPerDay } = partner
      return [
        id,
        {
          id,
          keys: Object.entries(keys[id] ?? {}).map(([kid, secret]) => ({ kid, secret })),
          requireBodyHash,
          consent,
          debits: perToken((token) => ({
            isOpen: debits,
            needsPermission: consent === 'required',
            hourWei: BigInt(maxDebitPerHour[token]),
          })),
          limits: perToken((token) => ({
            transactionWei: BigInt(maxCredit[token]),
            dayWei: BigInt(maxNetCreditPerDay[token]),
            totalWei: maxDebt ? BigInt(maxDebt[token]) - BigInt(settled[token]) : null,
          })),
          newPlayersPerDay: maxNewPlayersPerDay,
          settled: readAmounts(settled),
        },
      ]
    }),
  )
}

/** @throws ConfigError if the lootbox is only partly configured or inconsistent */
function lootboxOf(vars: Vars): LootboxConfig | null {
  const { LOOTBOX_POOL, REWARD_TOKEN_ADDRESS, WETH_ADDRESS, VAULT_ADDRESS } = vars
  if (!LOOTBOX_POOL) return null
  if (!REWARD_TOKEN_ADDRESS || !WETH_ADDRESS || !VAULT_ADDRESS) {
    // The vault's relayer pays the prizes.
    const needs = { REWARD_TOKEN_ADDRESS, WETH_ADDRESS, VAULT_ADDRESS }
    throw new ConfigError(missing('LOOTBOX_POOL', needs))
  }
  if (LOOTBOX_POOL === vars.PROTOCOL_WALLET) {
    throw new ConfigError(
      'LOOTBOX_POOL is the same as PROTOCOL_WALLET, so a payer could choose an ad instead once the seed is published. Use two addresses.',
    )
  }
  const { price, prizes, spinPrizes, spinDailyLimit } = vars.LOOTBOX
  const stocks = new Map(Object.entries(vars.LOOTBOX_STOCKS))
  const unknown = prizes.find(
    ({ asset }) => !['ETH', 'REWARD'].includes(asset) && !stocks.has(asset),
  )
  if (unknown) {
    throw new ConfigError(
      `LOOTBOX has a prize in ${unknown.asset}, which LOOTBOX_STOCKS does not list. Add it to LOOTBOX_STOCKS or remove the prize.`,
    )
  }
  if (stocks.has('ETH') || stocks.has('REWARD')) {
    throw new ConfigError(
      'LOOTBOX_STOCKS lists ETH or REWARD, which are not stocks. Remove the entry.',
    )
  }
  return {
    pool: LOOTBOX_POOL,
    rewardToken: REWARD_TOKEN_ADDRESS,
    price,
    prizes,
    spinPrizes,
    spinDailyLimit,
    // Without free spins, don't ask any site about posts.
    shareProviders: spinDailyLimit === 0 ? [] : vars.SHARE_PROVIDERS,
    stocks,
    weth: WETH_ADDRESS,
    slippageBps: vars.LOOTBOX_SLIPPAGE_BPS,
  }
}

/** Returns the listed nodes. In local play an unlisted configured chain uses the service's own node. */
function rpcOf(vars: Vars): RpcConfig {
  const named = Object.entries(vars.RPC_UPSTREAMS).map(
    ([chainId, urls]) => [Number(chainId), urls] as const,
  )
  const isLocal = vars.ENVIRONMENT === 'local'
  const own =
    isLocal && vars.CHAIN_RPC_URL ? ([[vars.CHAIN_ID, [vars.CHAIN_RPC_URL]]] as const) : []
  return {
    upstreams: new Map<number, readonly string[]>([...own, ...named]),
    origins: vars.RPC_ORIGINS,
    sendsTransactions: vars.RPC_SEND_TRANSACTIONS === 'true',
  }
}

/** @throws ConfigError if the key is another log's */
function logOf({ LOG_KEY, SITE_ORIGIN }: Vars): LogConfig | null {
  if (!LOG_KEY) return null
  const origin = LOG_KEY.verifier.name
  const generation = logGeneration(SITE_ORIGIN, origin)
  if (generation !== null) return { origin, generation, key: LOG_KEY }
  const first = logOrigin(SITE_ORIGIN)
  throw new ConfigError(
    `LOG_KEY is the key of ${origin}, but the log of SITE_ORIGIN is ${first}. A site that has a public log can't change its host without ending the log: see "A change of domain" in reference/operate.md. For a new site, make a key for ${first}: npm run --silent log-key -- ${SITE_ORIGIN}`,
  )
}

function operatorSiteOf(vars: Vars): Site {
  const { SITE_DOMAIN, SITE_ORIGIN, OPERATE_ORIGIN, CHAIN_ID: chainId } = vars
  if (!OPERATE_ORIGIN) return { domain: SITE_DOMAIN, origin: SITE_ORIGIN, chainId }
  return { domain: new URL(OPERATE_ORIGIN).host, origin: OPERATE_ORIGIN, chainId }
}

/** @throws ConfigError if Access is only partly configured */
function accessOf({ ACCESS_TEAM_DOMAIN, ACCESS_AUD }: Vars): AccessConfig | null {
  if (!ACCESS_TEAM_DOMAIN && !ACCESS_AUD) return null
  if (ACCESS_TEAM_DOMAIN && ACCESS_AUD) return { issuer: ACCESS_TEAM_DOMAIN, audience: ACCESS_AUD }
  throw new ConfigError(
    'ACCESS_TEAM_DOMAIN and ACCESS_AUD need each other. Set both, or neither of them.',
  )
}

const loaded = new WeakMap<object, Config>()

/**
 * Returns an environment's configuration, validated once per isolate.
 * @throws ConfigError if the configuration is invalid
 */
export function loadConfig(env: Env): Config {
  const known = loaded.get(env)
  if (known) return known
  const parsed = Environment.safeParse(env, { error: worded })
  if (!parsed.success) throw new ConfigError(...problemsOf(parsed.error))
  const vars = parsed.data
  const problems = startUpProblems(vars)
  if (problems.length > 0) throw new ConfigError(...problems)
  const config: Config = {
    environment: vars.ENVIRONMENT,
    domain: vars.SITE_DOMAIN,
    origin: vars.SITE_ORIGIN,
    supportUrl: vars.SUPPORT_URL || null,
    location: vars.LOCATION ?? null,
    chainId: vars.CHAIN_ID,
    chain: chainOf(vars),
    depositFeeBps: vars.DEPOSIT_FEE_BPS,
    crash: {
      bettingMs: vars.CRASH_BETTING_MS,
      resultsMs: vars.CRASH_RESULTS_MS,
      edgeBps: vars.CRASH_EDGE_BPS,
      pepper: vars.CRASH_PEPPER,
      minForcedMultiplier: vars.CRASH_MIN_FORCED_MULTIPLIER,
      limits: perToken((token) => vars.CRASH_LIMITS[token]),
    },
    drandRelays: vars.DRAND_RELAYS,
    vault: vaultOf(vars),
    bankroll: { payoutBps: vars.BANKROLL_PAYOUT_BPS, roundBps: vars.BANKROLL_ROUND_BPS },
    entropy: {
      edgeBps: vars.ENTROPY_EDGE_BPS,
      limits: perToken((token) => vars.ENTROPY_LIMITS[token]),
    },
    autoplay: vars.AUTOPLAY === 'true',
    funChips: vars.FUN_CHIPS === 'true',
    minPlayMs: vars.MIN_PLAY_MS,
    partners: partnersOf(vars),
    boxes: boxesOf(vars),
    ads: adsOf(vars),
    lootbox: lootboxOf(vars),
    rpc: rpcOf(vars),
    receiptKeys: vars.RECEIPT_KEYS ? vars.RECEIPT_KEYS.keys : [],
    log: logOf(vars),
    metricsToken: vars.METRICS_TOKEN || null,
    logsMovements: vars.LOG_MOVEMENTS === 'true',
    driftPausesWithdrawals: vars.DRIFT_PAUSES_WITHDRAWALS === 'true',
    operators: vars.OPERATORS,
    operatorContracts: new Set(vars.OPERATOR_CONTRACTS),
    operatorSite: operatorSiteOf(vars),
    access: accessOf(vars),
  }
  loaded.set(env, config)
  return config
}
