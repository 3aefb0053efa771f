import { PHASES, type StreamMessage } from '../../../src/crash/stream.ts'
import type { World } from '../world/world.ts'
import { crashOf, rowsOf, storedRound } from './rounds.ts'

type Shown<Type extends StreamMessage['type']> = Extract<StreamMessage, { type: Type }>
type ShownState = Omit<Shown<'phase'>, 'type'>
type ShownCrash = Shown<'history'>['entry']

/** Holds what one connection shows against the rounds, and against what it has shown. */
export class StreamCheck {
  readonly #world: World
  readonly #name: string
  /** The round and the phase shown last; null before the first message. */
  #at: { roundId: number; phase: number } | null = null
  /** The newest round of the history that it has shown; null before the first message. */
  #historyRoundId: number | null = null
  readonly #wins = new Set<string>()
  /** The round that it has shown from its betting on. */
  #wholeRoundId: number | null = null
  /** Whether it has shown a round from its betting to its results. */
  hasWholeRound = false
  /** Whether the table is open. */
  isOpen = true

  constructor(world: World, name: string) {
    this.#world = world
    this.#name = name
  }

  forgetRound(): void {
    this.#wholeRoundId = null
    this.hasWholeRound = false
  }

  hear(text: string): void {
    const message = JSON.parse(text) as StreamMessage
    this.#world.tell(() => `${this.#name} sees ${shortened(message)}`)
    if (!this.#at && message.type !== 'snapshot')
      return this.#violate(`begins with the message ${message.type}`)
    switch (message.type) {
      case 'snapshot':
        this.isOpen = message.state.mode === 'open'
        this.#showWholeHistory(message.state.history)
        return this.#show(message.state, 0)
      case 'phase':
        return this.#show(message, 1)
      case 'history':
        return this.#showHistory(message.entry)
      case 'bets':
      case 'close':
        return this.#expectCurrent(message)
      case 'win':
        this.#expectCurrent(message)
        this.#showWin(message.roundId, message.win)
    }
  }

  #expectCurrent({ type, roundId }: { type: string; roundId: number }): void {
    if (roundId !== this.#at?.roundId)
      this.#violate(`shows ${type} of round ${roundId} in another one`)
  }

  /** @param least by how many phases it must be ahead of what was shown last */
  #show(state: ShownState, least: 0 | 1): void {
    const { roundId } = state
    const phase = PHASES.indexOf(state.phase)
    const before = this.#at
    if (before) {
      const isSame = roundId === before.roundId
      if (roundId < before.roundId || (isSame && phase < before.phase + least))
        this.#violate(`goes back to ${state.phase} of round ${roundId}`)
    }
    this.#at = { roundId, phase }
    if (state.phase === 'betting') this.#wholeRoundId = roundId
    if (state.phase === 'results' && this.#wholeRoundId === roundId) this.hasWholeRound = true
    this.#checkCrash(state)
  }

  #checkCrash({ roundId, phase, multiplier, crashPoint, seedHash }: ShownState) {
    const crash = crashOf(this.#world, roundId, seedHash)
    if (phase !== 'results') {
      if (crashPoint !== null) this.#violate(`shows the crash of round ${roundId} before it`)
      if (crash !== null && Math.round(multiplier * 100) > crash)
        this.#violate(`shows round ${roundId} at ${multiplier}, above its crash`)
    } else if (crashPoint === null) {
      if (this.#settledAs(roundId) !== null)
        this.#violate(`shows round ${roundId} without its crash`)
    } else {
      if (crash !== null && Math.round(crashPoint * 100) !== crash)
        this.#violate(`shows that round ${roundId} crashed at ${crashPoint}, not at ${crash}`)
      this.#world.promise(`the crash of round ${roundId}`, String(crashPoint))
    }
  }

  /** @param history the newest rounds that were not voided, newest first */
  #showWholeHistory(history: readonly ShownCrash[]): void {
    const newest = history[0]?.roundId ?? 0
    if (this.#historyRoundId !== null && newest < this.#historyRoundId)
      this.#violate(`goes back to round ${newest} in the history`)
    for (const [index, entry] of history.entries()) {
      this.#checkEntry(entry)
      const before = history[index + 1]
      if (before) this.#expectNoneBetween(before.roundId, entry.roundId)
    }
    this.#historyRoundId = newest
  }

  #showHistory(entry: ShownCrash): void {
    const before = this.#historyRoundId ?? 0
    if (entry.roundId <= before) this.#violate(`repeats round ${entry.roundId} of the history`)
    this.#expectNoneBetween(before, entry.roundId)
    this.#checkEntry(entry)
    this.#historyRoundId = entry.roundId
  }

  #expectNoneBetween(earlier: number, later: number): void {
    for (let left = earlier + 1; left < later; left++) {
      if (this.#settledAs(left) !== null) this.#violate(`leaves round ${left} out of the history`)
    }
  }

  #checkEntry({ roundId, crash }: ShownCrash): void {
    const settledAs = this.#settledAs(roundId)
    if (settledAs !== null && settledAs !== Math.round(crash * 100))
      this.#violate(`has round ${roundId} at ${crash} in the history, not at ${settledAs}`)
    this.#world.promise(`the crash of round ${roundId}`, String(crash))
  }

  /** Returns the crash of a round as the table has it, in hundredths; null without one. */
  #settledAs(roundId: number): number | null {
    const sql = `SELECT result FROM rounds WHERE kind = 'settled' AND round_id = ${roundId}`
    const [row] = rowsOf(this.#world, 'CrashTable', 'main', sql)
    return row ? (JSON.parse(String(row['result'])) as { crash: number }).crash : null
  }

  /** A win that is shown is a cash-out that the round has stored, and is shown once. */
  #showWin(roundId: number, { wallet, token, amount, mult }: Shown<'win'>['win']): void {
    const win = `${roundId} ${wallet}`
    if (this.#wins.has(win)) this.#violate(`repeats the win of ${wallet} in round ${roundId}`)
    this.#wins.add(win)
    const round = storedRound(this.#world, roundId)
    const isTrue = round?.bets.some(
      (bet) =>
        bet.wallet.toLowerCase() === wallet.toLowerCase() &&
        bet.token === token &&
        bet.amountWei === amount &&
        bet.cashout === Math.round(mult * 100),
    )
    if (isTrue === false) this.#violate(`shows a win of ${wallet} that round ${roundId} lacks`)
  }

  #violate(what: string): void {
    this.#world.violate(`the live stream of ${this.#name} ${what}`)
  }
}

function shortened(message: StreamMessage): string {
  return message.type === 'snapshot' || message.type === 'phase'
    ? JSON.stringify(message).slice(0, 160)
    : JSON.stringify(message)
}
