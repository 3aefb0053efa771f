import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { Segments } from '../../durable-objects/ledger/segments.ts'
import { Terms } from '../../durable-objects/ledger/terms.ts'
import { ledger } from '../../src/objects.ts'
import { fundedPlayer, openRound, useStories, type Answer, type Player } from './support.ts'

useStories()

const entriesOf = async ({ wallet }: Player) => {
  const audit = await ledger(env, wallet).verify()
  return audit.ok ? audit.entries : audit.problem
}

/** Makes the next entry fail right after it is stored. */
function failAfterEntry(): void {
  const real = Segments.prototype.append
  vi.spyOn(Segments.prototype, 'append').mockImplementationOnce(function (this: Segments, entry) {
    real.call(this, entry)
    throw new Error('the ledger failed')
  })
}

describe('an entry that is its operation’s only write', () => {
  it.each<[string, (player: Player) => Promise<Answer>]>([
    ['a play', (player) => player.play({ nonce: 1 })],
    ['a bet', (player) => player.bet('1000000')],
  ])(
    'stands if its ledger fails right after it, and %s is answered when repeated',
    async (_what, call) => {
      const player = await fundedPlayer(0)
      await openRound()
      await player.play({ nonce: 0 })
      const before = await entriesOf(player)
      failAfterEntry()
      expect((await call(player)).status).toBe(500)
      const first = await call(player)
      expect(first.status).toBe(200)
      expect(await call(player)).toMatchObject({ status: 200 })
      expect(await entriesOf(player)).toBe(Number(before) + 1)
    },
  )
})

describe('an entry that is not its operation’s only write', () => {
  it('is undone with the others', async () => {
    const player = await fundedPlayer(0)
    const before = await entriesOf(player)
    vi.spyOn(Terms.prototype, 'follow').mockImplementationOnce(() => {
      throw new Error('the disk is full')
    })
    expect((await player.play({ nonce: 0 })).status).toBe(500)
    expect(await entriesOf(player)).toBe(before)
    expect((await player.play({ nonce: 0 })).status).toBe(200)
  })
})
