import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { atCommit } from '../../simulation/worktree.ts'

it('offers the project as it was at a commit, and cleans up afterwards', async () => {
  const root = join(import.meta.dirname, '../../..')
  const folder = await atCommit('HEAD', root, async (at) => {
    expect(existsSync(join(at, 'src/worker.ts'))).toBe(true)
    expect(existsSync(join(at, 'node_modules/hono'))).toBe(true)
    return at
  })
  expect(existsSync(folder)).toBe(false)
})
