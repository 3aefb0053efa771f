import { join } from 'node:path'
import { ORIGIN } from './site.ts'
import type { World } from './world.ts'

const CLI = join(import.meta.dirname, '../../src/cli')

export interface Output {
  exitCode: number
  output: string
}

/** What an operator puts in the place of a blank of a runbook. */
type Blanks = Readonly<Record<string, string>>

/** An operator who types what a runbook says. */
export class Operator {
  /** The commands that were typed, word for word as the runbook has them. */
  readonly typed = new Set<string>()
  readonly #world: World

  constructor(world: World) {
    this.#world = world
  }

  /**
   * @param blanks for `secret bulk`, the secrets that are changed in the file before
   * @param key of another operator than the first
   */
  async type(command: string, blanks: Blanks = {}, key?: string): Promise<Output> {
    this.typed.add(command)
    const { site } = this.#world
    if (command === 'npm run production -- secret bulk .dev.vars.production') {
      return done(site.changeSecrets(blanks))
    }
    if (command === 'npm run production -- rollback') return done(site.rollBack())
    if (command === 'npm run deploy') return done(site.deploy())
    if (command === 'npm run doctor -- --env production') {
      const { isRight, output } = await site.doctor()
      return { exitCode: isRight ? 0 : 1, output }
    }
    return this.#world.run(this.#filled(command, blanks), key)
  }

  #filled(command: string, blanks: Blanks): string {
    const { site, vault } = this.#world
    const known = {
      'METRICS_TOKEN=…': '',
      'https://<site>': command.startsWith('curl') ? site.baseUrl : ORIGIN,
      '<a node of your choice>': vault.rpcUrl,
      '"…"': '"Because of the alert."',
      ...blanks,
    }
    const filled = Object.entries(known).reduce(
      (text, [blank, value]) => text.replaceAll(blank, value),
      command,
    )
    if (/[…<>]/.test(filled)) throw new Error(`Nobody knows what to put into: ${filled}`)
    return filled.replace(
      /\bnpm run (\w+) --/,
      (_all, name: string) => `${process.execPath} ${join(CLI, `${name}.ts`)}`,
    )
  }
}

async function done(work: Promise<void>): Promise<Output> {
  await work
  return { exitCode: 0, output: '' }
}
