import { retried } from '../../calls/call.ts'
import { ledger } from '../../calls/objects.ts'
import { messageOf } from '../../core/fault.ts'
import { isRefusal } from '../../core/refusal.ts'
import { listedVersions, listedWallets } from '../../history/positions.ts'
import { logFault } from '../../log.ts'
import type { Cursor, JournalPage, JournalProblem, Verification } from './answers.ts'

/** The most that one call verifies: a ledger weighs 1, an archived segment 10. */
const MAX_WEIGHT = 100
const SEGMENT_WEIGHT = 10
/** A call that has made progress answers after this: its client waits ten seconds. */
const MAX_MS = 5_000

/**
 * Has the next ledgers replay their journals and the segments that are in the archive, in the order of D1's positions.
 * @param from null for the first
 */
export async function verifyJournals(env: Env, from: Cursor | null): Promise<Verification> {
  const done: Verification = { wallets: 0, segments: 0, failures: [], next: null }
  const listed = await listedVersions(env.DB, from?.wallet ?? null, MAX_WEIGHT)
  const interrupted = from && from.done > 0 ? [{ wallet: from.wallet, version: 0 }] : []
  const startedAt = Date.now()
  let weight = 0
  const isEnough = () =>
    weight >= MAX_WEIGHT || (done.next !== null && Date.now() - startedAt >= MAX_MS)
  for (const { wallet, version } of [...interrupted, ...listed]) {
    if (isEnough()) return done
    const isResumed = wallet === from?.wallet
    const archived = await verifyLedger(env, wallet, version, done.failures)
    weight += 1
    if (!isResumed) done.wallets += 1
    for (let segment = isResumed ? from.done + 1 : 1; segment <= archived; segment++) {
      if (isEnough()) return done
      await verifySegment(env, wallet, segment, done.failures)
      weight += SEGMENT_WEIGHT
      done.segments += 1
      done.next = `${wallet}:${segment}`
    }
    done.next = wallet
  }
  return listed.length < MAX_WEIGHT ? { ...done, next: null } : done
}

/**
 * Verifies the part of a journal outside the archive, and that the ledger has all entries that D1 knows.
 * @returns the number of its segments in the archive
 */
async function verifyLedger(
  env: Env,
  wallet: string,
  version: number,
  failures: JournalProblem[],
): Promise<number> {
  const audit = await attempted(() => retried(async () => ledger(env, wallet).verify()))
  if (typeof audit === 'string' || !audit.ok) {
    report(failures, { wallet, segment: null, problem: problemOf(audit) })
    return 0
  }
  const { entries, archived } = audit
  if (entries < version) {
    const problem = `D1 has entry ${version}, but the journal ends at ${entries}: the ledger was restored to an earlier time`
    report(failures, { wallet, segment: null, problem })
  }
  return archived
}

async function verifySegment(
  env: Env,
  wallet: string,
  segment: number,
  failures: JournalProblem[],
): Promise<void> {
  const audit = await attempted(() =>
    retried(async () => ledger(env, wallet).verifySegment(segment)),
  )
  if (typeof audit !== 'string' && audit.ok) return
  report(failures, { wallet, segment, problem: problemOf(audit) })
}

/**
 * Returns the next entries of all journals, wallet by wallet in the order of D1's positions. A journal that cannot be
 * read does not hold up the others.
 * @param from null for the first
 */
export async function readJournals(env: Env, from: Cursor | null): Promise<JournalPage> {
  const isBegun = from !== null && from.done > 0
  const wallet = isBegun ? from.wallet : await walletAfter(env, from?.wallet ?? null)
  if (wallet === null) return { wallet, entries: [], problem: null, next: null }
  const after = isBegun ? from.done : 0
  const entries = await attempted(() => retried(async () => ledger(env, wallet).journal(after)))
  if (typeof entries === 'string') return { wallet, entries: [], problem: entries, next: wallet }
  if (isRefusal(entries)) {
    return { wallet, entries: [], problem: entries.error.message, next: wallet }
  }
  const last = entries.at(-1)
  return { wallet, entries, problem: null, next: last ? `${wallet}:${last.seq}` : wallet }
}

async function walletAfter(env: Env, wallet: string | null): Promise<string | null> {
  const [next = null] = await listedWallets(env.DB, wallet, 1)
  return next
}

/** Returns a ledger's answer, or the message of its fault: a damaged one must not hold up the others. */
async function attempted<T>(call: () => Promise<T>): Promise<T | string> {
  try {
    return await call()
  } catch (fault) {
    return `it does not answer: ${messageOf(fault)}`
  }
}

function problemOf(audit: string | { ok: true } | { ok: false; problem: string }): string {
  if (typeof audit === 'string') return audit
  return audit.ok ? '' : audit.problem
}

function report(failures: JournalProblem[], found: JournalProblem): void {
  logFault('journal_unsound', new Error(found.problem), {
    wallet: found.wallet,
    segment: found.segment,
  })
  failures.push(found)
}
