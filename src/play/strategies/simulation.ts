import { newestTables } from '../../games/games.ts'
import { MIN_TARGET } from '../../games/limbo/rule.ts'
import { MAX_MULTIPLIER } from '../../money/multiplier.ts'
import type { Token } from '../../money/token.ts'
import { readAmount, readCount } from '../amounts.ts'
import { isFailure } from '../api.ts'
import { readMultiplier } from '../components/multiplier-input.tsx'
import { ambiguityHint, localDecimal, showCount } from '../locale.ts'
import { randomHex } from '../random-hex.ts'
import { Store } from '../store.ts'
import { chosenStrategy } from './chosen.ts'
import { StrategyRunner } from './runner.ts'
import type { Outcome } from './simulate.ts'
import { hasTarget, readEdge, wagerOf, type WagerName } from './wagers.ts'

/** A simulation, as the player types it. */
export interface SimulationForm {
  wager: WagerName
  target: string
  token: Token
  base: string
  bankroll: string
  maxStake: string
  bets: string
  runs: string
}

export const simulationForm = new Store<SimulationForm>({
  wager: 'crash',
  target: localDecimal('2.00'),
  token: 'ETH',
  base: localDecimal('0.001'),
  bankroll: localDecimal('0.1'),
  maxStake: localDecimal('0.1'),
  bets: '100',
  runs: '1000',
})

type SimulationStatus =
  | { kind: 'nothing' }
  | { kind: 'running'; runs: number; of: number }
  | { kind: 'problem'; message: string }
  | { kind: 'done'; outcome: Outcome; token: Token; name: string }

export const simulationStatus = new Store<SimulationStatus>({ kind: 'nothing' })

const MAX_BETS = 1_000
const MAX_RUNS = 10_000
/** More takes a browser too long. */
const MAX_DRAWS = 1_000_000
const SEED_BYTES = 32

let runner: StrategyRunner | null = null

/** Ends the simulation in progress. */
export function stopSimulation(): void {
  runner?.end()
  runner = null
  if (simulationStatus.value.kind === 'running') simulationStatus.set({ kind: 'nothing' })
}

/** Simulates the chosen strategy over seeds that are drawn now. */
export async function startSimulation(): Promise<void> {
  stopSimulation()
  const read = readSimulationForm(simulationForm.value)
  if (typeof read === 'string') return simulationStatus.set({ kind: 'problem', message: read })
  const { value: strategy } = chosenStrategy
  const { token, wager } = simulationForm.value
  simulationStatus.set({ kind: 'running', runs: 0, of: read.runs })
  const mine = new StrategyRunner(strategy.text)
  runner = mine
  const config = await readEdge(wager)
  // The player has stopped it, or simulates something else by now.
  if (runner !== mine) return
  if (isFailure(config)) {
    stopSimulation()
    return simulationStatus.set({ kind: 'problem', message: config.error.message })
  }
  const terms = { edgeBps: config.edgeBps, tables: newestTables() }
  const response = await mine.ask(
    { kind: 'simulate', simulation: { ...read, terms }, seed: randomHex(SEED_BYTES) },
    (runs) => simulationStatus.set({ kind: 'running', runs, of: read.runs }),
  )
  if (runner !== mine) return
  stopSimulation()
  if (response.kind === 'simulated') {
    simulationStatus.set({ kind: 'done', outcome: response.outcome, token, name: strategy.name })
  } else {
    simulationStatus.set({
      kind: 'problem',
      message: response.kind === 'failed' ? response.message : 'It failed.',
    })
  }
}

/** Parses the form, or returns the correction to make. */
export function readSimulationForm({
  wager,
  target,
  token,
  base,
  bankroll,
  maxStake,
  bets,
  runs,
}: SimulationForm) {
  const multiplier = readMultiplier(target, MIN_TARGET, MAX_MULTIPLIER)
  if (hasTarget(wager) && multiplier === null)
    return ambiguityHint(target) || 'Enter a target of 1.01x or more.'
  const amounts = [base, bankroll, maxStake].map((text) => readAmount(text, token))
  const [baseWei, bankrollWei, maxStakeWei] = amounts
  if (!baseWei || !bankrollWei || !maxStakeWei) return 'Enter the three amounts.'
  const [betCount, runCount] = [readCount(bets, MAX_BETS), readCount(runs, MAX_RUNS)]
  if (betCount === undefined)
    return `Enter a number of bets per run, from 1 to ${showCount(MAX_BETS)}.`
  if (runCount === undefined) return `Enter a number of runs, from 1 to ${showCount(MAX_RUNS)}.`
  if (betCount * runCount > MAX_DRAWS) {
    return `Simulate at most ${showCount(MAX_DRAWS)} bets at once.`
  }
  return {
    wager: wagerOf(wager, multiplier ?? MIN_TARGET),
    base: baseWei,
    bankroll: bankrollWei,
    maxStake: maxStakeWei,
    bets: betCount,
    runs: runCount,
  }
}
