import { evictDurableObject, runDurableObjectAlarm } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { ledger, solvency, transparencyLog, treasury } from '../../src/calls/objects.ts'
import { refuse } from '../../src/core/refusal.ts'
import { HOUR_MS, MINUTE_MS } from '../../src/core/utc-day.ts'
import type { Statement } from '../../src/solvency/statement.ts'
import { sweep } from '../../src/sweep.ts'
import { verifySolvency } from '../../src/verify/solvency.ts'
import { Ledger, Treasury } from '../../src/worker.ts'
import { now, pass, Player, ringLedger } from '../workers/support.ts'
import { DEPOSIT, listWallet, listWallets } from './solvency.ts'
import {
  deposit,
  depositor,
  fundHouse,
  nodeFails,
  setVars,
  useChain,
  vaultConfig,
} from './support.ts'

useChain()

/** Enough for two stages, and for three. */
const OTHERS = 410
const MANY = 810

/** Adds wallets that moved chips within the last hour, so that their ledgers have to be asked. */
function addActiveWallets(last: number): Promise<void> {
  return listWallets(last, now() - 30 * MINUTE_MS)
}

/** How often each ledger was asked for its position. */
const asked = new Map<string, number>()
/** What an added wallet does that is asked to send its position. */
let onPosition: (wallet: string) => Promise<void>

/** Has the count's object find the added wallets without books, as it would, without starting an object for each. */
function startWithoutOthers(): Promise<void> {
  const getByName = (name: string) => {
    asked.set(name, (asked.get(name) ?? 0) + 1)
    const isAdded = name.startsWith('0x0000')
    if (!isAdded) return env.LEDGER.getByName(name)
    return { position: async () => null, sendPosition: async () => onPosition(name) }
  }
  return setVars(solvency(env), { LEDGER: { getByName } })
}

const timesAsked = () => [...new Set(asked.values())]

const treasuryOfVault = () => treasury(env, vaultConfig().id)

const newest = async (): Promise<Statement> => (await solvency(env).read(null))!.statement
const ring = () => runDurableObjectAlarm(solvency(env))

/** Reads a wallet's proof from the newest count. Returns its leaf and the claims that don't hold. */
async function proofOf(wallet: string, receipts: { seq: number; at: number }[] = []) {
  const found = await solvency(env).read(wallet)
  const checks = verifySolvency(found!.statement, { wallet, proof: found!.proof }, { receipts })
  const failing = checks.filter(({ holds }) => !holds).map(({ claim }) => claim)
  return { leaf: found!.proof?.leaf, failing }
}

