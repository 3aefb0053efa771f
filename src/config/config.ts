import type { Address, Hex } from 'viem'
import type { AdTier } from '../ad-rental/slots.ts'
import type { Site } from '../auth/message.ts'
import type { CrashRules } from '../crash/plan.ts'
import type { EntropyRules } from '../games/play.ts'
import type { DebitLimits } from '../ledger/permission.ts'
import type { CreditLimits } from '../ledger/transfer.ts'
import type { PrizeTier } from '../lootbox/prizes.ts'
import type { ShareProvider } from '../lootbox/share.ts'
import type { BankrollShares } from '../money/bankroll.ts'
import type { PerToken, Token } from '../money/token.ts'
import type { Operators } from '../operator/roles.ts'
import type { SignerKey } from '../transparency/note.ts'
import type { Location } from './locations.ts'

/** The operator's settings, validated once. */
export interface Config {
  environment: 'local' | 'production'
  /** The domain that players sign in to; never taken from a request. */
  domain: string
  origin: string
  /** Where players reach the operator; null if not configured. */
  supportUrl: string | null
  /** Where the objects that all players share are created; null if the platform decides. */
  location: Location | null
  chainId: number
  /** The chain for payments; null if not configured. */
  chain: ChainConfig | null
  depositFeeBps: number
  crash: CrashRules
  drandRelays: string[]
  /** The vault that backs the chips; null if not configured: chips then have no value. */
  vault: VaultConfig | null
  bankroll: BankrollShares
  entropy: EntropyRules
  /** Whether the page may bet automatically. */
  autoplay: boolean
  /** Whether the page offers play without a wallet, with chips that are worth nothing. */
  funChips: boolean
  /** The least time between two plays of a wallet, in milliseconds. */
  minPlayMs: number
  /** The platforms that may call the wallet bridge, by id. */
  partners: ReadonlyMap<string, PartnerConfig>
  ads: AdConfig
  /** The box contracts; null if not configured. */
  boxes: BoxConfig | null
  /** Null if not configured. */
  lootbox: LootboxConfig | null
  rpc: RpcConfig
  /** The keys of receipts, the newest first. Empty if not configured: then calls answer without receipts. */
  receiptKeys: readonly ReceiptKey[]
  /** The public log; null if not configured. */
  log: LogConfig | null
  /** The token that opens the metrics; null if nobody may read them. */
  metricsToken: string | null
  /** Whether each entry of a journal is logged. */
  logsMovements: boolean
  /** Whether withdrawals are paused once the vault and the ledgers have differed for ten minutes. */
  driftPausesWithdrawals: boolean
  /** Who may order acts. Empty if not configured. */
  operators: Operators
  /** The operators' wallets that are contracts, in EIP-55 form. */
  operatorContracts: ReadonlySet<string>
  /** The site that operators sign in to, which may have a domain of its own. */
  operatorSite: Site
  /** The gate in front of operators' calls; null if not configured. */
  access: AccessConfig | null
}

/** An application of Cloudflare Access. */
export interface AccessConfig {
  /** The team's domain, which issues the tokens. */
  issuer: string
  /** The application's audience tag. */
  audience: string
}

/** A key of receipts: a JWK on the curve P-256, with the times in unix seconds between which it signs. */
export interface ReceiptKey {
  kty: 'EC'
  crv: 'P-256'
  x: string
  y: string
  /** The private part, which a key needs until it expires. */
  d?: string | undefined
  nbf: number
  exp?: number | undefined
}

/** The public log of the house's commitments. */
export interface LogConfig {
  /** Its name: the site's host and `/log`, with the generation if that is not 1. */
  origin: string
  /** 1 for the site's first log; each further one succeeds a log that was lost. */
  generation: number
  key: SignerKey
}

/** A chain and its node. */
export interface ChainConfig {
  chainId: number
  rpcUrl: string
  /** The required confirmations; a transaction's own block is the first. */
  confirmations: number
}

/** The terms of ad rental. */
interface AdConfig {
  /** The address that receives payments; null if not configured: nothing can be rented then. */
  protocolWallet: Address | null
  tiers: AdTier[]
}

