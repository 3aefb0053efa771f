import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { sweep } from '../../src/sweep.ts'
import { loggedOf } from '../workers/public-log.ts'
import { get, Player } from '../workers/support.ts'
import { AWARD_ADDRESS, BOX_NFT_ADDRESS, LOOTBOX } from './accounts.ts'
import { deployBoxContracts } from './boxes.ts'
import { useChain } from './support.ts'

useChain()

it('shows with every game the terms that the public log has in full', async () => {
  await deployBoxContracts()
  await sweep(env)
  const [logged, ...others] = await loggedOf('terms')
  expect(others).toEqual([])
  const { price, prizes, spinPrizes, spinDailyLimit } = LOOTBOX
  expect(logged?.['terms']).toMatchObject({
    lootbox: { price, prizes, spinPrizes, spinDailyLimit },
    boxes: { contract: BOX_NFT_ADDRESS, award: AWARD_ADDRESS, chainId: 31_337 },
  })
  const alice = new Player(0)
  const terms = { hash: logged?.id, autoplay: true, minPlayMs: 0 }
  expect((await alice.state()).body.config.terms).toEqual(terms)
  for (const path of ['entropy', 'lootbox', `lootbox-nft?wallet=${alice.wallet}`]) {
    const { status, body } = await get(`/api/${path}`)
    expect({ path, status, terms: body['terms'] }).toEqual({ path, status: 200, terms })
  }
})
