import { readFile } from 'node:fs/promises'
import type { Disclosure } from '../crash/disclosure.ts'
import type { DisclosedOpening } from '../lootbox/verify.ts'
import { fetchJson } from './client.ts'
import { readDisclosure } from './disclosure.ts'
import { readOpenings } from './openings.ts'
import { readPlays, type ReadPlay } from './plays.ts'
import { CommandError } from './terminal.ts'

/** What there is to check: ended rounds of crash, plays of the entropy games, openings of the lootbox. */
export interface Evidence extends Pick<Disclosure, 'rounds' | 'voided'> {
  plays: ReadPlay[]
  openings: DisclosedOpening[]
}

/** What is looked for among it. */
export interface Wanted {
  roundId?: number
  wallet?: string
}

const NEWEST_PLAYS = 100

/**
 * Loads evidence from a file or a URL. A service is asked for its newest rounds and plays, and
 * for a round by its number where it is not among them.
 * @param source a path, the URL of a disclosure, or the base URL of a service
 */
export async function loadEvidence(source: string, wanted: Wanted): Promise<Evidence> {
  if (!/^https?:\/\//.test(source)) return readEvidence(await readJsonFile(source), source)
  const url = new URL(source)
  if (url.pathname !== '/' || url.search) return loadDisclosed(url, source, wanted.roundId)
  const rounds = new URL('/api/crash/verify-seeds', url)
  const [disclosed, recent] = await Promise.all([
    loadDisclosed(rounds, source, wanted.roundId),
    fetchJson(new URL('/api/entropy', url), {
      action: 'recent',
      limit: NEWEST_PLAYS,
      wallet: wanted.wallet,
    }),
  ])
  return { ...disclosed, plays: readPlays(recent, source) }
}

async function loadDisclosed(url: URL, source: string, roundId?: number): Promise<Evidence> {
  const newest = readEvidence(await fetchJson(url), source)
  const listed = [...newest.rounds, ...newest.voided].map((round) => round.roundId)
  if (roundId === undefined || listed.includes(roundId)) return newest
  const byNumber = new URL(url)
  byNumber.searchParams.set('roundId', String(roundId))
  return readEvidence(await fetchJson(byNumber), source)
}

function readEvidence(value: unknown, source: string): Evidence {
  const nothing: Evidence = { rounds: [], voided: [], plays: [], openings: [] }
  const has = (name: string) => typeof value === 'object' && value !== null && name in value
  if (has('open')) return { ...nothing, openings: readOpenings(value, source) }
  if (has('recent') || has('game')) return { ...nothing, plays: readPlays(value, source) }
  return { ...nothing, ...readDisclosure(value, source) }
}

async function readJsonFile(path: string): Promise<unknown> {
  const text = await readFile(path, 'utf8').catch(() => {
    throw new CommandError(`Cannot read ${path}.`)
  })
  try {
    return JSON.parse(text)
  } catch {
    throw new CommandError(
      `${path} is not JSON; save the answer of verify-seeds, of a play or of an opening there.`,
    )
  }
}
