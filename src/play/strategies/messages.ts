import type { Outcome, Simulation } from './simulate.ts'
import type { StrategyEvent } from './strategy.ts'

/** A message from the page to the worker. The first message has the code. */
export type WorkerRequest =
  | { kind: 'load'; text: string }
  /** `memory` is JSON text. */
  | { kind: 'step'; memory: string; event: StrategyEvent }
  | { kind: 'simulate'; simulation: Omit<Simulation, 'seedOf'>; seed: string }

/** An answer of the worker. The page trusts none of it before checking it. */
export type WorkerResponse =
  | { kind: 'loaded' }
  | { kind: 'failed'; message: string }
  /** The action as JSON text. */
  | { kind: 'stepped'; action: string }
  | { kind: 'progress'; runs: number }
  | { kind: 'simulated'; outcome: Outcome }
