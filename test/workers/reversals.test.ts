import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { DEV_PARTNER, OTHER_DEV_PARTNER } from '../../src/cli/shared/dev-partners.ts'
import { DAY_MS, MINUTE_MS } from '../../src/core/utc-day.ts'
import { order, setModes } from './operator.ts'
import {
  creditAll,
  DAY_USDG,
  debitTermsOf,
  grant,
  permissionOf,
  Platform,
  revoke,
} from './partner.ts'
import { now, outcomeOf, pass, Player, useStories } from './support.ts'

useStories()

const NOON_MS = DAY_MS / 2

/** A partner that needs its players' permission; the other one does not. */
const platform = new Platform(OTHER_DEV_PARTNER)
const implied = new Platform()
const alice = new Player(0)

async function credit(to: Player, usdg: string, by = platform): Promise<string> {
  const id = randomUUID()
  const { status } = await by.transact(to, usdg, { partnerTransactionId: id })
  expect(status).toBe(200)
  return id
}

/** Lets time pass until noon of the next day. */
function passToNoon(): void {
  pass(DAY_MS - (now() % DAY_MS) + NOON_MS)
}

describe('a credit of the last 24 hours', () => {
  it('is rolled back without permission, by a partner that is closed, from a frozen wallet', async () => {
    const id = await credit(alice, '5')
    pass(DAY_MS - MINUTE_MS)
    await order('freeze', alice.wallet)
    await setModes('partner:demo-two=closed')
    expect((await platform.rollBack(alice, id)).body).toMatchObject({ balance: 0 })
  })

  it('makes room for another one only on the day on which it was made', async () => {
    passToNoon()
    const id = await credit(alice, '10000', implied)
    pass(DAY_MS - MINUTE_MS)
    expect(await creditAll(implied, alice)).toBe(DAY_USDG)
    expect((await implied.rollBack(alice, id)).status).toBe(200)
    expect(await creditAll(implied, alice)).toBe(0)
  })

  it('makes room for another one on that day', async () => {
    passToNoon()
    const id = await credit(alice, '10000', implied)
    expect(await creditAll(implied, alice)).toBe(DAY_USDG - 10_000)
    expect((await implied.rollBack(alice, id)).status).toBe(200)
    expect(await creditAll(implied, alice)).toBe(10_000)
  })
})

it('a credit that the player has spent is not taken back, and the partner reads what to do', async () => {
  const id = await credit(alice, '5', implied)
  await implied.transact(alice, '-5')
  const refused = await implied.rollBack(alice, id)
  expect(refused.status).toBe(402)
  expect(refused.body.error.message).toContain('Once they have, roll the credit back')
})

describe('a rollback that is sent twice at the same time', () => {
  it('is carried out once, and answered twice alike', async () => {
    await alice.fund('5000000')
    await implied.transact(alice, '-5', { partnerTransactionId: 'stake' })
    const once = { partnerTransactionId: 'undo' }
    const rollBack = () => implied.rollBack(alice, 'stake', once)
    const [first, second] = await Promise.all([rollBack(), rollBack()])
    expect([first.status, second.status]).toEqual([200, 200])
    expect(second.text).toBe(first.text)
    expect(await alice.chips()).toBe('5000000')
  })
})

describe('an older credit', () => {
  it('is taken back only with permission, and within it', async () => {
    const [small, large] = [await credit(alice, '5'), await credit(alice, '6')]
    pass(DAY_MS + 1)
    const repeated = { partnerTransactionId: randomUUID() }
    const takeBack = () => platform.rollBack(alice, small, repeated)
    expect(outcomeOf(await takeBack())).toEqual([403, 'permission_required'])
    await grant(alice, { maxPerDayWei: '10000000' })
    expect((await takeBack()).body).toMatchObject({ balance: 6 })
    expect(await permissionOf(alice)).toMatchObject({ usedWei: '5000000' })
    const tooMuch = await platform.rollBack(alice, large)
    expect(outcomeOf(tooMuch)).toEqual([422, 'payout_limit'])
    expect(tooMuch.body.error.details).toEqual({ maxPayout: '5000000' })
    await revoke(alice)
    expect((await takeBack()).body).toMatchObject({ balance: 6 })
  })

  it('is not taken back while the partner is closed, and is once it is open', async () => {
    const id = await credit(alice, '5', implied)
    pass(DAY_MS + 1)
    await setModes('partner:demo=closed')
    const repeated = { partnerTransactionId: randomUUID() }
    const takeBack = () => implied.rollBack(alice, id, repeated)
    expect(outcomeOf(await takeBack())).toEqual([503, 'closed'])
    await setModes('partner:demo=open')
    expect((await takeBack()).body).toMatchObject({ balance: 0 })
  })

  it('is not taken back from a frozen wallet, nor while the partner may not debit', async () => {
    const id = await credit(alice, '5', implied)
    pass(DAY_MS + 1)
    debitTermsOf(DEV_PARTNER).isOpen = false
    expect(outcomeOf(await implied.rollBack(alice, id))).toEqual([503, 'closed'])
    debitTermsOf(DEV_PARTNER).isOpen = true
    await order('freeze', alice.wallet)
    expect(outcomeOf(await implied.rollBack(alice, id))).toEqual([403, 'wallet_frozen'])
  })

  it('counts against the limit of debits within an hour', async () => {
    const [first, second] = [await credit(alice, '3', implied), await credit(alice, '4', implied)]
    pass(DAY_MS + 1)
    const terms = debitTermsOf(DEV_PARTNER)
    const { hourWei } = terms
    terms.hourWei = 6_000_000n
    expect((await implied.rollBack(alice, first)).status).toBe(200)
    expect(outcomeOf(await implied.rollBack(alice, second))).toEqual([422, 'payout_limit'])
    terms.hourWei = hourWei
  })
})
