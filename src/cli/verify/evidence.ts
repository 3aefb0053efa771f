import type { DisclosedBet, Disclosure, WholeRound } from '../../crash/disclosure.ts'
import type { Check } from '../../fairness/check.ts'
import type { Unit } from '../../money/token.ts'
import type { VerifierKey } from '../../transparency/note.ts'
import type { DisclosedBox, LoggedBatch } from '../../verify/box.ts'
import type { RoundInLog } from '../../verify/logged-round.ts'
import type { DisclosedOpening, LoggedSeed } from '../../verify/opening.ts'
import { Client, fetchJson, ServiceError } from '../shared/client.ts'
import { CommandError } from '../shared/terminal.ts'
import { readBoxes } from './boxes.ts'
import { readBet, readDisclosure } from './disclosure.ts'
import { readJsonFile } from './json-file.ts'
import { loadBatchesInLog, type BatchesInLog } from './logged-boxes.ts'
import { loadRoundInLog, type Uncompared } from './logged-round.ts'
import { loadSeedsInLog, type SeedsInLog } from './logged-seeds.ts'
import { readOpenings } from './openings.ts'
import { loadPayments, type PaymentsOnChain, type ReadPayment } from './payments.ts'
import { readPlays, readSavedPlays, type ReadPlay } from './plays.ts'
import { loadBoxes, loadOpenings } from './prize-evidence.ts'
import type { Kind, VerifyTargets } from './wanted.ts'
import { loadWholeRound } from './whole-round.ts'

/** The facts to check: ended rounds and bets, plays, lootbox openings and boxes. */
export interface Evidence extends Pick<Disclosure, 'rounds' | 'voided'>, PaymentsOnChain {
  bets: DisclosedBet[]
  plays: ReadPlay<Unit>[]
  openings: DisclosedOpening[]
  boxes: DisclosedBox[]
  /** The openings whose seed is not disclosed, although it must be or may hide another day's, with their checks. */
  undisclosed: { id: string; day: string; checks: Check[] }[]
  /** The wanted round of crash, or that of the wanted bet, with all of its bets; null if none is wanted. */
  whole: WholeRound | null
  /** The site's public log entries on that round; null if it was not compared. */
  logged: RoundInLog | null
  /** The site's public log entries on the seeds of the wanted openings, by day. */
  seeds: ReadonlyMap<string, LoggedSeed>
  /** The site's public log entries on the batch of the wanted box, by number. */
  batches: ReadonlyMap<number, LoggedBatch>
  /** Why results that public logs have were not compared with one; null if they were, or if there are none. */
  uncompared: Uncompared | null
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
  batches: new Map(),
  uncompared: null,
  payments: new Map(),
  uncomparedPayments: null,
  waiting: [],
}

/** The reader's evidence from outside the site. */
export interface FromElsewhere {
  /** The verifier key of the site's public log; null for the one that the site shows. */
  logKey?: VerifierKey | null
  /** The site that a saved answer is from; null if none was named. */
  site?: URL | null
  /** Reads payments from a node; null without one. */
  readPayment?: ReadPayment | null
  /** When the block of the wanted opening's payment was made, by the chain, in unix milliseconds. */
  paidAt?: number | undefined
}

/**
 * Loads evidence from a file or a URL. Asks a service for the wanted result, or for its newest rounds,
 * plays and openings. Rounds, a wallet's plays and a wallet's bets are looked up by their numbers.
 * @param source a path, the URL of a disclosure, or the base URL of a service
 */
export async function loadEvidence(
  source: string,
  wanted: VerifyTargets,
  elsewhere: FromElsewhere = {},
): Promise<Evidence> {
  const evidence = await loadFrom(source, wanted, elsewhere)
  return { ...evidence, ...(await loadPayments(evidence.openings, elsewhere.readPayment ?? null)) }
}

