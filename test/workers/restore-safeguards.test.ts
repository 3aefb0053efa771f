import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { Bets } from '../../durable-objects/ledger/bets.ts'
import { Recovery } from '../../durable-objects/ledger/recovery.ts'
import { control, ledger } from '../../src/calls/objects.ts'
import { OTHER_DEV_PARTNER } from '../../src/cli/shared/dev-partners.ts'
import { refuse } from '../../src/core/refusal.ts'
import { isoTime } from '../../src/core/utc-day.ts'
import { MAX_LOST } from '../../src/ledger/restoration.ts'
import { LAST_KNOWN_MS } from '../../src/operator/modes.ts'
import { Ledger, PartnerIds } from '../../src/worker.ts'
import { entriesOf, headOf } from './journals.ts'
import { bringBack, goesBackTo, stateOf } from './ledger-states.ts'
import { ask, limitsOf, setLimit } from './limits.ts'
import { look, order, setModes } from './operator.ts'
import { grant, permissionOf, Platform, revoke } from './partner.ts'
import {
  audit,
  codeOf,
  fundedPlayer,
  now,
  pass,
  Player,
  post,
  restart,
  ringLedger,
  useStories,
  type Answer,
} from './support.ts'

useStories()

/** A partner that needs its players' permission. */
const platform = new Platform(OTHER_DEV_PARTNER)

let alice: Player
let state: Awaited<ReturnType<typeof stateOf>>
let time: string

/** Sets what the ledger will lose: a lower limit, an exclusion, and no permission any more. */
async function protect(): Promise<void> {
  await setLimit(alice, 'wager', '2000000')
  await ask(alice, 'exclude', { days: 30 })
  await revoke(alice)
}

async function close(): Promise<void> {
  await setModes(`wallet:${alice.wallet}=closed`)
  pass(LAST_KNOWN_MS)
}

const open = () => setModes(`wallet:${alice.wallet}=open`)

const secondsOf = (unixMs: number) => isoTime(unixMs).replace(/\.\d+Z$/, 'Z')

/** Restores the wallet's ledger, and opens the wallet again. */
async function restore(target: string): Promise<void> {
  await close()
  await goesBackTo(alice.wallet, state)
  const { act } = (await order('restore', target)).body
  expect(act.result).toMatchObject({ isDone: true })
  await open()
}

/** Orders a restore that would lose too many entries, and opens the wallet all the same. */
async function refuseRestore(): Promise<void> {
  await close()
  const { act } = (await order('restore', alice.wallet)).body
  expect(act.result).toMatchObject({
    isDone: false,
    message: expect.stringContaining('would be lost'),
  })
  await open()
}

async function expectProtected(): Promise<void> {
  expect(codeOf(await alice.play())).toBe('excluded')
  const { limits, excluded } = await limitsOf(alice)
  expect({ limits, excluded }).toMatchObject({ limits: [{ amountWei: '2000000' }], excluded: true })
  expect(await permissionOf(alice)).toMatchObject({ maxPerDayWei: '0', expiresAt: null })
  await audit(alice)
}

beforeEach(async () => {
  alice = await fundedPlayer(0)
  await alice.play()
  await setLimit(alice, 'wager', '5000000')
  await grant(alice)
  pass(60_000)
  state = await stateOf(alice.wallet)
  time = secondsOf(now())
  pass(1_000)
})

