import { env } from 'cloudflare:workers'
import { expect, it, vi } from 'vitest'
import { solvency } from '../../src/calls/objects.ts'
import { HOUR_MS } from '../../src/core/utc-day.ts'
import { sweep } from '../../src/sweep.ts'
import { pass } from '../workers/support.ts'
import { useChain } from './support.ts'

useChain()

it('a fault of the node names it neither in the log nor where it leaves an object', async () => {
  const lines: unknown[] = []
  vi.spyOn(console, 'error').mockImplementation((line) => void lines.push(line))
  await sweep(env)
  pass(HOUR_MS)
  const refused = { error: 'no access to http://chain.test' }
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () =>
    Response.json(refused, { status: 401 }),
  )
  // The platform logs what leaves an object as an exception.
  const fault: unknown = await solvency(env).sweep().then(String, String)
  await sweep(env)
  expect(fault).toContain('HTTP request failed.')
  expect(lines).not.toEqual([])
  expect([fault, ...lines].join('\n')).not.toContain('chain.test')
})
