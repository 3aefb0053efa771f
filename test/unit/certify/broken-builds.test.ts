import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { BREAKS } from '../../certify/breaks.ts'

const ROOT = new URL('../../../', import.meta.url)

describe('the broken builds of the certification kit', () => {
  it.each(BREAKS)('still fit the sources: $name', ({ edits }) => {
    for (const [file, find] of edits) {
      expect(readFileSync(new URL(file, ROOT), 'utf8'), file).toContain(find)
    }
  })
})