describe('what a player has set for their protection', () => {
  it('outlasts a restore of their ledger to before that', async () => {
    await protect()
    await restore(`${alice.wallet}@${time}`)
    await expectProtected()
  })

  it('outlasts a restore that was already asking which ids the ledger had', async () => {
    const claimsOf = Reflect.get(PartnerIds.prototype, 'claimsOf')
    vi.spyOn(PartnerIds.prototype, 'claimsOf').mockImplementationOnce(async function (
      this: PartnerIds,
      ...page
    ) {
      await protect()
      return claimsOf.apply(this, page)
    })
    await restore(`${alice.wallet}@${time}`)
    await expectProtected()
  })

  it('outlasts a restore that already knows what they had set before', async () => {
    const prepareReturn = Reflect.get(Recovery.prototype, 'prepareReturn')
    vi.spyOn(Recovery.prototype, 'prepareReturn').mockImplementationOnce(async function (
      this: Recovery,
      backTo,
    ) {
      await protect()
      return prepareReturn.call(this, backTo)
    })
    await restore(`${alice.wallet}@${time}`)
    await expectProtected()
  })

  it('is refused while their ledger is about to lose it, and can be set once it has gone back', async () => {
    const asked: Answer[] = []
    await close()
    const returning = await goesBackTo(alice.wallet, state)
    const goBack = returning.getMockImplementation()!
    returning.mockImplementationOnce(async (unixMs) => {
      asked.push(await setLimit(alice, 'wager', '2000000'))
      asked.push(await ask(alice, 'exclude', { days: 30 }))
      asked.push(await grant(alice, { nonce: 1 }))
      asked.push(await revoke(alice))
      return goBack(unixMs)
    })
    const { act } = (await order('restore', `${alice.wallet}@${time}`)).body
    expect(act.result).toMatchObject({ isDone: true })
    expect(asked.map(({ status }) => status)).toEqual([503, 503, 503, 503])
    for (const { body } of asked) {
      expect(body.error).toMatchObject({
        code: 'closed',
        message: expect.stringContaining('Nothing has changed'),
      })
    }
    await protect()
    await open()
    await expectProtected()
  })

  it('is refused until their ledger has gone back, however late that is', async () => {
    vi.spyOn(Ledger.prototype, 'restart').mockRejectedValueOnce(new Error('it is not reached'))
    await close()
    await goesBackTo(alice.wallet, state)
    const { act } = (await order('restore', `${alice.wallet}@${time}`)).body
    expect(act.result).toBeNull()
    expect(codeOf(await ask(alice, 'exclude', { days: 30 }))).toBe('closed')
    pass(60_000)
    await runDurableObjectAlarm(control(env))
    expect((await look()).body.acts.decided[0].result).toMatchObject({ isDone: true })
    await protect()
    await open()
    await expectProtected()
  })

  it('can be set again after the platform has refused to bring their ledger back', async () => {
    vi.spyOn(Recovery.prototype, 'askPlatform').mockResolvedValueOnce(
      refuse('invalid_request', 'no such time'),
    )
    await close()
    const { act } = (await order('restore', `${alice.wallet}@${time}`)).body
    expect(act.result).toMatchObject({ isDone: false })
    await protect()
    await open()
    await expectProtected()
  })

  it('is taken over from D1 by a ledger that goes back because it cannot read it any more', async () => {
    await protect()
    pass(300_000)
    await ringLedger(alice)
    await runInDurableObject(ledger(env, alice.wallet), (_, { storage }) => {
      storage.sql.exec(`UPDATE protection SET state = '{'`)
    })
    await restart()
    await restore(`${alice.wallet}@${time}`)
    await expectProtected()
  })

  it('is taken over from D1 by a ledger that the platform has restored', async () => {
    await protect()
    pass(300_000)
    await ringLedger(alice)
    await bringBack(alice.wallet, state)
    expect((await limitsOf(alice)).excluded).toBe(false)
    await restore(alice.wallet)
    await expectProtected()
  })

  it('is taken over from D1 even by a ledger that has grown past that since', async () => {
    await protect()
    pass(300_000)
    await ringLedger(alice)
    await bringBack(alice.wallet, state)
    for (let play = 0; play < 4; play++) expect((await alice.play()).status).toBe(200)
    await restore(`${alice.wallet}@${time}`)
    await expectProtected()
  })

  it('lets nobody pick on by a lost exclusion even if the restore is refused', async () => {
    const opened = await alice.play({ action: 'mines-open', params: { mines: 1 } })
    state = await stateOf(alice.wallet)
    await protect()
    pass(300_000)
    await ringLedger(alice)
    await bringBack(alice.wallet, state)
    const goOn = Reflect.get(Ledger.prototype, 'goOn')
    vi.spyOn(Ledger.prototype, 'goOn').mockImplementation(function (this: Ledger, told) {
      return goOn.call(this, { ...told, known: { ...told.known, seq: 2 * MAX_LOST } })
    })
    await refuseRestore()
    const { nonce } = opened.body.game
    const signed = { wallet: alice.wallet, authSig: await alice.authSig() }
    const pick = await post('/api/entropy', { action: 'mines-pick', nonce, tile: 0, ...signed })
    expect([pick.status, codeOf(pick)]).toEqual([409, 'no_open_game'])
    expect((await headOf(ledger(env, alice.wallet))).openGame).toBeNull()
    await expectProtected()
  })

  it('is taken over even if a restore would lose more entries than it may', async () => {
    await protect()
    pass(300_000)
    await ringLedger(alice)
    await env.DB.prepare('UPDATE ledger_positions SET version = ?')
      .bind(2 * MAX_LOST)
      .run()
    await bringBack(alice.wallet, state)
    await refuseRestore()
    await expectProtected()
  })

  it('is taken over once, whatever stops in between', async () => {
    await protect()
    vi.spyOn(Bets.prototype, 'settleClosed').mockRejectedValueOnce(new Error('it stops'))
    await close()
    await goesBackTo(alice.wallet, state)
    const { act } = (await order('restore', `${alice.wallet}@${time}`)).body
    expect(act.result).toBeNull()
    expect((await limitsOf(alice)).excluded).toBe(true)
    pass(60_000)
    await runDurableObjectAlarm(control(env))
    expect((await look()).body.acts.decided[0].result).toMatchObject({ isDone: true })
    await open()
    await expectProtected()
    const entries = (await entriesOf(ledger(env, alice.wallet))).map(
      ({ operationId }) => operationId,
    )
    expect(entries.filter((id) => /^(limits|permission):/.test(id))).toEqual([
      'limits:0',
      'permission:demo-two:USDG:0',
      'limits:1',
      'permission:demo-two:USDG:1',
    ])
  })

  it('becomes no looser with a restore: a permission that was lost must be signed again', async () => {
    await revoke(alice)
    state = await stateOf(alice.wallet)
    pass(1_000)
    time = secondsOf(now())
    pass(1_000)
    await grant(alice, { maxPerDayWei: '7000000' })
    const lost = await permissionOf(alice)
    await restore(`${alice.wallet}@${time}`)
    expect(await permissionOf(alice)).toMatchObject({ maxPerDayWei: '0', nonce: lost?.nonce })
    expect(codeOf(await platform.transact(alice, '-1'))).toBe('permission_required')
    await grant(alice)
    expect((await platform.transact(alice, '-1')).status).toBe(200)
  })

  it('is taken over under a number of its own if the ledger has since used the same for another permission', async () => {
    await revoke(alice)
    for (let play = 0; play < 3; play++) expect((await alice.play()).status).toBe(200)
    pass(300_000)
    await ringLedger(alice)
    await bringBack(alice.wallet, state)
    await grant(alice, { maxPerDayWei: '7000000' })
    await restore(alice.wallet)
    expect(await permissionOf(alice)).toMatchObject({ maxPerDayWei: '0', nonce: 3 })
    expect((await grant(alice)).status).toBe(200)
    expect((await platform.transact(alice, '-1')).status).toBe(200)
  })

  it('leaves no lost permission that could be sent again, however many there were', async () => {
    await grant(alice)
    const second = { maxPerDayWei: '7000000', nonce: 2 }
    expect((await grant(alice, second)).status).toBe(200)
    await revoke(alice)
    await restore(`${alice.wallet}@${time}`)
    expect(codeOf(await grant(alice, second))).toBe('nonce_mismatch')
    expect(codeOf(await platform.transact(alice, '-1'))).toBe('permission_required')
  })
})
