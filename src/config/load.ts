import type { Hex } from 'viem'
import { z } from 'zod'
import { perToken } from '../money/token.ts'
import type {
  BoxConfig,
  ChainConfig,
  Config,
  LootboxConfig,
  Partner,
  RpcConfig,
  VaultConfig,
} from './config.ts'
import { Environment, type Vars } from './environment.ts'
import { startUpProblems } from './start-up.ts'

/** Thrown when the service is set up wrongly. Its message is for the operator's log alone. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

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
    withdrawalMin: {
      fixed: perToken((token) => BigInt(vars.WITHDRAWAL_MIN[token])),
      perGwei: perToken((token) => BigInt(vars.WITHDRAWAL_MIN_PER_GWEI[token])),
    },
    relayer: {
      privateKey: RELAYER_PRIVATE_KEY as Hex,
      reserveWei: BigInt(vars.RELAYER_RESERVE_WEI),
      maxFeePerGas: BigInt(vars.RELAYER_MAX_FEE_WEI),
      gasAllowance: BigInt(vars.RELAYER_GAS_ALLOWANCE),
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
    Object.entries(PARTNERS).map(([id, partner]) => {
      const { requireBodyHash, consent = 'implied', debits } = partner
      const { maxCredit, maxNetCreditPerDay, settled } = partner
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
          })),
          settled: perToken((token) => BigInt(settled[token])),
        },
      ]
    }),
  )
}

/** @throws ConfigError where the lootbox is configured by halves */
function lootboxOf(vars: Vars): LootboxConfig | null {
  const { LOOTBOX_POOL, REWARD_TOKEN_ADDRESS, WETH_ADDRESS, VAULT_ADDRESS } = vars
  if (!LOOTBOX_POOL) return null
  if (!REWARD_TOKEN_ADDRESS || !WETH_ADDRESS || !VAULT_ADDRESS) {
    throw new ConfigError(
      'LOOTBOX_POOL needs REWARD_TOKEN_ADDRESS, WETH_ADDRESS and VAULT_ADDRESS (for its relayer) beside it',
    )
  }
  if (LOOTBOX_POOL === vars.PROTOCOL_WALLET) {
    throw new ConfigError(
      'LOOTBOX_POOL is PROTOCOL_WALLET: who has paid could choose an ad when the seed is out',
    )
  }
  const { price, prizes, spinPrizes, spinDailyLimit } = vars.LOOTBOX
  const stocks = new Map(Object.entries(vars.LOOTBOX_STOCKS))
  const unknown = prizes.find(
    ({ asset }) => !['ETH', 'REWARD'].includes(asset) && !stocks.has(asset),
  )
  if (unknown) throw new ConfigError(`LOOTBOX has ${unknown.asset}, which LOOTBOX_STOCKS does not`)
  if (stocks.has('ETH') || stocks.has('REWARD')) {
    throw new ConfigError('LOOTBOX_STOCKS: ETH and REWARD are no stocks')
  }
  return {
    pool: LOOTBOX_POOL,
    rewardToken: REWARD_TOKEN_ADDRESS,
    price,
    prizes,
    spinPrizes,
    spinDailyLimit,
    // With no spin to win, no site is asked about its posts.
    shareProviders: spinDailyLimit === 0 ? [] : vars.SHARE_PROVIDERS,
    stocks,
    weth: WETH_ADDRESS,
    slippageBps: vars.LOOTBOX_SLIPPAGE_BPS,
  }
}

/** The listed nodes. In local play the service's own node serves its chain where none is listed for it. */
function rpcOf(vars: Vars): RpcConfig {
  const listed = Object.entries(vars.RPC_UPSTREAMS).map(
    ([chainId, urls]) => [Number(chainId), urls] as const,
  )
  const isLocal = vars.ENVIRONMENT === 'local'
  const own =
    isLocal && vars.CHAIN_RPC_URL ? ([[vars.CHAIN_ID, [vars.CHAIN_RPC_URL]]] as const) : []
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
  const problems = startUpProblems(vars)
  if (problems.length > 0) throw new ConfigError(problems.join('\n'))
  const config: Config = {
    environment: vars.ENVIRONMENT,
    domain: vars.SITE_DOMAIN,
    origin: vars.SITE_ORIGIN,
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
    partners: partnersOf(vars),
    boxes: boxesOf(vars),
    ads: { protocolWallet: vars.PROTOCOL_WALLET || null, tiers: vars.AD_TIERS },
    lootbox: lootboxOf(vars),
    rpc: rpcOf(vars),
  }
  loaded.set(env, config)
  return config
}
