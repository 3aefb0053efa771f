import { canonicalJson } from '../core/canonical-json.ts'
import { DAY_MS, isoTime } from '../core/utc-day.ts'
import type { PlayRow } from '../exports/rows.ts'
import type { PepperSource } from '../fairness/pepper.ts'
import type { PrizeTier } from '../lootbox/prizes.ts'
import type { LoggedEntry } from '../transparency/entry.ts'
import { areNamedByHash } from '../verify/logged-terms.ts'
import { verifyPlayTerms } from '../verify/receipt-in-log.ts'
import type { ExportedBox } from './boxes.ts'
import { findingsOf, type Finding } from './finding.ts'
import type { ExportedOpening } from './openings.ts'

/** Plays that the same terms pay in the same way, of an export of any size. */
export interface PlaysUnderTerms {
  /** Those with the smallest and the largest stake, and the first and the last one. */
  least: PlayRow
  most: PlayRow
  first: PlayRow
  last: PlayRow
  /** The last day of the export that has some; null if that isn't known. */
  exportedOn: string | null
}

/** Adds a play to those that are paid in the same way. */
export function addPlay(groups: Map<string, PlaysUnderTerms>, play: PlayRow): void {
  const own = { least: play, most: play, first: play, last: play, exportedOn: null }
  addPlays(groups, own)
}

/** Adds plays to those that are paid in the same way. */
export function addPlays(groups: Map<string, PlaysUnderTerms>, plays: PlaysUnderTerms): void {
  const { terms, game, tables, edgeBps, token } = plays.first
  const key = `${terms} ${game} ${tables} ${edgeBps} ${token}`
  const known = groups.get(key)
  if (!known) {
    groups.set(key, plays)
    return
  }
  if (stakeOf(plays.least) < stakeOf(known.least)) known.least = plays.least
  if (stakeOf(plays.most) > stakeOf(known.most)) known.most = plays.most
  if (plays.first.settledAt < known.first.settledAt) known.first = plays.first
  if (plays.last.settledAt > known.last.settledAt) known.last = plays.last
  if ((plays.exportedOn ?? '') > (known.exportedOn ?? '')) known.exportedOn = plays.exportedOn
}

function stakeOf({ amount }: PlayRow): bigint {
  return BigInt(amount)
}

/**
 * The log may be down for a while, so it may have terms, a commitment or a key this much later than their first use.
 */
export const LOGGED_WITHIN_MS = 3_600_000

/** The house could date plays back, but not the days on which it exported them: a row comes at most a day late. */
function isBeforeLog({ last, exportedOn }: PlaysUnderTerms, logBegan: number): boolean {
  const isEarly = exportedOn === null || Date.parse(exportedOn) < logBegan + DAY_MS
  return last.settledAt < logBegan && isEarly
}

/** The parts of logged terms that decide openings' prizes and the contract that sells boxes. */
interface Offered {
  crash: { pepper: PepperSource['kind'] }
  lootbox: { prizes: PrizeTier[]; spinPrizes: PrizeTier[] } | null
  boxes: { chainId: number; contract: string } | null
}

/** The terms of play that a public log has, by their hash. */
export class LoggedTerms {
  readonly #entries = new Map<string, { logged: LoggedEntry; loggedAt: number }>()

  /**
   * Takes the next entry of terms. One under another name than its hash counts as none.
   * @param loggedAt its time, or that of an earlier entry if it is dated back; in unix milliseconds
   */
  take(logged: LoggedEntry, loggedAt: number): void {
    const { entry } = logged
    if (areNamedByHash(entry)) this.#entries.set(entry.id, { logged, loggedAt })
  }

