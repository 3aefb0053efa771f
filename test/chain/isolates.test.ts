import { sha256 } from 'viem'
import { describe, expect, it } from 'vitest'
import { boxNftAbi } from '../../src/chain/abi.ts'
import { startIsolate, type Isolate } from '../workers/isolate.ts'
import { pass, Player, useStories } from '../workers/support.ts'
import { BOX_NFT_ADDRESS, BOX_PEPPER, BOX_SIGNER, OWNER, REWARD_TOKEN_ADDRESS } from './accounts.ts'
import { chain, deploy, mined, useChain } from './support.ts'

useStories()
useChain()

const box = { address: BOX_NFT_ADDRESS, abi: boxNftAbi, account: OWNER } as const

/** Deploys the box contracts where the service expects them, with one kind on sale. */
async function deployBoxes(): Promise<void> {
  await mined(deploy('RewardToken', [OWNER.address, 10n ** 24n]))
  await mined(deploy('BoxNft', [OWNER.address, BOX_SIGNER.address]))
  await mined(deploy('Award', [OWNER.address, BOX_NFT_ADDRESS, REWARD_TOKEN_ADDRESS]))
  const args = [10n ** 16n, [{ bps: 10_000, prize: 1n }]] as const
  await mined(chain.writeContract({ ...box, functionName: 'addKind', args }))
  const pepperHash = sha256(`0x${BOX_PEPPER}`)
  await mined(chain.writeContract({ ...box, functionName: 'openBatch', args: [pepperHash] }))
  await chain.mine({ blocks: 1 })
}

describe("an isolate's cache of the boxes", () => {
  it('is at most a second old', async () => {
    await deployBoxes()
    const [first, second] = [await startIsolate(), await startIsolate()]
    const { account, wallet } = new Player(0)
    const states = async ({ call }: Isolate) => {
      const { body } = await call(`/api/lootbox-nft?wallet=${wallet}`)
      return body.boxes.map(({ state }: { state: string }) => state)
    }
    expect(await states(first)).toEqual([])
    const { body } = await first.post('/api/lootbox-nft', { action: 'buy', kind: 0, wallet })
    const { to, data, value } = body.tx
    await mined(chain.sendTransaction({ account, to, data, value: BigInt(value) }))
    expect(await states(second)).toEqual(['closed'])
    pass(1_000)
    for (const isolate of [first, second]) expect(await states(isolate)).toEqual(['closed'])
  })
})
