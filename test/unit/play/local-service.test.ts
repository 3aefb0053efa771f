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

it('an earlier service’s seed hash is no evidence, though the games’ configuration is read first', async () => {
  const wallet = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
  const seen = [[`${wallet}/0`, { seedHash: 'ab'.repeat(32) }]]
  inBrowser().set('fairhouse.seen.plays', JSON.stringify(seen))
  vi.stubGlobal('location', { hostname: 'localhost' })
  vi.stubGlobal('window', { addEventListener() {}, dispatchEvent() {} })
  let answerPlayers = () => {}
  const players = new Promise<void>((resolve) => (answerPlayers = resolve))
  const fairness = { nonce: 0, seedHash: 'cd'.repeat(32) }
  vi.stubGlobal('fetch', async (path: string) => {
    if (path === '/api/dev/players') {
      await players
      return Response.json({ players: [], logKey: 'another log' })
    }
    return Response.json(path.startsWith('/api/entropy?') ? { fairness } : { ok: false, error: {} })
  })
  const { session, startSession } = await import('../../../src/play/session.ts')
  const { desk, sitDown } = await import('../../../src/play/games/desk.ts')
  session.patch({ player: { wallet, authSig: '0x' } })
  const started = startSession()
  const seated = sitDown()
  await new Promise((resolve) => setTimeout(resolve))
  answerPlayers()
  await Promise.all([started, seated])
  expect(desk.value.next).toMatchObject(fairness)
  session.patch({ player: null })
  expect(desk.value.problem).toBeNull()
})
