import { unpackPostings } from '../../../src/ledger/journal.ts'
import { ceilingOf, WINDOW_MS, type Limit } from '../../../src/protection/limit.ts'
import {
  isExcluded,
  READMITTED_AFTER_MS,
  UNPROTECTED,
  type Protection,
} from '../../../src/protection/protection.ts'
import type { ToldLimit } from '../actors/guardians.ts'
import type { Place } from '../world/objects.ts'
import { MOST_SKEW_MS, type World } from '../world/world.ts'
import { journalRows } from './ledgers.ts'

const DAY_MS = WINDOW_MS.day

/** An entry of a journal, as limits see it. All amounts are of USDG, in smallest units. */
interface Entry {
  seq: number
  id: string
  request: string
  result: string
  at: number
  stakedWei: bigint
  debitedWei: bigint
  /** What of a stake has come back because the bet or the game did not count. */
  returnedWei: bigint
  /** What a rollback has given back of a partner's debit. */
  givenBackWei: bigint
  depositedWei: bigint
}

/** Reads the ledgers' journals as they are written, to hold them against what players have limited. */
export class LimitWatch {
  readonly #world: World
  readonly #entries = new Map<Place, { version: number; entries: Entry[] }>()

  constructor(world: World) {
    this.#world = world
  }

  /** Reads the entries that have been written since the last call. */
  check(): void {
    if (!this.#world.hasLimits) return
    for (const place of this.#world.objects.of('Ledger')) {
      const { version } = place.disk
      const before = this.#entries.get(place) ?? { version: -1, entries: [] }
      if (version === before.version) continue
      const [latest, rows] = journalRows(this.#world, place, {
        columns: 'seq, operation_id AS id, request, result, at, postings',
        after: before.entries.at(-1)?.seq ?? 0,
        where: 'TRUE',
      })
      // After a crash the unconfirmed entries are gone.
      const kept = before.entries.filter(({ seq }) => seq <= latest)
      this.#entries.set(place, { version, entries: [...kept, ...rows.map(entryOf)] })
    }
  }

  /** Holds all journals against the limits in them, and those against what players were told. */
  checkAll(told: readonly ToldLimit[]): void {
    for (const [{ name }, { entries }] of this.#entries) {
      this.#checkJournal(name, entries)
      for (const each of told.filter(({ wallet }) => wallet === name))
        this.#checkTold(each, entries)
    }
  }

  #checkJournal(wallet: string, entries: readonly Entry[]): void {
    let protection = UNPROTECTED
    let permit: { maxWei: bigint; expiresAt: number } | null = null
    for (const [index, entry] of entries.entries()) {
      const { id, at, request } = entry
      const before = entries.slice(0, index)
      if (id.startsWith('limits:')) {
        const next = JSON.parse(entry.result) as Protection
        const problem = loosened(protection, next, at)
        if (problem) this.#world.violate(`${wallet}: ${problem}`)
        protection = next
      }
      if (id.startsWith('permission:')) {
        const [kind, maxWei, expiresAt] = JSON.parse(request) as [string, string, number]
        permit = kind === 'grant' ? { maxWei: BigInt(maxWei), expiresAt } : null
      }
      const problem = passed(protection, entry, before)
      if (problem) this.#world.violate(`${wallet}: ${id} ${problem}`)
      if (entry.debitedWei > 0n && this.#world.needsConsent) {
        const usedWei = sumOf(within(before, at, DAY_MS), (e) => e.debitedWei - e.givenBackWei)
        if (!permit || at >= permit.expiresAt * 1000)
          this.#world.violate(`${wallet}: ${id} debits without permission`)
        else if (usedWei + entry.debitedWei > permit.maxWei)
          this.#world.violate(`${wallet}: ${id} debits more than permitted`)
      }
    }
  }

  /** A limit holds, and so does an exclusion, for a day after its player has been told so. */
  #checkTold({ wallet, at, limit, mostWei }: ToldLimit, entries: readonly Entry[]): void {
    const changes = entries.filter(({ id }) => id.startsWith('limits:'))
    const until = at + DAY_MS - 2 * MOST_SKEW_MS
    const last = changes.findLast((change) => change.at <= at + MOST_SKEW_MS)
    const later = changes.filter((change) => change.at > at + MOST_SKEW_MS && change.at < until)
    for (const change of [...(last ? [last] : []), ...later]) {
      const protection = JSON.parse(change.result) as Protection
      const ceiling = limit && ceilingOf(findLimit(protection, limit) ?? NONE)
      const holds = limit
        ? ceiling !== null && ceiling <= mostWei
        : isExcluded(protection, change.at)
      if (!holds) this.#world.violate(`${wallet} was told of a limit that ${change.id} lacks`)
    }
    if (!last && later.length === 0)
      this.#world.violate(`${wallet} was told of a limit in no journal`)
  }
}

