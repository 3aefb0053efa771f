import type { BetParams } from '../../../src/crash/bet.ts'
import { EMPTY_HEAD, unpackHead, type Head } from '../../../src/ledger/head.ts'
import type { Me } from '../../../src/ledger/me.ts'
import { toMultiplier } from '../../../src/money/multiplier.ts'
import { TOKENS, type PerToken } from '../../../src/money/token.ts'
import {
  exclusionEnd,
  isExcluded,
  UNPROTECTED,
  type Protection,
} from '../../../src/protection/protection.ts'
import type { ShownProtection } from '../../../src/protection/shown.ts'
import type { Place } from '../world/objects.ts'
import type { World } from '../world/world.ts'
import { journalRows } from './ledgers.ts'
import { rowsOf } from './rounds.ts'

/** A permission as a ledger keeps it, and as its answers show it. */
export interface ShownPermission {
  partner: string
  token: string
  nonce: number
  maxPerDayWei: string
  expiresAt: number | null
}

/** The states of something, each with the true time from which it was so. */
class States<T> {
  readonly #all: { from: number; state: T }[]

  constructor(first: T) {
    this.#all = [{ from: 0, state: first }]
  }

  get latest(): T | undefined {
    return this.#all.at(-1)?.state
  }

  push(from: number, state: T): void {
    this.#all.push({ from, state })
  }

  /** Returns the states since a time, the one at that time included. */
  since(time: number): T[] {
    const first = this.#all.findLastIndex(({ from }) => from < time)
    return this.#all.slice(Math.max(0, first)).map(({ state }) => state)
  }
}

/** What has been read of a ledger. */
class Known {
  version = -1
  /** The number of the newest entry. */
  seq = 0
  losses: number
  readonly heads = new States(EMPTY_HEAD)
  /** As JSON text: the rows of permissions, and the player's protection. */
  readonly permissions = new States('[]')
  readonly protection = new States(JSON.stringify(UNPROTECTED))

  constructor(losses: number) {
    this.losses = losses
  }
}

/**
 * Follows what each ledger has of its player. An answer must show what the ledger had at some time between the request
 * and the answer.
 */
export class StandingWatch {
  readonly #world: World
  readonly #known = new Map<string, Known>()

  constructor(world: World) {
    this.#world = world
  }

  /** Reads what has changed since the last call. */
  check(): void {
    for (const place of this.#world.objects.of('Ledger')) this.#read(place)
  }

  /** The player's own state in an answer, or the part of it that the answer has, is the ledger's. */
  checkMe(wallet: string, me: Pick<Me, 'chips'> & Partial<Me>, sentAt: number): void {
    const heads = this.#of(wallet).heads.since(sentAt)
    if (!heads.some((head) => this.#shows(head, me)))
      this.#world.violate(`${wallet} was shown ${JSON.stringify(me)}, which its ledger never had`)
  }

  /** A partner's view of a player's chips is the ledger's. */
  checkBalance(wallet: string, token: string, balanceWei: unknown, sentAt: number): void {
    const chips = this.#of(wallet)
      .heads.since(sentAt)
      .map(({ balances }) => String(balances[token as 'USDG'].chips))
    if (!chips.includes(String(balanceWei)))
      this.#world.violate(
        `the partner was shown that ${wallet} has ${String(balanceWei)}, not ${chips.join()}`,
      )
  }

  /** A permission in an answer is the ledger's. */
  checkPermission(wallet: string, shown: ShownPermission, sentAt: number): void {
    const { partner, token, nonce, maxPerDayWei, expiresAt } = shown
    const told = JSON.stringify({ nonce, maxPerDayWei, expiresAt })
    const stored = this.#of(wallet)
      .permissions.since(sentAt)
      .map((rows) => storedPermission(rows, partner, token))
    if (!stored.includes(told))
      this.#world.violate(`${wallet} was shown the permission ${told}, not ${stored.join()}`)
  }

  /** The player's limits in an answer are the ledger's; what is used of them changes with the time. */
  checkProtection(wallet: string, shown: ShownProtection, sentAt: number): void {
    const { now } = this.#world.scheduler
    const skewMs = this.#world.clocksDifferMs
    const told = textOf(shown)
    const stored = this.#of(wallet)
      .protection.since(sentAt)
      .flatMap((text) => {
        const protection = JSON.parse(text) as Protection
        return [sentAt - skewMs, now + skewMs].map((at) =>
          textOf({
            ...protection,
            excluded: isExcluded(protection, at),
            excludedUntil: exclusionEnd(protection, at),
          }),
        )
      })
    if (!stored.includes(told))
      this.#world.violate(`${wallet} was shown the limits ${told}, not ${stored.join()}`)
  }

  /** A change of a player's limits that was accepted has been stored. */
  checkChange(wallet: string, isMade: (protection: Protection) => boolean, sentAt: number): void {
    const stored = this.#of(wallet).protection.since(sentAt)
    if (!stored.some((text) => isMade(JSON.parse(text) as Protection)))
      this.#world.violate(`${wallet} was answered a change of limits that ${stored.join()} lacks`)
  }

  #of(wallet: string): Known {
    const known = this.#known.get(wallet) ?? new Known(0)
    this.#known.set(wallet, known)
    return known
  }

  #read(place: Place): void {
    const { version, losses } = place.disk
    const known = this.#of(place.name)
    if (version === known.version) return
    const { now } = this.#world.scheduler
    const { latest, rows } = journalRows(this.#world, place, known, {
      columns: 'head',
      where: 'TRUE',
    })
    if (latest === 0 && known.seq > 0) known.heads.push(now, EMPTY_HEAD)
    for (const { head } of rows) {
      known.heads.push(now, unpackHead(new Uint8Array(head as ArrayBuffer)))
    }
    Object.assign(known, { version, losses, seq: latest })
    if (this.#world.traits.hasLimits) this.#readLimits(place.name, known, now)
  }

