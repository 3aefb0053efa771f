import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { inBrowser } from './in-browser.ts'

beforeEach(() => void inBrowser())
afterEach(() => void vi.unstubAllGlobals())

it('an earlier service on this machine is forgotten, since each start has other seeds', async () => {
  const { forgetEarlierService } = await import('../../../src/play/local-service.ts')
  const { keep, kept } = await import('../../../src/play/keepsakes.ts')
  const startedAs = (key: string) => vi.stubGlobal('fetch', async () => new Response(key))
  startedAs('the first log')
  await forgetEarlierService()
  keep('days', '2026-11-21', { seedHash: '00' })
  await forgetEarlierService()
  expect(kept('days', '2026-11-21')).not.toBeNull()
  startedAs('another log')
  await forgetEarlierService()
  expect(kept('days', '2026-11-21')).toBeNull()
})

it('nothing is forgotten of a service that keeps no log, or does not answer', async () => {
  const { forgetEarlierService } = await import('../../../src/play/local-service.ts')
  const { keep, kept } = await import('../../../src/play/keepsakes.ts')
  keep('days', '2026-11-21', { seedHash: '00' })
  vi.stubGlobal('fetch', async () => Response.json({ ok: false }, { status: 503 }))
  await forgetEarlierService()
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('failed')))
  await forgetEarlierService()
  expect(kept('days', '2026-11-21')).not.toBeNull()
})
