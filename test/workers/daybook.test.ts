import {
  evictDurableObject,
  listDurableObjectIds,
  runDurableObjectAlarm,
  runInDurableObject,
} from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { daybook, treasury } from '../../src/calls/objects.ts'
import type { VaultConfig } from '../../src/config/config.ts'
import { DAY_MS, dateOf } from '../../src/core/utc-day.ts'
import { balancesOf, type DaybookLine } from '../../src/daybook/lines.ts'
import { reportOf } from '../../src/daybook/report.ts'
import { replay, linked, GENESIS_HASH, type JournalState } from '../../src/ledger/journal.ts'
import { TOKENS, type Token } from '../../src/money/token.ts'
import { sweep } from '../../src/sweep.ts'
import { Ledger, Treasury } from '../../src/worker.ts'
import { useShortSegments } from './archive.ts'
import { changeObjectConfig } from './configuration.ts'
import { entriesOf } from './journals.ts'
import { order } from './operator.ts'
import { Platform } from './partner.ts'
import {
  codeOf,
  endRound,
  fundedPlayer,
  now,
  openRound,
  pass,
  Player,
  post,
  ringLedger,
  setTime,
  useStories,
} from './support.ts'

useStories()

useShortSegments()

const platform = new Platform()

const VAULT = {
  id: '31337:0x00000000000000000000000000000000000000D1',
  chainId: 31337,
} as VaultConfig

/** Runs the daybook's alarm as often as some days need. */
async function ring(): Promise<void> {
  await daybook(env).sweep()
  for (let alarms = 0; alarms < 4; alarms++) await runDurableObjectAlarm(daybook(env))
}

/** Passes the end of the day, and the time until it is counted. Returns the day. */
async function endDay(...players: Player[]): Promise<string> {
  const day = dateOf(now())
  await daybook(env).sweep()
  setTime(Date.parse(day) + DAY_MS + 300_000)
  for (const player of players) await ringLedger(player)
  setTime(Date.parse(day) + DAY_MS + 900_000)
  await ring()
  return day
}

const booksOf = async (day: string) => {
  const [books] = await daybook(env).read(day, day)
  if (!books) throw new Error(`${day} was not counted`)
  return books
}

/** The rows of a day that are not empty, without their zeros. */
async function report(day: string) {
  const { lines } = await booksOf(day)
  return reportOf(day, lines).map(({ asset, name, ...row }) => {
    const amounts = Object.entries(row).filter(
      ([, value]) => typeof value === 'bigint' && value !== 0n,
    )
    return [asset, name, Object.fromEntries(amounts)]
  })
}

/** What all journals amount to when they are replayed. */
async function replayed(): Promise<(JournalState & { entries: number })[]> {
  const ids = await listDurableObjectIds(env.LEDGER)
  return Promise.all(
    ids.map(async (id) => {
      const end = replay(linked(await entriesOf(env.LEDGER.get(id)), GENESIS_HASH))
      if (!end.ok) throw new Error(end.problem)
      return end
    }),
  )
}

function expectBalances(lines: DaybookLine[], token: Token, ends: JournalState[]): void {
  const balances = balancesOf(lines, token)
  const net = (pattern: RegExp) =>
    [...balances].reduce((sum, [name, wei]) => (pattern.test(name) ? sum + wei : sum), 0n)
  const sum = (of: (end: JournalState) => bigint) =>
    ends.reduce((total, end) => total + of(end), 0n)
  for (const account of ['chips', 'in_play', 'withdrawing', 'quarantine'] as const) {
    expect(balances.get(`players:${account}`) ?? 0n).toBe(
      sum((end) => end.balances[token][account]),
    )
  }
  expect(net(/^partner:/)).toBe(sum((end) => end.balances[token].partner))
  expect(net(/^faucet$/)).toBe(sum((end) => end.balances[token].faucet))
  expect(net(/^(wagers:|payouts:|open-games|losses|funds)/)).toBe(
    sum((end) => end.balances[token].house),
  )
  expect(net(/^wagers:/)).toBe(sum((end) => end.totals[token].wagered))
  expect(-net(/^payouts:/)).toBe(sum((end) => end.totals[token].returned))
}

/** Has a player's ledger not answer the daybook. */
function silence({ wallet }: Player) {
  const ask = Reflect.get(Ledger.prototype, 'bookedLines')
  return vi.spyOn(Ledger.prototype, 'bookedLines').mockImplementation(async function (
    this: Ledger,
    ...args: Parameters<Ledger['bookedLines']>
  ) {
    const { name } = (this as unknown as { ctx: DurableObjectState }).ctx.id
    if (name === wallet) throw new Error('does not answer')
    return ask.apply(this, args)
  })
}

