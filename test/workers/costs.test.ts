import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi, type TestContext } from 'vitest'
import COSTS_MD from '../../reference/costs.md?raw'
import { crashTable, ledger, partnerIds } from '../../src/calls/objects.ts'
import { flightMs } from '../../src/crash/curve.ts'
import { transactionText } from '../../src/ledger/transfer.ts'
import { READ_AGE_MS } from '../../src/operator/modes.ts'
import { shardOf, type IdClaim } from '../../src/wallet-bridge/ids.ts'
import { priceOfMillion } from '../bench/prices.ts'
import { costsOf, type Costs } from './costs.ts'
import { setLimit } from './limits.ts'
import { grant, Platform } from './partner.ts'
import {
  endRound,
  fundedPlayer,
  get,
  now,
  openRound,
  pass,
  Player,
  ringLedger,
  ringRound,
  ringTable,
  rowsOf as rowsIn,
  secretsOf,
  setTime,
  useStories,
  type Answer,
} from './support.ts'

declare module 'vitest' {
  interface TaskMeta {
    /** By path. The benchmark prints them. */
    costs?: Record<string, Costs>
  }
}

useStories()

/** Seeds are the same in every run, so that outcomes have the same length. */
beforeEach(() => {
  let drawn = 0
  vi.spyOn(crypto, 'getRandomValues').mockImplementation((array) => {
    const bytes = array as unknown as Uint8Array
    bytes.set(bytes.map((_, index) => (index === 0 ? drawn : index * 37)))
    drawn++
    return array
  })
})

/** A round without bets or auto-cash-outs that flies for a while. */
const anyFlight = { min: 300, max: 600 }

/** Ids that one shard of a partner's ids owns. */
function idsIn(shard: number): string[] {
  const ids = Array.from({ length: 1_000 }, (_, number) => `spin-${1_000 + number}`)
  return ids.filter((id) => shardOf(id) === shard)
}

/** Makes a partner's transaction in its shard 0, with a token of shard 1 unless another is named. */
function transact(
  { wallet }: Player,
  number: number,
  amount: number,
  jti = idsIn(1)[number],
): Promise<Answer> {
  const [partnerTransactionId, currency] = [idsIn(0)[number], 'USDG']
  return new Platform().post(
    'transaction',
    JSON.stringify({ playerId: wallet, currency, amount, partnerTransactionId }),
    ({ claims, ...token }) => ({ ...token, claims: { ...claims, jti } }),
  )
}

/** The figures of the reference by path, as text. */
const DOCUMENTED = new Map(
  COSTS_MD.split('\n').map((line) => {
    const [, path = '', ...figures] = line.split('|').map((cell) => cell.trim())
    return [path, figures.slice(0, -1)]
  }),
)

/** Compares what paths cost with the reference, and hands it to the benchmark. */
function expectDocumentedCosts({ task }: TestContext, costs: Record<string, Costs>): void {
  task.meta.costs = costs
  const lines = Object.entries(costs).map(([path, { rows, calls, statements, bytes }]) => {
    const price = `$${priceOfMillion({ rows, calls }).toFixed(2)}`
    return [path, ...[rows, calls, statements, bytes].map(String), price]
  })
  const documented = lines.map(([path = '']) => [path, ...(DOCUMENTED.get(path) ?? [])])
  expect(lines).toEqual(documented)
}

/** The costs of a call that has to succeed. */
function costsOfCall(call: () => Promise<Answer>): Promise<Costs> {
  return costsOf(async () => expect((await call()).status).toBe(200))
}

async function rowsOfWork(work: () => Promise<unknown>): Promise<number> {
  return (await costsOf(work)).rows
}

async function rowsOfCall(call: () => Promise<Answer>): Promise<number> {
  return (await costsOfCall(call)).rows
}

