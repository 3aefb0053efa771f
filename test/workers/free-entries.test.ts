import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { ledger } from '../../src/calls/objects.ts'
import { DAY_MS, MINUTE_MS } from '../../src/core/utc-day.ts'
import { MAX_FREE_ENTRIES } from '../../src/ledger/capacity.ts'
import { ask, DOLLAR, DONE, limitsOf, setLimit } from './limits.ts'
import { grant, permissionOf, revoke } from './partner.ts'
import { audit, outcomeOf, pass, Player, useStories, type Answer } from './support.ts'

useStories()

const TOO_MANY = [429, 'rate_limited']

const entriesOf = async (player: Player) => (await ledger(env, player.wallet).position())?.version

const remind = (player: Player, minutes: number) => ask(player, 'reality-check', { minutes })

/** Returns a player with one smallest unit, who has changed their limits as often as a day allows. */
async function changedOften(): Promise<Player> {
  const alice = await new Player(0).fund('1')
  for (let times = 0; times < MAX_FREE_ENTRIES; times++)
    expect(outcomeOf(await remind(alice, times % 2 ? 30 : 15))).toEqual(DONE)
  return alice
}

describe('a wallet with chips', () => {
  it('changes its limits a number of times in 24 hours', async () => {
    const alice = await changedOften()
    const entries = await entriesOf(alice)
    pass(DAY_MS - 1_000)
    const refused = await remind(alice, 60)
    expect(outcomeOf(refused)).toEqual(TOO_MANY)
    expect(refused.body.error.details).toEqual({ retryAfterSeconds: 1 })
    expect(await entriesOf(alice)).toBe(entries)
    pass(1_000)
    expect(outcomeOf(await remind(alice, 60))).toEqual(DONE)
    expect(await audit(alice)).toMatchObject({ ok: true })
  })

  it('can still tighten its limits once a minute, and exclude itself at any time', async () => {
    const alice = await changedOften()
    const tighten: (() => Promise<Answer>)[] = [
      () => setLimit(alice, 'loss', DOLLAR),
      () => setLimit(alice, 'loss', '1'),
      () => remind(alice, 1),
    ]
    for (const change of tighten) {
      const refused = await change()
      expect(outcomeOf(refused)).toEqual(TOO_MANY)
      expect(refused.body.error.details).toEqual({ retryAfterSeconds: MINUTE_MS / 1_000 })
      pass(MINUTE_MS)
      expect(outcomeOf(await change())).toEqual(DONE)
    }
    expect(outcomeOf(await ask(alice, 'exclude', { days: 1 }))).toEqual(DONE)
    expect(outcomeOf(await ask(alice, 'exclude', { days: 30 }))).toEqual(TOO_MANY)
    expect(outcomeOf(await ask(alice, 'exclude', { days: null }))).toEqual(DONE)
    pass(MINUTE_MS)
    expect(outcomeOf(await ask(alice, 'exclude', { days: 30 }))).toEqual(DONE)
    expect(outcomeOf(await ask(alice, 'remove', { kind: 'exclusion' }))).toEqual(TOO_MANY)
    expect(outcomeOf(await setLimit(alice, 'loss', DOLLAR))).toEqual(TOO_MANY)
    expect(await limitsOf(alice)).toMatchObject({
      excluded: true,
      limits: [{ amountWei: '1', pending: null }],
    })
  })

  it('changes a permission as often, and can always revoke it', async () => {
    const alice = await new Player(0).fund('1')
    for (let times = 1; times < MAX_FREE_ENTRIES; times++) await revoke(alice)
    expect(outcomeOf(await grant(alice))).toEqual(DONE)
    expect(outcomeOf(await grant(alice))).toEqual(TOO_MANY)
    expect((await revoke(alice)).body.permission.expiresAt).toBeNull()
    const nonce = MAX_FREE_ENTRIES + 1
    expect(await permissionOf(alice)).toMatchObject({ nonce })
    await revoke(alice)
    expect(await permissionOf(alice)).toMatchObject({ nonce })
    pass(MINUTE_MS)
    await revoke(alice)
    expect(await permissionOf(alice)).toMatchObject({ nonce: nonce + 1 })
    expect(outcomeOf(await setLimit(alice, 'loss', DOLLAR))).toEqual(DONE)
    pass(DAY_MS)
    expect(outcomeOf(await grant(alice))).toEqual(DONE)
  })
})
