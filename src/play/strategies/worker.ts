import { bytesToHex } from '@noble/hashes/utils'
import { hmacOf } from '../../fairness/seed.ts'
import { confine, harden } from './confine.ts'
import type { WorkerRequest, WorkerResponse } from './messages.ts'
import { simulate } from './simulate.ts'
import { decode, encode, MAX_CODE, MAX_MEMORY, readAction, type Action } from './strategy.ts'

// Runs one strategy. Its file is served with a policy of its own, which allows evaluation and nothing else.

/** The parts of the scope that the strategy must not reach. */
interface Scope {
  postMessage(response: WorkerResponse): void
  onmessage: ((message: { data: WorkerRequest }) => void) | null
}

const scope = globalThis as unknown as Scope
const post = scope.postMessage.bind(scope)
const Evaluated = Function
const MAX_MESSAGE = 200
/** How often a simulation reports its progress to the page, in runs. */
const PROGRESS_RUNS = 20

let strategy: ((state: unknown, event: unknown) => unknown) | null = null

/** Returns the action as text that the page can check. */
function step(memory: string, event: unknown): string {
  const action = encode(strategy?.(decode(memory), event))
  if (action.length <= MAX_MEMORY) return action
  throw new RangeError(`The strategy must return less than ${MAX_MEMORY} characters.`)
}

/** Returns the action for a simulation, which applies the checks of the page. */
function checkedStep(state: unknown, event: unknown): Action {
  const action = step(encode(state), event)
  const read = readAction(action)
  if (read.kind === 'failed' || (read.kind === 'stake' && BigInt(read.amountWei) < 1n)) {
    throw new TypeError(
      `The strategy returned ${action.slice(0, 60)}, not { stake } or { stop: true }.`,
    )
  }
  if (read.kind === 'stop') return { stop: true }
  return { stake: BigInt(read.amountWei), state: decode(read.memory) }
}

function answer(asked: WorkerRequest): WorkerResponse {
  switch (asked.kind) {
    case 'load':
      return load(asked.text)
    case 'step':
      return { kind: 'stepped', action: step(asked.memory, asked.event) }
    case 'simulate':
      return run(asked)
  }
}

function load(text: string): WorkerResponse {
  if (text.length > MAX_CODE) throw new RangeError('The strategy is too long.')
  const found: unknown = new Evaluated(`"use strict"; return (\n${text}\n)`)()
  if (typeof found !== 'function') throw new TypeError('Write a function: (state, event) => …')
  strategy = found as typeof strategy
  return { kind: 'loaded' }
}

function run({ simulation, seed }: Extract<WorkerRequest, { kind: 'simulate' }>): WorkerResponse {
  const seedOf = (number: number) => bytesToHex(hmacOf(seed, `run:${number}`))
  const running = simulate(checkedStep, { ...simulation, seedOf })
  for (;;) {
    const { done, value } = running.next()
    if (done) return { kind: 'simulated', outcome: value }
    if (value % PROGRESS_RUNS === 0) post({ kind: 'progress', runs: value })
  }
}

/** The message may come from the strategy, so it is truncated. */
function failure(fault: unknown): WorkerResponse {
  const message = fault instanceof Error ? `${fault.name}: ${fault.message}` : 'It threw something.'
  return { kind: 'failed', message: message.slice(0, MAX_MESSAGE) }
}

scope.onmessage = ({ data }) => {
  try {
    post(answer(data))
  } catch (fault) {
    post(failure(fault))
  }
}

const left = confine(globalThis)
if (left.length > 0) throw new Error(`not removed: ${left.join()}`)
harden(globalThis)
