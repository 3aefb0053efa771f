import { crashPointOf } from '../../../src/crash/crash-point.ts'
import { planFlight, type RoundPlan } from '../../../src/crash/plan.ts'
import type { Hundredths } from '../../../src/money/multiplier.ts'
import type { Row } from '../world/disk.ts'
import type { World } from '../world/world.ts'

/** A round as its object has stored it. */
export interface StoredRound {
  status: 'live' | 'crashed' | 'voided'
  plan: {
    roundId: number
    betsCloseAt: number
    resultsMs: number
    edgeBps: number
    minForcedMultiplier: Hundredths
    seedHash: string
    terms: string
    limits: Record<string, Record<string, string>>
  }
  /** In the order in which it accepted them. */
  bets: StoredBet[]
  buried: string[]
}

export interface StoredBet {
  betId: string
  wallet: string
  token: string
  amountWei: string
  autoCashout: number | null
  cashout: number | null
  placedAt: number
}

/** Returns the rows of a query on an object's disk; none if a table of it is missing. */
export function rowsOf(
  world: World,
  className: string,
  name: string,
  sql: string,
  bindings: readonly unknown[] = [],
): Row[] {
  const place = world.objects.find(className, name)
  if (!place) return []
  try {
    return place.disk.exec(sql, bindings).rows
  } catch (fault) {
    if (fault instanceof Error && /no such table/.test(fault.message)) return []
    throw fault
  }
}

export function storedRound(world: World, roundId: number): StoredRound | null {
  const read = (sql: string) => rowsOf(world, 'CrashRound', String(roundId), sql)
  const [row] = read('SELECT plan, status FROM round')
  if (!row) return null
  const bets = read(
    `SELECT bet_id AS betId, wallet, token, amount_wei AS amountWei, auto_cashout AS autoCashout,
       cashout, placed_at AS placedAt FROM bets ORDER BY n`,
  )
  return {
    status: row['status'] as StoredRound['status'],
    plan: JSON.parse(String(row['plan'])) as StoredRound['plan'],
    bets: bets as unknown as StoredBet[],
    buried: read('SELECT bet_id AS betId FROM tombstones').map(({ betId }) => String(betId)),
  }
}

/** Returns the number of the newest round that has been opened, or 0. */
export function currentRoundId(world: World): number {
  const numbers = world.objects.of('CrashRound').map(({ name }) => Number(name))
  const opened = numbers.toSorted((a, b) => b - a).find((id) => storedRound(world, id) !== null)
  return opened ?? 0
}

/** Follows which round was current when. */
export class RoundWatch {
  readonly #world: World
  /** When the results before each round are over at the latest, in true unix milliseconds, oldest first. */
  readonly #openedAt: { roundId: number; at: number }[] = []
  /** The version of the next round's disk when it was last read. */
  #version = -1

  constructor(world: World) {
    this.#world = world
  }

  check(): void {
    const next = (this.#openedAt.at(-1)?.roundId ?? 0) + 1
    const disk = this.#world.objects.find('CrashRound', String(next))?.disk
    if (!disk || disk.version === this.#version) return
    this.#version = disk.version
    // Erased rounds leave no gap: only ended ones are erased, after the next is looked at.
    const round = storedRound(this.#world, next)
    if (!round) return
    // A table that restarts before it knows of the new round shows the results of the one before.
    this.#openedAt.push({ roundId: next, at: this.#world.scheduler.now + round.plan.resultsMs })
    this.#version = -1
  }

  /**
   * Returns the round that nobody may take for a past one now: clocks differ, so a new round is news for as
   * long as they do.
   */
  get known(): number {
    const known = this.#world.scheduler.now - this.#world.clocksDifferMs
    return this.#openedAt.findLast(({ at }) => at <= known)?.roundId ?? 0
  }
}

/** Returns how a bet has ended by its round, as its ledger must have it; null while it is live. */
export function endOf(round: StoredRound | null, betId: string): object | null {
  const bet = round?.bets.find((placed) => placed.betId === betId)
  if (!round || !bet) return { kind: 'never_placed' }
  if (round.status === 'voided') return { kind: 'voided' }
  if (bet.cashout !== null) {
    return { kind: 'won', multiplier: bet.cashout, payoutWei: payoutOf(bet).toString() }
  }
  return round.status === 'crashed' ? { kind: 'lost' } : null
}

/** Returns the payout of a bet that was cashed out, in smallest units. */
export function payoutOf({ amountWei, cashout }: StoredBet): bigint {
  return (BigInt(amountWei) * BigInt(cashout ?? 0)) / 100n
}

/**
 * Returns a round's crash point, which only its object may know before the crash; null if it is not fixed.
 * @param seedHash of the round that is meant: an ended one may be erased, and opened again by a late request
 */
export function crashOf(world: World, roundId: number, seedHash?: string): Hundredths | null {
  const sql = 'SELECT plan, seed, pepper FROM round'
  const [row] = rowsOf(world, 'CrashRound', String(roundId), sql)
  const { pepper, seed } = row ?? {}
  if (!row || typeof pepper !== 'string' || typeof seed !== 'string') return null
  const plan = JSON.parse(String(row['plan'])) as RoundPlan
  if (seedHash !== undefined && plan.seedHash !== seedHash) return null
  const { edgeBps } = plan
  return crashPointOf({ roundId, seed, pepper, edgeBps })
}

export interface FirstCrash {
  /** In unix milliseconds; 0 if no round was opened. */
  at: number
  commitments: string[]
}

/** Returns when the first round crashes, if clocks agree, and what it was committed to; null before it is open. */
export function firstCrash(world: World): FirstCrash | null {
  const [row] = rowsOf(world, 'CrashRound', '1', 'SELECT plan, pepper_at AS pepperAt FROM round')
  const crash = crashOf(world, 1)
  if (!row || crash === null) return null
  const plan = JSON.parse(String(row['plan'])) as RoundPlan
  const { pepperSource, seedHash } = plan
  const { crashAt } = planFlight(plan, Number(row['pepperAt']), crash)
  const pepperHash = pepperSource.kind === 'committed' ? [pepperSource.pepperHash] : []
  return { at: crashAt, commitments: [seedHash, ...pepperHash] }
}
