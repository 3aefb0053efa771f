import { utf8ToBytes } from '@noble/hashes/utils'
import type { Json } from '../../../../src/core/canonical-json.ts'
import { refuse } from '../../../../src/core/refusal.ts'
import { discloseWhole, type WholeRound } from '../../../../src/crash/disclosure.ts'
import { betsEntry, endEntry, planEntry } from '../../../../src/crash/log-entries.ts'
import type { RoundPlan } from '../../../../src/crash/plan.ts'
import { beaconPublishedAt } from '../../../../src/fairness/drand.ts'
import type { PepperSource } from '../../../../src/fairness/pepper.ts'
import { toMultiplier } from '../../../../src/money/multiplier.ts'
import { signCheckpoint } from '../../../../src/transparency/checkpoint.ts'
import { entryText, type LogEntry } from '../../../../src/transparency/entry.ts'
import { leafHash, treeHash, type Hash } from '../../../../src/transparency/merkle.ts'
import { signerKey, writeVerifierKey, type SignerKey } from '../../../../src/transparency/note.ts'
import { termsSummary } from '../../../../src/transparency/terms.ts'
import {
  bundleOf,
  parseLogPath,
  parseTilePath,
  TILE_WIDTH,
} from '../../../../src/transparency/tiles.ts'
import { OPENED_AT, roundOf } from '../../support/builders.ts'

export const SITE = 'http://localhost:8787'
const LATER = OPENED_AT + 600_000

/** The log's entry of terms of play by which a round was planned, but for the kind of its pepper. */
function termsOf(plan: RoundPlan, pepper: PepperSource['kind']): LogEntry {
  const { edgeBps, limits } = plan
  const minForcedMultiplier = toMultiplier(plan.minForcedMultiplier)
  const crash = { edgeBps, limits: JSON.parse(JSON.stringify(limits)) as Json, pepper }
  const terms = {
    crash: { ...crash, minForcedMultiplier },
    bankroll: { payoutBps: 100, roundBps: 250 },
  }
  const { hash } = termsSummary({ ...terms, ...TERMS })
  return { kind: 'terms', id: hash, at: OPENED_AT, terms: { ...terms, ...TERMS } }
}

const TERMS = { autoplay: true, funChips: true, minPlayMs: 0 }

/** A round with three bets, and its entries in the log. `drandTerms` are those of a round with a beacon. */
export function playedRound() {
  const round = roundOf(300, [
    { wallet: 'alice', autoCashout: 200 },
    { wallet: 'bob', autoCashout: 400 },
    { wallet: 'carol' },
  ])
  const terms = termsOf(round.record.plan, 'committed')
  const drandTerms = termsOf(round.record.plan, 'drand-quicknet')
  const plan = { ...round.record.plan, terms: terms.id }
  const fixed = round.fixedBets
  round.advance(LATER)
  const result = round.result()
  if (!result) throw new Error('the round has not ended')
  const whole = discloseWhole(result, { plan, betsRoot: fixed.betsRoot }, round.bets, 0)
  const entries = [planEntry(plan), betsEntry(plan, fixed), endEntry(result, fixed)] as const
  return { whole, terms, drandTerms, plan: entries[0], bets: entries[1], end: entries[2] }
}

const BEACON = 1_000_003

/** The plan and the bets of such a round whose pepper is a beacon's, which is published at `beaconAt`. */
export function beaconRound() {
  const { plan, bets, drandTerms } = playedRound()
  const beaconAt = beaconPublishedAt(BEACON)
  const betsCloseAt = beaconAt - 2_000
  const planned = {
    ...plan,
    at: beaconAt - 10_000,
    betsCloseAt,
    terms: drandTerms.id,
    flightAt: beaconAt + 1_000,
    voidAt: betsCloseAt + 60_000,
    pepperSource: { kind: 'drand-quicknet', round: BEACON },
  } satisfies LogEntry
  const fixed: LogEntry = { ...bets, at: betsCloseAt }
  return { terms: drandTerms, plan: planned as LogEntry, bets: fixed, beacon: BEACON, beaconAt }
}

/** An entry that no rule says anything about. */
export const exported = (day: number): LogEntry => ({ kind: 'export', id: `day ${day}`, at: LATER })

/** A house with a log and disclosures, honest unless a test changes what it says. */
export class House {
  key: SignerKey = signerKey('localhost:8787/log', new Uint8Array(32).fill(7))
  entries: Uint8Array[] = []
  /** The tree's hashes, if they are not those of the entries. */
  leaves: Hash[] | null = null
  /** The size that it signs; everything by default. */
  size: number | null = null
  readonly rounds = new Map<string, WholeRound>()
  requests: string[] = []
  /** What the table shows; null if it does not answer. */
  table: object | null = null
  /** Replaces the checkpoint. */
  checkpoint: string | null = null
  isDown = false
  /** Whether only its log does not answer. */
  isSilent = false
  /** A part of the path of a tile of the log that it does not serve. */
  failing: string | null = null
  #held: Promise<void> | null = null

  append(...entries: LogEntry[]): this {
    this.entries.push(...entries.map((entry) => utf8ToBytes(entryText(entry))))
    return this
  }

  get verifier(): string {
    return writeVerifierKey(this.key.verifier)
  }

  signed(): string {
    const hashes = this.#hashes()
    return signCheckpoint({ size: hashes.length, root: treeHash(hashes) }, this.key)
  }

  /** Answers requests, in place of the network. */
  readonly fetch = async (input: URL | string): Promise<Response> => {
    const url = new URL(input)
    const action = url.searchParams.get('action')
    this.requests.push(action === 'watch' ? 'watch' : url.pathname)
    const { path } = parseLogPath(url.pathname)
    const isOfLog = url.pathname.startsWith('/log/')
    if (this.isDown || (this.isSilent && isOfLog)) throw new TypeError('fetch failed')
    if (isOfLog) await this.#held
    if (this.failing !== null && path.includes(this.failing))
      return new Response('{}', { status: 500 })
    if (action === 'watch' && this.table) return Response.json(this.table)
    if (url.pathname === '/api/crash') return this.#round(url.searchParams.get('roundId') ?? '')
    if (path === 'checkpoint') return new Response(this.checkpoint ?? this.signed())
    if (path === 'key') return new Response(`${this.verifier}\n`)
    return this.#tile(path)
  }

  /** Lets the log hold its answers back until the returned function is called. */
  holdBack(): { answer: () => void } {
    let answer = () => {}
    this.#held = new Promise((resolve) => (answer = resolve))
    return { answer }
  }

  #hashes(): Hash[] {
    return (this.leaves ?? this.entries.map(leafHash)).slice(0, this.size ?? undefined)
  }

  #round(id: string): Response {
    const whole = this.rounds.get(id)
    if (!whole) return Response.json(refuse('not_found', 'No such round.'), { status: 404 })
    return Response.json(whole)
  }

  #tile(path: string): Response {
    const tile = parseTilePath(path)
    if (!tile) return new Response('{}', { status: 404 })
    const [from, to] = [tile.index * TILE_WIDTH, tile.index * TILE_WIDTH + tile.width]
    if (tile.level === 'entries') return bytes(bundleOf(this.entries.slice(from, to)))
    const span = TILE_WIDTH ** tile.level
    const hashes = this.leaves ?? this.entries.map(leafHash)
    const roots = Array.from({ length: tile.width }, (_, at) =>
      treeHash(hashes.slice((from + at) * span, (from + at + 1) * span)),
    )
    return bytes(Uint8Array.from(roots.flatMap((root) => [...root])))
  }
}

function bytes(body: Uint8Array): Response {
  return new Response(body.slice().buffer)
}
