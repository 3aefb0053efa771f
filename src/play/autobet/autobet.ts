import type { Unit } from '../../money/token.ts'
import type { TermsSummary } from '../../transparency/terms.ts'
import { announce } from '../announce.ts'
import { pressedWithoutStake } from '../double-tap.ts'
import { automatic, interruption } from '../limits/interruption.ts'
import { pause } from '../pause.ts'
import { Store } from '../store.ts'
import { Unfinished } from '../unfinished.ts'
import { begin, next, type Answer, type Bet, type Event, type Plan, type Run } from './rules.ts'
import { sayEnd } from './words.ts'

/** Where automatic bets are placed. */
export interface Seat<Choice, Ticket> {
  /** The name under which the browser keeps it. */
  name: string
  /** Returns the wallet that is signed in. A run pauses while another wallet is. */
  player(): string | undefined
  /** The terms of play; null until they are known. */
  terms(): Pick<TermsSummary, 'autoplay' | 'minPlayMs'> | null
  /** Returns the number of the next bet and the data to send with it; null if none can be placed now. */
  ready(choice: Choice): { id: number; ticket: Ticket } | null
  /** Places a bet, or asks for it again. @returns null if there is nothing to tell yet */
  place(bet: Bet<Ticket> & { choice: Choice; token: Unit }): Promise<Event<Ticket> | null>
}

interface StoredAutobet<Choice, Ticket> {
  run: Run<Choice, Ticket>
  /** When it was stored, in unix milliseconds. */
  at: number
}

const LOST: Answer = { kind: 'failed', code: 'unreachable' }
const LOOK_AGAIN_MS = 200
const AFTER_REFUSAL_MS = 1_000
/** How long to wait for another tab to end its run. */
const OTHER_TAB_MS = 2_000
/**
 * A player who stays away for longer does not expect further bets. Browsers slow the timers of a hidden page down to
 * one a minute.
 */
const AWAY_MS = 120_000

/** The form's view of automatic betting, wherever the bets are placed. */
export interface AnyAutobet {
  readonly run: Store<Run<unknown, unknown> | null>
  isAllowed(): boolean
  stop(): void
}

/** Bets automatically, by a plan, as long as its view is shown. */
export class Autobet<Choice, Ticket> {
  /** The run shown; null before the first. */
  readonly run = new Store<Run<Choice, Ticket> | null>(null)
  readonly #seat: Seat<Choice, Ticket>
  readonly #kept: Unfinished<StoredAutobet<Choice, Ticket>>
  #owner: string | undefined
  #isShown = false
  #isLooping = false

  constructor(seat: Seat<Choice, Ticket>) {
    this.#seat = seat
    this.#kept = new Unfinished(`autobet.${seat.name}`)
    automatic.add(this)
  }

  /** Whether the deployment lets the page bet automatically. */
  isAllowed(): boolean {
    return this.#seat.terms()?.autoplay === true
  }

