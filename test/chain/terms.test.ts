import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { announceTerms } from '../../src/calls/log-terms.ts'
import type { Receipt } from '../../src/receipts/claims.ts'
import { parseJws, type Jws } from '../../src/receipts/jws.ts'
import { startIsolate } from '../workers/isolate.ts'
import { loggedOf } from '../workers/public-log.ts'
import { get, Player } from '../workers/support.ts'
import { AWARD_ADDRESS, BOX_NFT_ADDRESS, LOOTBOX } from './accounts.ts'
import { deployBoxContracts } from './boxes.ts'
import { depositor, signWithdrawal, useChain, withdraw } from './support.ts'

useChain()

it('shows with every game the terms that the public log has in full', async () => {
  await deployBoxContracts()
  // Other bindings, because an isolate announces its terms once.
  await announceTerms({ ...env }, {})
  const [logged, ...others] = await loggedOf('terms')
  expect(others).toEqual([])
  const { price, prizes, spinPrizes, spinDailyLimit } = LOOTBOX
  expect(logged?.['terms']).toMatchObject({
    lootbox: { price, prizes, spinPrizes, spinDailyLimit },
    boxes: { contract: BOX_NFT_ADDRESS, award: AWARD_ADDRESS, chainId: 31_337 },
  })
  const alice = new Player(0)
  const terms = { hash: logged?.id, autoplay: true, funChips: true, minPlayMs: 0 }
  expect((await alice.state()).body.config.terms).toEqual(terms)
  for (const path of ['entropy', 'lootbox', `lootbox-nft?wallet=${alice.wallet}`]) {
    const { status, body } = await get(`/api/${path}`)
    expect({ path, status, terms: body['terms'] }).toEqual({ path, status: 200, terms })
  }
})

it('repeats the receipt of a withdrawal under the terms that it was accepted under', async () => {
  const after = await startIsolate()
  const alice = await depositor(0, 'USDG', 10n ** 9n)
  const termsOf = ({ receipt }: { receipt: string | null }) => {
    const { payload } = parseJws(String(receipt)) as Jws
    return (payload as Receipt).terms
  }
  const order = { token: 'USDG', amountWei: 10n ** 8n, nonce: 0 } as const
  const signature = await signWithdrawal(alice, order)
  const accepted = await withdraw(alice, { ...order, signature })
  const { wallet } = alice
  const body = JSON.stringify({
    action: 'withdraw',
    wallet,
    authSig: await alice.authSig(),
    ...order,
    amountWei: '100000000',
    signature,
  })
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body }
  const repeated = await after.call('/api/crash', init, { ENTROPY_EDGE_BPS: '200' })
  expect(repeated.status).toBe(200)
  expect(termsOf(repeated)).toBe(termsOf(accepted))
  const { body: present } = await after.call('/api/entropy', undefined, { ENTROPY_EDGE_BPS: '200' })
  expect(present.terms.hash).not.toBe(termsOf(accepted))
})
