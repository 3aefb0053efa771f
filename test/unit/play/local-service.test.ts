import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { inBrowser } from './in-browser.ts'

beforeEach(() => void inBrowser())
afterEach(() => void vi.unstubAllGlobals())

it('an earlier service on this machine is forgotten, since each start has other seeds', async () => {
  const { forgetEarlierService } = await import('../../../src/play/local-service.ts')
  const { keep, kept } = await import('../../../src/play/keepsakes.ts')
  forgetEarlierService('the first log')
  keep('days', '2026-11-21', { seedHash: '00' })
  forgetEarlierService('the first log')
  expect(kept('days', '2026-11-21')).not.toBeNull()
  forgetEarlierService('another log')
  expect(kept('days', '2026-11-21')).toBeNull()
})
