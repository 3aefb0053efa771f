import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { LIES } from '../../lying-house/lies/lies.ts'

const ROOT = new URL('../../../', import.meta.url)

describe('the lies of the lying house', () => {
  it('have names of their own', () => {
    expect(new Set(LIES.map(({ name }) => name)).size).toBe(LIES.length)
  })

  it.each(LIES)('still fit the sources: $name', ({ edits }) => {
    for (const [file, find] of edits) {
      const text = readFileSync(new URL(file, ROOT), 'utf8')
      expect(text.split(find), `${file} has exactly once: ${find}`).toHaveLength(2)
    }
  })
})