describe('a count of more wallets than one stage can ask', () => {
  let alice: Player
  let bob: Player
  /** When the count began. */
  let beganAt: number

  beforeEach(async () => {
    await fundHouse('USDG', 5_000_000_000n)
    alice = await depositor(0)
    bob = await depositor(1)
    pass(5 * MINUTE_MS)
    for (const player of [alice, bob]) await ringLedger(player)
    await sweep(env)
    expect((await newest()).epoch).toBe(1)
    pass(HOUR_MS)
    await addActiveWallets(OTHERS)
    await startWithoutOthers()
    asked.clear()
    onPosition = async () => {}
  })

  async function begin(): Promise<void> {
    beganAt = now()
    await sweep(env)
    expect((await newest()).epoch).toBe(1)
  }

  it('is made in stages, asks each ledger once, and is published as one statement', async () => {
    await addActiveWallets(MANY)
    await begin()
    expect(asked.size).toBe(400)
    expect((await proofOf(alice.wallet)).failing).toEqual([])
    pass(2_000)
    await ring()
    expect([asked.size, (await newest()).epoch]).toEqual([800, 1])
    pass(2_000)
    await ring()
    expect(await newest()).toMatchObject({ epoch: 2, at: beganAt, leaves: MANY + 2 })
    expect(timesAsked()).toEqual([1])
    expect(asked.size).toBeGreaterThanOrEqual(MANY)
    expect((await newest()).owed.USDG).toBe((2n * DEPOSIT).toString())
    for (const number of [1, 400, 401, 800, 801, MANY]) {
      const { leaf, failing } = await proofOf(`0x${String(number).padStart(40, '0')}`)
      expect([leaf?.seq, failing]).toEqual([number, []])
    }
    expect((await proofOf(alice.wallet)).failing).toEqual([])
    // Nothing is left of it, and the alarm is not needed any more.
    expect(await ring()).toBe(false)
  })

  it('goes on where it was when its object is killed between two stages', async () => {
    await begin()
    await evictDurableObject(solvency(env))
    await startWithoutOthers()
    await ring()
    expect(await newest()).toMatchObject({ epoch: 2, at: beganAt, leaves: OTHERS + 2 })
    expect(timesAsked()).toEqual([1])
  })

  it('is carried on by the cron handler if its alarm is lost', async () => {
    await begin()
    pass(MINUTE_MS)
    await sweep(env)
    expect(await newest()).toMatchObject({ epoch: 2, at: beganAt })
  })

  it('has each ledger as it was at one moment, whatever moves meanwhile', async () => {
    const { version: seq } = (await ledger(env, alice.wallet).position())!
    await begin()
    const receipts = [{ seq, at: beganAt - 10 * MINUTE_MS - 1 }]
    pass(2_000)
    expect((await alice.play()).status).toBe(200)
    expect((await bob.play({ amountWei: '3000000' })).status).toBe(200)
    await ledger(env, bob.wallet).sendPosition()
    pass(2_000)
    await ring()
    const owed = async (player: Player) => (await proofOf(player.wallet)).leaf?.owed.USDG
    // Both were counted in the last stage; D1 had heard from one of them by then.
    expect(await owed(bob)).toBe(await bob.chips())
    expect([DEPOSIT.toString(), await alice.chips()]).toContain(await owed(alice))
    expect((await proofOf(alice.wallet, receipts)).failing).toEqual([])
    const sum = BigInt((await owed(alice))!) + BigInt((await owed(bob))!)
    expect((await newest()).owed.USDG).toBe(sum.toString())
  })

  it('adds up the positions once, and never puts off the count of the bankroll', async () => {
    const { countedAt } = await treasuryOfVault().facts()
    let sums = 0
    await setVars(treasuryOfVault(), {
      DB: {
        prepare: (query: string) => env.DB.prepare(query),
        batch: (statements: D1PreparedStatement[]) => {
          // The heartbeat writes two statements, and a sum reads three.
          if (statements.length === 3) {
            sums++
            pass(2_000)
          }
          return env.DB.batch(statements)
        },
      },
    })
    await addActiveWallets(MANY)
    await begin()
    // One is the bankroll's.
    expect(sums).toBe(2)
    for (let stage = 2; stage <= 3; stage++) {
      pass(MINUTE_MS)
      await ring()
      await treasuryOfVault().count({ mayPause: true })
      expect(sums).toBe(stage + 1)
    }
    expect(await newest()).toMatchObject({ epoch: 2, leaves: MANY + 2 })
    expect((await treasuryOfVault().facts()).countedAt).toBeGreaterThan(countedAt! + HOUR_MS)
  })

  it('needs the node only for what the vault held when it began', async () => {
    await begin()
    nodeFails(() => true, 'before')
    pass(2_000)
    await ring()
    expect(await newest()).toMatchObject({ epoch: 2, at: beganAt, leaves: OTHERS + 2 })
  })

  describe('while many wallets have just made their first deposit', () => {
    const depositors = Array.from(
      { length: MANY },
      (_, n) => `0x0000f${String(n).padStart(35, '0')}`,
    )
    const timesEachAsked = () => new Set(depositors.map((wallet) => asked.get(wallet)))

    beforeEach(() => {
      vi.spyOn(Treasury.prototype, 'recentPlayers').mockResolvedValue(depositors)
    })

    it('begins as soon as each of them is in D1', async () => {
      onPosition = listWallet
      await begin()
      for (let stage = 0; stage < 6; stage++) await ring()
      expect(await newest()).toMatchObject({ epoch: 2, leaves: OTHERS + 2 + MANY })
      // Once to send its position, and once for its part of the count.
      expect(timesEachAsked()).toEqual(new Set([2]))
    })

    it('does not begin while D1 lacks them, and asks them again in a minute at the earliest', async () => {
      await begin()
      for (let stage = 0; stage < 6; stage++) await ring()
      expect((await newest()).epoch).toBe(1)
      expect(Math.max(...asked.values())).toBeLessThanOrEqual(3)
    })
  })

  it('does not begin while the node does not answer', async () => {
    nodeFails(() => true, 'before')
    await sweep(env)
    vi.mocked(globalThis.fetch).mockRestore()
    expect([asked.size, (await newest()).epoch, await ring()]).toEqual([0, 1, false])
  })

  it('repeats a stage in which a ledger did not answer', async () => {
    await begin()
    const stuck = vi.spyOn(Ledger.prototype, 'position').mockRejectedValue(new Error('stuck'))
    await expect(ring()).rejects.toThrow('stuck')
    expect((await newest()).epoch).toBe(1)
    stuck.mockRestore()
    await sweep(env)
    expect(await newest()).toMatchObject({ epoch: 2, at: beganAt, leaves: OTHERS + 2 })
  })

  it('begins again if D1 can no longer be trusted', async () => {
    await begin()
    const closed = refuse('closed', 'Some balances are still being collected. Try again later.')
    const doubt = vi.spyOn(Treasury.prototype, 'recentPlayers').mockResolvedValue(closed)
    await ring()
    doubt.mockRestore()
    expect(await ring()).toBe(false)
    pass(MINUTE_MS)
    await sweep(env)
    await ring()
    expect(await newest()).toMatchObject({ epoch: 2, at: beganAt + MINUTE_MS })
  })

  it('begins again if D1 has been restored since the last heartbeat', async () => {
    await begin()
    await env.DB.exec('UPDATE heartbeat SET beat = beat - 1')
    await ring()
    expect(await ring()).toBe(false)
    expect((await newest()).epoch).toBe(1)
  })

  it('begins again if the public log has its epoch, which a restored object has forgotten', async () => {
    await begin()
    const other = { ...(await newest()), epoch: 2 }
    await transparencyLog(env).append({ kind: 'solvency', id: '2', ...other })
    await ring()
    expect((await newest()).epoch).toBe(1)
    await sweep(env)
    await ring()
    expect(await newest()).toMatchObject({ epoch: 3, leaves: OTHERS + 2 })
  })

  it('begins again if its last stage has taken that long, so that no leaf is much newer than the count', async () => {
    await begin()
    vi.spyOn(Treasury.prototype, 'recentPlayers').mockImplementationOnce(async () => {
      pass(HOUR_MS / 2 + 1)
      return []
    })
    await ring()
    expect((await newest()).epoch).toBe(1)
    await sweep(env)
    await ring()
    expect(await newest()).toMatchObject({ epoch: 2, at: beganAt + HOUR_MS / 2 + 1 })
  })

  it('begins again if it has taken half an hour', async () => {
    await begin()
    await deposit(bob, 'USDG', 5_000_000n)
    pass(HOUR_MS / 2 + 1)
    // As the cron trigger has it written each minute: after half an hour without, D1 would not be believed yet.
    await treasuryOfVault().beat()
    await ring()
    await ring()
    expect(await newest()).toMatchObject({ epoch: 2, at: beganAt + HOUR_MS / 2 + 1 })
    expect((await newest()).owed.USDG).toBe((2n * DEPOSIT + 5_000_000n).toString())
  })
})
