import { detailOf, fail, isFailure, type Failure, type Problem } from './api.ts'
import { ASK_AGAIN_MS, pause } from './pause.ts'
import type { Store } from './store.ts'
import { GIVE_UP_MS, NOT_MINED, confirmationsOf } from './wallet/chain.ts'
import { WalletError, walletFailure } from './wallet/wallet.ts'

/**
 * How far a job is. `wallet`: the player has to confirm; `sent`: no block has its transaction yet;
 * `confirming`: too few blocks do; `waiting`: for the service.
 */
export type JobStep = 'idle' | 'wallet' | 'sent' | 'confirming' | 'waiting' | 'done'

/** A job as the page shows it. */
export interface JobState<Ticket, News> {
  /** The wallet it belongs to. */
  owner: string | null
  step: JobStep
  /** The wallet's signature or transaction; null until then. */
  ticket: Ticket | null
  /** The newest answer about it. */
  news: News | null
  /** Why it stopped, or why the last attempt failed. */
  problem: Problem | null
  /** Identifies the run that may change this state. A later run takes over. */
  run: symbol | null
}

const NOTHING = { owner: null, ticket: null, news: null, problem: null, run: null }
export const IDLE = { ...NOTHING, step: 'idle' } as const

export const CANCELLED = 'Cancelled. Decline the request in your wallet, too.'

/** Keeps the data to resume a job after a reload, by wallet. */
export interface Tickets<Ticket> {
  read(owner: string): Ticket | null
  write(owner: string, ticket: Ticket): void
  drop(owner: string, ticket: Ticket): void
}

/** With the ticket that replaces the current one, once more is known about the job. */
export type PollResult<News, Ticket = never> =
  | { isDone: boolean; news?: News; ticket?: Ticket }
  | Failure

/** A part of a job that is polled until it is done: every second at first, then ever more rarely. */
export interface Step<Ticket, News> {
  name: JobStep
  ask: (ticket: Ticket) => Promise<PollResult<News, Ticket>>
  /** Without it the step may take any time. */
  patienceMs?: number
  /** The message for the player when patience runs out. */
  late?: string
}

/**
 * The meaning of a failed attempt: `retry` asks again and shows the problem, `wait` asks again without showing it;
 * `stop` gives up and keeps the ticket for later, `drop` gives up permanently.
 */
export type Verdict = 'retry' | 'wait' | 'stop' | 'drop'

export interface Plan<Ticket, News> {
  /** Returns the wallet that is signed in. The job stops while another wallet is. */
  player: () => string | undefined
  /** Without them the job does not survive a reload. */
  tickets?: Tickets<Ticket>
  /** Whether a kept ticket is followed at once, the default, or only shown. */
  mayResume?: (ticket: Ticket) => boolean
  steps: Step<Ticket, News>[]
  judge?: (problem: Problem, waitedMs: number) => Verdict
  /** Polled for further news once the job is done. */
  after?: Step<Ticket, News>['ask']
  /** Runs when the job is done or has stopped. */
  ended?: (state: JobState<Ticket, News>) => void
}

/** Long work for a wallet: a prompt, then steps that are polled to their end, even after a reload. */
export class Job<Ticket extends object, News> {
  readonly #store: Store<JobState<Ticket, News>>
  readonly #plan: Plan<Ticket, News>

  constructor(store: Store<JobState<Ticket, News>>, plan: Plan<Ticket, News>) {
    this.#store = store
    this.#plan = plan
  }

