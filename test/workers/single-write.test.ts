import { env } from 'cloudflare:workers'
import { expect, it, vi } from 'vitest'
import { CrashRoundStore } from '../../durable-objects/crash-round/store.ts'
import { Segments } from '../../durable-objects/ledger/segments.ts'
import { crashRound, ledger } from '../../src/calls/objects.ts'
import type { StoredEntry } from '../../src/ledger/journal.ts'
import { fundedPlayer, openRound, rowsOf, useStories } from './support.ts'

useStories()

type Append = (this: Segments, entry: StoredEntry) => void

/** Makes the next operation fail right after it has stored its entry. */
function failAfterEntry(): void {
  const append = Object.getOwnPropertyDescriptor(Segments.prototype, 'append')?.value as Append
  vi.spyOn(Segments.prototype, 'append').mockImplementationOnce(function (this: Segments, entry) {
    append.call(this, entry)
    throw new Error('the disk is full')
  })
}

type InsertBet = CrashRoundStore['insertBet']

/** Makes the next bet fail right before or after the round has stored it. */
function failAtBet(when: 'before' | 'after'): void {
  const insertBet = Object.getOwnPropertyDescriptor(CrashRoundStore.prototype, 'insertBet')
    ?.value as InsertBet
  vi.spyOn(CrashRoundStore.prototype, 'insertBet').mockImplementationOnce(function (
    this: CrashRoundStore,
    ...bet
  ) {
    if (when === 'after') insertBet.apply(this, bet)
    throw new Error('the disk is full')
  })
}

it('an entry that is all that its operation writes stands after a fault, and answers the repeated call', async () => {
  const player = await fundedPlayer(0)
  await player.play({ nonce: 0 })
  failAfterEntry()
  expect((await player.play({ nonce: 1 })).status).toBe(500)
  const standing = await ledger(env, player.wallet).findPlay(1)
  expect(standing).toMatchObject({ nonce: 1 })
  expect((await player.play({ nonce: 1 })).body).toMatchObject({ ...standing, ok: true })
})

it('an entry is undone with the other rows of its operation', async () => {
  const player = await fundedPlayer(0)
  failAfterEntry()
  expect((await player.play({ nonce: 0 })).status).toBe(500)
  const books = ledger(env, player.wallet)
  expect(await books.findPlay(0)).toBeNull()
  expect(await rowsOf(books, 'SELECT * FROM terms')).toEqual([])
  expect((await player.play({ nonce: 0 })).status).toBe(200)
})

it.each([
  ["a round's first bet is undone with its table", 0, 'after', 0],
  ['a later bet, the only write of its call, stands after a fault', 1, 'after', 2],
  ['a later bet that could not be stored was not placed', 1, 'before', 1],
] as const)('%s, and the repeated call places it once', async (_, earlier, when, stored) => {
  const [alice, bob] = [await fundedPlayer(0), await fundedPlayer(1)]
  const { roundId } = await openRound()
  if (earlier > 0) await bob.bet('20000000')
  const placed = () => rowsOf(crashRound(env, roundId), 'SELECT * FROM bets')
  failAtBet(when)
  expect((await alice.bet('10000000')).status).toBe(500)
  const shown = await crashRound(env, roundId).tableBets(null)
  expect(shown?.bets).toHaveLength(stored)
  if (stored > 0) expect(await placed()).toHaveLength(stored)
  expect((await alice.bet('10000000')).status).toBe(200)
  expect(await placed()).toHaveLength(earlier + 1)
  expect((await alice.state()).body.me.openBet).toMatchObject({ amountWei: '10000000' })
})
