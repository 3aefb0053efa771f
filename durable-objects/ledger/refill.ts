import { isRefusal } from '../../src/core/refusal.ts'
import type { Bets } from './bets.ts'
import type { Books } from './books.ts'
import type { Movements } from './movements.ts'

/** Brings in chips that are on their way: deposits, and bets that may be won. */
export class Refill {
  readonly #books: Books
  readonly #bets: Bets
  readonly #movements: Movements

  constructor(books: Books, parts: { bets: Bets; movements: Movements }) {
    this.#books = books
    this.#bets = parts.bets
    this.#movements = parts.movements
  }

  /** Asks for all of them. Returns whether each could be asked for. */
  async bringIn(): Promise<boolean> {
    const haveAnswered = await Promise.all([
      !this.#books.isOpen || this.#bets.resolveClosed(),
      this.#movements.catchUp(),
    ])
    return haveAnswered.every(Boolean)
  }

  /** Tries again, once, what was refused for want of chips. */
  async retry<T extends object | null>(attempt: () => Promise<T>): Promise<T> {
    const first = await attempt()
    const isShort = first && isRefusal(first) && first.error.code === 'insufficient_chips'
    if (!isShort) return first
    await this.bringIn()
    return attempt()
  }
}