async function loadFrom(
  source: string,
  wanted: VerifyTargets,
  { logKey = null, site = null, readPayment = null, paidAt }: FromElsewhere,
): Promise<Evidence> {
  if (!/^https?:\/\//.test(source)) {
    const of = 'of verify-seeds, of a bet, of a play or of an opening'
    const saved = readEvidence(await readJsonFile(source, of), source)
    return { ...saved, ...(await compareSaved(saved, site, logKey)) }
  }
  const url = new URL(source)
  const client = new Client(source)
  if (url.pathname !== '/' || url.search) {
    const saved = await loadDisclosed(url, source, wanted.roundId)
    return { ...saved, ...(await compareSaved(saved, site, logKey)) }
  }
  if (site) throw new CommandError(NEEDS_OPENING)
  const { only, wallet } = wanted
  if (only === 'bet') {
    const bets = [await loadBet(client, wanted)]
    return { ...NOTHING, bets, ...(await loadBets(client, wanted, logKey)) }
  }
  const wants = (kind: Kind) => only === kind || only === null
  const verifySeeds = new URL('/api/crash/verify-seeds', url)
  const [disclosed, bets, plays, opened, bought] = await Promise.all([
    wants('round') && wallet === undefined
      ? loadDisclosed(verifySeeds, source, wanted.roundId)
      : NOTHING,
    only === 'round' ? loadBets(client, wanted, logKey) : NOTHING,
    wants('play') ? loadPlays(client, wanted) : [],
    wants('opening') ? loadOpenings(client, wanted, { readPayment, paidAt }) : NOTHING,
    wants('box') ? loadBoxes(client, wanted) : { ...NOTHING, contract: null },
  ])
  const waiting = [...opened.waiting, ...bought.waiting]
  const days = only === 'opening' ? opened.openings.map(({ day }) => day) : []
  const boxes = only === 'box' ? bought.boxes : []
  const [{ baseUrl }, search] = [client, { pinned: logKey, now: Date.now() }]
  const { seeds, ...ofSeeds }: SeedsInLog =
    days.length === 0 ? NOTHING : await loadSeedsInLog(baseUrl, days, search)
  const { batches, ...ofBatches }: BatchesInLog =
    boxes.length === 0
      ? NOTHING
      : await loadBatchesInLog(baseUrl, boxes, { ...search, contract: bought.contract })
  const { whole, logged } = bets
  const { openings, undisclosed } = opened
  const found = { ...NOTHING, ...disclosed, openings, boxes: bought.boxes }
  return {
    ...found,
    whole,
    logged,
    seeds,
    batches,
    uncompared:
      only === null && isLogged(found)
        ? NAME_ONE
        : (bets.uncompared ?? ofSeeds.uncompared ?? ofBatches.uncompared),
    plays,
    undisclosed,
    waiting,
  }
}

/**
 * Compares a saved opening with the log of its site. Returns why nothing was compared otherwise.
 * @throws CommandError if a site is named for anything else
 */
async function compareSaved(
  evidence: Evidence,
  site: URL | null,
  pinned: VerifierKey | null,
): Promise<Pick<Evidence, 'seeds' | 'uncompared'>> {
  const days = evidence.openings.map(({ day }) => day)
  const { seeds } = NOTHING
  if (!site) return { seeds, uncompared: isLogged(evidence) ? NOT_OF_A_SITE : null }
  if (days.length === 0) throw new CommandError(NEEDS_OPENING)
  return loadSeedsInLog(site, days, { pinned, now: Date.now() })
}

/** Returns whether public logs have something of some of the results: of all but plays. */
function isLogged({ rounds, voided, bets, openings, boxes }: Evidence): boolean {
  return [rounds, voided, bets, openings, boxes].some((results) => results.length > 0)
}

const NEEDS_OPENING = '--site needs receipts, or the saved answer of an opened lootbox.'

const NOT_OF_A_SITE: Uncompared = {
  why: "For a saved opening, add --site URL. For anything else, give the site's URL instead, with --round N, --bet N or --box ID.",
  isUnreached: false,
}

const NAME_ONE: Uncompared = {
  why: 'Only single results are compared: add --round N, --bet N, --opening 0x… or --box ID.',
  isUnreached: false,
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