  /** Returns the entry of some terms; null if the log does not have it. */
  find(hash: string | null): LoggedEntry | null {
    return hash === null ? null : (this.#entries.get(hash)?.logged ?? null)
  }

  /** Returns the entries of all terms, in the order of the log. */
  all(): LoggedEntry[] {
    return [...this.#entries.values()].map(({ logged }) => logged)
  }

  /** Returns when some terms were logged, in unix milliseconds; null if they were not. */
  loggedAt(hash: string | null): number | null {
    return hash === null ? null : (this.#entries.get(hash)?.loggedAt ?? null)
  }

  /**
   * Checks plays that are paid in the same way against the terms that they name.
   * @param logBegan when the log succeeded another one, which has the earlier entries; null for a first log
   */
  checkPlays(plays: PlaysUnderTerms, logBegan: number | null): Finding[] {
    const { least, most, first } = plays
    const where = `play ${first.nonce} of ${first.wallet}`
    const { terms } = first
    if (terms === null) return [{ where, problem: 'it names no terms of play' }]
    const known = this.#entries.get(terms)
    if (!known) {
      if (logBegan !== null && isBeforeLog(plays, logBegan)) return []
      return [{ where, problem: `its terms ${terms} are not in the public log` }]
    }
    const { loggedAt } = known
    const { entry } = known.logged
    const isFirstSeenHere = logBegan === null || first.settledAt >= logBegan
    const isLate = isFirstSeenHere && loggedAt > first.settledAt + LOGGED_WITHIN_MS
    const late = `its terms ${terms} were logged only later, at ${isoTime(loggedAt)}`
    const extremes = least === most ? [least] : [least, most]
    return [
      ...(isLate ? [{ where, problem: late }] : []),
      ...extremes.flatMap((play) =>
        findingsOf(`play ${play.nonce} of ${play.wallet}`, verifyPlayTerms(play, entry)),
      ),
    ]
  }

  /**
   * Checks that terms logged by then offer an opening's odds, the prize of its tier, and the kind of a spin's pepper.
   * @param mayHold returns whether one of some terms may have been in force when it was promised
   */
  checkOpening(
    opening: ExportedOpening,
    mayHold: (terms: readonly string[]) => boolean,
  ): Finding[] {
    const { id, from, odds, tier, label, prize, asset, openedAt } = opening
    const kind = 'pepper' in from ? from.pepperSource.kind : null
    const offers = this.#offers().filter(({ lootbox, crash }) => {
      const prizes = (kind === null ? lootbox?.prizes : lootbox?.spinPrizes) ?? []
      const won = prizes[tier]
      return (
        (kind === null || crash.pepper === kind) &&
        canonicalJson(prizes.map(({ bps }) => bps)) === canonicalJson(odds) &&
        won?.label === label &&
        won.asset === asset &&
        won.amountWei === prize
      )
    })
    const [offer] = offers
    const isInForce = mayHold(offers.map(({ hash }) => hash))
    const isInTime = offer && offer.loggedAt <= openedAt + LOGGED_WITHIN_MS
    if (isInTime && isInForce) return []
    const what =
      kind === null
        ? 'these odds and this prize'
        : `these odds and this prize of a spin with a ${kind} pepper`
    const late = `the terms that offer ${what} were logged only later`
    const problem = !offer
      ? `no logged terms offer ${what}`
      : isInTime
        ? `the rounds around it follow no terms that offer ${what}`
        : `${late}, at ${isoTime(offer.loggedAt)}`
    return [{ where: `opening ${id}`, problem }]
  }

  /** Checks that some logged terms name the contract of some boxes. */
  checkContract({ chainId, contract }: Pick<ExportedBox, 'chainId' | 'contract'>): Finding[] {
    const isNamed = this.#offers().some(
      ({ boxes }) =>
        boxes?.chainId === chainId && boxes.contract.toLowerCase() === contract.toLowerCase(),
    )
    if (isNamed) return []
    return [{ where: `the boxes of ${contract}`, problem: 'no logged terms name this contract' }]
  }

  /** Returns the offers of the logged terms, in the order of the log. */
  #offers(): (Offered & { hash: string; loggedAt: number })[] {
    return [...this.#entries.values()].map(({ logged, loggedAt }) => {
      const terms = logged.entry['terms'] as unknown as Offered
      return { ...terms, hash: logged.entry.id, loggedAt }
    })
  }
}
