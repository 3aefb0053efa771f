import { dateOf } from '../../../src/core/utc-day.ts'
import type { ActName, ActResult } from '../../../src/operator/act.ts'
import type { VaultPayment } from '../chain/payments.ts'
import type { World } from '../world/world.ts'
import type { Accepted } from './cashiers.ts'
import { TRIES_AT_REST, type Office } from './operators.ts'

const PAUSE_MS = [2_000, 15_000] as const
/** An act on a withdrawal that is too early is ordered again after this. */
const AGAIN_MS = [500, 6_000] as const
const MAX_TRIES = 4
const MAX_IN_A_ROW = 6
/** The operators' other orders need the rest of the hundred acts an hour. */
const MAX_ACTS = 20

/** What is sent again or counted again. `DAY` is the current day. */
const PROJECTED = ['positions', 'everything', 'everything', 'books:DAY']
const KINDS = ['project', 'resolve', 'resolve', 'resolve', 'write off'] as const
const RESOLUTIONS = ['confirm-withdrawal', 'release-withdrawal'] as const
/** The nonce of a withdrawal that nobody makes. */
const UNKNOWN_NONCE = 999

/** The operators who mend what got lost or stuck: data in D1, books, withdrawals and missing deposits. */
export class Caretaker {
  readonly #world: World
  readonly #office: Office
  readonly #wallets: readonly string[]
  /** Returns the withdrawals that players have been told of. */
  readonly #withdrawals: () => readonly Accepted[]
  #operations = 0
  #acts = 0
  /** When they last began to order that everything is sent again, and heard that it is. */
  #sentAgainAt = -Infinity

  constructor(
    world: World,
    office: Office,
    players: { wallets: readonly string[]; withdrawals: () => readonly Accepted[] },
  ) {
    this.#world = world
    this.#office = office
    this.#wallets = players.wallets
    this.#withdrawals = players.withdrawals
  }

  /** Orders acts until the faults end, which is later than the players stop in most histories. */
  async live(): Promise<void> {
    const { scheduler, random, choice, done, chain, faults } = this.#world
    while (this.#acts < MAX_ACTS) {
      const name = `caretakers ${++this.#operations}`
      await scheduler.sleep(random.between(`${name} pause`, ...PAUSE_MS))
      if (!faults.isOn) return
      if (choice.without.has(name)) continue
      done.push(name)
      const hasSome = this.#withdrawals().length > 0 || random.chance(`${name} is wrong`, 0.2)
      const kind = chain && hasSome ? random.pick(`${name} kind`, KINDS) : 'project'
      if (kind === 'project') await this.#project(name)
      else if (kind === 'resolve') await this.#resolve(name)
      else await this.#order(name, 'write-off', random.pick(`${name} wallet`, this.#wallets))
    }
  }

  /** Has everything sent again if the history was restored, as the runbook says. */
  async settle(): Promise<void> {
    if (this.#lacksHistory)
      await this.#office.order('caretakers restore', 'reproject', 'everything', TRIES_AT_REST)
  }

  /**
   * Opens withdrawals that a drift has paused, as the runbook says: a confirmed payment that the chain has dropped
   * causes one, and cannot be made again before.
   */
  async endPause(): Promise<void> {
    const isPaused = this.#world.chain?.alerts.some((line) => line.includes('"withdrawals_paused"'))
    if (isPaused)
      await this.#office.order('caretakers open', 'mode', 'withdrawals=open', TRIES_AT_REST)
  }

  /** Books payments for the house that the chain carried out after their chips had come back, as the runbook says. */
  async bookForHouse(payments: readonly VaultPayment[]): Promise<void> {
    for (const { player, nonce } of payments) {
      const target = `${player}:${nonce}`
      await this.#office.order(
        `caretakers book ${target}`,
        'confirm-withdrawal',
        target,
        TRIES_AT_REST,
      )
    }
  }

  /** Whether the history was restored, and not everything sent again since. */
  get #lacksHistory(): boolean {
    return (this.#world.databases['HISTORY']?.restoredAt ?? -Infinity) > this.#sentAgainAt
  }

  /** Has the books of a day counted. */
  async countBooks(day: string): Promise<void> {
    await this.#office.order('caretakers count', 'reproject', `books:${day}`, TRIES_AT_REST)
  }

  async #project(name: string): Promise<void> {
    const { random, scheduler } = this.#world
    const { now } = scheduler
    const known = this.#lacksHistory ? ['everything'] : PROJECTED
    const target = random.pick(`${name} projected`, known).replace('DAY', dateOf(now))
    const result = await this.#order(name, 'reproject', target)
    if (target === 'everything' && result?.isDone) this.#sentAgainAt = now
  }

  /** Ends a withdrawal: one under way, one that has ended, or none at all. Orders it a few times in a row. */
  async #resolve(name: string): Promise<void> {
    const { random, scheduler } = this.#world
    const told = this.#withdrawals()
    const wallets = told.length > 0 ? told.map((each) => each.wallet) : this.#wallets
    const wallet = random.pick(`${name} wallet`, wallets)
    const nonces = told.filter((each) => each.wallet === wallet).map(({ nonce }) => nonce)
    const newest = Math.max(0, ...nonces)
    const earlier = random.pick(`${name} earlier`, [...nonces, UNKNOWN_NONCE])
    // The answer to the withdrawal after the newest may have been lost.
    const nonce = random.pick(`${name} nonce`, [newest, newest, newest, newest + 1, earlier])
    const act = random.pick(`${name} act`, RESOLUTIONS)
    const times = random.between(`${name} times`, 1, MAX_IN_A_ROW)
    for (let time = 1; time <= times && this.#acts < MAX_ACTS; time++) {
      await this.#order(`${name}.${time}`, act, `${wallet}:${nonce}`)
      await scheduler.sleep(random.between(`${name}.${time} again`, ...AGAIN_MS))
    }
  }

  #order(name: string, act: ActName, target: string): Promise<ActResult | null> {
    this.#acts++
    const tries = this.#world.random.between(`${name} tries`, 1, MAX_TRIES)
    return this.#office.order(name, act, target, tries)
  }
}
