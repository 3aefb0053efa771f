import { appendFile, mkdir, open, readdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { printable } from '../../core/printable.ts'
import { counted } from '../../core/words.ts'
import { replay, type JournalEntry, type Replay } from '../../ledger/journal.ts'
import { patiently } from '../shared/patiently.ts'
import { CommandError, printableIn } from '../shared/terminal.ts'
import { misused } from './options.ts'
import type { Session } from './session.ts'

/** The pauses before a call that was not answered is repeated. */
const PAUSES_MS = [1_000, 4_000, 16_000]

/** How many journals are exported between two lines that say how to resume. */
const RESUMABLE_EVERY = 100

/** Has all journals verified. Returns 1 if one of them isn't right. */
export async function verifyAll(session: Session, from: string | null): Promise<number> {
  let [wallets, segments, failed] = [0, 0, 0]
  for (let after = from; ;) {
    const page = printableIn(await patiently(() => session.verify(after), PAUSES_MS))
    wallets += page.wallets
    segments += page.segments
    failed += page.failures.length
    for (const { wallet, segment, problem } of page.failures) {
      console.log(`${wallet}${segment === null ? '' : `, segment ${segment}`}: ${problem}`)
    }
    if (page.next === null) break
    after = page.next
    console.log(`Ledgers: ${wallets}, segments: ${segments}. To resume from here: --after ${after}`)
  }
  const read = `${counted(wallets, 'ledger')} and ${counted(segments, 'archived segment')}`
  console.log(`Verified: ${read}. Failures: ${failed}.`)
  return failed === 0 ? 0 : 1
}

/**
 * Writes all journals into a folder, a file for each wallet and an entry on each line, and replays them. A wallet's
 * earlier copy stays until its journal has been read and is right, and under another name if the journal lacks entries
 * of it.
 * @param from the wallet after which to begin; null for all
 * @returns 1 if a journal isn't right, lacks entries of its earlier copy, or is missing although it has a copy
 */
export async function exportJournals(
  session: Pick<Session, 'entries'>,
  folder: string | undefined,
  from: string | null = null,
): Promise<number> {
  if (folder === undefined) throw misused('--out is missing: the folder to write to.', 'export')
  if (from !== null && !isWallet(from)) throw misused('--after takes a wallet here.', 'export')
  await mkdir(folder, { recursive: true })
  let [wallets, entries, failed, kept] = [0, 0, 0, 0]
  const listed = new Set<string>()
  let current: string | null = null
  let replayed: Replay = replay([])
  // The hash that the earlier copy ends with, until the journal turns out to have it.
  let missing: string | null = null
  for (let after = from; ;) {
    const { wallet, next, ...page } = await patiently(() => session.entries(after), PAUSES_MS)
    if (wallet !== null) {
      if (!isWallet(wallet))
        throw new CommandError('The service named something that is not a wallet.')
      const file = join(folder, `${wallet}.jsonl`)
      const unfinished = `${file}.part`
      if (wallet !== current) {
        await writeFile(unfinished, '')
        current = wallet
        replayed = replay([])
        missing = await lastHashOf(file)
        wallets += 1
        listed.add(wallet)
      }
      const found = page.entries as JournalEntry[]
      await appendFile(unfinished, found.map((entry) => `${JSON.stringify(entry)}\n`).join(''))
      entries += found.length
      if (replayed.ok) replayed = replay(found, replayed)
      if (found.some(({ hash }) => hash === missing)) missing = null
      if (next === wallet) {
        const problem =
          page.problem ?? (replayed.ok ? null : `entry ${replayed.seq}: ${replayed.problem}`)
        if (problem === null) {
          if (missing !== null) {
            kept += 1
            const earlier = await keepEarlier(folder, wallet)
            console.log(`${wallet}: the journal lacks entries of its earlier copy, now ${earlier}.`)
          }
          await rename(unfinished, file)
        } else {
          failed += 1
          console.log(`${wallet}: ${printable(problem)}. What could be read is in ${unfinished}.`)
        }
        if (wallets % RESUMABLE_EVERY === 0) {
          console.log(`Journals: ${wallets}. To resume from here: --after ${wallet}`)
        }
      }
    }
    if (next === null) break
    after = next
  }
  console.log(
    `Exported: ${wallets} journals with ${entries} entries. Failed verification: ${failed}. Earlier copies kept: ${kept}.`,
  )
  const gone = (await copiesIn(folder)).filter((copy) => copy > (from ?? '') && !listed.has(copy))
  for (const wallet of gone)
    console.log(`${wallet}: the service lists no journal, only the copy has it.`)
  return failed + kept + gone.length === 0 ? 0 : 1
}

/** Returns the wallets of which a folder has the latest copy of a journal. */
async function copiesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder)
  return names.flatMap((name) => /^(\w+)\.jsonl$/.exec(name)?.[1] ?? []).toSorted()
}

function isWallet(text: string): boolean {
  return /^\w+$/.test(text)
}

/** Returns the hash that a copy ends with; null without a copy or an entry, and something else if it can't be read. */
async function lastHashOf(file: string): Promise<string | null> {
  let last: string | null = null
  try {
    const copy = await open(file)
    for await (const line of copy.readLines()) last = line
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code !== 'ENOENT') throw fault
  }
  if (last === null) return null
  try {
    return (JSON.parse(last) as JournalEntry).hash
  } catch {
    return 'unreadable'
  }
}

/** Renames a wallet's copy so that no other is replaced. Returns its file. */
async function keepEarlier(folder: string, wallet: string): Promise<string> {
  const names = await readdir(folder)
  let number = 1
  while (names.includes(`${wallet}.${number}.jsonl`)) number++
  const file = join(folder, `${wallet}.${number}.jsonl`)
  await rename(join(folder, `${wallet}.jsonl`), file)
  return file
}
