import { afterEach, beforeEach, expect, it, vi } from 'vitest'

const WALLET = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const PLAYER = { wallet: WALLET, authSig: '0x' }
const DEALT = { nonce: 5, seedHash: 'hash', clientSeed: 'of autobet' }

beforeEach(() => {
  vi.stubGlobal('location', { hostname: 'play.test' })
  vi.stubGlobal('localStorage', { getItem: () => null, setItem() {}, removeItem() {} })
})
afterEach(() => void vi.unstubAllGlobals())

it('automatic bets leave a game alone that the player opened elsewhere under the same number', async () => {
  const { session } = await import('../../../../../src/play/session.ts')
  const { desk } = await import('../../../../../src/play/games/desk.ts')
  const { playTiles } = await import('../../../../../src/play/games/mines/autobet.ts')
  const sent: unknown[] = []
  vi.stubGlobal('fetch', async (_path: string, options?: { body?: string }) => {
    const body = JSON.parse(options?.body ?? '{}') as { action?: string; maxPicks?: number }
    if (body.action?.startsWith('mines-')) sent.push([body.action, body.maxPicks])
    return Response.json({ ok: false, error: { code: 'idempotency_conflict', message: 'other' } })
  })
  session.patch({ player: PLAYER })
  const foreign = { nonce: 5, clientSeed: 'by hand', mines: 3, picked: [1] }
  const maxPayout = { ETH: '1000000', USDG: '1000000' }
  const config = { edgeBps: 100, tables: 1, terms: { hash: 'terms' }, maxPayout }
  desk.patch({ config: config as never, game: foreign as never, isPlaying: false })
  const stake = { token: 'ETH', amountWei: '1000' } as const
  const event = await playTiles({ id: 5, mines: 3, tiles: [7], ...stake, dealt: DEALT })
  session.patch({ player: null })
  desk.patch({ config: null, game: null })
  // For as many picks as the bet has, and no more.
  expect(sent).toEqual([['mines-open', 1]])
  expect(event).toEqual({ kind: 'refused', id: 5, code: 'idempotency_conflict' })
})
