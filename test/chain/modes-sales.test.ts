import { describe, expect, it } from 'vitest'
import { setModes } from '../workers/operator.ts'
import { codeOf, get, outcomeOf, Player, post } from '../workers/support.ts'
import { actOnBox, deployBoxContracts, sellBoxes } from './boxes.ts'
import { open, payPool, useLootbox, work } from './lootbox.ts'
import { useChain } from './support.ts'

useChain()

const alice = new Player(0)

describe('a closed lootbox', () => {
  useLootbox()

  it('says so, takes no free spin, and honours a payment that was made', async () => {
    await setModes('lootbox=closed')
    expect((await get('/api/lootbox')).body.mode).toBe('closed')
    const spun = await post('/api/lootbox', {
      action: 'share-spin',
      wallet: alice.wallet,
      authSig: await alice.authSig(),
      postUrl: 'http://posts.test/alice/status/1',
    })
    expect(outcomeOf(spun)).toEqual([503, 'closed'])
    const txHash = await payPool(alice)
    await work(txHash)
    expect((await open(txHash)).status).toBe(200)
  })
})

it('boxes are not sold while their sale drains', async () => {
  await deployBoxContracts()
  await sellBoxes([{ bps: 10_000, prize: 1n }])
  const buy = () => actOnBox('buy', { kind: 0, wallet: alice.wallet })
  expect((await buy()).status).toBe(200)
  await setModes('boxes=draining')
  expect(codeOf(await buy())).toBe('closed')
})
