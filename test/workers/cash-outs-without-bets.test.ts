import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { ledger } from '../../src/calls/objects.ts'
import { startIsolate } from './isolate.ts'
import {
  codeOf,
  fundedPlayer,
  isBlankObject,
  openRound,
  pass,
  Player,
  setTime,
  useStories,
} from './support.ts'

useStories()

/** Cash-outs of a flight through one isolate, from a network that may send one without a bet in ten seconds. */
async function limitedFlight() {
  const isolate = await startIsolate()
  const plan = await openRound({ min: 1_000 })
  const alice = await fundedPlayer(0)
  await alice.bet('100000000')
  setTime(plan.flightAt + 1_000)
  await isolate.watch()
  let left = 1
  const limit = async ({ key }: { key: string }) => ({
    success: key !== 'betless 2001:db8:1' || left-- > 0,
  })
  const round = vi.fn<typeof env.CRASH_ROUND.getByName>((...name) =>
    env.CRASH_ROUND.getByName(...name),
  )
  const vars = { MONEY_CALLS: { limit }, CRASH_ROUND: { getByName: round } }
  const cashOut = async (player: Player, address = '2001:db8:1:1::1', others: object = {}) => {
    const { wallet } = player
    const body = { action: 'cashout', wallet, authSig: await player.authSig() }
    const headers = { 'content-type': 'application/json', 'cf-connecting-ip': address }
    const init = { method: 'POST', headers, body: JSON.stringify(body) }
    return isolate.call('/api/crash', init, { ...vars, ...others })
  }
  return { alice, cashOut, round, allowOne: () => (left = 1) }
}

describe('cash-outs of wallets without chips', () => {
  it('reach a round only within the limit of their network, and keep no player there from cashing out', async () => {
    const { alice, cashOut, round, allowOne } = await limitedFlight()
    expect(codeOf(await cashOut(new Player(2)))).toBe('no_open_bet')
    // The limit is known to be reached once this one has been counted.
    expect(codeOf(await cashOut(new Player(3), '2001:db8:1:2::1'))).toBe('no_open_bet')
    const asked = round.mock.calls.length
    const refused = await cashOut(new Player(4), '2001:db8:1:3::1')
    expect([codeOf(refused), refused.headers.get('retry-after')]).toEqual(['rate_limited', '10'])
    expect(round).toHaveBeenCalledTimes(asked)
    expect(await isBlankObject(ledger(env, new Player(4).wallet))).toBe(true)
    expect(codeOf(await cashOut(new Player(5), '2001:db8:2::1'))).toBe('no_open_bet')
    expect((await cashOut(alice)).body).toMatchObject({ ok: true, multiplier: 1.06 })
    pass(10_000)
    allowOne()
    expect(codeOf(await cashOut(new Player(6)))).toBe('no_open_bet')
  })

  it('reach it beyond that limit while the ledger fails, since the wallet may have a bet', async () => {
    const { cashOut } = await limitedFlight()
    for (const index of [2, 3]) await cashOut(new Player(index))
    const position = async () => {
      throw new Error('down')
    }
    const LEDGER = { getByName: () => ({ position }) }
    const { body } = await cashOut(new Player(4), undefined, { LEDGER })
    expect(body.error.code).toBe('no_open_bet')
  })
})
