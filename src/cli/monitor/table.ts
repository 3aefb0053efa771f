import { isoTime } from '../../core/utc-day.ts'
import type { RoundPlan } from '../../crash/plan.ts'
import type { Breach } from '../../transparency/follower.ts'
import { breachOf, checksOf } from '../../verify/logged-breach.ts'
import type { LoggedRound, TableSeen } from '../../verify/logged-round.ts'
import type { LogReading } from '../../verify/logged.ts'
import { verifyShown, type ShownRound } from '../../verify/shown-round.ts'
import type { Client } from '../shared/client.ts'
import { CommandError } from '../shared/terminal.ts'
import { REPORTED_AFTER_MS, UnplannedRound } from './unplanned.ts'

/** A read keeps an idle table awake, so that it opens another round. Less often than this, it may sleep. */
const IDLE_MS = 60_000

/** The table is read at least this often, also if the log has no open round. A read wakes an idle table. */
const READ_EVERY_MS = 600_000

/** The log has the root over a round's bets this long after their close, even if its checkpoint is a second old. */
const ROOT_LOGGED_WITHIN_MS = 2_000

/**
 * Compares the table's public view with the log: once while a round takes bets, and once with its root. While the log
 * is late with a root, the table is asked for it. Now and then it is read in any case: the log may be one that stands
 * still.
 */
export class Table {
  readonly #client: Client
  readonly #unplanned = new UnplannedRound()
  #readAt = -Infinity
  #lookedAt = Date.now()
  /** When the round that the table showed last is expected to change, or another one to open. */
  #changesAt = -Infinity
  #newestShown = 0
  /** The round that was last compared, and whether it had bets. */
  #compared = ''
  #isBusy = false
  /** Since when the table has not answered, and when that was last reported; null while it answers. */
  #silence: { since: number; reportedAt: number } | null = null

  constructor(client: Client) {
    this.#client = client
  }

  /**
   * Compares the round that the table shows, if it is time to.
   * @param checkpointAt when the checkpoint of the reading was asked for, in unix milliseconds
   * @param isSilent whether the log does not answer, so that only the table can show how its rounds go on
   */
  async compare(
    reading: LogReading,
    checkpointAt: number,
    isSilent = false,
  ): Promise<{ breach: Breach | null; notices: string[] }> {
    const { breach, notice } = this.#unplanned.judge(reading, checkpointAt)
    const notices = notice === null ? [] : [notice]
    const askedAt = Date.now()
    const newest = reading.newest()
    const isDue = isSilent ? this.#mayChange(newest, askedAt) : this.#isWanted(newest, askedAt)
    if (breach || !isDue) return { breach, notices }
    const shown = await this.#read()
    if (!shown) return { breach, notices: [...notices, ...this.#noteSilence(askedAt, isSilent)] }
    this.#silence = null
    this.#changesAt = changeOf(shown, Date.now())
    this.#newestShown = shown.roundId
    this.#unplanned.see(shown, reading, Date.now())
    return { breach: this.#compareOpen(shown, reading, { askedAt, isSilent }), notices }
  }

  /**
   * Notes that the table did not answer. That proves nothing, but the reader should know that nothing is compared.
   * @param isSilent whether the log does not answer either, which is reported anyway
   */
  #noteSilence(askedAt: number, isSilent: boolean): string[] {
    // Read again in a minute.
    this.#lookedAt = askedAt - READ_EVERY_MS + IDLE_MS
    this.#silence ??= { since: askedAt, reportedAt: askedAt }
    const { since, reportedAt } = this.#silence
    if (isSilent || askedAt < reportedAt + REPORTED_AFTER_MS) return []
    this.#silence.reportedAt = askedAt
    return [
      `The table has not answered you since ${isoTime(since)}, so nothing was compared with it. If it answers others, the house may hide from you that it plays on, or plays otherwise: compare your log with theirs.`,
    ]
  }

  #isWanted(newest: LoggedRound | null, now: number): boolean {
    const isOfRound = newest !== null && (isOverdue(newest, now) || this.#isDue(newest, now))
    const isWanted = isOfRound || this.#unplanned.isAwaited || now >= this.#lookedAt + READ_EVERY_MS
    if (isWanted) this.#lookedAt = now
    return isWanted
  }

  /** Returns whether the table may show more than before, in its newest round or a later one. */
  #mayChange(newest: LoggedRound | null, now: number): boolean {
    if (now >= this.#changesAt) return true
    return (
      newest !== null && this.#newestShown <= Number(newest.plan.entry.id) && isOverdue(newest, now)
    )
  }

  #compareOpen(
    shown: ShownRound,
    reading: LogReading,
    { askedAt, isSilent }: { askedAt: number; isSilent: boolean },
  ): Breach | null {
    const round = reading.open(shown.roundId)
    const isFixed = isSilent && shown.betsRoot !== null && !round?.table?.root
    if (isFixed || (round && isOverdue(round, askedAt)))
      reading.seeTable(shown.roundId, seenIn(shown, round, askedAt))
    if (!round) return null
    return breachOf(
      round,
      checksOf(() => verifyShown(shown, round)),
      { shown },
    )
  }

  #isDue({ plan, bets }: LoggedRound, now: number): boolean {
    if (bets) this.#isBusy = bets.entry['betCount'] !== 0
    const isWanted = bets
      ? this.#isBusy
      : now < Number(plan.entry['betsCloseAt']) && (this.#isBusy || now >= this.#readAt + IDLE_MS)
    const name = `${plan.entry.id} ${bets ? 'fixed' : 'open'}`
    if (!isWanted || this.#compared === name) return false
    this.#compared = name
    this.#readAt = now
    return true
  }

  /** Returns the table's view; null if it does not answer with a round, which proves nothing. */
  async #read(): Promise<ShownRound | null> {
    try {
      const shown = await this.#client.get<ShownRound | null>('/api/crash', { action: 'watch' })
      return Number.isSafeInteger(shown?.roundId) ? shown : null
    } catch (fault) {
      if (fault instanceof CommandError) return null
      throw fault
    }
  }
}

/** Returns when to read the table again after it showed a round at some time, in unix milliseconds. */
function changeOf({ betsRoot, betCount, betsCloseAt }: ShownRound, now: number): number {
  if (betsRoot === null) return Math.min(betsCloseAt, now + IDLE_MS)
  return betCount === 0 ? now + IDLE_MS : now
}

/** Returns whether the log should have a round's bets by now, but neither it nor the table has shown their root. */
function isOverdue({ plan, bets, table }: LoggedRound, now: number): boolean {
  const { betsCloseAt, pepperSource } = plan.entry as unknown as RoundPlan
  // A committed pepper has no time of its own, so nothing can be late.
  if (bets || table?.root || pepperSource.kind === 'committed') return false
  return now >= betsCloseAt + ROOT_LOGGED_WITHIN_MS
}

/** Returns the table's view of a round's bets so far. */
function seenIn(
  { betsRoot, betCount }: ShownRound,
  round: LoggedRound | null,
  askedAt: number,
): TableSeen {
  if (betsRoot === null || betCount === null) return { absentAt: askedAt, root: null }
  return { absentAt: round?.table?.absentAt ?? null, root: { betsRoot, betCount, at: Date.now() } }
}
