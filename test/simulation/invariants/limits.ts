import { isRefusal } from '../../../src/core/refusal.ts'
import { ceilingOf, WINDOW_MS, type Limit } from '../../../src/protection/limit.ts'
import {
  changed,
  isExcluded,
  protectionHash,
  READMITTED_AFTER_MS,
  UNPROTECTED,
  type Protection,
  type ProtectionChange,
} from '../../../src/protection/protection.ts'
import type { ToldLimit } from '../actors/guardians.ts'
import { MAX_SKEW_MS } from '../world/traits.ts'
import type { World } from '../world/world.ts'
import type { Entry, EntryWatch } from './entries.ts'

const DAY_MS = WINDOW_MS.day

/** A change of a player's protection, and what it amounts to. */
interface Change {
  id: string
  at: number
  protection: Protection
}

/** Holds the journals against what players have limited. */
export class LimitCheck {
  readonly #world: World

  constructor(world: World) {
    this.#world = world
  }

  /** Holds all journals against the limits in them, and those against what players were told. */
  checkAll(watch: EntryWatch, told: readonly ToldLimit[]): void {
    if (!this.#world.traits.hasLimits) return
    for (const [name, entries] of watch.all()) {
      const changes = this.#changesIn(name, entries)
      this.#checkJournal(name, entries, changes)
      for (const each of told.filter(({ wallet }) => wallet === name))
        this.#checkTold(each, changes)
    }
  }

  /** Returns what each change of a journal amounts to, whose hash is its answer. */
  #changesIn(wallet: string, entries: readonly Entry[]): Change[] {
    const changes: Change[] = []
    for (const { id, at, request, result } of entries) {
      if (!id.startsWith('limits:')) continue
      const before = changes.at(-1)?.protection ?? UNPROTECTED
      const protection = changed(before, JSON.parse(request) as ProtectionChange, at)
      if (isRefusal(protection) || JSON.parse(result) !== protectionHash(protection)) {
        this.#world.violate(`${wallet}: ${id} is not what the change amounts to`)
        break
      }
      changes.push({ id, at, protection })
    }
    return changes
  }

  #checkJournal(wallet: string, entries: readonly Entry[], changes: readonly Change[]): void {
    let protection = UNPROTECTED
    let permit: { maxWei: bigint; expiresAt: number } | null = null
    for (const [index, entry] of entries.entries()) {
      const { id, at, request } = entry
      const before = entries.slice(0, index)
      const change = changes.find((each) => each.id === id)
      if (change) {
        const problem = loosened(protection, change.protection, at)
        if (problem) this.#world.violate(`${wallet}: ${problem}`)
        protection = change.protection
      }
      if (id.startsWith('permission:')) {
        const [kind, maxWei, expiresAt] = JSON.parse(request) as [string, string, number]
        permit = kind === 'grant' ? { maxWei: BigInt(maxWei), expiresAt } : null
      }
      const problem = passed(protection, entry, before)
      if (problem) this.#world.violate(`${wallet}: ${id} ${problem}`)
      if (entry.debitedWei > 0n && this.#world.traits.needsConsent) {
        const usedWei = sumOf(within(before, at, DAY_MS), (e) => e.debitedWei - e.givenBackWei)
        if (!permit || at >= permit.expiresAt * 1000)
          this.#world.violate(`${wallet}: ${id} debits without permission`)
        else if (usedWei + entry.debitedWei > permit.maxWei)
          this.#world.violate(`${wallet}: ${id} debits more than permitted`)
      }
    }
  }

  /** A limit holds, and so does an exclusion, for a day after its player has been told so. */
  #checkTold({ wallet, at, limit, mostWei }: ToldLimit, changes: readonly Change[]): void {
    const until = at + DAY_MS - 2 * MAX_SKEW_MS
    const last = changes.findLast((change) => change.at <= at + MAX_SKEW_MS)
    const later = changes.filter((change) => change.at > at + MAX_SKEW_MS && change.at < until)
    for (const change of [...(last ? [last] : []), ...later]) {
      const { protection } = change
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
