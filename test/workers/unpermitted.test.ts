import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { ledger } from '../../src/calls/objects.ts'
import { DEV_PARTNER, OTHER_DEV_PARTNER } from '../../src/cli/shared/dev-partners.ts'
import { DAY_MS } from '../../src/core/utc-day.ts'
import { grant, Platform } from './partner.ts'
import { fundedPlayer, outcomeOf, pass, restart, useStories, type Player } from './support.ts'

useStories()

/** A partner that needs its players' permission, and has none. */
const stranger = new Platform(OTHER_DEV_PARTNER)
const implied = new Platform(DEV_PARTNER)

const DONE = [200, undefined]
const TOO_MANY = [429, 'rate_limited']

let alice: Player

/** Alice's journal is just long enough for the entries to be counted, of which five are allowed. */
beforeEach(async () => {
  vi.spyOn(console, 'log').mockImplementation(() => {})
  const capacity = await import('../../src/ledger/capacity.ts')
  vi.spyOn(capacity, 'MAX_UNPERMITTED_ENTRIES', 'get').mockReturnValue(5)
  alice = await fundedPlayer(0)
  for (let count = 0; count < 4; count++) expect((await alice.play()).status).toBe(200)
})

const entries = async () => (await ledger(env, alice.wallet).standing(0)).seq

async function makeFive(): Promise<void> {
  for (let count = 0; count < 5; count++)
    expect(outcomeOf(await stranger.rollBack(alice, `never-${count}`))).toEqual(DONE)
}

describe('without the player’s permission, a partner', () => {
  it('makes a limited number of entries a day, of whatever kind, even after a restart', async () => {
    const before = await entries()
    const zero = () => stranger.transact(alice, '0', { partnerTransactionId: 'zero' })
    const first = await zero()
    expect(outcomeOf(first)).toEqual(DONE)
    expect(outcomeOf(await stranger.rollBack(alice, 'never-was'))).toEqual(DONE)
    expect(outcomeOf(await stranger.rollBack(alice, 'never-was'))).toEqual(DONE)
    const tooMuch = await stranger.transact(alice, '999999999')
    expect(outcomeOf(tooMuch)).toEqual([422, 'payout_limit'])
    expect(outcomeOf(await stranger.transact(alice, '0.000001'))).toEqual(DONE)
    await restart()
    const refused = await stranger.rollBack(alice, 'never-was-either')
    expect(outcomeOf(refused)).toEqual(TOO_MANY)
    expect(refused.headers.get('retry-after')).toBe('3600')
    for (const amount of ['0', '0.000001', '999999999'])
      expect(outcomeOf(await stranger.transact(alice, amount))).toEqual(TOO_MANY)
    expect(await entries()).toBe(before + 5)
    expect((await zero()).text).toBe(first.text)
  })

  it('goes on the next day under the same id', async () => {
    await makeFive()
    const call = () => stranger.rollBack(alice, 'spin', { partnerTransactionId: 'undo' })
    expect(outcomeOf(await call())).toEqual(TOO_MANY)
    pass(DAY_MS)
    expect(outcomeOf(await call())).toEqual(DONE)
  })

  it('goes on once the player has permitted its debits', async () => {
    await makeFive()
    const call = () => stranger.transact(alice, '0', { partnerTransactionId: 'zero' })
    expect(outcomeOf(await call())).toEqual(TOO_MANY)
    await grant(alice)
    expect(outcomeOf(await call())).toEqual(DONE)
    await makeFive()
  })

  it('still takes back what it has credited, but only once', async () => {
    const credit = { partnerTransactionId: 'win' }
    expect(outcomeOf(await stranger.transact(alice, '5', credit))).toEqual(DONE)
    for (let count = 0; count < 4; count++) await stranger.transact(alice, '0')
    expect(outcomeOf(await stranger.transact(alice, '0'))).toEqual(TOO_MANY)
    const { body } = await stranger.rollBack(alice, 'win')
    expect(body.balanceBefore - body.balance).toBe(5)
    expect(outcomeOf(await stranger.rollBack(alice, 'win'))).toEqual(TOO_MANY)
  })

  it('leaves all calls to a partner that needs no permission', async () => {
    await makeFive()
    for (let count = 0; count < 7; count++)
      expect(outcomeOf(await implied.transact(alice, '0'))).toEqual(DONE)
  })
})
