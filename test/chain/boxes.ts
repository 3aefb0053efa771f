import { sha256, type Address, type Hex } from 'viem'
import { boxNftAbi } from '../../src/chain/abi.ts'
import { tokenAbi } from '../../src/chain/foreign-abi.ts'
import { pass, Player, post } from '../workers/support.ts'
import {
  AWARD_ADDRESS,
  BOX_NFT_ADDRESS,
  BOX_PEPPER,
  BOX_SIGNER,
  OWNER,
  REWARD_TOKEN_ADDRESS,
} from './accounts.ts'
import { chain, deploy, mined, write } from './support.ts'

export const box = { address: BOX_NFT_ADDRESS, abi: boxNftAbi } as const

export const rewardToken = { address: REWARD_TOKEN_ADDRESS, abi: tokenAbi } as const

/** The price of a box, in wei. */
export const BOX_PRICE = 10n ** 16n

const alice = new Player(0)

/** Deploys the contracts of the boxes where the service expects them. */
export async function deployBoxContracts(): Promise<void> {
  await deploy('RewardToken', [OWNER.address, 10n ** 24n])
  await deploy('BoxNft', [OWNER.address, BOX_SIGNER.address, REWARD_TOKEN_ADDRESS])
}

/** Funds the prizes and puts one kind of box on sale. */
export async function sellBoxes(tiers: { bps: number; prize: bigint }[]): Promise<void> {
  await write(rewardToken, 'mint', [AWARD_ADDRESS, 10n ** 22n])
  await write(box, 'addKind', [BOX_PRICE, tiers])
  await write(box, 'openBatch', [sha256(`0x${BOX_PEPPER}`)])
  await chain.mine({ blocks: 1 })
}

export const actOnBox = (action: string, fields: object) =>
  post('/api/lootbox-nft', { action, ...fields })

/** Plays the wallet's prompt: signs and sends the transaction prepared by the API. */
export async function prompt(
  { to, data, value }: { to: Address; data: Hex; value: string },
  { account }: Player = alice,
): Promise<void> {
  await mined(chain.sendTransaction({ account, to, data, value: BigInt(value) }))
  pass(2_000)
}
