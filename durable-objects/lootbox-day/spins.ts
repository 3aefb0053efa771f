import { loadConfig } from '../../src/config/load.ts'
import { dateOf } from '../../src/core/utc-day.ts'
import { firstBeaconAfter } from '../../src/fairness/drand.ts'
import type { PepperSource } from '../../src/fairness/pepper.ts'
import { commitmentOf } from '../../src/fairness/seed.ts'
import type { PrizeTier } from '../../src/lootbox/prizes.ts'
import type { SpinUsed } from '../../src/lootbox/spin.ts'
import type { Kernel, Part } from '../kernel/kernel.ts'
import { hasRow } from '../kernel/rows.ts'

const TABLE = `
  CREATE TABLE spins (
    wallet TEXT PRIMARY KEY,
    author TEXT NOT NULL UNIQUE,
    post TEXT NOT NULL UNIQUE,
    spin TEXT NOT NULL
  ) STRICT;
`

/** A request for the day's free spin: the wallet and the shared post. */
export interface SpinClaim {
  wallet: string
  author: string
  post: string
}

/** A free spin that has been taken. Nothing about it can be chosen any more. */
export interface TakenSpin {
  acceptedAt: number
  pepperSource: PepperSource
  /** Known immediately if it was committed to; otherwise null until its beacon is published. */
  pepper: string | null
  /** The prizes that it can win. */
  prizes: readonly PrizeTier[]
  /** The pool that pays the prize. */
  pool: string
}

/** Returns whether a claim was answered with a spin, rather than with the reason for having none. */
export function isTaken(answer: TakenSpin | SpinUsed | null): answer is TakenSpin {
  return typeof answer === 'object' && answer !== null
}

/** A day's free spins: one for each wallet, author and post, up to the day's limit. */
export class Spins implements Part {
  readonly migration = { id: 'lootbox-spins', sql: TABLE }
  readonly #env: () => Env
  readonly #kernel: Kernel
  readonly #sql: SqlStorage

  constructor(env: () => Env, kernel: Kernel) {
    this.#env = env
    this.#kernel = kernel
    this.#sql = kernel.storage.sql
  }

  /**
   * Takes the free spin of a day for a wallet and an author, and fixes the source of its pepper. Repeating a claim
   * returns the same spin. For a new claim, returns null after the day has ended and 'day' if no spins are left.
   * @param pepper the day's own, for a site that supplies it
   */
  take(
    { wallet, author, post }: SpinClaim,
    day: string,
    pepper: string,
  ): TakenSpin | SpinUsed | null {
    const taken = this.#sql
      .exec<{ wallet: string; post: string; spin: string }>(
        'SELECT wallet, post, spin FROM spins WHERE wallet = ? OR author = ? OR post = ?',
        wallet,
        author,
        post,
      )
      .toArray()
    const same = taken.find((row) => row.wallet === wallet && row.post === post)
    if (same) return JSON.parse(same.spin) as TakenSpin
    if (taken.some((row) => row.wallet === wallet)) return 'wallet'
    if (taken.some((row) => row.post === post)) return 'post'
    if (taken.length > 0) return 'author'
    const acceptedAt = this.#kernel.clock.now()
    if (dateOf(acceptedAt) !== day) return null
    const { crash, lootbox } = loadConfig(this.#env())
    // Each spin costs a prize and its gas, while wallets and accounts on other sites are free.
    const { count } = this.#sql.exec<{ count: number }>('SELECT count(*) AS count FROM spins').one()
    if (!lootbox || count >= lootbox.spinDailyLimit) return 'day'
    const isCommitted = crash.pepper === 'committed'
    const spin: TakenSpin = {
      acceptedAt,
      pepperSource: isCommitted
        ? { kind: 'committed', pepperHash: commitmentOf(pepper) }
        : { kind: 'drand-quicknet', round: firstBeaconAfter(acceptedAt) },
      pepper: isCommitted ? pepper : null,
      prizes: lootbox.spinPrizes,
      pool: lootbox.pool,
    }
    this.#sql.exec(
      'INSERT INTO spins (wallet, author, post, spin) VALUES (?, ?, ?, ?)',
      wallet,
      author,
      post,
      JSON.stringify(spin),
    )
    return spin
  }

  /** Returns whether a wallet has taken its free spin. */
  hasSpun(wallet: string): boolean {
    if (!this.#kernel.isOpen) return false
    return hasRow(this.#sql.exec('SELECT 1 FROM spins WHERE wallet = ?', wallet))
  }

  /** Returns the number of free spins taken. */
  taken(): number {
    if (!this.#kernel.isOpen) return 0
    const { spins } = this.#sql
      .exec<{ spins: number | null }>('SELECT max(rowid) AS spins FROM spins')
      .one()
    return spins ?? 0
  }
}
