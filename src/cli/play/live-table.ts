import { setTimeout as sleep } from 'node:timers/promises'
import { showHundredths, type Hundredths } from '../../money/multiplier.ts'
import { patiently } from '../shared/patiently.ts'
import type { CrashState, Player } from '../shared/player.ts'
import type { LiveLine } from '../shared/terminal.ts'

/** The intervals of reading the state and, in between, of drawing the line. */
const POLL_MS = 150
const FRAME_MS = 50

/** A minute: a bet may be in flight. */
export const PAUSES_MS = [250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 30_000]

/** The table at a moment: the latest state, and the server's clock. */
export interface Moment {
  state: CrashState
  /** The server's time in unix milliseconds. In flight this estimate is never ahead. */
  now: number
  /** In flight, the multiplier by now; a crash only becomes known at the next read. */
  multiplier: Hundredths
}

/** Follows the table and shows it live. */
export class LiveTable {
  readonly #player: Player
  readonly #line: LiveLine
  /** The server's clock minus ours, from the reads in this phase of this round. */
  #clock = { phase: '', offsetMs: -Infinity }

  constructor(player: Player, line: LiveLine) {
    this.#player = player
    this.#line = line
  }

  /** Shows the table until `step`, called for every frame, returns a result. */
  async until<T>(step: (moment: Moment) => Promise<T | null>): Promise<T> {
    for (;;) {
      const state = await patiently(() => this.#player.state(), PAUSES_MS)
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
   * Updates the clock. A state is a little old when it arrives, so the largest difference is the most
   * accurate. In flight it comes from the round's own clock, otherwise from an estimate; don't mix them.
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
        : `${round}: waiting for the pepper`
    case 'flight':
      return `${round}: ${showHundredths(multiplier)}`
    case 'results':
      return `${round}: crashed at ${state.multiplier.toFixed(2)}x, ${
        left > 0 ? `next round in ${seconds(left)}` : 'waiting for the next round'
      }`
  }
}

function seconds(ms: number): string {
  return `${(Math.max(0, ms) / 1000).toFixed(1)} s`
}
