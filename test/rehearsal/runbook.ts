import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const RUNBOOKS = join(import.meta.dirname, '../../reference/runbooks')

/** A step of a runbook, as it is written. */
export interface Step {
  text: string
  /** The commands in it, word for word. */
  commands: string[]
}

export interface Runbook {
  look: Step[]
  act: Step[]
  resolved: Step[]
}

/** Reads an alert's runbook. */
export function readRunbook(alert: string): Runbook {
  const page = readFileSync(join(RUNBOOKS, `${alert}.md`), 'utf8')
  const section = (heading: string) => {
    const text = page.split(`## ${heading}\n`)[1]?.split('\n## ')[0]
    if (text === undefined) throw new Error(`${alert} has no section ${heading}`)
    return stepsIn(text)
  }
  return {
    look: section('What to look at'),
    act: section('What to do'),
    resolved: section("When it's resolved"),
  }
}

/** What an operator types, rather than a name. */
const COMMAND = /^(?:METRICS_TOKEN=\S+ )?(?:npm run|npx wrangler|curl) /

function stepsIn(section: string): Step[] {
  return section
    .trim()
    .split(/\n+(?=\s*(?:\d+\.|-) )/)
    .map((item) => ({
      text: item.trim(),
      commands: [...item.matchAll(/`([^`]+)`/g)]
        .map(([, code = '']) => code)
        .filter((code) => COMMAND.test(code)),
    }))
}