  /**
   * Takes the wallet's run up again where it was left, unless another tab goes on with it.
   * @returns a function that pauses it
   */
  show(wallet: string): () => void {
    this.#owner = wallet
    this.#isShown = true
    this.run.set(null)
    void this.#bet(() => {
      const kept = this.#kept.read(wallet)
      this.run.set(kept?.run ?? null)
      const isOld = kept !== null && Date.now() - kept.at > AWAY_MS
      if (isOld) this.#take({ kind: 'stop', reason: 'left' })
    })
    return () => {
      this.#isShown = false
    }
  }

  /** Starts a run. @returns false if another tab has one */
  start(plan: Plan<Choice>): Promise<boolean> {
    if (!this.isAllowed() || this.#isRunning()) return Promise.resolve(true)
    return this.#bet(() => this.#store(begin(plan)))
  }

  stop(): void {
    pressedWithoutStake()
    this.#take({ kind: 'stop', reason: 'stopped' })
  }

  #isRunning(): boolean {
    const isHere = this.#isShown && this.#owner === this.#seat.player()
    return isHere && this.run.value?.end === null
  }

  /** Bets until the run ends or pauses. Two tabs would each take the same step. @returns false if another tab bets */
  #bet(prepare: () => void): Promise<boolean> {
    if (this.#isLooping) {
      prepare()
      return Promise.resolve(true)
    }
    const owner = this.#owner
    return new Promise((resolve) => {
      const alone = async () => {
        // Another wallet has signed in while this waited for the other tab.
        if (owner !== this.#owner) return resolve(true)
        this.#isLooping = true
        try {
          prepare()
          resolve(true)
          let steppedAt = Date.now()
          while (this.#isRunning()) {
            // The device was asleep, or the page frozen.
            if (Date.now() - steppedAt > AWAY_MS) this.#take({ kind: 'stop', reason: 'left' })
            steppedAt = Date.now()
            await pause(await this.#step())
          }
        } finally {
          this.#isLooping = false
        }
      }
      inOneTab(`fairhouse.autobet.${this.#seat.name}`, alone).catch(() => resolve(false))
    })
  }

  /** Places one bet, if it can. @returns how long to wait before the next step, in milliseconds */
  async #step(): Promise<number> {
    const { value: run } = this.run
    const terms = this.#seat.terms()
    if (!run || !terms || interruption.value) return LOOK_AGAIN_MS
    if (!terms.autoplay) this.#take({ kind: 'stop', reason: 'off' })
    if (run.advice?.isDue && !run.end) {
      await this.#askStrategy(run)
      return 0
    }
    const found = run.pending ?? this.#seat.ready(run.plan.choice)
    const bet = found && this.#take({ kind: 'ready', ...found })
    if (!bet) return LOOK_AGAIN_MS
    const owner = this.#owner
    const { choice, token, pauseMs } = run.plan
    // Treat a script that can't be loaded like a service that doesn't answer.
    const lost: Event<Ticket> = { kind: 'refused', id: bet.id, code: 'unreachable' }
    const event = await this.#seat.place({ ...bet, choice, token }).catch(() => lost)
    // An answer that arrives after another wallet has signed in is requested again once this one returns.
    if (!event || owner !== this.#owner) return LOOK_AGAIN_MS
    this.#take(event)
    const isRefused = event.kind === 'refused'
    return Math.max(isRefused ? AFTER_REFUSAL_MS : pauseMs, terms.minPlayMs)
  }

  /** Asks the run's strategy for the next stake. */
  async #askStrategy(run: Run<Choice, Ticket>): Promise<void> {
    const owner = this.#owner
    const answer = await import('../strategies/advise.ts').then(
      ({ advise }) => advise(run),
      () => LOST,
    )
    // The answer may come after this run was stopped and another one begun.
    const isCurrent = owner === this.#owner && this.run.value?.plan === run.plan
    if (isCurrent) this.#take({ kind: 'advised', settled: run.settled, answer })
  }

  /** Stores the run after an event. @returns the bet to send */
  #take(event: Event<Ticket>): Bet<Ticket> | null {
    if (!this.run.value) return null
    const { end } = this.run.value
    const { run, bet } = next(this.run.value, event)
    this.#store(run)
    if (run.end && !end) announce(`Autobet has ended. ${sayEnd(run.end)}.`)
    return bet
  }

  #store(run: Run<Choice, Ticket>): void {
    if (this.#owner === undefined) return
    this.#kept.write(this.#owner, { run, at: Date.now() })
    this.run.set(run)
  }
}

/** As in {@link https://www.w3.org/TR/web-locks/}. Pages that aren't served securely have none. */
interface Locks {
  request(name: string, options: { signal: AbortSignal }, run: () => Promise<void>): Promise<void>
}

/** Runs while no other tab does the same. Rejects if another one goes on. */
async function inOneTab(name: string, run: () => Promise<void>): Promise<void> {
  const { locks } = navigator as { locks?: Locks }
  // A page that is being reloaded gives its lock back a moment later.
  const signal = AbortSignal.timeout(OTHER_TAB_MS)
  await (locks ? locks.request(name, { signal }, run) : run())
}
