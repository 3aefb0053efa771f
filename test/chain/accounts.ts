import { getContractAddress, toHex, type Hex } from 'viem'
import type { HDAccount } from 'viem/accounts'
import { account } from '../shared/mnemonic.ts'

export { account }

export const OWNER = account(8)
export const RELAYER = account(9)

export function privateKeyOf({ getHdKey }: HDAccount): Hex {
  return toHex(getHdKey().privateKey ?? new Uint8Array())
}

/** The contracts that the owner's first two transactions on a fresh chain deploy. */
export const USDG_ADDRESS = getContractAddress({ from: OWNER.address, nonce: 0n })
export const VAULT_ADDRESS = getContractAddress({ from: OWNER.address, nonce: 1n })

/** Signs the tier and prize of a box. */
export const BOX_SIGNER = account(6)

/** The pepper of the first batch of boxes. */
export const BOX_PEPPER = 'b0'.repeat(32)
/** The pepper of the second batch. */
export const NEXT_BOX_PEPPER = 'ab'.repeat(32)

/** The contracts that the owner's next two transactions deploy in stories with boxes. */
export const REWARD_TOKEN_ADDRESS = getContractAddress({ from: OWNER.address, nonce: 2n })
export const BOX_NFT_ADDRESS = getContractAddress({ from: OWNER.address, nonce: 3n })

/** The contract that the boxes deploy. */
export const AWARD_ADDRESS = getContractAddress({ from: BOX_NFT_ADDRESS, nonce: 1n })

/** The contracts deployed next in stories with a lootbox, after the reward token. */
export const WETH_ADDRESS = getContractAddress({ from: OWNER.address, nonce: 3n })
export const FACTORY_ADDRESS = getContractAddress({ from: OWNER.address, nonce: 4n })
export const ROUTER_ADDRESS = getContractAddress({ from: OWNER.address, nonce: 5n })
export const POOL_ADDRESS = getContractAddress({ from: OWNER.address, nonce: 6n })
export const STOCK_ADDRESS = getContractAddress({ from: OWNER.address, nonce: 7n })
export const FEED_ADDRESS = getContractAddress({ from: OWNER.address, nonce: 8n })

/** One prize of each kind. */
export const LOOTBOX = {
  price: '10000000000000000',
  prizes: [
    { bps: 4_000, label: 'Reward', asset: 'REWARD', amountWei: '5000000000000000000' },
    { bps: 3_000, label: 'Coin', asset: 'ETH', amountWei: '15000000000000000' },
    { bps: 3_000, label: 'Stock', asset: 'STK', amountWei: '2000000000000000000' },
  ],
  spinDailyLimit: 3,
  spinPrizes: [
    { bps: 9_000, label: 'Small', asset: 'REWARD', amountWei: '1000000000000000000' },
    { bps: 1_000, label: 'Large', asset: 'REWARD', amountWei: '10000000000000000000' },
  ],
}

/** The author whose posts win a free spin. */
export const POSTS = {
  name: 'posts',
  hosts: ['posts.test'],
  postPath: '^/[^/]+/status/([0-9]+)$',
  endpoint: 'http://posts.test/oembed',
}
