import { readFile } from 'node:fs/promises'
import { CommandError } from '../shared/terminal.ts'

/** Reads a saved answer. @param of the expected answer, as in "an answer of …" */
export async function readJsonFile(path: string, of: string): Promise<unknown> {
  const text = await readFile(path, 'utf8').catch(() => {
    throw new CommandError(`${path} cannot be read. Check the path.`)
  })
  try {
    return JSON.parse(text)
  } catch {
    throw new CommandError(`${path} is not JSON. Save an answer ${of} there.`)
  }
}