  /**
   * Starts with a wallet prompt, unless the job is in progress. A transaction that the wallet sends after its player
   * has cancelled is kept, and followed unless another run is in progress.
   * @param prompt is passed a function that throws a WalletError once the player has cancelled or left
   */
  async start(
    prompt: (owner: string, checkWanted: () => void) => Promise<Ticket | Failure>,
  ): Promise<void> {
    const owner = this.#plan.player()
    const { value } = this.#store
    if (owner === undefined || (isBusy(value) && value.owner === owner)) return
    const run = this.#begin({ owner, step: 'wallet' })
    const checkWanted = () => {
      if (!this.#isCurrent(run)) throw new WalletError(CANCELLED)
    }
    const ticket = await prompt(owner, checkWanted).catch(walletFailure)
    const isCurrent = this.#isCurrent(run)
    if (isFailure(ticket)) {
      if (isCurrent) this.#end({ step: 'idle', problem: ticket.error })
      return
    }
    this.#plan.tickets?.write(owner, ticket)
    await (isCurrent ? this.follow(ticket) : this.resume())
  }

  /** Stops waiting for the wallet, which may never answer. */
  cancel(): void {
    const { owner, step } = this.#store.value
    const { error: problem } = fail('wallet', CANCELLED)
    if (step === 'wallet') this.#store.set({ ...IDLE, owner, problem })
  }

  /** Resumes the wallet's unfinished job, and clears another wallet's job from view. */
  async resume(): Promise<void> {
    const { player, tickets, mayResume } = this.#plan
    const owner = player()
    if (this.#store.value.owner !== (owner ?? null)) this.#store.set(IDLE)
    const ticket = owner === undefined ? null : tickets?.read(owner)
    if (owner === undefined || !ticket || isBusy(this.#store.value)) return
    if (mayResume?.(ticket) ?? true) await this.follow(ticket)
    else this.#begin({ owner, ticket })
  }

  /** Takes a ticket through all steps. */
  async follow(ticket: Ticket): Promise<void> {
    const { player, tickets, steps, after } = this.#plan
    const owner = player()
    if (owner === undefined) return
    tickets?.write(owner, ticket)
    const run = this.#begin({ owner, ticket, step: steps[0]?.name ?? 'done' })
    for (const step of steps) {
      this.#store.patch({ step: step.name })
      if (!(await this.#carryOut(step, run))) return
    }
    tickets?.drop(owner, this.#store.value.ticket ?? ticket)
    this.#end({ step: 'done' })
    if (after) await this.#carryOut({ name: 'done', ask: after }, run)
  }

  /** Ends the job wherever it is, because the player says that it came to nothing. */
  forget(): void {
    const { owner, ticket } = this.#store.value
    if (owner && ticket) this.#plan.tickets?.drop(owner, ticket)
    this.#store.set(IDLE)
  }

  /** @returns false if the job has stopped, or another run has taken over */
  async #carryOut(step: Step<Ticket, News>, run: symbol): Promise<boolean> {
    const { patienceMs = Infinity, late = '' } = step
    const startedAt = Date.now()
    while (this.#isCurrent(run)) {
      const { owner, ticket } = this.#store.value
      if (!owner || !ticket) break
      const asked = await step.ask(ticket).catch(walletFailure)
      if (!this.#isCurrent(run)) break
      const waitedMs = Date.now() - startedAt
      if (isFailure(asked)) {
        const judged = (this.#plan.judge ?? judge)(asked.error, waitedMs)
        const verdict = step.name === 'done' ? 'wait' : judged
        if (verdict === 'stop' || verdict === 'drop') return this.#stop(asked.error, verdict)
        if (verdict === 'retry') this.#store.patch({ problem: asked.error })
      } else {
        const { isDone, news = this.#store.value.news } = asked
        if (asked.ticket) this.#plan.tickets?.write(owner, asked.ticket)
        this.#store.patch({ news, problem: null, ticket: asked.ticket ?? ticket })
        if (isDone) return true
      }
      if (waitedMs > patienceMs) return this.#stop(fail('wallet', late).error, 'drop')
      await pause(pauseMsAfter(waitedMs, asked))
    }
    return false
  }

  #stop(problem: Problem, verdict: 'stop' | 'drop'): false {
    const { owner, ticket } = this.#store.value
    if (verdict === 'drop' && owner && ticket) this.#plan.tickets?.drop(owner, ticket)
    this.#end({ step: 'idle', problem, ticket: verdict === 'drop' ? null : ticket })
    return false
  }

  #end(fields: Partial<JobState<Ticket, News>>): void {
    this.#store.patch(fields)
    this.#plan.ended?.(this.#store.value)
  }

  #begin(fields: Partial<JobState<Ticket, News>>): symbol {
    const run = Symbol('run')
    this.#store.set({ ...IDLE, ...fields, run })
    return run
  }

  /** Whether a run may still change the state. It may not once another wallet plays. */
  #isCurrent(run: symbol): boolean {
    const { value } = this.#store
    if (value.run !== run) return false
    if (value.owner === this.#plan.player()) return true
    this.#store.set(IDLE)
    return false
  }
}

export function isBusy({ step }: Pick<JobState<unknown, unknown>, 'step'>): boolean {
  return step !== 'idle' && step !== 'done'
}

/** The longest pause between polls, which cost the wallet and its network the calls that bets need. */
const LONGEST_PAUSE_MS = 30_000

/**
 * Returns the pause after a poll: a thirtieth of the wait so far, or the service's requested pause if that is longer.
 */
function pauseMsAfter(waitedMs: number, asked: object): number {
  const growingMs = Math.min(Math.max(waitedMs / 30, ASK_AGAIN_MS), LONGEST_PAUSE_MS)
  const askedSeconds = isFailure(asked) ? Number(detailOf(asked.error, 'retryAfterSeconds')) : 0
  return Math.max(growingMs, askedSeconds * 1_000)
}

/** Failures that say nothing about the work itself. */
const PASSING = ['unreachable', 'internal', 'rate_limited', 'upstream_failed', 'chain_unavailable']

export function judge({ code }: Problem): Verdict {
  return PASSING.includes(code) ? 'retry' : 'drop'
}

/** How much later than the wallet's node the service's node may learn of a payment. */
const PAYMENT_PATIENCE_MS = 120_000

/** Whether the service knows no such payment: it is on its way, or the wallet has replaced its transaction. */
export function isUnknownPayment(problem: Problem): boolean {
  return problem.code === 'payment_mismatch' && detailOf(problem, 'reason') === 'not_found'
}

/** Judges a failure of paid work: a payment unknown to the service may still turn up. */
export function judgePaidWork(problem: Problem, waitedMs: number): Verdict {
  if (!isUnknownPayment(problem)) return judge(problem)
  return waitedMs < PAYMENT_PATIENCE_MS ? 'wait' : 'stop'
}

/** The step that lasts until a block has the ticket's transaction. */
export const MINED = {
  name: 'sent',
  ask: async ({ hash }: { hash: string }) => ({ isDone: (await confirmationsOf(hash)) > 0 }),
  patienceMs: GIVE_UP_MS,
  late: NOT_MINED,
} as const
