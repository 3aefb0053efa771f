import { env } from 'cloudflare:workers'
import { expect, it, vi } from 'vitest'
import { Terms } from '../../durable-objects/ledger/terms.ts'
import { ledger } from '../../src/objects.ts'
import { fundedPlayer, useStories, type Player } from './support.ts'

useStories()

const entriesOf = async ({ wallet }: Player) => {
  const audit = await ledger(env, wallet).verify()
  return audit.ok ? audit.entries : audit.problem
}

/** Makes the next operation fail right after its entry is stored. */
function failAfterEntry(): void {
  vi.spyOn(Terms.prototype, 'follow').mockImplementationOnce(() => {
    throw new Error('the disk is full')
  })
}

it('an entry that is all that its operation writes stands, and answers the repeated call', async () => {
  const player = await fundedPlayer(0)
  await player.play({ nonce: 0 })
  failAfterEntry()
  expect((await player.play({ nonce: 1 })).status).toBe(500)
  const repeated = await player.play({ nonce: 1 })
  expect([repeated.status, repeated.body.nonce]).toEqual([200, 1])
  expect(await entriesOf(player)).toBe(3)
})

it('an entry that begins with other rows is undone with them', async () => {
  const player = await fundedPlayer(0)
  failAfterEntry()
  expect((await player.play({ nonce: 0 })).status).toBe(500)
  expect(await entriesOf(player)).toBe(1)
  expect((await player.play({ nonce: 0 })).status).toBe(200)
  expect(await entriesOf(player)).toBe(2)
})
