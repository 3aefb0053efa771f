import { env } from 'cloudflare:workers'
import { expect, it, vi } from 'vitest'
import { Segments } from '../../durable-objects/ledger/segments.ts'
import type { StoredEntry } from '../../src/ledger/journal.ts'
import { ledger } from '../../src/objects.ts'
import { fundedPlayer, rowsOf, useStories } from './support.ts'

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