/** A partner platform where players play with their chips. */
export interface PartnerConfig {
  id: string
  /** One key, or two during a change of keys. Without a key the partner cannot sign in. */
  keys: { kid: string; secret: string }[]
  /** Whether its tokens must contain the hash of the body. */
  requireBodyHash: boolean
  /** Whether a debit needs the player's permission. */
  consent: 'required' | 'implied'
  debits: PerToken<DebitLimits>
  /** The limits on its credits, in smallest units. */
  limits: PerToken<Omit<CreditLimits, 'newPlayers'>>
  /** The most players of one UTC day whose chips may first move by its credit. */
  newPlayersPerDay: number
  /** The payments to the partner outside the service, less the payments from it, in smallest units. */
  settled: PerToken<bigint>
}

/** The JSON-RPC proxy's chains and permissions. */
export interface RpcConfig {
  /** Each chain's nodes in order of preference, by chain id. Their URLs are secret: they may contain keys. */
  upstreams: ReadonlyMap<number, readonly string[]>
  /** The other sites whose pages may read the answers. */
  origins: readonly string[]
  sendsTransactions: boolean
}

/** A vault contract, its node, and the account that calls it. */
export interface VaultConfig extends ChainConfig {
  /** Chain and contract, the scope of nonces and cursors. */
  id: string
  address: Address
  usdg: Address
  /** The block of the contract's deployment, which precedes all its events. */
  startBlock: number
  /** The node's maximum number of blocks in one request for logs. */
  logRange: number
  depositFeeBps: number
  /** Determines the smallest withdrawal, in smallest units: each withdrawal costs the relayer gas. */
  withdrawalMin: {
    /** The minimum at any gas price. */
    fixed: PerToken<bigint>
    /** The minimum per gwei of the gas price. */
    perGwei: PerToken<bigint>
  }
  relayer: {
    privateKey: Hex
    /** The balance below which the relayer asks for funding. */
    reserveWei: bigint
    /** The relayer's highest gas price, in wei per gas. */
    maxFeePerGas: bigint
    /** The gas that a wallet's withdrawals may take in any 24 hours before further ones must wait. */
    gasAllowance: bigint
  }
}

/** The box contracts, and the secrets that open boxes. */
export interface BoxConfig extends ChainConfig {
  contract: Address
  /** The block of the contract's deployment, which precedes all its events. */
  startBlock: number
  /** The node's maximum number of blocks in one request for logs. */
  logRange: number
  award: Address
  /** Signs the tiers of opened boxes. */
  signerKey: Hex
  /** Each batch's pepper by the batch's number: 32 bytes in hex, secret until the batch has ended. */
  peppers: ReadonlyMap<number, string>
  /** The names of each kind's tiers. */
  labels: readonly (readonly string[])[]
}

/** A stock's token, bought on the router, and its price feed. */
export interface Stock {
  token: Address
  decimals: number
  /** A Chainlink feed: the price of one whole token in the chain's native coin. */
  feed: Address
}

export interface LootboxConfig {
  /** The contract that receives payments and pays prizes: see contracts/src/PrizePool.sol. */
  pool: Address
  rewardToken: Address
  /** In wei. */
  price: string
  prizes: PrizeTier[]
  /** The prizes of free spins, all in the reward token. */
  spinPrizes: PrizeTier[]
  /** The number of free spins per UTC day, for all wallets together. */
  spinDailyLimit: number
  /** The sites with eligible posts for a free spin. If empty, free spins are off. */
  shareProviders: ShareProvider[]
  stocks: ReadonlyMap<string, Stock>
  /** The router's wrapper of the chain's native coin, the first token of every swap. */
  weth: Address
  /** How far a swap's cost may exceed the feed's price, in basis points. */
  slippageBps: number
}

/** Returns the payments to all partners outside the service, less the payments from them, in smallest units. */
export function settledWei({ partners }: Pick<Config, 'partners'>, token: Token): bigint {
  return [...partners.values()].reduce((sum, { settled }) => sum + settled[token], 0n)
}
