import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { ledger } from '../../src/calls/objects.ts'
import { MINUTE_MS } from '../../src/core/utc-day.ts'
import { LEAD_MS } from '../../src/operator/modes.ts'
import { sweep } from '../../src/sweep.ts'
import { bringBack, stateOf } from '../workers/ledger-states.ts'
import { now, outcomeOf, pass, ringLedger } from '../workers/support.ts'
import { count, failing, settle } from './solvency.ts'
import { depositor, fundHouse, useChain } from './support.ts'

useChain()

it('the leaf of a ledger that has gone back is what D1 knew of it, and its wallet is closed', async () => {
  await fundHouse('USDG', 1_000_000_000n)
  await sweep(env)
  const alice = await depositor(0)
  const state = await stateOf(alice.wallet)
  for (let nonce = 0; nonce < 5; nonce++) expect((await alice.play({ nonce })).status).toBe(200)
  const { version: seq } = (await ledger(env, alice.wallet).position())!
  const chips = await alice.chips()
  const receipts = [{ seq, at: now() }]
  await settle(alice)
  await bringBack(alice.wallet, state)
  pass(MINUTE_MS)
  const { owed } = await count()
  expect(owed.USDG).toBe(chips)
  expect(await failing(alice, { receipts })).toEqual([])
  await ringLedger(alice)
  pass(LEAD_MS)
  expect(outcomeOf(await alice.play())).toEqual([503, 'closed'])
})
