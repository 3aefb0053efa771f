import { crc32 } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { GAME_NAMES, type GameName } from '../../../src/games/games.ts'
import type { FeedPlay } from '../../../src/games/play-request.ts'
import { settle } from '../../../src/games/play.ts'
import { Canvas } from '../../../src/preview/canvas.ts'
import { drawCard } from '../../../src/preview/card.ts'
import { textWidth } from '../../../src/preview/font.ts'
import { flight } from '../../../src/preview/pictures.ts'
import { encodePng } from '../../../src/preview/png.ts'
import { previewOfPlay, SITE } from '../../../src/preview/previews.ts'
import { decodePng } from './decode-png.ts'

const [GOOD, BAD] = [0x35d9a0, 0xff7285]
const MAX_BYTES = 15_000

const CHOICES: Record<GameName, object> = {
  mines: { mines: 5, picked: [0, 6, 12, 18, 24] },
  limbo: { target: 200 },
  plinko: { rows: 16, risk: 'high' },
  keno: { picks: [1, 2, 3, 10, 20, 30, 40], risk: 'classic' },
}

/** The first plays of a game from a known seed. */
function playsOf(game: GameName): FeedPlay[] {
  return Array.from({ length: 20 }, (_, nonce) => {
    const draw = { seed: '11'.repeat(32), clientSeed: 'mine', nonce, seedHash: '22'.repeat(32) }
    const selection = { game, params: CHOICES[game] } as never
    const stake = { token: 'ETH' as const, amountWei: 10n ** 16n }
    const play = settle(selection, stake, draw, { edgeBps: 100, tables: 1 })
    return { ...play, nextSeedHash: '', settledAt: 0, wallet: `0x${'33'.repeat(20)}` }
  })
}

async function pictureOf(card: Parameters<typeof drawCard>[0]) {
  const png = await encodePng(drawCard(card, 'play.example.com'))
  return { bytes: png.length, ...(await decodePng(png, crc32)) }
}

describe('a card', () => {
  it('is a PNG of the size that platforms show in full, in the colours it was drawn with', async () => {
    const card = { title: 'Round 7', result: '2.00x', tone: 'good', lines: ['1 bet'] } as const
    const canvas = drawCard({ ...card, lines: [...card.lines] }, 'play.example.com')
    const { width, height, at } = await decodePng(await encodePng(canvas), crc32)
    expect([width, height]).toEqual([1200, 630])
    for (let pixel = 0; pixel < canvas.pixels.length; pixel += 997) {
      const colour = at(pixel % width, Math.floor(pixel / width))
      expect(colour).toBe(canvas.palette[canvas.pixels[pixel] ?? 0])
    }
    expect(at(5, 625)).toBe(GOOD)
  })

  it.each(GAME_NAMES)('of %s stays below 15 kB for every result', async (game) => {
    for (const play of playsOf(game)) {
      const { bytes } = await pictureOf(previewOfPlay(play).card)
      expect(bytes).toBeLessThan(MAX_BYTES)
    }
  })

  it.each([1, 1.01, 3.52, 1_000, 1_000_000])(
    'of a round that crashed at %fx stays below 15 kB',
    async (crash) => {
      const card = { title: 'Round 7', result: `${crash.toFixed(2)}x`, tone: 'plain' } as const
      const { bytes } = await pictureOf({ ...card, lines: ['1 bet'], picture: flight(crash) })
      expect(bytes).toBeLessThan(MAX_BYTES)
    },
  )

  it('of the site itself has no result', async () => {
    const { bytes } = await pictureOf(SITE.card)
    expect(bytes).toBeLessThan(MAX_BYTES)
  })

  it('shows a cash-out in green and the crash in red', async () => {
    const card = { title: 'Bet', result: '2.00x', tone: 'good', lines: [] } as const
    const { at } = await pictureOf({ ...card, lines: [], picture: flight(4, 2) })
    const found = new Set<number>()
    for (let y = 96; y < 534; y++) for (let x = 680; x < 1_128; x++) found.add(at(x, y))
    expect(found).toContain(GOOD)
    expect(found).toContain(BAD)
  })

  it('keeps a long figure left of the picture', () => {
    const card = { title: 'Round 7', result: '1,000,000.00x', tone: 'plain', lines: [] } as const
    const canvas = drawCard({ ...card, lines: [], picture: () => {} }, 'play.example.com')
    const columns = Array.from({ length: 1200 - 660 }, (_, index) => 660 + index)
    const rows = Array.from({ length: 520 }, (_, index) => 90 + index)
    expect(columns.every((x) => rows.every((y) => canvas.pixels[y * 1200 + x] === 0))).toBe(true)
  })
})

describe('a canvas', () => {
  it('draws over its edges without leaving it', () => {
    const canvas = new Canvas(20, 10, 0x000000)
    const ink = canvas.ink(0xffffff)
    canvas.disc([0, 0], 5, ink)
    canvas.fill(-5, 8, 100, 100, ink)
    expect(canvas.pixels[0]).toBe(ink)
    expect(canvas.pixels[9 * 20 + 19]).toBe(ink)
    expect(canvas.pixels[5 * 20 + 15]).toBe(0)
  })

  it('never needs more than 256 colours', () => {
    const canvas = new Canvas(300, 300, 0x102030)
    for (let step = 0; step < 300; step++) {
      canvas.disc([step, step], 20.3, canvas.ink(0x111111 * ((step % 9) + 1)))
    }
    expect(canvas.palette.length).toBeLessThanOrEqual(256)
    expect(Math.max(...canvas.pixels)).toBeLessThan(canvas.palette.length)
  })

  it('measures a text as it is drawn', () => {
    const canvas = new Canvas(400, 60, 0x000000)
    const width = canvas.text('2.35X', [10, 10], { height: 30, ink: canvas.ink(0xffffff) })
    expect(width).toBeCloseTo(textWidth('2.35X', 30, 30 / 8))
    const filled = Array.from(canvas.pixels, (ink, at) => (ink === 0 ? -1 : at % 400))
    expect(Math.max(...filled)).toBeGreaterThan(10 + width - 3)
    expect(Math.max(...filled)).toBeLessThan(10 + width + 6)
  })
})
