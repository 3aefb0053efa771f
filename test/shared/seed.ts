import { wholeNumber } from '../../src/cli/shared/terminal.ts'

/** Reads the seed of a run from an option. Seeds have 32 bits. */
export function readSeed(name: string, text: string): number {
  return wholeNumber(name, text, 0, 2 ** 32 - 1)
}