const NONE = { amountWei: null, minutes: null }

/** Returns how a change loosens what must hold for a day; null if it does not. */
function loosened(before: Protection, after: Protection, at: number): string | null {
  if (after.excludedUntil < before.excludedUntil) return 'an exclusion was shortened'
  const isReadmitted = before.isExcludedUntilAsked && !after.isExcludedUntilAsked
  if (isReadmitted && after.excludedUntil < at + READMITTED_AFTER_MS)
    return 'an exclusion without an end has ended within a week'
  for (const limit of before.limits) {
    const [present, next] = [ceilingOf(limit), ceilingOf(findLimit(after, limit) ?? NONE)]
    const isLooser = present !== null && (next === null || next > present)
    if (isLooser && at - limit.from < DAY_MS) return `the limit of ${limit.kind} was loosened early`
  }
  return null
}

/** Returns how an entry passes a limit; null if it does not. */
function passed(protection: Protection, entry: Entry, before: readonly Entry[]): string | null {
  const { at, stakedWei, debitedWei, depositedWei } = entry
  const addedWei = stakedWei + debitedWei
  if (addedWei > 0n && isExcluded(protection, at)) return 'was staked by an excluded player'
  for (const limit of protection.limits) {
    const most = ceilingOf(limit)
    if (most === null || limit.token !== 'USDG') continue
    const window = within(before, at, WINDOW_MS[limit.window])
    const wageredWei = sumOf(window, (e) => e.stakedWei + e.debitedWei - e.returnedWei)
    if (limit.kind === 'wager' && addedWei > 0n && wageredWei + addedWei > most)
      return `brings the wagers to ${wageredWei + addedWei}, above ${most}`
    const creditedWei = sumOf(window, (e) => e.depositedWei)
    const isAbove = creditedWei < most && creditedWei + depositedWei > most
    if (limit.kind === 'deposit' && depositedWei > 0n && isAbove)
      return `brings the deposits to ${creditedWei + depositedWei}, above ${most}`
  }
  return null
}

function findLimit(
  { limits }: Protection,
  { kind, window, token }: ToldLimit['limit'] & object,
): Limit | undefined {
  return limits.find(
    (limit) => limit.kind === kind && limit.window === window && limit.token === token,
  )
}

function within(entries: readonly Entry[], at: number, windowMs: number): Entry[] {
  return entries.filter((entry) => entry.at > at - windowMs)
}

function sumOf(entries: readonly Entry[], amount: (entry: Entry) => bigint): bigint {
  return entries.reduce((sum, entry) => sum + amount(entry), 0n)
}

function entryOf(row: Record<string, unknown>): Entry {
  const [id, request] = [String(row['id']), String(row['request'])]
  const postings = unpackPostings(new Uint8Array(row['postings'] as ArrayBuffer))
  const moved = (from: string, to: string) =>
    postings
      .filter((each) => each.token === 'USDG' && each.from === from && each.to === to)
      .reduce((sum, { amountWei }) => sum + BigInt(amountWei), 0n)
  const isTransaction = request.startsWith('["transaction"')
  // The end of a game of mines books a stake that was held since its begin.
  const isEnd = moved('in_play', 'chips') > 0n
  const isLost = moved('chips', 'house') > 0n || moved('in_play', 'house') > 0n
  return {
    ...{
      seq: Number(row['seq']),
      id,
      request,
      result: String(row['result']),
      at: Number(row['at']),
    },
    stakedWei: moved('chips', 'in_play') + (isEnd ? 0n : moved('chips', 'house')),
    returnedWei: isEnd && !isLost ? moved('in_play', 'chips') : 0n,
    debitedWei: isTransaction ? moved('chips', 'partner') : 0n,
    givenBackWei: isTransaction ? 0n : moved('partner', 'chips'),
    depositedWei: ['vault', 'faucet'].reduce((sum, from) => sum + moved(from, 'chips'), 0n),
  }
}
