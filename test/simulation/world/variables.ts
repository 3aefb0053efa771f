import { CHAIN } from '../chain/addresses.ts'
import { BOXES } from '../chain/box-state.ts'
import { CONFIRMATIONS } from '../chain/depths.ts'
import { LOOTBOX } from '../chain/pool-state.ts'
import { PARTNER_LIMITS } from '../invariants/partners.ts'
import type { Peppers } from './peppers.ts'
import { PROVIDER } from './share-site.ts'

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