  #readLimits(wallet: string, known: Known, now: number): void {
    const read = (sql: string) => rowsOf(this.#world, 'Ledger', wallet, sql)
    const permissions = JSON.stringify(
      read(`SELECT partner, token, nonce, max_per_day_wei AS maxPerDayWei, expires_at AS expiresAt
        FROM permissions`),
    )
    if (permissions !== known.permissions.latest) known.permissions.push(now, permissions)
    const [row] = read('SELECT state FROM protection')
    const state = row?.['state']
    const protection = typeof state === 'string' ? state : JSON.stringify(UNPROTECTED)
    if (protection !== known.protection.latest) known.protection.push(now, protection)
  }

  #shows({ balances, openBets }: Head, { chips, quarantine, openBet }: Partial<Me>): boolean {
    const has = (account: 'chips' | 'quarantine', told?: PerToken<string>) =>
      !told || TOKENS.every((token) => balances[token][account].toString() === told[token])
    if (!has('chips', chips) || !has('quarantine', quarantine)) return false
    if (openBet === undefined) return true
    const newest = openBets.at(-1)
    // Once bets have closed, a bet may count as ended before its ledger knows how.
    if (openBet === null)
      return !newest || newest.closesAt < this.#world.scheduler.now + this.#world.clocksDifferMs
    return (
      newest !== undefined &&
      newest.roundId === openBet.roundId &&
      newest.placedAt === openBet.placedAt &&
      isSameOrder(newest, openBet)
    )
  }
}

function isSameOrder(held: BetParams, told: NonNullable<Me['openBet']>): boolean {
  const autoCashout = held.autoCashout === null ? null : toMultiplier(held.autoCashout)
  const isSame = held.token === told.token && held.amountWei.toString() === told.amountWei
  return isSame && autoCashout === told.autoCashout
}

/** Returns a permission among those that a ledger keeps, as JSON text in the form of answers. */
function storedPermission(rows: string, partner: string, token: string): string {
  const all = JSON.parse(rows) as (Omit<ShownPermission, 'maxPerDayWei'> & {
    maxPerDayWei: string | null
  })[]
  const found = all.find((row) => row.partner === partner && row.token === token)
  const { nonce = 0, maxPerDayWei = null, expiresAt = null } = found ?? {}
  return JSON.stringify({ nonce, maxPerDayWei: maxPerDayWei ?? '0', expiresAt })
}

type Fixed = Pick<ShownProtection, 'excluded' | 'excludedUntil' | 'realityCheckMinutes'> & {
  limits: readonly object[]
}

/** Returns what of a player's protection does not depend on what they have used, as JSON text. */
function textOf({ limits, excluded, excludedUntil, realityCheckMinutes }: Fixed): string {
  const all = limits.map((limit) => ({ ...limit, used: undefined }))
  return JSON.stringify({ limits: all, excluded, excludedUntil, realityCheckMinutes })
}
