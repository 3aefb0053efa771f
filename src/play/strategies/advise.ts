import type { Answer, Run } from '../autobet/rules.ts'
import { StrategyRunner } from './runner.ts'
import { eventOf, readAction } from './strategy.ts'

let current: { text: string; runner: StrategyRunner } | null = null

/** Asks a run's strategy for its next stake. */
export async function advise(run: Run<unknown, unknown>): Promise<Answer> {
  const { plan, advice } = run
  const text = plan.strategy?.text ?? ''
  if (current?.text !== text) {
    current?.runner.end()
    current = { text, runner: new StrategyRunner(text) }
  }
  const { memory } = advice ?? { memory: 'null' }
  const response = await current.runner.ask({ kind: 'step', memory, event: eventOf(run) })
  return response.kind === 'stepped' ? readAction(response.action) : { kind: 'failed' }
}
