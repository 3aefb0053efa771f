import { DurableObject } from 'cloudflare:workers'
import { fetchBeacon } from '../src/calls/beacon.ts'
import { retried } from '../src/calls/call.ts'
import { lootboxDay } from '../src/calls/objects.ts'
import { loadConfig } from '../src/config/load.ts'
import { invariant } from '../src/core/invariant.ts'
import { refuse, type Refusal } from '../src/core/refusal.ts'
import { dateOf } from '../src/core/utc-day.ts'
import { BEACON_ALLOWANCE_MS, beaconPublishedAt, beaconRandomness } from '../src/fairness/drand.ts'
import type { OpeningAnswer } from '../src/lootbox/opening.ts'
import {
  spinId,
  spinMessage,
  spinUsed,
  type AwaitedSpin,
  type SpinPepper,
  type SpinUsed,
} from '../src/lootbox/spin.ts'
import { Kernel } from './kernel/kernel.ts'
import { ownerOf } from './kernel/owner.ts'
import { firstRow } from './kernel/rows.ts'
import { isTaken, type SpinClaim, type TakenSpin } from './lootbox-day/spins.ts'
import { OpeningStore, type PrizeUpdate } from './lootbox/opening-store.ts'

/** The wallet that wants to spin with the post, and the day; `taken` is set once the day has agreed. */
const TABLES = `
  CREATE TABLE claim (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    wallet TEXT NOT NULL,
    author TEXT NOT NULL,
    day TEXT NOT NULL,
    taken TEXT
  ) STRICT;
`

type Claim = { wallet: string; author: string; day: string; taken: TakenSpin | null }

/** How often the beacon's relays are queried for a late pepper. */
const ASK_AGAIN_MS = 5_000

/** A new claim is made once, and again on the next day or after another wallet's claim was refused. */
const MAX_CLAIMS = 4

const DAY_CHANGES = refuse('upstream_failed', 'The day is changing. Try again.')

