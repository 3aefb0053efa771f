import type { RoundPlan } from '../../crash/plan.ts'
import type { Breach } from '../../transparency/follower.ts'
import type { LoggedRound, TableSeen } from '../../verify/logged-round.ts'
import { breachOf, checksOf, type LogReading } from '../../verify/logged.ts'
import { verifyShown, type ShownRound } from '../../verify/shown-round.ts'
import type { Client } from '../shared/client.ts'
import { CommandError } from '../shared/terminal.ts'
import { UnplannedRound } from './unplanned.ts'

/** A read keeps an idle table awake, so that it opens another round. Less often than this, it may sleep. */
const IDLE_MS = 60_000

/** The table is read at least this often, also if the log has no open round. A read wakes an idle table. */
const READ_EVERY_MS = 600_000

/** The log has the root over a round's bets this long after their close, even if its checkpoint is a second old. */
const ROOT_LOGGED_WITHIN_MS = 2_000

/**
 * Compares what the table shows to anybody with the log: once while a round takes bets, and once with its root.
 * While the log is late with a root, the table is asked for it. Now and then it is read in any case: the log may be
 * one that stands still.
 */
export class Table {
  readonly #client: Client
  readonly #unplanned = new UnplannedRound()
  #readAt = -Infinity
  #lookedAt = Date.now()
  /** What was last compared, and whether that round had bets. */
  #compared = ''
  #isBusy = false

  constructor(client: Client) {
    this.#client = client
  }

  /**
   * Compares the round that the table shows, if it is time to.
   * @param checkpointAt when the checkpoint of the reading was asked for, in unix milliseconds
   */
  async compare(
    reading: LogReading,
    checkpointAt: number,
  ): Promise<{ breach: Breach | null; notice: string | null }> {
    const unplanned = this.#unplanned.judge(reading, checkpointAt)
    const askedAt = Date.now()
    if (unplanned.breach || !this.#isWanted(reading.newest(), askedAt)) return unplanned
    const shown = await this.#read()
    if (!shown) return unplanned
    this.#unplanned.see(shown, reading, Date.now())
    return { ...unplanned, breach: this.#compareOpen(shown, reading, askedAt) }
  }

  #isWanted(newest: LoggedRound | null, now: number): boolean {
    const isOfRound = newest !== null && (isOverdue(newest, now) || this.#isDue(newest, now))
    const isWanted = isOfRound || this.#unplanned.isAwaited || now >= this.#lookedAt + READ_EVERY_MS
    if (isWanted) this.#lookedAt = now
    return isWanted
  }

  #compareOpen(shown: ShownRound, reading: LogReading, askedAt: number): Breach | null {
    const round = reading.open(shown.roundId)
    if (!round) return null
    if (isOverdue(round, askedAt)) reading.seeTable(shown.roundId, seenIn(shown, round, askedAt))
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

  /** Returns what the table shows; null if it does not answer, which proves nothing. */
  async #read(): Promise<ShownRound | null> {
    try {
      return await this.#client.get<ShownRound>('/api/crash', { action: 'watch' })
    } catch (fault) {
      if (fault instanceof CommandError) return null
      throw fault
    }
  }
}

/** Returns whether the log should have a round's bets by now, but neither it nor the table has shown their root. */
function isOverdue({ plan, bets, table }: LoggedRound, now: number): boolean {
  const { betsCloseAt, pepperSource } = plan.entry as unknown as RoundPlan
  // A committed pepper has no time of its own, so nothing can be late.
  if (bets || table?.root || pepperSource.kind === 'committed') return false
  return now >= betsCloseAt + ROOT_LOGGED_WITHIN_MS
}

/** Returns what the table has shown of a round's bets by now. */
function seenIn(
  { betsRoot, betCount }: ShownRound,
  { table }: LoggedRound,
  askedAt: number,
): TableSeen {
  if (betsRoot === null || betCount === null) return { absentAt: askedAt, root: null }
  return { absentAt: table?.absentAt ?? null, root: { betsRoot, betCount, at: Date.now() } }
}
