import type { DisclosedBet, Disclosure, WholeRound } from '../../crash/disclosure.ts'
import type { Check } from '../../fairness/check.ts'
import type { Unit } from '../../money/token.ts'
import type { VerifierKey } from '../../transparency/note.ts'
import type { DisclosedBox } from '../../verify/box.ts'
import type { RoundInLog } from '../../verify/logged-round.ts'
import type { DisclosedOpening, LoggedSeed } from '../../verify/opening.ts'
import { Client, fetchJson, ServiceError } from '../shared/client.ts'
import { readBoxes } from './boxes.ts'
import { readBet, readDisclosure } from './disclosure.ts'
import { readJsonFile } from './json-file.ts'
import { loadRoundInLog, type UncomparedRound } from './logged-round.ts'
import { loadSeedsInLog, NOT_OF_A_SITE, type SeedsInLog } from './logged-seeds.ts'
import { readOpenings } from './openings.ts'
import { readPlays, readSavedPlays, type ReadPlay } from './plays.ts'
import { loadBoxes, loadOpenings } from './prize-evidence.ts'
import type { Kind, VerifyTargets } from './wanted.ts'
import { loadWholeRound } from './whole-round.ts'

/** The facts to check: ended rounds and bets, plays, lootbox openings and boxes. */
export interface Evidence extends Pick<Disclosure, 'rounds' | 'voided'> {
  bets: DisclosedBet[]
  plays: ReadPlay<Unit>[]
  openings: DisclosedOpening[]
  boxes: DisclosedBox[]
  /** The openings whose seed is not disclosed, although it must be or may hide another day's, with their checks. */
  undisclosed: { id: string; day: string; checks: Check[] }[]
  /** The wanted round of crash with all of its bets; null if none is wanted. */
  whole: WholeRound | null
  /** What the site's public log has of that round; null if it was not compared. */
  logged: RoundInLog | null
  /** What the site's public log has of the seeds of the wanted opening, by day. */
  seeds: ReadonlyMap<string, LoggedSeed>
  /** Why the wanted round or opening was not compared with a public log; null if it was, or if neither is wanted. */
  uncompared: UncomparedRound | null
  /** The results that can't be checked yet, with the reasons. */
  waiting: string[]
}

const NEWEST_PLAYS = 100

export const NOTHING: Evidence = {
  rounds: [],
  voided: [],
  bets: [],
  plays: [],
  openings: [],
  boxes: [],
  undisclosed: [],
  whole: null,
  logged: null,
  seeds: new Map(),
  uncompared: null,
  waiting: [],
}

/**
 * Loads evidence from a file or a URL. Asks a service for the wanted result, or for its newest rounds,
 * plays and openings. Rounds, a wallet's plays and a wallet's bets are looked up by their numbers.
 * @param source a path, the URL of a disclosure, or the base URL of a service
 * @param logKey the verifier key of its public log, from elsewhere; null for the one that the site shows
 * @param paidAt when the block of the wanted opening's payment was made, by the chain, in unix milliseconds
 */
export async function loadEvidence(
  source: string,
  wanted: VerifyTargets,
  logKey: VerifierKey | null,
  paidAt?: number,
): Promise<Evidence> {
  if (!/^https?:\/\//.test(source)) {
    const of = 'of verify-seeds, of a bet, of a play or of an opening'
    return withoutLog(readEvidence(await readJsonFile(source, of), source), wanted)
  }
  const url = new URL(source)
  const client = new Client(source)
  if (url.pathname !== '/' || url.search)
    return withoutLog(await loadDisclosed(url, source, wanted.roundId), wanted)
  const { only, wallet } = wanted
  if (only === 'bet') return { ...NOTHING, bets: [await loadBet(client, wanted)] }
  const wants = (kind: Kind) => only === kind || only === null
  const verifySeeds = new URL('/api/crash/verify-seeds', url)
  const [disclosed, bets, plays, opened, bought] = await Promise.all([
    wants('round') && wallet === undefined
      ? loadDisclosed(verifySeeds, source, wanted.roundId)
      : NOTHING,
    only === 'round' ? loadBets(client, wanted, logKey) : NOTHING,
    wants('play') ? loadPlays(client, wanted) : [],
    wants('opening') ? loadOpenings(client, wanted, paidAt) : NOTHING,
    wants('box') ? loadBoxes(client, wanted) : NOTHING,
  ])
  const waiting = [...opened.waiting, ...bought.waiting]
  const days = only === 'opening' ? opened.openings.map(({ day }) => day) : []
  const { seeds, uncompared }: SeedsInLog =
    days.length === 0
      ? { seeds: NOTHING.seeds, uncompared: bets.uncompared }
      : await loadSeedsInLog(client.baseUrl, days, { pinned: logKey, now: Date.now() })
  const { whole, logged } = bets
  return {
    ...disclosed,
    whole,
    logged,
    seeds,
    uncompared,
    plays,
    openings: opened.openings,
    undisclosed: opened.undisclosed,
    boxes: bought.boxes,
    waiting,
  }
}

/** Of a single opening, says that it was compared with no log. */
function withoutLog(evidence: Evidence, { only }: VerifyTargets): Evidence {
  return only === 'opening' ? { ...evidence, uncompared: NOT_OF_A_SITE } : evidence
}

type Bets = Pick<Evidence, 'whole' | 'logged' | 'uncompared'>

/** Loads the wanted round with all of its bets, and its entries in the public log. */
async function loadBets(
  client: Client,
  { roundId = 0 }: VerifyTargets,
  pinned: VerifierKey | null,
): Promise<Bets> {
  try {
    const whole = await loadWholeRound(client, roundId)
    const found = await loadRoundInLog(client.baseUrl, whole, { pinned, now: Date.now() })
    return { whole, ...found }
  } catch (fault) {
    if (!(fault instanceof ServiceError)) throw fault
    const why = `Its bets are not disclosed: ${fault.message}`
    return { whole: null, logged: null, uncompared: { why, isUnreached: true } }
  }
}

/** Loads a wallet's play by its number, however old, or the newest plays. */
async function loadPlays(client: Client, { nonce, wallet }: VerifyTargets): Promise<ReadPlay[]> {
  const answer =
    nonce !== undefined && wallet !== undefined
      ? await client.get('/api/entropy', { action: 'play', wallet, nonce: String(nonce) })
      : await client.post('/api/entropy', { action: 'recent', limit: NEWEST_PLAYS, wallet })
  return readPlays(answer, client.baseUrl.href)
}

async function loadBet(
  client: Client,
  { roundId, wallet = '' }: VerifyTargets,
): Promise<DisclosedBet> {
  const query = { action: 'bet', wallet, roundId: String(roundId) }
  return readBet(await client.get('/api/crash', query), client.baseUrl.href)
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
  const has = (name: string) => typeof value === 'object' && value !== null && name in value
  if (has('open')) return { ...NOTHING, openings: readOpenings(value, source) }
  if (has('boxes')) {
    const { boxes, waiting } = readBoxes(value, source)
    return { ...NOTHING, boxes, waiting }
  }
  if (has('outcome')) return { ...NOTHING, bets: [readBet(value, source)] }
  if (has('recent') || has('game')) return { ...NOTHING, plays: readSavedPlays(value, source) }
  return { ...NOTHING, ...readDisclosure(value, source) }
}