/** One post on another site: makes sure it is used once, and holds its free spin. Named by provider and id. */
export class SharedPost extends DurableObject<Env> {
  readonly #sql = this.ctx.storage.sql
  readonly #kernel = new Kernel(this.ctx, ownerOf('SharedPost', this.ctx, this.env))
  readonly #opening = new OpeningStore(this.ctx, this.env, this.#kernel)

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.#kernel.assemble([
      {
        migration: { id: 'claim', sql: TABLES },
        nextDueAt: (now) => (this.#openClaim() ? now + ASK_AGAIN_MS : null),
      },
      this.#kernel.outbox,
      this.#opening,
    ])
  }

  /**
   * Returns the state of a wallet's spin with this post; null if the post is unused. Completes a claim in progress,
   * whose first caller never got an answer.
   */
  async spun(wallet: string): Promise<OpeningAnswer | AwaitedSpin | Refusal | null> {
    const claim = this.#claim()
    const taken = claim && (claim.taken ?? (await this.#take(claim)))
    if (taken === null || typeof taken === 'string') return null
    return claim?.wallet === wallet ? this.#outcome({ ...claim, taken }) : spinUsed('post')
  }

  /**
   * Takes a wallet's free spin of the day with this post. The caller has checked the post's author and
   * the wallet's code in it. Safe to repeat.
   */
  async spin(wallet: string, author: string): Promise<OpeningAnswer | AwaitedSpin | Refusal> {
    this.#kernel.open()
    let isOffDay = false
    for (let claims = 0; claims < MAX_CLAIMS; claims++) {
      const claim = this.#claim() ?? this.#newClaim(wallet, author)
      // If this call ends early, the alarm does the rest: the day may have taken the spin already.
      this.#kernel.wake()
      const taken = claim.taken ?? (await this.#take(claim))
      const isOurs = claim.wallet === wallet
      if (isTaken(taken)) return isOurs ? this.#outcome({ ...claim, taken }) : spinUsed('post')
      if (isOurs && taken !== null) return spinUsed(taken)
      isOffDay = isOurs
    }
    // Around midnight, the day may have ended or not begun by its own clock, while it is today by this object's clock.
    return isOffDay ? DAY_CHANGES : spinUsed('post')
  }

  /** Accepts the relayer's report on the prize. Safe to repeat; the newest report counts. */
  async prizeProgress(update: PrizeUpdate): Promise<void> {
    this.#opening.progress(update)
  }

  /** Writes the opening, if any, to the history again. */
  async sendToHistory(): Promise<void> {
    await this.#opening.sendToHistory()
  }

  override async alarm(info?: AlarmInvocationInfo): Promise<void> {
    await this.#kernel.run(info, async () => {
      const claim = this.#openClaim()
      const taken = claim && (claim.taken ?? (await this.#take(claim)))
      if (claim && isTaken(taken)) await this.#roll({ ...claim, taken })
      await this.#kernel.drain()
    })
  }

  /** Returns the claim whose spin has not been rolled, or null. */
  #openClaim(): Claim | null {
    return this.#opening.owner() ? null : this.#claim()
  }

  /**
   * Asks the day for its spin. Any caller completes a claim in progress, so a post whose first caller never
   * got an answer is not used twice. A claim that the day refuses is deleted.
   */
  async #take(claim: Claim): Promise<TakenSpin | SpinUsed | null> {
    const { wallet, author, day } = claim
    const { name: post } = this.ctx.id
    invariant(post, 'a post is named by its provider and id')
    const wanted: SpinClaim = { wallet, author, post }
    const taken = await retried(async () => lootboxDay(this.env, day).takeSpin(wanted))
    if (!isTaken(taken)) {
      this.#sql.exec(
        'DELETE FROM claim WHERE wallet = ? AND day = ? AND taken IS NULL',
        wallet,
        day,
      )
      return taken
    }
    this.#sql.exec(
      'UPDATE claim SET taken = ? WHERE wallet = ? AND day = ?',
      JSON.stringify(taken),
      wallet,
      day,
    )
    return taken
  }

  /** Returns the opening, or that its pepper is awaited. */
  async #outcome(claim: Claim): Promise<OpeningAnswer | AwaitedSpin> {
    const awaited = this.#opening.owner() ? null : await this.#roll(claim)
    if (!awaited) return this.#opening.shown()
    this.#kernel.alarm.wakeBy(awaited.expectedAt, this.#kernel.clock.now())
    return awaited
  }

  /** Rolls if the pepper is known; otherwise returns the awaited spin. */
  async #roll({ wallet, day, taken }: Claim): Promise<AwaitedSpin | null> {
    invariant(taken, 'only a taken spin is rolled')
    const { acceptedAt, pepperSource } = taken
    const pepper = await this.#pepperOf(taken)
    if (!pepper) {
      const expectedAt =
        pepperSource.kind === 'drand-quicknet'
          ? beaconPublishedAt(pepperSource.round) + BEACON_ALLOWANCE_MS
          : acceptedAt
      return { ok: true, status: 'pending', acceptedAt, pepperSource, expectedAt }
    }
    const { pool, prizes } = taken
    const id = spinId(wallet, day)
    const { seedHash, roll } = await retried(async () =>
      lootboxDay(this.env, day).roll(spinMessage(id, pepper.pepper)),
    )
    const facts = { id, wallet, txHash: null, blockHash: null, pepper }
    this.#opening.win({ ...facts, day, seedHash, roll }, prizes, pool)
    return null
  }

  async #pepperOf({ acceptedAt, pepper, pepperSource }: TakenSpin): Promise<SpinPepper | null> {
    if (pepper !== null) return { acceptedAt, pepper, pepperSource }
    invariant(pepperSource.kind === 'drand-quicknet', 'a committed pepper is known immediately')
    const { round } = pepperSource
    if (this.#kernel.clock.now() < beaconPublishedAt(round)) return null
    const signature = await fetchBeacon(loadConfig(this.env).drandRelays, round)
    if (signature === null) return null
    return { acceptedAt, pepper: beaconRandomness(signature), pepperSource, signature }
  }

  #newClaim(wallet: string, author: string): Claim {
    const day = dateOf(this.#kernel.clock.now())
    this.#sql.exec(
      'INSERT INTO claim (id, wallet, author, day) VALUES (1, ?, ?, ?)',
      wallet,
      author,
      day,
    )
    return { wallet, author, day, taken: null }
  }

  #claim(): Claim | null {
    if (!this.#kernel.isOpen) return null
    const row = firstRow(
      this.#sql.exec<{ wallet: string; author: string; day: string; taken: string | null }>(
        'SELECT wallet, author, day, taken FROM claim',
      ),
    )
    if (!row) return null
    return { ...row, taken: row.taken === null ? null : (JSON.parse(row.taken) as TakenSpin) }
  }
}
