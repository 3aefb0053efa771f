import { setTimeout as sleep } from 'node:timers/promises'
import { toMultiplier, type Hundredths } from '../../money/multiplier.ts'
import type { CrashState, Player } from '../shared/player.ts'
import type { LiveLine } from '../shared/terminal.ts'

/** How often the state is read, and how often the line is drawn between two reads. */
const POLL_MS = 150
const FRAME_MS = 50

/** The table as its player sees it now: the last state read, and the server's clock. */
export interface Moment {
  state: CrashState
  /** The server's time in unix milliseconds. In flight never ahead of it. */
  now: number
  /** In flight, where the multiplier must be by now; the crash itself is known at the next read. */
  multiplier: Hundredths
}

/** Follows the table and shows it as it moves. */
export class LiveTable {
  readonly #player: Player
  readonly #line: LiveLine
  /** Server clock minus ours, as far as this phase of this round has shown it. */
  #clock = { phase: '', offsetMs: -Infinity }

  constructor(player: Player, line: LiveLine) {
    this.#player = player
    this.#line = line
  }

  /** Shows the table until `step`, asked at every frame, has a result. */
  async until<T>(step: (moment: Moment) => Promise<T | null>): Promise<T> {
    for (;;) {
      const state = await this.#player.state()
      this.#setClock(state)
      const readAgainAt = Date.now() + POLL_MS
      do {
        const moment = this.#moment(state)
        const result = await step(moment)
        if (result !== null) return result
        this.#line.show(describe(moment))
        await sleep(FRAME_MS)
      } while (Date.now() < readAgainAt)
    }
  }

  /**
   * A state is a little old when it arrives, so the largest difference is the nearest to the truth.
   * In flight it is a snapshot of the round's own clock, elsewhere an estimate: they do not mix.
   */
  #setClock({ roundId, phase: name, serverTime }: CrashState): void {
    const phase = `${roundId} ${name}`
    const offsetMs = serverTime - Date.now()
    const isBetter = phase !== this.#clock.phase || offsetMs > this.#clock.offsetMs
    if (isBetter) this.#clock = { phase, offsetMs }
  }

  #moment(state: CrashState): Moment {
    const now = Date.now() + this.#clock.offsetMs
    const shown = Math.round(state.multiplier * 100)
    if (state.phase !== 'flight') return { state, now, multiplier: shown }
    const elapsedMs = Math.max(0, now - state.flightAt)
    const drawn = Math.floor(100 * Math.exp(state.growthPerMs * elapsedMs))
    return { state, now, multiplier: Math.max(shown, drawn) }
  }
}

function describe({ state, now, multiplier }: Moment): string {
  const left = Math.max(0, state.serverTime + state.msLeft - now)
  const round = `round ${state.roundId}`
  switch (state.phase) {
    case 'betting':
      if (now < state.betsCloseAt)
        return `${round}: bets close in ${seconds(state.betsCloseAt - now)}`
      return left > 0
        ? `${round}: takes off in ${seconds(left)}`
        : `${round}: waiting for its pepper`
    case 'flight':
      return `${round}: ${showMultiplier(multiplier)}`
    case 'results':
      return `${round}: crashed at ${state.multiplier.toFixed(2)}x, the next one in ${seconds(left)}`
  }
}

export function showMultiplier(multiplier: Hundredths): string {
  return `${toMultiplier(multiplier).toFixed(2)}x`
}

function seconds(ms: number): string {
  return `${(Math.max(0, ms) / 1000).toFixed(1)} s`
}
