import { TOKENS } from '../../money/token.ts'
import { depositForAll, mintUsdg, type Deployment } from '../deploy-contracts/contracts.ts'
import { readAmount } from '../shared/amounts.ts'
import { ChainWallet } from '../shared/chain-wallet.ts'
import { devPartnerKeys } from '../shared/dev-partners.ts'
import {
  devBoxSigner,
  devOwner,
  devPlayers,
  devProtocolWallet,
  devRelayer,
} from '../shared/dev-players.ts'
import { newReceiptKeys } from '../shared/receipt-keys.ts'
import type { Prizes } from './deploy-prizes.ts'

/** The house's funding. */
const HOUSE_WEI = { ETH: readAmount('100000', 'ETH'), USDG: readAmount('50000000', 'USDG') }

/** The USDG that each player starts with, before the first deposit. */
const PLAYER_USDG = readAmount('1000000', 'USDG')

/** Each player's first deposit. */
export const WELCOME_WEI = { ETH: readAmount('10', 'ETH'), USDG: readAmount('10000', 'USDG') }

/** Returns the Worker's variables for its chain and partners, with development keys. */
export function varsOf({ chainId, rpcUrl, address, usdg, startBlock }: Deployment) {
  return {
    CHAIN_ID: String(chainId),
    CHAIN_RPC_URL: rpcUrl,
    VAULT_ADDRESS: address,
    USDG_ADDRESS: usdg,
    VAULT_START_BLOCK: String(startBlock),
    RELAYER_PRIVATE_KEY: devRelayer().privateKey,
    PARTNER_KEYS: devPartnerKeys(),
    RECEIPT_KEYS: newReceiptKeys(),
  }
}

/** Returns the Worker's variables for the lootbox, the boxes and ad rental. */
export function prizeVarsOf(prizes: Prizes) {
  const { pool, rewardToken, weth, stock, feed, boxNft, award, boxPepper } = prizes
  return {
    LOOTBOX_POOL: pool,
    REWARD_TOKEN_ADDRESS: rewardToken,
    WETH_ADDRESS: weth,
    LOOTBOX_STOCKS: JSON.stringify({ STK: { token: stock, decimals: 18, feed } }),
    BOX_NFT_ADDRESS: boxNft,
    AWARD_ADDRESS: award,
    BOX_SIGNER_KEY: devBoxSigner().privateKey,
    BOX_PEPPERS: JSON.stringify({ 1: boxPepper }),
    PROTOCOL_WALLET: devProtocolWallet().address,
  }
}

/** Makes the local site the only one with eligible posts. */
export function shareProviders(posts: string): string {
  const { host } = new URL(posts)
  const postPath = '^/[^/]+/status/([0-9]+)$'
  return JSON.stringify([{ name: 'local', hosts: [host], postPath, endpoint: `${posts}/oembed` }])
}

/** Gives the house and the players their tokens, and makes the first deposits. */
export async function handOut(vault: Deployment): Promise<void> {
  const [owner, players] = [devOwner(), devPlayers()]
  await mintUsdg(vault, owner, [
    { to: owner.address, amountWei: HOUSE_WEI.USDG },
    ...players.map(({ address }) => ({ to: address, amountWei: PLAYER_USDG })),
  ])
  const house = new ChainWallet(vault, owner.privateKey)
  const fund = async () => {
    for (const token of TOKENS) await house.fund(token, HOUSE_WEI[token])
  }
  await Promise.all([fund(), depositForAll(vault, players, WELCOME_WEI)])
}
