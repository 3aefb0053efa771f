import { dateOf } from '../../../src/core/utc-day.ts'
import type { ActName } from '../../../src/operator/act.ts'
import type { World } from '../world/world.ts'
import { TRIES_AT_REST, type Office } from './operators.ts'

const PAUSE_MS = [2_000, 25_000] as const
const MOST_TRIES = 4
/** The operators' own orders need the rest of the hundred acts an hour. */
const MOST_ACTS = 10

/** What is sent again or counted again. `DAY` is the present day. */
const PROJECTED = ['positions', 'everything', 'everything', 'books:DAY']

/** The operators who look after what is there: they have the objects send their data to D1 again. */
export class Caretaker {
  readonly #world: World
  readonly #office: Office
  #operations = 0

  constructor(world: World, office: Office) {
    this.#world = world
    this.#office = office
  }

  /** Orders acts until a time. */
  async live(until: number): Promise<void> {
    const { scheduler, random, choice, done } = this.#world
    while (this.#operations < MOST_ACTS) {
      const name = `caretakers ${++this.#operations}`
      await scheduler.sleep(random.between(`${name} pause`, ...PAUSE_MS))
      if (scheduler.now >= until) return
      if (choice.without.has(name)) continue
      done.push(name)
      const [act, target] = this.#choose(name)
      const tries = random.between(`${name} tries`, 1, MOST_TRIES)
      await this.#office.order(name, act, target, tries)
    }
  }

  /** Has everything sent again if the history was restored, as the runbook says. */
  async settle(): Promise<void> {
    if (this.#world.databases['HISTORY']?.wasRestored)
      await this.#office.order('caretakers restore', 'reproject', 'everything', TRIES_AT_REST)
  }

  /** Has the books of a day counted. */
  async countBooks(day: string): Promise<void> {
    await this.#office.order('caretakers count', 'reproject', `books:${day}`, TRIES_AT_REST)
  }

  #choose(name: string): [act: ActName, target: string] {
    const { random, scheduler } = this.#world
    const projected = random.pick(`${name} projected`, PROJECTED)
    return ['reproject', projected.replace('DAY', dateOf(scheduler.now))]
  }
}
