import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { exportJournals, verifyAll } from '../../../../src/cli/operate/journals.ts'
import type { Session } from '../../../../src/cli/operate/session.ts'
import { ServiceError, Unanswered } from '../../../../src/cli/shared/client.ts'
import { postingsOf } from '../../../../src/ledger/accounts.ts'
import type { JournalEntry } from '../../../../src/ledger/journal.ts'
import { Journal } from '../../daybook/journals.ts'

type Page = Awaited<ReturnType<Session['entries']>>

const { pauses } = vi.hoisted(() => ({ pauses: [] as number[] }))
vi.mock('node:timers/promises', () => ({
  setTimeout: async (pauseMs: number) => void pauses.push(pauseMs),
}))

const NONE = { ok: true as const, entries: [], problem: null }
const END: Page = { ...NONE, wallet: null, next: null }

let folder: string
let printed: string[]
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'journals-'))
  printed = []
  pauses.length = 0
  vi.spyOn(console, 'log').mockImplementation((line: string) => void printed.push(line))
})
afterEach(async () => {
  vi.restoreAllMocks()
  await rm(folder, { recursive: true })
})

/** Exports what the service answers, a page or a fault for each call. */
async function exporting(...answers: (Page | Error)[]): Promise<number> {
  const session: Pick<Session, 'entries'> = {
    entries: async () => {
      const answer = answers.shift() ?? END
      if (answer instanceof Error) throw answer
      return answer
    },
  }
  return exportJournals(session, folder)
}

/** Exports a journal that the service answers in two pages. */
function exportingJournal(entries: JournalEntry[]): Promise<number> {
  const [first, rest] = [entries.slice(0, 2), entries.slice(2)]
  const pages = [first, rest].map((page): Page => ({
    ...NONE,
    wallet: '0xaa',
    entries: page,
    next: `0xaa:${page.at(-1)?.seq}`,
  }))
  return exporting(...pages, { ...NONE, wallet: '0xaa', next: '0xaa' })
}

/** Returns a journal with an entry for each amount. */
function journalOf(...amounts: bigint[]): JournalEntry[] {
  const journal = new Journal()
  for (const [n, amountWei] of amounts.entries())
    journal.append(`faucet:${n}`, n, [...postingsOf('ETH', ['faucet', 'chips', amountWei])])
  return journal.entries
}

async function hashesIn(file: string): Promise<string[]> {
  const lines = (await readFile(join(folder, file), 'utf8')).trimEnd().split('\n')
  return lines.map((line) => (JSON.parse(line) as JournalEntry).hash)
}

const hashesOf = (entries: JournalEntry[]) => entries.map(({ hash }) => hash)

it('keeps the earlier copy of a journal that cannot be read, goes on, and fails', async () => {
  await writeFile(join(folder, '0xbad.jsonl'), 'earlier')
  const code = await exporting(
    { ...NONE, wallet: '0xbad', problem: 'it does not answer', next: '0xbad' },
    { ...NONE, wallet: '0xgood', next: '0xgood' },
  )
  expect(code).toBe(1)
  expect(printed.join('\n')).toContain('0xbad: it does not answer')
  expect(await readFile(join(folder, '0xbad.jsonl'), 'utf8')).toBe('earlier')
  expect(await readdir(folder)).toEqual(['0xbad.jsonl', '0xbad.jsonl.part', '0xgood.jsonl'])
})

it('replaces the earlier copy of a journal that has grown', async () => {
  const all = journalOf(1n, 2n, 3n, 4n)
  expect(await exportingJournal(all.slice(0, 3))).toBe(0)
  expect(await exportingJournal(all)).toBe(0)
  expect(await exportingJournal(all)).toBe(0)
  expect(await readdir(folder)).toEqual(['0xaa.jsonl'])
  expect(await hashesIn('0xaa.jsonl')).toEqual(hashesOf(all))
})

it.each([
  ['is shorter than its earlier copy', journalOf(1n)],
  ['has other entries than its earlier copy', journalOf(1n, 5n, 6n, 7n)],
])('keeps both copies of a journal that %s, and fails once', async (_, other) => {
  const earlier = journalOf(1n, 2n, 3n)
  await exportingJournal(earlier)
  expect(await exportingJournal(other)).toBe(1)
  expect(printed.join('\n')).toContain(join(folder, '0xaa.1.jsonl'))
  expect(await exportingJournal(other)).toBe(0)
  expect(await hashesIn('0xaa.1.jsonl')).toEqual(hashesOf(earlier))
  expect(await hashesIn('0xaa.jsonl')).toEqual(hashesOf(other))
  expect(await exportingJournal(journalOf(9n))).toBe(1)
  expect(await hashesIn('0xaa.2.jsonl')).toEqual(hashesOf(other))
})

it('keeps an earlier copy that cannot be read', async () => {
  await writeFile(join(folder, '0xaa.jsonl'), '{"seq":1')
  expect(await exportingJournal(journalOf(1n))).toBe(1)
  expect(await readFile(join(folder, '0xaa.1.jsonl'), 'utf8')).toBe('{"seq":1')
})

it('repeats a call that is not answered, but not one that is refused', async () => {
  const down = new Unanswered(new URL('https://fairhouse.example'))
  expect(await exporting(down, new ServiceError(503), down, END)).toBe(0)
  expect(pauses).toEqual([1_000, 4_000, 16_000])
  await expect(exporting(down, down, down, down)).rejects.toBe(down)
  await expect(exporting(new ServiceError(403))).rejects.toThrow('403')
  const verified = { ok: true as const, wallets: 1, segments: 0, failures: [], next: null }
  const verify = vi.fn<Session['verify']>().mockRejectedValueOnce(down).mockResolvedValue(verified)
  expect(await verifyAll({ verify } as unknown as Session, null)).toBe(0)
})

it('resumes after a wallet', async () => {
  const asked: (string | null)[] = []
  const entries: Session['entries'] = async (after) => {
    asked.push(after)
    const wallet = `0x${asked.length}`
    return asked.length > 100 ? END : { ...NONE, wallet, next: wallet }
  }
  expect(await exportJournals({ entries }, folder, '0x0')).toBe(0)
  expect(asked.slice(0, 2)).toEqual(['0x0', '0x1'])
  expect(printed[0]).toContain('--after 0x100')
  await expect(exportJournals({ entries }, folder, '0x0:3')).rejects.toThrow('--after')
})

it('names a copy whose journal the service no longer lists', async () => {
  await exportingJournal(journalOf(1n, 2n, 3n))
  printed = []
  expect(await exporting()).toBe(1)
  expect(printed).toContain('0xaa: the service lists no journal, only the copy has it.')
})
