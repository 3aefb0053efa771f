import { evictDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { ledger, reprojection, treasury } from '../../src/calls/objects.ts'
import { tokenAbi } from '../../src/chain/foreign-abi.ts'
import { MINUTE_MS } from '../../src/core/utc-day.ts'
import { Ledger, Relayer, Treasury } from '../../src/worker.ts'
import { Platform } from '../workers/partner.ts'
import { endRound, get, openRound, pass, Player } from '../workers/support.ts'
import { USDG_ADDRESS, VAULT_ADDRESS } from './accounts.ts'
import {
  depositor,
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
import {
  CLOSED,
  COUNTED,
  DEPOSIT,
  FUNDED,
  rebuild,
  settle,
  topUp,
  useCountedHouse,
} from './treasury.ts'

useChain()
useCountedHouse()

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
