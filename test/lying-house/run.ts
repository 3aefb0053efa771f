import { stripVTControlCharacters } from 'node:util'
import { vi } from 'vitest'
import { CommandError } from '../../src/cli/shared/terminal.ts'

/** What a command has printed, but for the checks that held, and whether it has passed. */
export interface Ran {
  text: string
  passed: boolean
}

/** Runs a command as at a terminal. */
export async function run(command: () => Promise<number>): Promise<Ran> {
  const lines: string[] = []
  const print = vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line))
  try {
    const passed = (await command()) === 0
    return { text: textOf(lines), passed }
  } catch (fault) {
    if (!(fault instanceof CommandError)) throw fault
    return { text: textOf([...lines, fault.message]), passed: false }
  } finally {
    print.mockRestore()
  }
}

function textOf(lines: string[]): string {
  const shown = lines.join('\n').split('\n').map(stripVTControlCharacters)
  return shown.filter((line) => !line.includes('✓')).join('\n')
}