/** If a figure has changed, change it in reference/costs.md too. */
describe('costs as much as reference/costs.md says:', () => {
  it('a bet and its cash-out', async (context) => {
    const [alice, bob] = [await fundedPlayer(0), await fundedPlayer(1)]
    const first = await openRound(anyFlight)
    await alice.bet('1000000')
    await endRound(first)
    pass(5_000)
    const second = await openRound(anyFlight)
    await bob.bet('1000000')
    await alice.state()
    const bet = await costsOfCall(() => alice.bet('1000000'))
    setTime(second.flightAt + 2_000)
    await alice.state()
    const cashOut = await costsOfCall(() => alice.cashout())
    expectDocumentedCosts(context, { bet, 'cash-out': cashOut })
  })

  it('a play', async (context) => {
    const alice = await fundedPlayer(0)
    await alice.play()
    expectDocumentedCosts(context, { play: await costsOfCall(() => alice.play()) })
  })

  it("a partner's debit and credit", async (context) => {
    const alice = new Player(0)
    await transact(alice, 0, 10)
    const credit = await costsOfCall(() => transact(alice, 1, 10))
    await transact(alice, 2, -1)
    const debit = await costsOfCall(() => transact(alice, 3, -1))
    const named = await costsOfCall(() => transact(alice, 4, -1, idsIn(0)[4]))
    expectDocumentedCosts(context, {
      "a partner's debit": debit,
      "a partner's debit with its id as jti": named,
      "a partner's credit": credit,
    })
  })

  it('a read of the state, also of a wallet that is new or not in memory', async (context) => {
    await openRound(anyFlight)
    const [alice, stranger] = [await fundedPlayer(0), new Player(1)]
    await alice.state()
    await stranger.authSig()
    const first = await costsOfCall(() => stranger.state())
    const state = await costsOfCall(() => alice.state())
    const alicesLedger = ledger(env, alice.wallet)
    const cold = await costsOfCall(async () => {
      await evictDurableObject(alicesLedger)
      return alice.state()
    })
    expectDocumentedCosts(context, {
      'first request of a wallet': first,
      state,
      'state of a wallet that is not in memory': cold,
    })
  })

  it("a partner's read of a balance", async (context) => {
    const [platform, alice] = [new Platform(), await fundedPlayer(0)]
    const balance = await costsOfCall(() => platform.balance(alice))
    expectDocumentedCosts(context, { balance })
  })

  it("the operator's switches, which an isolate reads once in five seconds for all calls", async (context) => {
    const alice = await fundedPlayer(0)
    await alice.play()
    await get('/api/entropy')
    expect((await costsOfCall(() => get('/api/entropy'))).calls).toBe(0)
    pass(READ_AGE_MS)
    const switches = await costsOfCall(() => get('/api/entropy'))
    expectDocumentedCosts(context, { "the operator's switches, once in 5 s": switches })
  })

  it('the first contact of a wallet: the signed read that draws its first seed', async (context) => {
    await openRound()
    // An isolate reads the operator's switches once in five seconds.
    await get('/api/entropy')
    const alice = new Player(0)
    await alice.authSig()
    const contact = await costsOf(() => alice.nextPlay())
    expectDocumentedCosts(context, { 'first contact of a wallet': contact })
  })

  it('a round that nobody bets in, in all objects', async (context) => {
    const nextRound = async () => {
      const { plan } = await crashTable(env).snapshot()
      const { crash } = await secretsOf(plan.roundId)
      const pastIt = async () => {
        setTime(plan.flightAt + flightMs(crash))
        await ringRound(plan.roundId)
        pass(5_000)
        await ringTable()
        await get('/api/crash?action=watch')
      }
      return { crash, pastIt }
    }
    await endRound(await openRound(anyFlight))
    pass(5_000)
    await get('/api/crash?action=watch')
    let next = await nextRound()
    // A flight that is over at once, or so long that the table rests, has other costs.
    while (next.crash < 150 || next.crash > 250) {
      await next.pastIt()
      next = await nextRound()
    }
    const round = await costsOf(next.pastIt)
    expectDocumentedCosts(context, { 'a round that nobody bets in': round })
  })
})

