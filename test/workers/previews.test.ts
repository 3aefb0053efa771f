import { env, exports } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { flush } from '../../src/api/games/feed.ts'
import { flightMs } from '../../src/crash/curve.ts'
import {
  endRound,
  fundedPlayer,
  openRound,
  pass,
  Player,
  secretsOf,
  setTime,
  useStories,
} from './support.ts'

useStories()

const PAGE = `<!doctype html><html><head><title>Fairhouse</title>
  <meta name="description" content="Games" /></head><body></body></html>`

beforeEach(() => {
  vi.spyOn(env.ASSETS, 'fetch').mockImplementation(async () => {
    const headers = {
      'content-type': 'text/html',
      etag: '"1"',
      'content-security-policy': 'strict',
    }
    return new Response(PAGE, { headers })
  })
})

const read = (path: string, init?: RequestInit) =>
  exports.default.fetch(`http://fairhouse.test${path}`, init)

async function pageOf(path: string) {
  const response = await read(path)
  const text = await response.text()
  const property = (name: string) => new RegExp(`${name}" content="([^"]*)"`).exec(text)?.[1]
  return { status: response.status, headers: response.headers, text, property }
}

/** Returns the size of a PNG as its header says it; null unless it is one. */
async function sizeOf(path: string): Promise<number[] | number> {
  const response = await read(path)
  const bytes = await response.arrayBuffer()
  if (response.status !== 200) return response.status
  expect(response.headers.get('content-type')).toBe('image/png')
  const view = new DataView(bytes)
  expect(view.getUint32(0)).toBe(0x89504e47)
  return [view.getUint32(16), view.getUint32(20)]
}

const NEUTRAL = 'http://localhost:8787/preview.png'

describe('the permanent page', () => {
  it('of a round has its crash point as title, and a picture that never changes', async () => {
    await fundedPlayer(0)
    const plan = await openRound({ min: 300, max: 1_000 })
    const { crash } = await secretsOf(plan.roundId)
    await endRound(plan)
    const path = `/round/${plan.roundId}`
    const { status, property, text, headers } = await pageOf(path)
    expect(status).toBe(200)
    const title = `Round ${plan.roundId} crashed at ${(crash / 100).toFixed(2)}x`
    expect(property('og:title')).toBe(title)
    expect(text).toContain(`<title>${title} · Fairhouse</title>`)
    expect(property('description')).toBe(property('og:description'))
    expect(property('og:url')).toBe(`http://localhost:8787${path}`)
    expect(property('og:image')).toBe(`http://localhost:8787${path}/preview.png`)
    expect(property('twitter:card')).toBe('summary_large_image')
    expect(headers.get('content-security-policy')).toBe('strict')
    expect([headers.get('etag'), headers.get('cache-control')]).toEqual([null, 'no-cache'])
    expect(await sizeOf(`${path}/preview.png`)).toEqual([1200, 630])
    const picture = await read(`${path}/preview.png`)
    await picture.arrayBuffer()
    expect(picture.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  })

  it('of a bet and of a play says what they won', async () => {
    const alice = await fundedPlayer(0)
    const plan = await openRound({ min: 300, max: 1_000 })
    await alice.bet('1000000', { autoCashout: 2.5 })
    await endRound(plan)
    const bet = `/bet/${alice.wallet.toLowerCase()}/${plan.roundId}`
    expect((await pageOf(bet)).property('og:title')).toBe(
      `Won 2.5 USDG at 2.50x in round ${plan.roundId}`,
    )
    expect(await sizeOf(`${bet}/preview.png`)).toEqual([1200, 630])
    const { body } = await alice.play({ nonce: 0 })
    const play = await pageOf(`/play/${alice.wallet}/0`)
    expect(play.property('og:title')).toMatch(body.win ? /: won / : /: lost /)
    expect(await sizeOf(`/play/${alice.wallet}/0/preview.png`)).toEqual([1200, 630])
    await flush(env)
  })

  it('tells nothing of a round or a bet before the crash', async () => {
    const alice = await fundedPlayer(0)
    const plan = await openRound({ min: 500, max: 1_000 })
    const { seed, crash } = await secretsOf(plan.roundId)
    await alice.bet('1000000')
    setTime(plan.flightAt + 2_000)
    expect((await alice.cashout()).status).toBe(200)
    const paths = [`/round/${plan.roundId}`, `/bet/${alice.wallet}/${plan.roundId}`]
    setTime(plan.flightAt + flightMs(crash) - 1)
    for (const path of paths) {
      const { status, property, text } = await pageOf(path)
      expect([status, property('og:image')]).toEqual([200, NEUTRAL])
      expect(property('og:title')).toBe('Fairhouse')
      expect(text).not.toContain(seed)
      expect(text).not.toContain((crash / 100).toFixed(2))
      expect(await sizeOf(`${path}/preview.png`)).toBe(404)
    }
    pass(2)
    expect((await pageOf(paths[1] ?? '')).property('og:image')).not.toBe(NEUTRAL)
  })

  it('tells nothing of a play before it is made', async () => {
    const alice = await fundedPlayer(0)
    await alice.nextPlay()
    expect((await pageOf(`/play/${alice.wallet}/0`)).property('og:image')).toBe(NEUTRAL)
    expect(await sizeOf(`/play/${alice.wallet}/0/preview.png`)).toBe(404)
  })

  it('is not found at an address that names nothing', async () => {
    const { wallet } = new Player(0)
    const paths = ['/round/x', '/round/1/2', '/round/', '/bet/0x12/3', `/play/${wallet}/-1`]
    for (const path of paths) {
      const { status, property } = await pageOf(path)
      expect([path, status, property('og:url')]).toEqual([path, 404, 'http://localhost:8787/'])
      expect(await sizeOf(`${path}/preview.png`)).toBe(404)
    }
  })

  it('is shown without its tags while the history cannot be read', async () => {
    vi.spyOn(env.HISTORY, 'prepare').mockImplementation(() => {
      throw new Error('D1 is down')
    })
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const { status, property } = await pageOf('/round/1')
    expect([status, property('og:image')]).toEqual([200, NEUTRAL])
  })

  it('takes no other method', async () => {
    const response = await read('/round/1', { method: 'POST' })
    await response.arrayBuffer()
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })
})

it('the site has a picture of its own', async () => {
  expect(await sizeOf('/preview.png')).toEqual([1200, 630])
})
