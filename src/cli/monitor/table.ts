import type { Breach } from '../../transparency/follower.ts'
import type { LoggedRound } from '../../verify/logged-round.ts'
import { breachOf, checksOf, type LogReading } from '../../verify/logged.ts'
import { verifyShown, type ShownRound } from '../../verify/shown-round.ts'
import type { Client } from '../shared/client.ts'
import { CommandError } from '../shared/terminal.ts'

/** A read keeps an idle table awake, so that it opens another round. Less often than this, it may sleep. */
const IDLE_MS = 60_000

/** Compares what the table shows to anybody with the log: once while a round takes bets, and once with its root. */
export class Table {
  readonly #client: Client
  #readAt = -Infinity
  /** What was last compared, and whether that round had bets. */
  #compared = ''
  #isBusy = false

  constructor(client: Client) {
    this.#client = client
  }

  /** Compares the round that the table shows, if it is time to. */
  async compare(reading: LogReading): Promise<Breach | null> {
    const newest = reading.newest()
    if (!newest || !this.#isDue(newest)) return null
    const shown = await this.#read()
    const round = shown && reading.open(shown.roundId)
    if (!round) return null
    return breachOf(
      round,
      checksOf(() => verifyShown(shown, round)),
      { shown },
    )
  }

  #isDue({ plan, bets }: LoggedRound): boolean {
    const now = Date.now()
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