describe('rows written on top:', () => {
  it('6 for a wallet that was quiet: its update to D1, once in 150 to 300 seconds of play', async () => {
    const alice = await fundedPlayer(0)
    await alice.play()
    pass(600_000)
    await ringLedger(alice)
    expect(await rowsOfCall(() => alice.play())).toBe(1 + 4)
    pass(300_000)
    expect(await rowsOfWork(() => ringLedger(alice))).toBe(2)
  })

  it("34 for a wallet's first chips, which make its tables", async () => {
    const alice = new Player(0)
    expect(await rowsOfWork(() => alice.fund('1000000'))).toBe(34)
  })

  it("3, and a call, for a partner's new player", async () => {
    const [alice, bob] = [new Player(0), new Player(1)]
    await setLimit(bob, 'wager', '1000000')
    await transact(alice, 0, 10)
    const first = await costsOfCall(() => transact(bob, 1, 10))
    const second = await costsOfCall(() => transact(bob, 2, 10))
    // The first transaction is also the first under these terms.
    expect(first.rows - second.rows - 1).toBe(3)
    expect(first.calls - second.calls).toBe(1)
  })

  it('1 for the first play, withdrawal or transaction of a wallet under other terms', async () => {
    const alice = await fundedPlayer(0)
    await alice.nextPlay()
    expect(await rowsOfCall(() => alice.play())).toBe(1 + 1)
    expect(await rowsOfCall(() => alice.play())).toBe(1)
  })

  it("2 for a round's first bet, which makes the table", async () => {
    const [alice, bob] = [await fundedPlayer(0), await fundedPlayer(1)]
    await openRound(anyFlight)
    await alice.state()
    expect(await rowsOfCall(() => alice.bet('1000000'))).toBe(2 + 2)
    expect(await rowsOfCall(() => bob.bet('1000000'))).toBe(2)
  })
})

describe('a wallet without chips stores', () => {
  const bytesOf = ({ wallet }: Player) =>
    runInDurableObject(ledger(env, wallet), (_, { storage }) => storage.sql.databaseSize)

  it('8 KiB for its first seed, and 72 KiB in 37 rows for its first limit, a little less for a permission', async () => {
    const [alice, bob, carol] = [new Player(0), new Player(1), new Player(2)]
    await alice.nextPlay()
    const limited = await rowsOfCall(() => setLimit(bob, 'wager', '1000000'))
    const granted = await rowsOfCall(() => grant(carol))
    const bytes = [await bytesOf(alice), await bytesOf(bob), await bytesOf(carol)]
    expect(bytes).toEqual([8_192, 73_728, 69_632])
    expect([limited, granted]).toEqual([37, 35])
  })
})

it("an id of a partner takes some 160 bytes, or 250 if it is its token's jti too", async () => {
  const stub = partnerIds(env, 'demo', 'any')
  const { wallet } = new Player(0)
  const request = transactionText({ token: 'USDG', amountWei: -2_500_000n })
  const claimOne = (isJti: boolean) => {
    const id = crypto.randomUUID()
    const claim: IdClaim = { id, kind: 'transaction', wallet, token: 'USDG', request }
    const use = { jti: id, callHash: 'f'.repeat(64), expiresAt: now() + 20_000 }
    return stub.claim(isJti ? use : null, claim)
  }
  const bytes = async (isJti: boolean, kept = 2_000) => {
    const before = (await stub.facts()).databaseBytes
    for (let claimed = 0; claimed < kept; claimed += 100) {
      const refusals = await Promise.all(Array.from({ length: 100 }, () => claimOne(isJti)))
      expect(refusals.every((refusal) => refusal === null)).toBe(true)
    }
    return ((await stub.facts()).databaseBytes - before) / kept
  }
  // Random ids fill the pages of a table differently each time.
  expect(Math.abs((await bytes(false)) / 160 - 1)).toBeLessThan(0.1)
  expect(Math.abs((await bytes(true)) / 250 - 1)).toBeLessThan(0.1)
})

describe('an entry of the journal takes at most', () => {
  const LENGTHS = `SELECT operation_id AS id, length(operation_id) + length(request) + length(postings)
      + length(result) + length(hash) + length(head) AS bytes FROM journal_1 ORDER BY seq`

  /** The bytes of the latest entry, by what its id begins with. */
  async function bytesOf(player: Player): Promise<Record<string, number>> {
    const rows = await rowsIn<{ id: string; bytes: number }>(ledger(env, player.wallet), LENGTHS)
    return Object.fromEntries(rows.map(({ id, bytes }) => [id.split(':')[0], bytes]))
  }

  it('300 bytes for a play, 250 for a bet and 250 for its settlement', async () => {
    const alice = await fundedPlayer(0)
    await alice.play()
    const plan = await openRound(anyFlight)
    await alice.bet('1000000')
    setTime(plan.flightAt + 2_000)
    await alice.cashout()
    const bytes = await bytesOf(alice)
    expect(bytes['entropy']).toBeLessThanOrEqual(300)
    expect(bytes['bet']).toBeLessThanOrEqual(250)
    expect(bytes['settle']).toBeLessThanOrEqual(250)
  })
})
