import { describe, expect, it, vi } from 'vitest'
import { flightMs } from '../../src/crash/curve.ts'
import { CrashRound } from '../../src/worker.ts'
import { Platform } from './partner.ts'
import { codeOf, get, openRound, pass, Player, secretsOf, setTime, useStories } from './support.ts'

useStories()

describe('a ledger with a bet in flight', () => {
  /** Alice in flight, just before 2.00, with all of her chips in play. */
  async function inFlight(fields: object = { autoCashout: 2 }) {
    const plan = await openRound({ min: 300, max: 600 })
    const alice = await new Player(0).fund('100000000')
    await alice.bet('100000000', fields)
    setTime(plan.flightAt + 11_400)
    const asked = vi.spyOn(CrashRound.prototype, 'outcome')
    return { alice, plan, asked }
  }

  it('asks its round four times a second at most, whatever asks the ledger', async () => {
    const { alice, plan, asked } = await inFlight()
    const refusedPlay = async () => expect(codeOf(await alice.play())).toBe('insufficient_chips')
    const balance = () => new Platform().balance(alice)
    const ended = () => get(`/api/crash?action=bet&wallet=${alice.wallet}&roundId=${plan.roundId}`)
    for (const call of [refusedPlay, balance, ended, refusedPlay]) await call()
    expect(asked).toHaveBeenCalledTimes(1)
    pass(250)
    for (const call of [balance, ended]) await call()
    expect(asked).toHaveBeenCalledTimes(2)
  })

  it('asks at once when the table shows that the bet may be decided', async () => {
    const { alice, asked } = await inFlight()
    await alice.play()
    pass(200)
    expect((await alice.state()).body.me).toMatchObject({
      openBet: null,
      chips: { USDG: '200000000' },
    })
    expect(asked).toHaveBeenCalledTimes(2)
  })

  it('asks before a partner’s debit is refused, because that answer is stored', async () => {
    const { alice, asked } = await inFlight()
    const platform = new Platform()
    await platform.balance(alice)
    pass(200)
    expect((await platform.transact(alice, '-150')).status).toBe(200)
    expect(asked).toHaveBeenCalledTimes(2)
  })

  it('discloses the bet as soon as the table shows the crash', async () => {
    const { alice, plan } = await inFlight({})
    const { crash } = await secretsOf(plan.roundId)
    setTime(plan.flightAt + flightMs(crash) - 1)
    await alice.play()
    pass(1)
    await get('/api/crash?action=watch')
    const path = `/api/crash?action=bet&wallet=${alice.wallet}&roundId=${plan.roundId}`
    expect((await get(path)).body).toMatchObject({ outcome: 'lost' })
  })
})
