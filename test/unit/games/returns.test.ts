import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { returnsPage } from './returns.ts'

it('reference/returns.md shows the exact returns of every game', () => {
  const page = readFileSync(new URL('../../../reference/returns.md', import.meta.url), 'utf8')
  expect(page).toBe(returnsPage())
})
