import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { ledger, partnerIdsShard } from '../../src/objects.ts'
import { shardOf, SHARDS } from '../../src/wallet-bridge/ids.ts'
import { rowsWritten } from './costs.ts'
import { Platform } from './partner.ts'
import {
  endRound,
  fundedPlayer,
  get,
  openRound,
  pass,
  Player,
  ringLedger,
  ringRound,
  ringTable,
  rowsOf,
  setTime,
  useStories,
  type Answer,
} from './support.ts'

useStories()

/** A round without bets or auto-cash-outs that flies for a while. */
const anyFlight = { min: 300, max: 600 }

/** Where the demo partner's ids are. */
const shards = Array.from({ length: SHARDS }, (_, shard) => partnerIdsShard(env, 'demo', shard))

/** Ids in one of them, where the player is known after the first. */
const ids = Array.from({ length: 1_000 }, (_, number) => `spin-${number}`)
  .filter((id) => shardOf(id) === 0)
  .map((partnerTransactionId) => ({ partnerTransactionId }))

/** The rows of a call that has to succeed. */
function rowsOfCall(call: () => Promise<Answer>): Promise<number> {
  return rowsWritten(async () => expect((await call()).status).toBe(200))
}

/** The price of rows is in reference/costs.md. */
describe('rows written, indexes and alarms included:', () => {
  it('a bet 2 and its cash-out 2', async () => {
    const [alice, bob] = [await fundedPlayer(0), await fundedPlayer(1)]
    const first = await openRound(anyFlight)
    await alice.bet('1000000')
    await endRound(first)
    pass(5_000)
    const second = await openRound(anyFlight)
    await bob.bet('1000000')
    await alice.state()
    expect(await rowsOfCall(() => alice.bet('1000000'))).toBe(2)
    setTime(second.flightAt + 2_000)
    await alice.state()
    expect(await rowsOfCall(() => alice.cashout())).toBe(2)
  })

  it('a play 1', async () => {
    const alice = await fundedPlayer(0)
    await alice.play()
    expect(await rowsOfCall(() => alice.play())).toBe(1)
  })

  it("a partner's credit 6 and debit 5", async () => {
    const [platform, alice] = [new Platform(), new Player(0)]
    await Promise.all(shards.map((shard) => runInDurableObject(shard, () => {})))
    const [first, credit, second, debit, named] = ids
    await platform.transact(alice, '10', first)
    expect(await rowsOfCall(() => platform.transact(alice, '10', credit))).toBe(6)
    await platform.transact(alice, '-1', second)
    expect(await rowsOfCall(() => platform.transact(alice, '-1', debit))).toBe(5)
    const fields = { playerId: alice.wallet, currency: 'USDG', amount: -1, ...named }
    const body = JSON.stringify(fields)
    const jti = named?.partnerTransactionId
    const post = () =>
      platform.post('transaction', body, (token) => ({
        ...token,
        claims: { ...token.claims, jti },
      }))
    expect(await rowsOfCall(post)).toBe(4)
  })

  it('the first contact of a wallet 3: the signed read that draws its first seed', async () => {
    await openRound()
    const alice = new Player(0)
    await alice.authSig()
    expect(await rowsWritten(() => alice.nextPlay())).toBe(3)
    expect(await rowsWritten(() => alice.state())).toBe(0)
  })

  it('6 more for a wallet that was quiet: its update to D1, at most once in five minutes', async () => {
    const alice = await fundedPlayer(0)
    await alice.play()
    pass(600_000)
    await ringLedger(alice)
    expect(await rowsOfCall(() => alice.play())).toBe(1 + 4)
    pass(300_000)
    expect(await rowsWritten(() => ringLedger(alice))).toBe(2)
  })

  it("2 more for a round's first bet, which makes the table", async () => {
    const [alice, bob] = [await fundedPlayer(0), await fundedPlayer(1)]
    await openRound(anyFlight)
    await alice.state()
    expect(await rowsOfCall(() => alice.bet('1000000'))).toBe(2 + 2)
    expect(await rowsOfCall(() => bob.bet('1000000'))).toBe(2)
  })

  it('a round that nobody bets in 11, in all objects', async () => {
    await endRound(await openRound(anyFlight))
    pass(5_000)
    await get('/api/crash?action=watch')
    const rows = await rowsWritten(async () => {
      const plan = await openRound(anyFlight)
      setTime(plan.flightAt)
      await ringRound(plan.roundId)
      await endRound(plan)
      await ringRound(plan.roundId)
      pass(5_000)
      await ringTable()
      await get('/api/crash?action=watch')
    })
    // One more is the test's own, which chooses the flight.
    expect(rows - 1).toBe(11)
  })
})

describe('an entry of the journal takes at most', () => {
  const LENGTHS = `SELECT operation_id AS id, length(operation_id) + length(request) + length(postings)
      + length(result) + length(hash) + length(head) AS bytes FROM journal_1 ORDER BY seq`

  /** The bytes of the latest entry, by what its id begins with. */
  async function bytesOf(player: Player): Promise<Record<string, number>> {
    const rows = await rowsOf<{ id: string; bytes: number }>(ledger(env, player.wallet), LENGTHS)
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
