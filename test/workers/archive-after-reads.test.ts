import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { ledger } from '../../src/calls/objects.ts'
import { archived, play, useShortSegments } from './archive.ts'
import { changeConfig } from './configuration.ts'
import { fundedPlayer, pass, ringLedger, useStories, type Player } from './support.ts'

useStories()
useShortSegments(60)
let alice: Player
beforeEach(async () => {
  alice = await fundedPlayer(0)
})

describe('full segments go to the archive', () => {
  it.each<[string, () => Promise<unknown>]>([
    [
      'after a stranger has looked at the newest plays',
      () => ledger(env, alice.wallet).newestPlays({ game: null, limit: 1 }),
    ],
    [
      'after their player has looked at an older page of activity',
      () => ledger(env, alice.wallet).activity({ kind: null, before: 40, limit: 5 }),
    ],
  ])('%s', async (_when, look) => {
    await play(alice, 150)
    pass(660_000)
    await look()
    await ringLedger(alice)
    expect(await archived(alice)).toBe(2)
  })

  it('while their player goes on playing where plays take a least time', async () => {
    changeConfig({ minPlayMs: 2_500 })
    for (let plays = 0; plays < 150; plays++) {
      pass(2_500)
      expect((await alice.play()).status).toBe(200)
    }
    pass(660_000)
    expect((await alice.play()).status).toBe(200)
    await ringLedger(alice)
    expect(await archived(alice)).toBe(2)
  })
})
