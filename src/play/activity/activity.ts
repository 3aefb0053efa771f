import { NEXT_HEADER, type Activity, type ActivityKind } from '../../activity/activity.ts'
import { isFailure, wrong, type Problem } from '../api.ts'
import { ASK_AGAIN_MS, pause } from '../pause.ts'
import { session, signedInWallet } from '../session.ts'
import { Store } from '../store.ts'
import { timeOf } from '../times.ts'
import { readActivityPage, type ActivityPage } from './page.ts'

interface Listed {
  /** Null for all kinds. */
  kind: ActivityKind | null
  /** Newest first. */
  entries: Activity[]
  totals: ActivityPage['totals'] | null
  /** Where the next page begins; null without one. */
  next: number | null
  isReading: boolean
  problem: Problem | null
}

const NOTHING: Listed = {
  kind: null,
  entries: [],
  totals: null,
  next: null,
  isReading: false,
  problem: null,
}

/** The signed-in player's activity, as far as it was read. */
export const activity = new Store<Listed>(NOTHING)

/** Numbers the lists, so that a late answer never goes into another one. */
let lists = 0

/** Reads the newest activity, of one kind or of all. */
export async function readActivity(kind: ActivityKind | null): Promise<void> {
  activity.set({ ...NOTHING, kind, totals: activity.value.totals })
  await readPage(++lists)
}

/** Reads the next page. */
export async function readMore(): Promise<void> {
  if (!activity.value.isReading) await readPage(lists)
}

export function forgetActivity(): void {
  lists++
  activity.set(NOTHING)
}

/** A page may be empty without being the last, so a few are read. */
const MAX_EMPTY_PAGES = 10

async function readPage(list: number): Promise<void> {
  const { credentials } = session.value
  if (!credentials) return
  activity.patch({ isReading: true, problem: null })
  for (let page = 0; page < MAX_EMPTY_PAGES; page++) {
    const { kind, next: before } = activity.value
    const answer = await readActivityPage(credentials, kind, before)
    if (list !== lists) return
    if (isFailure(answer)) {
      activity.patch({ isReading: false, problem: answer.error })
      return
    }
    const { entries, next, totals } = answer
    activity.patch({ entries: [...activity.value.entries, ...entries], next, totals })
    if (entries.length > 0 || next === null) break
  }
  activity.patch({ isReading: false })
}

/** The most pages in one file. */
const MAX_PAGES = 1_000
/** Leaves half of a wallet's allowed calls for the player's own actions meanwhile. */
const PAGE_PAUSE_MS = 100

interface CsvFile {
  /** Null if nothing is to be saved. */
  csv: string | null
  /** Why the file is missing or incomplete. */
  problem: Problem | null
}

/** Reads all activity of the shown kind as CSV, page by page. Returns no file if the player has left meanwhile. */
export async function activityCsv(): Promise<CsvFile> {
  const { credentials } = session.value
  if (!credentials) return { csv: null, problem: null }
  const { kind } = activity.value
  const { wallet, authSig } = credentials
  let csv = ''
  let before: string | null = null
  for (let page = 0; page < MAX_PAGES; page++) {
    const query = new URLSearchParams({ wallet, authSig, format: 'csv' })
    if (kind !== null) query.set('kind', kind)
    if (before !== null) query.set('before', before)
    const answer = await fetchInTurn(`/api/history?${query.toString()}`)
    if (signedInWallet() !== wallet) return { csv: null, problem: null }
    if (!answer?.ok)
      return { csv: null, problem: wrong('The file did not load. Try again in a moment.') }
    const text = await answer.text()
    // Every page has the header.
    csv += page === 0 ? text : text.slice(text.indexOf('\r\n') + 2)
    before = answer.headers.get(NEXT_HEADER)
    if (before === null) return { csv, problem: null }
    await pause(PAGE_PAUSE_MS)
  }
  const [, oldestAt] = csv.trim().split('\r\n').at(-1)?.split(',') ?? []
  const begin = timeOf(Number(oldestAt))
  return {
    csv,
    problem: wrong(`The file goes back to ${begin}. Older activity doesn’t fit.`),
  }
}

/** Fetches once the service no longer says that it is asked too often. Returns null if there is no answer. */
async function fetchInTurn(url: string): Promise<Response | null> {
  for (;;) {
    const answer = await fetch(url).catch(() => null)
    if (answer?.status !== 429) return answer
    await pause(Math.max(ASK_AGAIN_MS, Number(answer.headers.get('retry-after')) * 1_000))
  }
}
