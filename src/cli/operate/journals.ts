import { appendFile, mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { printable } from '../../core/printable.ts'
import { replay, type JournalEntry, type Replay } from '../../ledger/journal.ts'
import { CommandError, printableIn } from '../shared/terminal.ts'
import { misused } from './options.ts'
import type { Session } from './session.ts'

/** Has all journals verified. Returns 1 if one of them isn't right. */
export async function verifyAll(session: Session, from: string | null): Promise<number> {
  let [wallets, segments, failed] = [0, 0, 0]
  for (let after = from; ;) {
    const page = printableIn(await session.verify(after))
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
  console.log(
    `Verified: ${wallets} ledgers and ${segments} archived segments. Failures: ${failed}.`,
  )
  return failed === 0 ? 0 : 1
}

/**
 * Writes all journals into a folder, a file for each wallet and an entry on each line, and replays them. A wallet's earlier
 * copy stays until its journal has been read and is right. Returns 1 if one of them isn't.
 */
export async function exportJournals(
  session: Pick<Session, 'entries'>,
  folder: string | undefined,
): Promise<number> {
  if (folder === undefined) throw misused('--out is missing: the folder to write to.', 'export')
  await mkdir(folder, { recursive: true })
  let [wallets, entries, failed] = [0, 0, 0]
  let current: string | null = null
  let replayed: Replay = replay([])
  for (let after: string | null = null; ;) {
    const { wallet, next, ...page } = await session.entries(after)
    if (wallet !== null) {
      if (!/^\w+$/.test(wallet))
        throw new CommandError('The service named something that is not a wallet.')
      const file = join(folder, `${wallet}.jsonl`)
      const unfinished = `${file}.part`
      if (wallet !== current) {
        await writeFile(unfinished, '')
        current = wallet
        replayed = replay([])
        wallets += 1
      }
      const found = page.entries as JournalEntry[]
      await appendFile(unfinished, found.map((entry) => `${JSON.stringify(entry)}\n`).join(''))
      entries += found.length
      if (replayed.ok) replayed = replay(found, replayed)
      if (next === wallet) {
        const problem =
          page.problem ?? (replayed.ok ? null : `entry ${replayed.seq}: ${replayed.problem}`)
        if (problem === null) await rename(unfinished, file)
        else {
          failed += 1
          console.log(`${wallet}: ${printable(problem)}. What could be read is in ${unfinished}.`)
        }
      }
    }
    if (next === null) break
    after = next
  }
  console.log(
    `Exported: ${wallets} journals with ${entries} entries. Failed verification: ${failed}.`,
  )
  return failed === 0 ? 0 : 1
}
