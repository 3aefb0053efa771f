import { DurableObject } from 'cloudflare:workers'
import { commitmentOf } from '../src/fairness/seed.ts'
import { invariant } from '../src/invariant.ts'
import { rollOf } from '../src/lootbox/prizes.ts'
import { DAY_MS } from '../src/utc-day.ts'
import { Clock } from './kernel/clock.ts'
import { isBlank, migrate } from './kernel/migrations.ts'
import { randomSecret } from './kernel/random.ts'

const MIGRATION = `
  CREATE TABLE day (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    seed TEXT NOT NULL,
    committed_at INTEGER NOT NULL
  ) STRICT;
`

/** What the openings of a day are committed to. */
export interface DayCommitment {
  day: string
  seedHash: string
  /** When the seed was drawn, in unix milliseconds: before the day, if the service ran then. */
  committedAt: number
}

/** A day's seed, once nothing can be opened with it that nobody has paid for. */
export interface DayDisclosure extends DayCommitment {
  seed: string | null
}

/** A block may come late that says it is of the day; once that is past, the seed is told. */
const DISCLOSED_AFTER_MS = 600_000

/** The seed of one UTC day of the lootbox. It leaves this object when the day is over. Named by the date. */
export class LootboxDay extends DurableObject<Env> {
  readonly #sql = this.ctx.storage.sql
  readonly #clock = new Clock()

  /** Commits to the day. Asking is what draws the seed. */
  async commitment(): Promise<DayCommitment> {
    const { seed, committedAt } = this.#drawn()
    return { day: this.#day(), seedHash: commitmentOf(seed), committedAt }
  }

  /** Rolls for what is over: 52 bits, as decimal text. */
  async roll(message: string): Promise<DayCommitment & { roll: string }> {
    const { seed } = this.#drawn()
    return { ...(await this.commitment()), roll: rollOf(seed, message).toString() }
  }

  /** The commitment, and the seed once the day is over; null where nothing was committed to. */
  async disclosure(): Promise<DayDisclosure | null> {
    if (isBlank(this.ctx.storage)) return null
    const isOver =
      this.#clock.now() >= Date.parse(`${this.#day()}T00:00:00Z`) + DAY_MS + DISCLOSED_AFTER_MS
    return { ...(await this.commitment()), seed: isOver ? this.#drawn().seed : null }
  }

  #drawn(): { seed: string; committedAt: number } {
    migrate(this.ctx.storage, [MIGRATION])
    const [row] = this.#sql
      .exec<{ seed: string; committed_at: number }>('SELECT seed, committed_at FROM day')
      .toArray()
    if (row) return { seed: row.seed, committedAt: row.committed_at }
    const drawn = { seed: randomSecret(), committedAt: this.#clock.now() }
    this.#sql.exec('INSERT INTO day VALUES (1, ?, ?)', drawn.seed, drawn.committedAt)
    return drawn
  }

  #day(): string {
    const { name } = this.ctx.id
    invariant(name, 'a day is addressed by its date')
    return name
  }
}
