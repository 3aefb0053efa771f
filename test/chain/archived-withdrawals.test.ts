import { env } from 'cloudflare:workers'
import { expect, it, vi } from 'vitest'
import { sweep } from '../../src/sweep.ts'
import { archived, grow, play, useShortSegments } from '../workers/archive.ts'
import { pass } from '../workers/support.ts'
import {
  depositor,
  fundHouse,
  nodeFails,
  statusOf,
  useChain,
  withdraw,
  workToEnd,
} from './support.ts'

useChain()
useShortSegments()

it('a segment stays while a withdrawal of its time is pending, and is moved once that has ended', async () => {
  for (const level of ['log', 'error'] as const)
    vi.spyOn(console, level).mockImplementation(() => {})
  await fundHouse('USDG', 1_000_000_000_000n)
  const alice = await depositor(0)
  await sweep(env)
  pass(16_000)
  await play(alice, 4)
  nodeFails(() => true, 'before')
  await withdraw(alice)
  await play(alice, 8)
  await grow(alice)
  expect(await statusOf(alice)).toBe('pending')
  expect(await archived(alice)).toBe(0)
  vi.mocked(globalThis.fetch).mockRestore()
  expect(await workToEnd(alice)).toBe('confirmed')
  await grow(alice)
  expect(await archived(alice)).toBe(1)
})
