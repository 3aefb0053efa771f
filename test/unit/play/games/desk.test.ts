import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { inBrowser } from '../in-browser.ts'

beforeEach(() => {
  inBrowser()
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

it('the games’ configuration is read again until the service has answered', async () => {
  let isReachable = false
  vi.stubGlobal('fetch', async () => {
    if (!isReachable) throw new TypeError('no network')
    return Response.json({ ok: true, edgeBps: 100, plays: [] })
  })
  const { desk, sitDown } = await import('../../../../src/play/games/desk.ts')
  await sitDown()
  expect(desk.value).toMatchObject({ config: null, problem: { code: 'unreachable' } })
  await vi.advanceTimersByTimeAsync(10_000)
  isReachable = true
  await vi.advanceTimersByTimeAsync(10_000)
  expect(desk.value).toMatchObject({ config: { edgeBps: 100 }, problem: null })
})
