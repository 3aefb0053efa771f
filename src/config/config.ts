import type { Address, Hex } from 'viem'
import type { AdTier } from '../ad-rental/slots.ts'
import type { CrashRules } from '../crash/plan.ts'
import type { EntropyRules } from '../games/play.ts'
import type { DebitTerms } from '../ledger/permission.ts'
import type { CreditLimits } from '../ledger/transfer.ts'
import type { Prize } from '../lootbox/prizes.ts'
import type { ShareProvider } from '../lootbox/share.ts'
import type { BankrollShares } from '../money/bankroll.ts'
import type { PerToken } from '../money/token.ts'

/** Everything an operator may set, validated once. */
export interface Config {
  environment: 'local' | 'production'
  /** What players sign in to: never taken from a request. */
  domain: string
  origin: string
  chainId: number
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
  /** Null where there is none. */
  lootbox: LootboxConfig | null
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
  /** Whether a debit needs the player's permission. */
  consent: 'required' | 'implied'
  /** What it may debit. */
  debits: PerToken<DebitTerms>
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
  /** What the smallest withdrawal follows from, in smallest units: each costs the relayer gas. */
  withdrawalMin: {
    /** It is never below this. */
    fixed: PerToken<bigint>
    /** For each gwei that a unit of gas costs. */
    perGwei: PerToken<bigint>
  }
  relayer: {
    privateKey: Hex
    /** Below this the relayer asks to be funded. */
    reserveWei: bigint
    /** The most it pays for gas, in wei per gas. */
    maxFeePerGas: bigint
    /** Gas beyond the free gas of each withdrawal that a wallet may cost in any 24 hours without a wait. */
    gasAllowance: bigint
  }
}

/** The box contracts, and what the house needs to open boxes. */
export interface BoxConfig extends ChainConfig {
  contract: Address
  award: Address
  /** Signs what boxes open to. */
  signerKey: Hex
  /** The pepper of each batch by its number: 32 bytes in hex, secret until the batch has ended. */
  peppers: ReadonlyMap<number, string>
  /** What the tiers of each kind are called. */
  labels: readonly (readonly string[])[]
}

/** A stock's token, bought on the router, and the feed that says what it costs. */
export interface Stock {
  token: Address
  decimals: number
  /** Chainlink's form: what one whole token costs in the chain's own coin. */
  feed: Address
}

export interface LootboxConfig {
  /** Who is paid, and pays prizes: see contracts/src/PrizePool.sol. */
  pool: Address
  rewardToken: Address
  /** In wei. */
  price: string
  prizes: Prize[]
  /** What a free spin wins: the reward token, all of it. */
  spinPrizes: Prize[]
  /** How many free spins there are a UTC day, of all wallets together. */
  spinDailyLimit: number
  /** Where a post has to stand for a free spin; none, and there are no free spins. */
  shareProviders: ShareProvider[]
  stocks: ReadonlyMap<string, Stock>
  /** The router's token for the chain's own coin, which every swap begins with. */
  weth: Address
  /** How much more than the feed says a swap may cost, of 10000. */
  slippageBps: number
}