/** Plays keno with five numbers. */
const keno = (player: Player, amountWei: string) =>
  player.play({ game: 'keno', params: { picks: [1, 2, 3, 4, 5], risk: 'high' }, amountWei })

describe('the books of a day', () => {
  it('have a partner’s credits and their rollbacks of a wallet that nothing is left of', async () => {
    const alice = new Player(0)
    const credit = crypto.randomUUID()
    await platform.transact(alice, '7.5', { partnerTransactionId: credit })
    await platform.rollBack(alice, credit)
    const day = await endDay(alice)
    const { wallets, entries, lines } = await booksOf(day)
    expect({ wallets, entries }).toEqual({ wallets: 1, entries: 2 })
    expect(lines.map(({ amountWei }) => amountWei)).toEqual([7_500_000n, 7_500_000n])
  })

  it('cost D1 nothing for a wallet whose debits were all refused', async () => {
    const alice = new Player(0)
    expect(codeOf(await platform.transact(alice, '-1'))).toBe('insufficient_chips')
    await endDay(alice)
    const { results } = await env.DB.prepare('SELECT wallet FROM ledger_positions').all()
    expect(results).toEqual([])
  })

  it('have each game, each partner and nothing of another day', async () => {
    const alice = await fundedPlayer(0)
    await platform.transact(alice, '-3')
    const credit = crypto.randomUUID()
    await platform.transact(alice, '7.5', { partnerTransactionId: credit })
    await platform.rollBack(alice, credit)
    await platform.transact(alice, '1')
    const plan = await openRound({ min: 300, max: 600 })
    await alice.bet('2000000', { autoCashout: 2 })
    await endRound(plan)
    const first = await endDay(alice)
    expect(await report(first)).toEqual([
      ['USDG', 'crash', { wagered: 2_000_000n, returned: 4_000_000n, ggr: -2_000_000n }],
      ['USDG', 'demo', { wagered: 10_500_000n, returned: 8_500_000n, ggr: 2_000_000n }],
    ])
    expect(await booksOf(first)).toMatchObject({
      isClosed: true,
      wallets: 1,
      entries: 7,
      problems: [],
    })
    const { body } = await alice.play({ amountWei: '5000000' })
    const returned = BigInt(body.payout)
    const second = await endDay(alice)
    expect(await report(second)).toMatchObject([['USDG', 'limbo', { wagered: 5_000_000n }]])
    expect((await report(second))[0]?.[2]).toMatchObject({ ggr: 5_000_000n - returned })
    expect(await report(first)).toHaveLength(2)
  })

  it('equal a replay of all journals after days of play, and are the same when counted again', async () => {
    const players = [await fundedPlayer(0), await fundedPlayer(1), await fundedPlayer(2)]
    await players[1]!.fund('1000000000000000000', 'ETH')
    const days: string[] = []
    for (let day = 0; day < 3; day++) {
      for (const [index, player] of players.entries()) {
        for (let plays = 0; plays < 6 + 5 * index; plays++) {
          const played = plays % 2 === 0 ? player.play() : keno(player, '700000')
          expect((await played).status).toBe(200)
          pass(1_000)
        }
        await platform.transact(player, index === 0 ? '-2' : '0.25')
      }
      const plan = await openRound({ min: 150, max: 400 })
      for (const player of players) await player.bet('3000000', { autoCashout: 2 })
      // A game of mines that is open at midnight.
      const [alice] = players
      const signed = { wallet: alice!.wallet, authSig: await alice!.authSig() }
      const game = { token: 'USDG', amountWei: '1000000', params: { mines: 1 } }
      const { nonce } = await alice!.nextPlay()
      await post('/api/entropy', { action: 'mines-open', nonce, ...game, ...signed })
      for (const tile of [3, 4]) {
        await post('/api/entropy', { action: 'mines-pick', nonce, tile, ...signed })
      }
      await endRound(plan)
      for (const player of players) await player.state()
      days.push(await endDay(...players))
      await post('/api/entropy', {
        action: 'mines-cashout',
        nonce,
        wallet: alice!.wallet,
        authSig: await alice!.authSig(),
      })
    }
    days.push(await endDay(...players))
    const ends = await replayed()
    const books = await daybook(env).read(days[0]!, days.at(-1)!)
    expect(books.map(({ day }) => day)).toEqual(days)
    expect(books.flatMap(({ problems }) => problems)).toEqual([])
    expect(books.reduce((sum, { entries }) => sum + entries, 0)).toBe(
      ends.reduce((sum, { entries }) => sum + entries, 0),
    )
    for (const token of TOKENS) {
      expectBalances(
        books.flatMap(({ lines }) => lines),
        token,
        ends,
      )
    }
    for (const { day, countedAt: _, ...before } of books) {
      expect((await order('reproject', `books:${day}`)).body.act.result).toMatchObject({
        isDone: true,
      })
      await runDurableObjectAlarm(daybook(env))
      expect(await booksOf(day)).toMatchObject(before)
    }
  })

  it('wait for a ledger that does not answer, and are complete or not there', async () => {
    const [alice, bob] = [await fundedPlayer(0), await fundedPlayer(1)]
    await alice.play()
    await bob.play()
    const silent = silence(bob)
    const day = await endDay(alice, bob)
    expect(await daybook(env).read(day, day)).toEqual([])
    silent.mockRestore()
    vi.spyOn(console, 'error').mockImplementation(() => {})
    pass(60_000)
    await evictDurableObject(daybook(env))
    await ring()
    expect(await booksOf(day)).toMatchObject({ wallets: 2, entries: 4, isClosed: true })
  })

  it('of later days go on without a day that cannot be counted, once operators order one of them', async () => {
    const [alice, bob] = [await fundedPlayer(0), await fundedPlayer(1)]
    await bob.play()
    vi.spyOn(console, 'error').mockImplementation(() => {})
    setTime(Date.parse(dateOf(now())) + DAY_MS - 300_000)
    await ringLedger(bob)
    const silent = silence(bob)
    const stuck = await endDay(alice)
    await alice.play()
    const next = await endDay(alice)
    expect(await daybook(env).read(stuck, next)).toEqual([])
    // It sleeps between its tries.
    await evictDurableObject(daybook(env))
    const { body } = await order('reproject', `books:${next}`)
    expect(body.act.result).toMatchObject({ isDone: true })
    await ring()
    expect(await booksOf(next)).toMatchObject({ isClosed: true, wallets: 1 })
    await alice.play()
    const third = await endDay(alice)
    expect(await booksOf(third)).toMatchObject({ isClosed: true, wallets: 1 })
    silent.mockRestore()
    await order('reproject', `books:${stuck}`)
    await ring()
    expect(await booksOf(stuck)).toMatchObject({ isClosed: true, wallets: 2 })
  })

  it('do not replace a count that goes on', async () => {
    const alice = await fundedPlayer(0)
    await alice.play()
    const day = await endDay(alice)
    const today = dateOf(now())
    await order('reproject', `books:${day}`)
    const { body } = await order('reproject', `books:${today}`)
    expect(body.act.result).toMatchObject({
      isDone: false,
      message: `The books of ${day} are being counted. Try again later.`,
    })
  })

  it('wait until every ledger could send its position, and begin again if D1 was in doubt', async () => {
    const alice = await fundedPlayer(0)
    await alice.play()
    const day = dateOf(now())
    const midnight = Date.parse(day) + DAY_MS
    await daybook(env).sweep()
    await changeObjectConfig(daybook(env), () => ({ vault: VAULT }))
    vi.spyOn(console, 'error').mockImplementation(() => {})
    // Alice's position does not reach D1 before the day is due.
    setTime(midnight + 900_000)
    const doubt = (column: string, at: number | null) =>
      runInDurableObject(treasury(env, VAULT.id), (_, { storage }) => {
        storage.sql.exec(`UPDATE trust SET ${column} = ?`, at)
      })
    for (const column of ['failing_since', 'failed_at', 'restored_at', 'incomplete_since']) {
      await doubt(column, now())
      await ring()
      expect(await daybook(env).read(day, day)).toEqual([])
      await doubt(column, null)
    }
    await ringLedger(alice)
    pass(60_000)
    await ring()
    expect(await booksOf(day)).toMatchObject({ wallets: 1, entries: 2, isClosed: true })
  })

  it('begin again if D1 comes into doubt while they are counted', async () => {
    const [alice, bob] = [await fundedPlayer(0), await fundedPlayer(1)]
    await alice.play()
    await bob.play()
    await changeObjectConfig(daybook(env), () => ({ vault: VAULT }))
    vi.spyOn(console, 'error').mockImplementation(() => {})
    // While the ledgers are asked, D1 turns out to be a copy without Bob.
    const sent = vi.spyOn(Treasury.prototype, 'areAllSent').mockResolvedValueOnce(true)
    sent.mockResolvedValue(false)
    setTime(Date.parse(dateOf(now())) + DAY_MS - 300_000)
    await ringLedger(alice)
    const day = await endDay()
    expect(await daybook(env).read(day, day)).toEqual([])
    sent.mockResolvedValue(true)
    await ringLedger(bob)
    pass(60_000)
    await ring()
    expect(await booksOf(day)).toMatchObject({ wallets: 2, entries: 4 })
  })

  it('go on with a day that is ordered while D1 comes into doubt, once the day before has failed', async () => {
    const [alice, bob] = [await fundedPlayer(0), await fundedPlayer(1)]
    await bob.play()
    await changeObjectConfig(daybook(env), () => ({ vault: VAULT }))
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const sent = vi.spyOn(Treasury.prototype, 'areAllSent').mockResolvedValue(false)
    setTime(Date.parse(dateOf(now())) + DAY_MS - 300_000)
    await ringLedger(bob)
    const stuck = await endDay()
    await alice.play()
    const next = dateOf(now())
    sent.mockImplementationOnce(async () => {
      expect(await daybook(env).count(next)).toBeNull()
      return false
    })
    pass(60_000)
    await ringLedger(alice)
    await ring()
    expect(await daybook(env).read(stuck, stuck)).toEqual([])
    pass(60_000)
    await ring()
    expect(await booksOf(next)).toMatchObject({ isClosed: false, wallets: 1 })
  })

  it('name a wallet whose lines differ from its journal', async () => {
    const alice = await fundedPlayer(0)
    await alice.play()
    const head = env.LEDGER.getByName(alice.wallet)
    const lines = await runInDurableObject(head, (object) =>
      object.bookedLines({ from: 0, to: now() + DAY_MS, after: 0 }),
    )
    expect(lines).toMatchObject({ entries: 2, isAll: true, problem: null })
    vi.spyOn(Ledger.prototype, 'bookedLines').mockResolvedValue({
      ...(lines as Extract<typeof lines, { problem: unknown }>),
      problem: 'chips of USDG',
    })
    const day = await endDay(alice)
    expect((await booksOf(day)).problems).toEqual([`${alice.wallet}: chips of USDG`])
  })

  it('are counted again after the day if a count that began before its end ends after it', async () => {
    const alice = await fundedPlayer(0)
    await alice.play()
    const day = dateOf(now())
    const midnight = Date.parse(day) + DAY_MS
    setTime(midnight - 300_000)
    await ringLedger(alice)
    await order('reproject', `books:${day}`)
    // The ledgers are asked, and then the history does not answer.
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const silent = vi.spyOn(env.HISTORY, 'prepare').mockImplementation(() => {
      throw new Error('does not answer')
    })
    await runDurableObjectAlarm(daybook(env))
    silent.mockRestore()
    setTime(midnight - 60_000)
    await alice.play()
    expect(await daybook(env).read(day, day)).toEqual([])
    expect(await endDay(alice)).toBe(day)
    expect(await booksOf(day)).toMatchObject({ isClosed: true, entries: 3 })
  })

  it('can be counted before the day has ended, for its part so far', async () => {
    const alice = await fundedPlayer(0)
    await alice.play()
    pass(300_000)
    await ringLedger(alice)
    const today = dateOf(now())
    await order('reproject', `books:${today}`)
    await runDurableObjectAlarm(daybook(env))
    expect(await booksOf(today)).toMatchObject({ isClosed: false, entries: 2 })
    const tomorrow = dateOf(now() + DAY_MS)
    const { body } = await order('reproject', `books:${tomorrow}`)
    expect(body.act.result).toEqual({ isDone: false, message: `${tomorrow} has not begun.` })
    expect((await order('reproject', 'books:2040-13-01')).status).toBe(400)
    const never = (await order('reproject', 'books:2020-02-31')).body.act.result
    expect(never).toEqual({ isDone: false, message: 'There is no day 2020-02-31.' })
    await alice.play()
    expect(await endDay(alice)).toBe(today)
    expect(await booksOf(today)).toMatchObject({ isClosed: true, entries: 3 })
  })
})

it('the sweep wakes the daybook once an hour', async () => {
  const alice = await fundedPlayer(0)
  await alice.play()
  pass(300_000)
  await ringLedger(alice)
  setTime(Math.ceil(now() / 3_600_000) * 3_600_000 + 20 * 60_000)
  const day = dateOf(now())
  await sweep(env)
  setTime(Date.parse(day) + DAY_MS + 900_000)
  await runDurableObjectAlarm(daybook(env))
  expect(await booksOf(day)).toMatchObject({ entries: 2 })
})
