import { describe, expect, it } from 'vitest'
import { startIsolate, type Isolate } from '../workers/isolate.ts'
import { pass, Player } from '../workers/support.ts'
import { deployBoxContracts, sellBoxes } from './boxes.ts'
import { chain, mined, useChain } from './support.ts'

useChain()

describe("an isolate's cache of the boxes", () => {
  it('is at most a second old', async () => {
    await deployBoxContracts()
    await sellBoxes([{ bps: 10_000, prize: 1n }])
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
