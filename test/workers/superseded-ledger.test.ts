import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, it, vi } from 'vitest'
import type { Ledger } from '../../durable-objects/ledger.ts'
import { ledger } from '../../src/calls/objects.ts'
import { fundedPlayer, ringLedger, useStories } from './support.ts'

useStories()

/** An entry that only a successor of the instance can have written. */
const LATER = 1_000

/** Seed 70133 of reference/simulation-results.md. */
it('a ledger that lacks what D1 has says so once that is stored, which a superseded instance cannot', async () => {
  const alice = await fundedPlayer(0)
  const stub = ledger(env, alice.wallet)
  const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
  await runInDurableObject(stub, async (instance: Ledger, { storage }) => {
    const transact = vi.spyOn(Object.getPrototypeOf(storage) as typeof storage, 'transactionSync')
    transact.mockImplementation(() => {
      throw new Error('a newer instance has taken over')
    })
    await expect(instance.position(LATER)).rejects.toThrow('taken over')
    transact.mockRestore()
  })
  await ringLedger(alice)
  expect(logged.mock.calls.join()).not.toContain('ledger_went_back')
  expect((await alice.bet('1000000')).status).toBe(200)
  await stub.position(LATER)
  await ringLedger(alice)
  expect(logged.mock.calls.join()).toContain('ledger_went_back')
})
