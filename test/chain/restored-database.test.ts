import { runDurableObjectAlarm } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { reprojection } from '../../src/calls/objects.ts'
import { MINUTE_MS } from '../../src/core/utc-day.ts'
import { writeHeartbeat } from '../../src/history/bankroll.ts'
import { order } from '../workers/operator.ts'
import { openRound, pass, endRound } from '../workers/support.ts'
import { depositor, useChain, bankroll, sweepMinutes as minutes } from './support.ts'
import { CLOSED, COUNTED, FUNDED, rebuild, settle, topUp, useCountedHouse } from './treasury.ts'

useChain()
useCountedHouse()

async function takeNoHeartbeats(): Promise<void> {
  for (const change of ['INSERT', 'UPDATE']) {
    await env.DB.exec(
      `CREATE TRIGGER full_${change} BEFORE ${change} ON heartbeat BEGIN SELECT RAISE(FAIL, 'full'); END`,
    )
  }
}

async function takeHeartbeats(): Promise<void> {
  for (const change of ['INSERT', 'UPDATE']) await env.DB.exec(`DROP TRIGGER full_${change}`)
}

const heartbeat = async () =>
  (await env.DB.prepare('SELECT beat FROM heartbeat').first<number>('beat')) ?? 0

/** Returns a function that brings the treasury's tables in D1 back to the current state. */
async function backUp(): Promise<() => Promise<void>> {
  const tables = ['ledger_positions', 'heartbeat']
  const rows = await Promise.all(
    tables.map(async (table) => (await env.DB.prepare(`SELECT * FROM ${table}`).all()).results),
  )
  return async () => {
    for (const [index, table] of tables.entries()) {
      await env.DB.exec(`DELETE FROM ${table}`)
      for (const row of rows[index] ?? []) {
        const names = Object.keys(row)
        const marks = names.map(() => '?').join(', ')
        await env.DB.prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${marks})`)
          .bind(...Object.values(row))
          .run()
      }
    }
  }
}

async function expectClosedNextMinute(): Promise<void> {
  await minutes(1)
  expect(await topUp()).toEqual(CLOSED)
}

/** Expects the treasury to count again in a minute, and to find the house's funds as they were. */
async function expectCountedNextMinute(before: string): Promise<void> {
  await minutes(1)
  expect(await topUp()).toEqual(COUNTED)
  expect(await bankroll()).toBe(before)
}

describe('the treasury while the database accepts no writes', () => {
  it('counts and records nothing after ten minutes, and accepts no bet', async () => {
    const alice = await depositor(0)
    await takeNoHeartbeats()
    await minutes(10)
    expect(await bankroll()).toBe(FUNDED.toString())
    await minutes(1)
    expect(await bankroll()).toBe('0')
    expect(await topUp()).toEqual(CLOSED)
    await openRound()
    expect((await alice.bet('10000')).body.error).toMatchObject({
      code: 'amount_out_of_bounds',
      details: { max: '0' },
    })
    await takeHeartbeats()
    // Ledgers have time to send the positions that they could not send.
    await minutes(4)
    expect(await topUp()).toEqual(CLOSED)
    await minutes(2)
    expect(await bankroll()).toBe(FUNDED.toString())
    expect(await topUp()).toEqual(COUNTED)
  })
})

describe('the treasury after the database was restored to an earlier time', () => {
  /**
   * Has a player play, which the database then knows nothing of. Returns the bankroll and the heartbeat before it went
   * back.
   */
  async function restore() {
    const alice = await depositor(0)
    await settle(alice)
    const goBack = await backUp()
    for (let nonce = 0; nonce < 3; nonce++) await alice.play({ nonce, amountWei: '5000000' })
    await settle(alice)
    const before = await bankroll()
    expect(before).not.toBe(FUNDED.toString())
    const beat = await heartbeat()
    await goBack()
    return { before, beat, goBack }
  }

  it('counts nothing before every position has been sent again', async () => {
    const { before } = await restore()
    await expectClosedNextMinute()
    expect(await bankroll()).toBe(before)
    await rebuild()
    await expectCountedNextMinute(before)
  })

  it('notices it even if the first answer about it gets lost', async () => {
    const { before, beat } = await restore()
    await writeHeartbeat(env.DB, { known: beat, next: beat + MINUTE_MS })
    await expectClosedNextMinute()
    await rebuild()
    await expectCountedNextMinute(before)
  })

  it('notices that one was undone after its end', async () => {
    const alice = await depositor(0)
    await settle(alice)
    const goBack = await backUp()
    // More heartbeats than there will be between the restore and its end.
    for (let times = 0; times < 4; times++) await settle(alice)
    const undo = await backUp()
    await goBack()
    await expectClosedNextMinute()
    await rebuild()
    for (let nonce = 0; nonce < 3; nonce++) await alice.play({ nonce, amountWei: '5000000' })
    await settle(alice)
    expect(await topUp()).toEqual(COUNTED)
    const before = await bankroll()
    await undo()
    await expectClosedNextMinute()
    await rebuild()
    await expectCountedNextMinute(before)
  })

  it('is counted again once it has all positions, although operators had everything sent and the history is down', async () => {
    const alice = await depositor(0)
    await settle(alice)
    const goBack = await backUp()
    await alice.play({ amountWei: '5000000' })
    await endRound(await openRound({ min: 300, max: 600 }))
    await settle(alice)
    const before = await bankroll()
    await env.HISTORY.exec('ALTER TABLE crash_rounds RENAME TO away')
    await reprojection(env).start('everything', Date.now())
    await goBack()
    await expectClosedNextMinute()
    pass(15_000)
    expect((await order('reproject', 'everything')).body.act.result.isDone).toBe(true)
    for (let alarms = 0; alarms < 400; alarms++) {
      await runDurableObjectAlarm(reprojection(env))
      pass(1_000)
    }
    await minutes(1)
    expect(await reprojection(env).progress()).toMatchObject({
      scope: 'everything',
      finishedAt: null,
    })
    expect(await topUp()).toEqual(COUNTED)
    expect(await bankroll()).toBe(before)
  })

  it('gives no further ten minutes to the last count if it is restored again', async () => {
    const alice = await depositor(0)
    await settle(alice)
    const goBack = await backUp()
    await settle(alice)
    await goBack()
    await minutes(6)
    await goBack()
    await minutes(5)
    expect(await bankroll()).toBe('0')
  })

  it('notices another one soon after the first', async () => {
    const alice = await depositor(0)
    await settle(alice)
    const goBack = await backUp()
    for (let times = 0; times < 4; times++) await settle(alice)
    await goBack()
    await expectClosedNextMinute()
    await rebuild()
    await minutes(1)
    expect(await topUp()).toEqual(COUNTED)
    await goBack()
    await expectClosedNextMinute()
    await rebuild()
    await minutes(1)
    expect(await topUp()).toEqual(COUNTED)
  })

  it('notices another one to the same time, although no heartbeat could be written in between', async () => {
    const { before, goBack } = await restore()
    await takeNoHeartbeats()
    await minutes(1)
    // What operators have sent now is lost with the second restore.
    await reprojection(env).start('positions', Date.now())
    await rebuild()
    await takeHeartbeats()
    await goBack()
    await expectClosedNextMinute()
    await rebuild()
    await expectCountedNextMinute(before)
  })

  it('counts nothing if the restored database is empty', async () => {
    const alice = await depositor(0)
    await settle(alice)
    await env.DB.exec('DELETE FROM ledger_positions')
    await env.DB.exec('DELETE FROM heartbeat')
    await expectClosedNextMinute()
    await minutes(10)
    expect(await bankroll()).toBe('0')
    await rebuild()
    await minutes(1)
    expect(await bankroll()).toBe(FUNDED.toString())
  })
})
