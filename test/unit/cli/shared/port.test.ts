import { expect, it, vi } from 'vitest'

/** Returns the module as another process with the same first range would load it. */
async function ofAnotherProcess() {
  vi.resetModules()
  return import('../../../../src/cli/shared/port.ts')
}

it('gives two processes different ports, even before they listen on them', async () => {
  const [a, b] = [await ofAnotherProcess(), await ofAnotherProcess()]
  const asked = [a, b, a, b].map(({ freePort }) => freePort())
  const ports = await Promise.all(asked)
  expect(new Set(ports).size).toBe(4)
  for (const port of ports) expect(await a.isFree(port)).toBe(true)
})
