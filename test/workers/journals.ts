import { listDurableObjectIds, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, vi } from 'vitest'
import { hasTable, isBlank } from '../../durable-objects/kernel/migrations.ts'
import type { Ledger } from '../../durable-objects/ledger.ts'
import { Journal } from '../../durable-objects/ledger/journal.ts'
import { Segments } from '../../durable-objects/ledger/segments.ts'
import { crashRound, crashTable } from '../../src/calls/objects.ts'
import { EMPTY_HEAD, unpackHead, type Head } from '../../src/ledger/head.ts'
import type { StoredEntry } from '../../src/ledger/journal.ts'
import { partsOfId } from '../../src/ledger/operation.ts'
import { entryOfLine, lastSeqOf } from '../../src/ledger/segment.ts'
import { TOKENS } from '../../src/money/token.ts'

type BetRow = {
  bet_id: string
  wallet: string
  token: string
  amount_wei: string
  cashout: number | null
}
type HeldBet = { token: string; amount_wei: string; status: string }

/**
 * For every wallet, the journal rebuilds the balances and every sum is zero. Every bet in a
 * round is in its wallet's ledger under the same id, and has the same result there.
 */
export async function expectSoundBooks(): Promise<void> {
  const holds = new Map<string, HeldBet>()
  const restored = new Set<string>()
  for (const stub of await usedLedgers()) {
    const { id } = stub
    const books = await stub.verify()
    expect(books).toMatchObject({ ok: true })
    if (!books.ok) continue
    for (let segment = 1; segment <= books.archived; segment++) {
      expect(await stub.verifySegment(segment)).toEqual({ ok: true })
    }
    for (const token of TOKENS) {
      const sum = Object.values(books.balances[token]).reduce(
        (total, wei) => total + BigInt(wei),
        0n,
      )
      expect(sum).toBe(0n)
    }
    for (const { operationId, request, result } of await entriesOf(stub)) {
      if (partsOfId(operationId).kind === 'restored') restored.add(id.toString())
      const [, roundId, attempt] = operationId.split(':')
      const betId = `${id.toString()}:${roundId}:${attempt}`
      if (operationId.startsWith('bet:')) {
        const [token, amount] = JSON.parse(request) as [string, string]
        holds.set(betId, { token, amount_wei: amount, status: 'open' })
      } else if (operationId.startsWith('settle:')) {
        holds.get(betId)!.status = (JSON.parse(result) as { kind: string }).kind
      }
    }
    await expectGaplessPlays(stub, restored.has(id.toString()))
  }
  const newest = await crashTable(env).newestRoundId()
  const rounds = [...holds.keys()].map((betId) => Number(betId.split(':')[1]))
  const latest = Math.max(newest, ...rounds)
  for (let roundId = 1; ; roundId++) {
    const round = crashRound(env, roundId)
    if (await isBlankObject(round)) {
      // A table that has lost its latest rounds may have opened them all the same.
      if (roundId > latest) break
      continue
    }
    const { status, bets } = await runInDurableObject(round, (_, { storage }) => ({
      status: storage.sql.exec<{ status: string }>('SELECT status FROM round').toArray()[0]?.status,
      bets: hasTable(storage, 'bets')
        ? storage.sql.exec<BetRow>('SELECT * FROM bets').toArray()
        : [],
    }))
    for (const bet of bets) {
      const [, wallet = '', attempt] = bet.bet_id.split(':')
      const ledgerId = env.LEDGER.idFromName(wallet).toString()
      const betId = `${ledgerId}:${roundId}:${attempt}`
      const hold = holds.get(betId)
      // Its money is in the entry that restored the ledger.
      if (!hold && restored.has(ledgerId)) continue
      expect(hold).toMatchObject({ token: bet.token, amount_wei: bet.amount_wei })
      const ended = { crashed: bet.cashout === null ? 'lost' : 'won', voided: 'voided' }[
        status ?? ''
      ]
      expect(['open', ended ?? 'won']).toContain(hold?.status)
      holds.delete(betId)
    }
  }
  for (const [betId, { status }] of holds) {
    expect([betId, ['open', 'never_placed'].includes(status)]).toEqual([betId, true])
  }
}

/** The ledgers that have stored something. The runtime lists those of earlier tests, too. */
export async function usedLedgers(): Promise<DurableObjectStub<Ledger>[]> {
  const stubs = (await listDurableObjectIds(env.LEDGER)).map((id) => env.LEDGER.get(id))
  const areBlank = await Promise.all(stubs.map(isBlankObject))
  return stubs.filter((_, index) => !areBlank[index])
}

/** Whether an object is blank: it was at most read, and has written nothing. */
export function isBlankObject(stub: DurableObjectStub): Promise<boolean> {
  return runInDurableObject(stub, (_: unknown, { storage }: DurableObjectState) => isBlank(storage))
}

/**
 * Checks that every number below a ledger's next play was played exactly once, or is the open game. A restored ledger
 * leaves out numbers, but uses none twice.
 */
async function expectGaplessPlays(stub: DurableObjectStub, isRestored: boolean): Promise<void> {
  const { nextPlay, openGame } = await headOf(stub)
  const ids = (await entriesOf(stub)).map(({ operationId }) => operationId)
  const played = ids.filter((id) => id.startsWith('entropy:')).map((id) => Number(id.slice(8)))
  const numbers = [...played, ...(openGame ? [openGame.nonce] : [])].toSorted((a, b) => a - b)
  if (isRestored) return expect(new Set(numbers).size).toBe(numbers.length)
  expect(numbers).toEqual(Array.from({ length: nextPlay?.nonce ?? 0 }, (_, nonce) => nonce))
}

/** The entries of a ledger's journal, oldest first, with those in the archive. */
export async function entriesOf(stub: DurableObjectStub): Promise<StoredEntry[]> {
  const { archived, here } = await runInDurableObject(
    stub,
    (_: unknown, { storage }: DurableObjectState) => {
      const segments = new Segments(storage.sql)
      const { first, last } = segments.here
      const numbers = Array.from({ length: last - first + 1 }, (_each, index) => first + index)
      return {
        archived: Array.from({ length: first - 1 }, (_each, index) => {
          const hash = segments.endAt(lastSeqOf(index + 1))?.hash
          return `/${index + 1}-${hash}.jsonl.gz`
        }),
        here: numbers.flatMap((number) => [...segments.entries(number, 1)]),
      }
    },
  )
  if (archived.length === 0) return here
  const { objects } = await env.ARCHIVE.list()
  const files = archived.map(async (name) => {
    const key = objects.find((object) => object.key.endsWith(name))?.key
    return key === undefined ? [] : (await archivedLines(key)).map(entryOfLine)
  })
  return [...(await Promise.all(files)).flat(), ...here]
}

/** The lines of a file in the archive. */
export async function archivedLines(key: string): Promise<string[]> {
  const file = await env.ARCHIVE.get(key)
  const text = file?.body.pipeThrough(new DecompressionStream('gzip'))
  return (await new Response(text).text()).trimEnd().split('\n')
}

/** What a ledger's journal amounts to, with the seed of its next play. */
export async function headOf(stub: DurableObjectStub): Promise<Head> {
  const latest = (await entriesOf(stub)).at(-1)
  return latest ? unpackHead(latest.head) : EMPTY_HEAD
}

/** Has the next play, bet or step of either fail instead of writing its entry. */
export function interruptNextEntry(): void {
  vi.spyOn(Journal.prototype, 'recordInOrder').mockImplementationOnce(() => {
    throw new Error('disk full')
  })
}
