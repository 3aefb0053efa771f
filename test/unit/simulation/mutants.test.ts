import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { MUTANTS } from '../../simulation/mutants/mutants.ts'

const ROOT = new URL('../../../', import.meta.url)

describe('the mutants of the simulation', () => {
  it('have names of their own', () => {
    expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length)
  })

  it.each(MUTANTS)('still fit the sources: $name', ({ edits }) => {
    for (const [file, find] of edits) {
      const text = readFileSync(new URL(file, ROOT), 'utf8')
      expect(text.split(find), `${file} has exactly once: ${find}`).toHaveLength(2)
    }
  })
})
