import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { exportJournals } from '../../../../src/cli/operate/journals.ts'
import type { Session } from '../../../../src/cli/operate/session.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'journals-'))
})
afterEach(async () => {
  vi.restoreAllMocks()
  await rm(folder, { recursive: true })
})

it('keeps the earlier copy of a journal that cannot be read, goes on, and fails', async () => {
  const printed = vi.spyOn(console, 'log').mockImplementation(() => {})
  await writeFile(join(folder, '0xbad.jsonl'), 'earlier')
  const none = { ok: true as const, entries: [], problem: null }
  const pages = [
    { ...none, wallet: '0xbad', problem: 'it does not answer', next: '0xbad' },
    { ...none, wallet: '0xgood', next: '0xgood' },
    { ...none, wallet: null, next: null },
  ]
  const session: Pick<Session, 'entries'> = { entries: async () => pages.shift()! }
  expect(await exportJournals(session, folder)).toBe(1)
  expect(printed.mock.calls.flat().join('\n')).toContain('0xbad: it does not answer')
  expect(await readFile(join(folder, '0xbad.jsonl'), 'utf8')).toBe('earlier')
  expect(await readdir(folder)).toEqual(['0xbad.jsonl', '0xbad.jsonl.part', '0xgood.jsonl'])
})
