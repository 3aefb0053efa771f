import { encodeFunctionData, type Hex } from 'viem'
import { expect } from 'vitest'
import { tokenAbi } from '../../src/chain/foreign-abi.ts'
import { Operator, type Output } from './operator.ts'
import { readRunbook, type Step } from './runbook.ts'
import type { World } from './world.ts'

/** Types the commands of a step, in their order. @param blanks what to put into blanks of the next command */
export type Type = (blanks?: Record<string, string>, key?: string) => Promise<Output>

/**
 * How a step of a runbook was followed: some of its words, and what was done; or why it did not apply. A step's
 * function types its commands from the first to the last.
 */
export type Followed = readonly [words: string, how: string | ((type: Type) => Promise<unknown>)]

/** A fault made for real, and the runbook that ends it. */
export interface Story {
  alert: string
  /** As the table in reference/runbooks/README.md has it. */
  fault: string
  remedy: string
  /** All alerts that fire once the fault has lasted. */
  fires: string[]
  /** Those that may fire besides, as the runbook says. */
  mayFire?: string[]
  make(world: World): Promise<void>
  look(world: World): Followed[]
  act(world: World): Followed[]
  /** Waits until it is resolved, as the runbook says how to know. */
  resolved(world: World, type: Type): Promise<void>
}

/** Makes the fault, follows the runbook word for word, and expects the alert to end. */
export async function rehearse(world: World, story: Story): Promise<void> {
  const runbook = readRunbook(story.alert)
  await world.watch()
  expect(await world.firing(), 'before the fault').toEqual([])
  await story.make(world)
  const firing = await world.firing()
  const expected = firing.filter((alert) => !story.mayFire?.includes(alert))
  expect(expected.toSorted(), 'during the fault').toEqual(story.fires.toSorted())
  const operator = new Operator(world)
  await follow(operator, runbook.look, story.look(world))
  await follow(operator, runbook.act, story.act(world))
  const commands = runbook.resolved.flatMap((step) => step.commands)
  await typing(operator, commands, (type) => story.resolved(world, type))
  const still = (await world.firing()).filter((alert) => !story.mayFire?.includes(alert))
  expect(still, 'after the runbook').toEqual([])
  // A round that nobody watches any more ends meanwhile. If it still waited for its beacon, a restart in the next
  // story would void it.
  await world.minutes(1)
  // What waited for the remedy may take a while.
  await world.until(async () => (await world.degraded()).length === 0, 25)
  await world.until(async () => (await world.firing()).length === 0, 2)
}

async function follow(operator: Operator, steps: Step[], followed: Followed[]): Promise<void> {
  expect(followed.map(([words]) => words)).toHaveLength(steps.length)
  for (const [index, { text, commands }] of steps.entries()) {
    const [words, how] = followed[index] ?? ['', '']
    expect(text).toContain(words)
    if (typeof how !== 'string') await typing(operator, commands, how)
  }
}

async function typing(
  operator: Operator,
  commands: string[],
  how: (type: Type) => Promise<unknown>,
) {
  const left = [...commands]
  await how(async (blanks, key) => {
    const command = left.shift()
    if (command === undefined)
      throw new Error(`The runbook has no further command after: ${commands.join(', ')}`)
    return operator.type(command, blanks, key)
  })
  expect(left, 'commands of the runbook that nobody typed').toEqual([])
}

export const HOUR_MS = 3_600_000

/** Has one operator propose what takes two, and another confirm it. */
export async function byTwo(world: World, type: Type): Promise<void> {
  const { output } = await type()
  const [hash] = /0x[0-9a-f]{64}/.exec(output) ?? []
  if (hash === undefined) throw new Error(output)
  expectExit(await type({ '0x<hash>': hash }, world.operators[1]), 0)
}

/** Expects a command to have ended with this code. If it has not, the test shows what the command printed. */
export function expectExit({ exitCode, output }: Output, code: number): void {
  expect(exitCode, output).toBe(code)
}

/** Returns the call that transfers a token. */
export function transferOf(to: Hex, amount: bigint): Hex {
  return encodeFunctionData({ abi: tokenAbi, functionName: 'transfer', args: [to, amount] })
}
