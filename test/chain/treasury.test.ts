import { evictDurableObject, runDurableObjectAlarm } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { ledger, reprojection, treasury } from '../../src/calls/objects.ts'
import { tokenAbi } from '../../src/chain/foreign-abi.ts'
import { MINUTE_MS } from '../../src/core/utc-day.ts'
import { writeHeartbeat } from '../../src/history/bankroll.ts'
import { Ledger, Relayer, Treasury } from '../../src/worker.ts'
import { order } from '../workers/operator.ts'
import { Platform } from '../workers/partner.ts'
import { get, openRound, pass, Player, ringLedger, endRound } from '../workers/support.ts'
import { USDG_ADDRESS, VAULT_ADDRESS } from './accounts.ts'
import {
  depositor,
  fundHouse,
  leavesDifference,
  setVars,
  useChain,
  vaultConfig,
  withdraw,
  work,
  write,
  bankroll,
  sweepMinutes as minutes,
} from './support.ts'

useChain()

const owner = new Player(8)
const FUNDED = 1_000_000_000n
const DEPOSIT = 1_000_000_000n

/** Waits until every log is settled and every position has been sent. */
async function settle(...players: Player[]): Promise<void> {
  pass(5 * MINUTE_MS)
  for (const player of players) await ringLedger(player)
  await minutes(1)
  pass(31 * MINUTE_MS)
  await minutes(2)
}

/** Returns a player who won, withdrew exactly the amount deposited, and then stayed away. */
async function dormantWinner(index: number): Promise<Player> {
  const player = await depositor(index, 'USDG', DEPOSIT)
  const plan = await openRound({ min: 300, max: 600 })
  await player.bet('2000000', { autoCashout: 2 })
  await endRound(plan)
  expect(await player.chips()).toBe('1002000000')
  await withdraw(player, { amountWei: DEPOSIT })
  await work(player)
  expect(await player.chips()).toBe('2000000')
  return player
}

/** Runs the job that rebuilds D1 to its end. */
async function rebuild(): Promise<void> {
  const job = reprojection(env)
  for (let alarms = 0; (await job.progress()).finishedAt === null; alarms++) {
    expect(alarms).toBeLessThan(1_000)
    await runDurableObjectAlarm(job)
    pass(1_000)
  }
}

/** Returns the answer to the owner and the number of results sent to the vault. */
async function topUp(): Promise<{ status: number; code?: string; recorded: number }> {
  const record = vi.spyOn(Relayer.prototype, 'record')
  const { status, body } = await owner.act('house-topup')
  const recorded = record.mock.calls.length
  record.mockRestore()
  return { status, code: body.error?.code, recorded }
}

const COUNTED = { status: 200, code: undefined, recorded: 2 }
const CLOSED = { status: 503, code: 'closed', recorded: 0 }

/** Makes one wallet's ledger not answer when asked for its position. */
function unanswering(wallet: string) {
  const send = Reflect.get(Ledger.prototype, 'sendPosition')
  return vi.spyOn(Ledger.prototype, 'sendPosition').mockImplementation(async function (
    this: Ledger,
  ) {
    const { name } = (this as unknown as { ctx: DurableObjectState }).ctx.id
    if (name === wallet) throw new Error('does not answer')
    return send.call(this)
  })
}

async function lose(wallet: string): Promise<void> {
  await env.DB.prepare('DELETE FROM ledger_positions WHERE wallet = ?').bind(wallet).run()
}

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

beforeEach(async () => {
  await fundHouse('USDG', FUNDED)
  expect(await topUp()).toEqual(COUNTED)
})

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
    await minutes(1)
    expect(await topUp()).toEqual(CLOSED)
    expect(await bankroll()).toBe(before)
    await rebuild()
    await minutes(1)
    expect(await topUp()).toEqual(COUNTED)
    expect(await bankroll()).toBe(before)
  })

  it('notices it even if the first answer about it gets lost', async () => {
    const { before, beat } = await restore()
    await writeHeartbeat(env.DB, { known: beat, next: beat + MINUTE_MS })
    await minutes(1)
    expect(await topUp()).toEqual(CLOSED)
    await rebuild()
    await minutes(1)
    expect(await topUp()).toEqual(COUNTED)
    expect(await bankroll()).toBe(before)
  })

  it('notices that one was undone after its end', async () => {
    const alice = await depositor(0)
    await settle(alice)
    const goBack = await backUp()
    // More heartbeats than there will be between the restore and its end.
    for (let times = 0; times < 4; times++) await settle(alice)
    const undo = await backUp()
    await goBack()
    await minutes(1)
    expect(await topUp()).toEqual(CLOSED)
    await rebuild()
    for (let nonce = 0; nonce < 3; nonce++) await alice.play({ nonce, amountWei: '5000000' })
    await settle(alice)
    expect(await topUp()).toEqual(COUNTED)
    const before = await bankroll()
    await undo()
    await minutes(1)
    expect(await topUp()).toEqual(CLOSED)
    await rebuild()
    await minutes(1)
    expect(await topUp()).toEqual(COUNTED)
    expect(await bankroll()).toBe(before)
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
    await minutes(1)
    expect(await topUp()).toEqual(CLOSED)
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
    await minutes(1)
    expect(await topUp()).toEqual(CLOSED)
    await rebuild()
    await minutes(1)
    expect(await topUp()).toEqual(COUNTED)
    await goBack()
    await minutes(1)
    expect(await topUp()).toEqual(CLOSED)
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
    await minutes(1)
    expect(await topUp()).toEqual(CLOSED)
    await rebuild()
    await minutes(1)
    expect(await topUp()).toEqual(COUNTED)
    expect(await bankroll()).toBe(before)
  })

  it('counts nothing if the restored database is empty', async () => {
    const alice = await depositor(0)
    await settle(alice)
    await env.DB.exec('DELETE FROM ledger_positions')
    await env.DB.exec('DELETE FROM heartbeat')
    await minutes(1)
    expect(await topUp()).toEqual(CLOSED)
    await minutes(10)
    expect(await bankroll()).toBe('0')
    await rebuild()
    await minutes(1)
    expect(await bankroll()).toBe(FUNDED.toString())
  })
})

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

