import { CHAIN } from '../chain/addresses.ts'
import { BOXES } from '../chain/box-state.ts'
import { CONFIRMATIONS } from '../chain/depths.ts'
import { LOOTBOX } from '../chain/pool-state.ts'
import { PARTNER_LIMITS } from '../invariants/partners.ts'
import type { Peppers } from './peppers.ts'
import type { Random } from './random.ts'
import { PROVIDER } from './share-site.ts'

/** The limits of one token, in smallest units. */
interface TokenLimits {
  min: string
  max: string
  maxPayout: string
}

/** The published limits of rounds and games. */
export interface Limits {
  CRASH_LIMITS: Record<string, TokenLimits & { maxRoundPayout: string }>
  ENTROPY_LIMITS: Record<string, TokenLimits>
  /** As text in multiples; that of local play if it is not set. */
  CRASH_MIN_FORCED_MULTIPLIER?: string
}

/** Low enough in USDG that players' usual stakes meet each of them. */
const TIGHT = {
  round: { max: '50000000', maxPayout: '55000000', maxRoundPayout: '81000000' },
  play: { max: '2500000', maxPayout: '3000000' },
}

/** Low enough that two bets of a round reach its limit in an ordinary flight. */
const TIGHT_MULTIPLIER = '1.01'

/** The share of histories with limits that many stakes meet. */
const TIGHT_LIMITS = 0.3

/** Returns whether the limits of a history are ones that usual stakes meet. */
export function hasTightLimits(random: Random): boolean {
  return random.chance('has tight limits', TIGHT_LIMITS)
}

/** Returns the limits of local play, or tight ones. */
export function limitVars(vars: Record<string, unknown>, areTight: boolean): Limits {
  // A setting of one part has none.
  const { CRASH_LIMITS = {}, ENTROPY_LIMITS = {} } = vars as Partial<Limits>
  if (!areTight) return { CRASH_LIMITS, ENTROPY_LIMITS }
  const [round, play] = [CRASH_LIMITS['USDG'], ENTROPY_LIMITS['USDG']]
  return {
    CRASH_LIMITS: { ...CRASH_LIMITS, ...(round && { USDG: { ...round, ...TIGHT.round } }) },
    ENTROPY_LIMITS: { ...ENTROPY_LIMITS, ...(play && { USDG: { ...play, ...TIGHT.play } }) },
    CRASH_MIN_FORCED_MULTIPLIER: TIGHT_MULTIPLIER,
  }
}

/** Returns the configuration of a vault. */
export function vaultVars(relayerKey: string): object {
  return {
    CHAIN_RPC_URL: CHAIN.rpcUrl,
    CHAIN_CONFIRMATIONS: String(CONFIRMATIONS),
    VAULT_ADDRESS: CHAIN.vault,
    USDG_ADDRESS: CHAIN.usdg,
    RELAYER_PRIVATE_KEY: relayerKey,
  }
}

/** Returns the configuration of boxes, with the peppers that the operator has deployed last. */
export function boxVars(signerKey: string, { variable }: Peppers): object {
  return {
    BOX_NFT_ADDRESS: BOXES.contract,
    AWARD_ADDRESS: BOXES.award,
    BOX_SIGNER_KEY: signerKey,
    BOX_PEPPERS: variable,
  }
}

/** Returns the partners, each of which needs the players' permission and may owe little. */
export function consenting(partners: object): object {
  const maxDebt = { ETH: '0', USDG: PARTNER_LIMITS.debtWei.toString() }
  const required = Object.entries(partners).map(([id, partner]) => [
    id,
    { ...(partner as object), consent: 'required', maxDebt },
  ])
  return Object.fromEntries(required)
}

/** Returns a lootbox with prizes of both kinds, some of which the pool cannot pay at first. */
export function lootboxVars(offer: object): object {
  const prize = (bps: number, asset: string, amountWei: string) => ({
    bps,
    label: `${asset} ${bps}`,
    asset,
    amountWei,
  })
  return {
    LOOTBOX_POOL: LOOTBOX.pool,
    PROTOCOL_WALLET: LOOTBOX.protocolWallet,
    AD_TIERS: [{ days: 1, label: 'One day', priceWei: LOOTBOX.adPriceWei.toString() }],
    REWARD_TOKEN_ADDRESS: LOOTBOX.reward,
    WETH_ADDRESS: LOOTBOX.weth,
    SHARE_PROVIDERS: [PROVIDER],
    LOOTBOX: {
      ...offer,
      price: LOOTBOX.priceWei.toString(),
      prizes: [
        prize(4_000, 'REWARD', '5000000000000000000'),
        prize(3_000, 'ETH', '2000000000000000'),
        prize(2_000, 'ETH', '15000000000000000'),
        prize(1_000, 'REWARD', '90000000000000000000'),
      ],
    },
  }
}
