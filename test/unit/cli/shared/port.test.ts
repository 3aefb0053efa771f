import { expect, it, vi } from 'vitest'

/** Returns what gives free ports to another process that begins to look where this one does. */
async function ofAnotherProcess() {
  vi.resetModules()
  return import('../../../../src/cli/shared/port.ts')
}

it('processes that begin to look at the same port get different ones, though nothing listens on them yet', async () => {
  const [a, b] = [await ofAnotherProcess(), await ofAnotherProcess()]
  const asked = [a, b, a, b].map(({ freePort }) => freePort())
  const ports = await Promise.all(asked)
  expect(new Set(ports).size).toBe(4)
  for (const port of ports) expect(await a.isFree(port)).toBe(true)
})