describe('the treasury', () => {
  it('counts nothing while the position of a dormant winner with an empty vault account is missing', async () => {
    const alice = await dormantWinner(0)
    const bob = await depositor(1)
    await settle(alice, bob)
    expect(await topUp()).toEqual(COUNTED)
    const before = await bankroll()
    await lose(alice.wallet)
    expect(await topUp()).toEqual(CLOSED)
    await rebuild()
    expect(await topUp()).toEqual(COUNTED)
    expect(await bankroll()).toBe(before)
  })

  it("notices a dormant winner's missing position although others have just deposited", async () => {
    const alice = await dormantWinner(0)
    await settle(alice)
    const bob = await depositor(1)
    await ledger(env, bob.wallet).sendPosition()
    expect(await topUp()).toEqual(COUNTED)
    await lose(alice.wallet)
    expect(await topUp()).toEqual(CLOSED)
  })

  it('counts nothing while a position is outdated, until it is sent again', async () => {
    const alice = await depositor(0)
    await settle(alice)
    await env.DB.prepare(
      `UPDATE ledger_positions SET vault_low = vault_low - 1, version = 0
       WHERE wallet = ? AND token = 'USDG'`,
    )
      .bind(alice.wallet)
      .run()
    expect(await topUp()).toEqual(CLOSED)
    await rebuild()
    expect(await topUp()).toEqual(COUNTED)
  })

  it('has missing positions sent again within five minutes, even if all had been sent just before', async () => {
    const alice = await dormantWinner(0)
    await settle(alice)
    await reprojection(env).start('everything')
    await rebuild()
    await lose(alice.wallet)
    expect(await topUp()).toEqual(CLOSED)
    await minutes(5)
    await rebuild()
    expect(await topUp()).toEqual(COUNTED)
  })

  it("recovers the position of a partner's player from its ledger, a few shards a minute", async () => {
    const platform = new Platform()
    const carol = new Player(2)
    await platform.transact(carol, '30')
    await settle(carol)
    const listed = () =>
      env.DB.prepare('SELECT 1 FROM ledger_positions WHERE wallet = ?').bind(carol.wallet).first()
    expect(await listed()).not.toBeNull()
    await lose(carol.wallet)
    const stuck = unanswering(carol.wallet)
    await minutes(16)
    expect(await topUp()).toEqual(CLOSED)
    stuck.mockRestore()
    expect(await topUp()).toEqual(COUNTED)
    expect(await listed()).not.toBeNull()
  })

  it('is not trusted for longer than ten minutes while D1 cannot add up the positions', async () => {
    await depositor(0, 'USDG', DEPOSIT)
    expect(await bankroll()).toBe(FUNDED.toString())
    vi.spyOn(console, 'error').mockImplementation(() => {})
    await setVars(treasury(env, vaultConfig().id), {
      DB: {
        prepare: (query: string) =>
          query.includes('sum(owed_high)')
            ? env.DB.prepare('SELECT * FROM a_table_that_is_too_large')
            : env.DB.prepare(query),
        batch: (statements: D1PreparedStatement[]) => env.DB.batch(statements),
      },
    })
    await minutes(9)
    expect(await bankroll()).toBe(FUNDED.toString())
    await minutes(3)
    expect(await bankroll()).toBe('0')
  })

  describe('if D1 takes long to add up, is made', () => {
    let sums: number

    async function counts(during: () => Promise<unknown>): Promise<number> {
      sums = 0
      await during()
      return sums
    }

    const slowly = (ms: number) =>
      setVars(treasury(env, vaultConfig().id), {
        DB: {
          prepare: (query: string) => env.DB.prepare(query),
          batch: (statements: D1PreparedStatement[]) => {
            // The heartbeat writes two statements, and the count reads three.
            if (statements.length === 3) {
              sums++
              pass(ms)
            }
            return env.DB.batch(statements)
          },
        },
      })

    // The first one also reads them for the count of debts.
    beforeEach(() => minutes(1))

    it('more rarely, but within five minutes and at once for the owner', async () => {
      await slowly(1_000)
      expect(await counts(() => minutes(10))).toBe(10)
      await slowly(6_000)
      expect(await counts(() => minutes(10))).toBe(5)
      expect(await counts(topUp)).toBe(1)
      await slowly(29_000)
      expect(await counts(() => minutes(11))).toBe(2)
      expect(await bankroll()).toBe(FUNDED.toString())
    })

    it('as rarely if the treasury falls asleep after each of them', async () => {
      const asleepBetween = async () => {
        for (let minute = 0; minute < 10; minute++) {
          await evictDurableObject(treasury(env, vaultConfig().id))
          await slowly(6_000)
          await minutes(1)
        }
      }
      expect(await counts(asleepBetween)).toBe(5)
    })

    it('no more rarely because the positions are read for the count of debts, too', async () => {
      await slowly(6_000)
      const readBetween = async () => {
        for (let minute = 0; minute < 6; minute++) {
          await minutes(1)
          await treasury(env, vaultConfig().id).recentPlayers()
        }
      }
      // Every second minute, as without.
      expect(await counts(readBetween)).toBe(6 + 3)
    })
  })

  it('is offered for ten minutes at most while the treasury does not answer', async () => {
    await bankroll()
    vi.spyOn(console, 'error').mockImplementation(() => {})
    vi.spyOn(Treasury.prototype, 'bankroll').mockRejectedValue(new Error('down'))
    pass(9 * MINUTE_MS)
    expect(await bankroll()).toBe(FUNDED.toString())
    pass(MINUTE_MS)
    expect(await bankroll()).toBe('0')
  })

  it('is asked for once in five seconds while the treasury does not answer', async () => {
    await bankroll()
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const silent = vi.spyOn(Treasury.prototype, 'bankroll').mockRejectedValue(new Error('down'))
    expect(await bankroll()).toBe(FUNDED.toString())
    const calls = silent.mock.calls.length
    const again = async () => (await get('/api/entropy')).body.bankroll.amounts.USDG
    pass(4_999)
    expect(await again()).toBe(FUNDED.toString())
    expect(silent).toHaveBeenCalledTimes(calls)
    pass(1)
    await again()
    expect(silent.mock.calls.length).toBeGreaterThan(calls)
  })

  it('counts when nobody has moved any money for months', async () => {
    const alice = await dormantWinner(0)
    await settle(alice)
    const before = await bankroll()
    pass(90 * 86_400_000)
    await minutes(2)
    expect(await bankroll()).toBe(before)
    expect(await topUp()).toEqual(COUNTED)
  })
})

it('remembers when it was first counted', async () => {
  const facts = () => treasury(env, vaultConfig().id).facts()
  const { countedAt } = await facts()
  await minutes(1)
  const later = await facts()
  expect(later.firstCountedAt).toBe(countedAt)
  expect(later.countedAt).toBeGreaterThan(Number(countedAt))
})

it('is counted, and compared with the vault, while the relayer does not answer', async () => {
  const facts = () => treasury(env, vaultConfig().id).facts()
  const before = await facts()
  const errors = vi.spyOn(console, 'error').mockImplementation(() => {})
  vi.spyOn(Relayer.prototype, 'sweep').mockRejectedValue(new Error('it is full'))
  await minutes(1)
  const after = await facts()
  expect(after.countedAt).toBeGreaterThan(Number(before.countedAt))
  expect(after.reconciliation?.at).toBeGreaterThan(Number(before.reconciliation?.at))
  const failed = errors.mock.calls.flat().filter((line) => String(line).includes('it is full'))
  expect(failed.map((line) => JSON.parse(line))).toMatchObject([
    { event: 'sweep_failed', part: 'relayer' },
  ])
})

it('counts the house while a ledger does not yet know that its withdrawal was paid', async () => {
  const alice = await depositor(0, 'USDG', DEPOSIT)
  await settle(alice)
  await withdraw(alice, { amountWei: DEPOSIT / 2n })
  // The relayer sends the payment and does not look at the chain again.
  await work(alice, 1)
  await minutes(45)
  expect((await topUp()).status).toBe(200)
  // The payment has left the vault but is still owed by the ledger: the count errs on the safe side.
  expect(await bankroll()).toBe((FUNDED - DEPOSIT / 2n).toString())
  await work(alice)
})

it('does not grow by tokens that were only sent to the vault, even where they hide a payment', async () => {
  const alice = await depositor(0, 'USDG', DEPOSIT)
  await settle(alice)
  await withdraw(alice, { amountWei: DEPOSIT / 2n })
  await work(alice, 1)
  const usdg = { address: USDG_ADDRESS, abi: tokenAbi } as const
  await write(usdg, 'mint', [VAULT_ADDRESS, DEPOSIT / 2n])
  leavesDifference('USDG', DEPOSIT / 2n)
  await minutes(45)
  expect((await topUp()).status).toBe(200)
  expect(await bankroll()).toBe((FUNDED - DEPOSIT / 2n).toString())
  await work(alice)
})
