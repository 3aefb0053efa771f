import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { TakenSpin } from '../../durable-objects/lootbox-day/spins.ts'
import { lootboxDay, sharedPost } from '../../src/calls/objects.ts'
import { readOpenings } from '../../src/cli/verify/openings.ts'
import { dateOf, DAY_MS } from '../../src/core/utc-day.ts'
import { beaconPublishedAt, beaconRandomness, firstBeaconAfter } from '../../src/fairness/drand.ts'
import { shareCodeOf } from '../../src/lootbox/share.ts'
import { verifyOpening } from '../../src/verify/opening.ts'
import { LootboxDay } from '../../src/worker.ts'
import { publishedBeacon, signBeacon, useOwnBeacon } from '../workers/beacon.ts'
import {
  get,
  now,
  pass,
  Player,
  post,
  restart,
  type Answer,
  outcomeOf,
} from '../workers/support.ts'
import { LOOTBOX, POOL_ADDRESS, REWARD_TOKEN_ADDRESS } from './accounts.ts'
import { deployPool, mintPrizes } from './lootbox.ts'
import { balanceOf, look, setVars, useChain } from './support.ts'

useChain()

const [alice, bob] = [new Player(0), new Player(1)]

type Answering = (url: URL) => Response | Promise<Response>

/** The other site's answers by post id, and the URLs it was asked for. */
let posts: Map<string, Answering>
let asked: string[]
let beacon: (round: number) => Response

beforeEach(() => {
  posts = new Map()
  asked = []
  beacon = () => new Response('too early', { status: 404 })
  const real = globalThis.fetch
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const url = new URL(new Request(input, init).url)
    const round = /\/public\/(\d+)$/.exec(url.pathname)?.[1]
    if (round) return beacon(Number(round))
    if (!url.hostname.endsWith('posts.test')) return real(input, init)
    asked.push(url.href)
    const id = url.searchParams.get('url')?.split('/').at(-1) ?? ''
    return posts.get(id)?.(url) ?? new Response('no such post', { status: 404 })
  })
})

let ids = 100

/** Publishes a post and returns its link. */
function share(author: string, text: string): string {
  const id = String(ids++)
  const told = { author_url: `http://posts.test/${author}`, html: `<p>${text}</p>` }
  posts.set(id, () => Response.json(told))
  return `http://posts.test/${author}/status/${id}`
}

const promised = [{ bps: 10_000, label: 'Promised', asset: 'REWARD', amountWei: '7' }]

const shareOf = (player: Player, author: string) =>
  share(author, `I play! ${shareCodeOf(player.wallet)}`)

const spin = async (postUrl: string, player = alice) =>
  post('/api/lootbox', {
    action: 'share-spin',
    wallet: player.wallet,
    authSig: await player.authSig(),
    postUrl,
  })

const nameOf = (postUrl: string) => `posts:${postUrl.split('/').at(-1)}`
const objectOf = (postUrl: string) => sharedPost(env, nameOf(postUrl))

function refused({ status, body }: Answer) {
  return [status, body.error?.code, body.error?.details?.reason]
}

describe('a free spin', () => {
  it('is rolled at once, paid in the reward token, and proven when its day has ended', async () => {
    await deployPool()
    await mintPrizes()
    const { body: before } = await get(`/api/lootbox?wallet=${alice.wallet}`)
    expect(before).toMatchObject({
      shareCode: shareCodeOf(alice.wallet),
      hasSpun: false,
      spin: {
        prizes: [{ bps: 9_000, chance: 0.9, asset: 'REWARD' }, { bps: 1_000 }],
        expectedValue: { REWARD: '1900000000000000000' },
        dailyLimit: 3,
        hosts: ['posts.test'],
        pepperSource: { kind: 'committed', pepperHash: expect.stringMatching(/^[0-9a-f]{64}$/) },
      },
    })
    const link = shareOf(alice, 'alice')
    const { status, body } = await spin(link)
    expect(status).toBe(200)
    const id = `spin:${alice.wallet.toLowerCase()}:${dateOf(now())}`
    expect(body.open).toMatchObject({
      id,
      txHash: null,
      blockHash: null,
      asset: 'REWARD',
      status: 'paying',
      seed: null,
      seedHash: before.seedHash,
      pepperSource: before.spin.pepperSource,
      odds: [9_000, 1_000],
      prize: LOOTBOX.spinPrizes[body.open.tier]?.amountWei,
    })
    await runDurableObjectAlarm(objectOf(link))
    await look()
    pass(2_000)
    await look()
    await runDurableObjectAlarm(objectOf(link))
    expect((await spin(link)).body.open.status).toBe('paid')
    expect(await balanceOf(REWARD_TOKEN_ADDRESS, alice.account.address)).toBe(
      BigInt(body.open.prize),
    )
    const after = (await get(`/api/lootbox?wallet=${alice.wallet}`)).body
    expect(after).toMatchObject({ hasSpun: true, openings: [{ id, status: 'paid' }] })
    expect(after.recentWins[0]).toMatchObject({ wallet: alice.wallet, txHash: null })
    pass(DAY_MS)
    const [opening] = readOpenings((await spin(link)).body, 'the answer')
    const checks = verifyOpening(opening!, { seedHash: before.seedHash })
    expect(checks.filter(({ holds }) => !holds)).toEqual([])
    expect(checks).toHaveLength(8)
  })

  it('answers a repeated call without asking the site again, even if the post is deleted', async () => {
    const link = shareOf(alice, 'alice')
    const first = await spin(link)
    posts.clear()
    expect(asked).toHaveLength(1)
    expect(await spin(link)).toMatchObject({ status: 200, body: first.body })
    expect(asked).toHaveLength(1)
  })

  it('is given once across simultaneous requests and different posts', async () => {
    const links = ['alice', 'carol', 'dave'].map((author) => shareOf(alice, author))
    const answers = await Promise.all([...links, ...links].map((link) => spin(link)))
    const won = answers.filter(({ status }) => status === 200).map(({ body }) => body.open.id)
    expect(won).toHaveLength(2)
    expect(new Set(won).size).toBe(1)
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      expect(refused(answer)).toEqual([409, 'spin_used', 'wallet'])
    }
  })

  it('is limited to one a day per wallet and per author, and available again the next day', async () => {
    await spin(shareOf(alice, 'alice'))
    expect(refused(await spin(shareOf(alice, 'carol')))).toEqual([409, 'spin_used', 'wallet'])
    const sameAuthor = shareOf(bob, 'Alice')
    expect(refused(await spin(sameAuthor, bob))).toEqual([409, 'spin_used', 'author'])
    pass(DAY_MS)
    expect((await spin(sameAuthor, bob)).status).toBe(200)
    expect((await spin(shareOf(alice, 'carol'))).status).toBe(200)
  })

  it('has a daily limit for all players, which does not affect repeated calls', async () => {
    const names = ['alice', 'bob', 'carol', 'dave']
    const players = names.map((_, index) => new Player(index))
    const [mine, , , late] = players.map((player, index) => shareOf(player, names[index]!))
    const first = await spin(mine!)
    for (const index of [1, 2]) {
      const answer = await spin(shareOf(players[index]!, names[index]!), players[index])
      expect(answer.status).toBe(200)
    }
    expect(refused(await spin(late!, players[3]))).toEqual([409, 'spin_used', 'day'])
    expect((await spin(mine!)).body).toEqual(first.body)
    pass(DAY_MS)
    expect((await spin(late!, players[3])).status).toBe(200)
  })

  it('has the prizes and the limit that were shown while deployments differ', async () => {
    const today = lootboxDay(env, dateOf(now()))
    await setVars(today, { LOOTBOX: { ...env.LOOTBOX, spinPrizes: promised, spinDailyLimit: 1 } })
    pass(1_000)
    const { body: shown } = await get('/api/lootbox')
    expect(shown.spin).toMatchObject({ prizes: [{ label: 'Promised' }], dailyLimit: 1 })
    expect((await spin(shareOf(alice, 'alice'))).body.open).toMatchObject({ label: 'Promised' })
    expect(refused(await spin(shareOf(bob, 'bob'), bob))).toEqual([409, 'spin_used', 'day'])
  })

  it('asks the site nothing for a wallet that has spun, or once all spins of the day are taken', async () => {
    const players = [0, 1, 2, 3].map((index) => new Player(index))
    for (const [index, player] of players.slice(0, 3).entries()) {
      expect((await spin(shareOf(player, `author${index}`), player)).status).toBe(200)
    }
    pass(1_000)
    asked = []
    expect(refused(await spin(shareOf(alice, 'carol')))).toEqual([409, 'spin_used', 'wallet'])
    const late = shareOf(players[3]!, 'dave')
    expect(refused(await spin(late, players[3]))).toEqual([409, 'spin_used', 'day'])
    expect(asked).toEqual([])
  })

  it('asks the site only as often as a network may, and still repeats its answers', async () => {
    const link = shareOf(alice, 'alice')
    const first = await spin(link)
    asked = []
    const counted: string[] = []
    vi.spyOn(env.MONEY_CALLS, 'limit').mockImplementation(async ({ key }) => {
      counted.push(key)
      return { success: !key.startsWith('sharedPosts ') }
    })
    expect(outcomeOf(await spin(shareOf(bob, 'bob'), bob))).toEqual([429, 'rate_limited'])
    expect(asked).toEqual([])
    expect(counted).toContain('sharedPosts unknown')
    expect((await spin(link)).body).toEqual(first.body)
  })

  it('is completed by a repeated call if the answer of the day was lost', async () => {
    const link = shareOf(alice, 'alice')
    const takeSpin = Reflect.get(LootboxDay.prototype, 'takeSpin') as (claim: object) => unknown
    const lost = vi.spyOn(LootboxDay.prototype, 'takeSpin').mockImplementation(async function (
      this: LootboxDay,
      claim,
    ) {
      await takeSpin.call(this, claim)
      throw new Error('lost')
    })
    await objectOf(link)
      .spin(alice.wallet, 'posts:alice')
      .catch(() => {})
    lost.mockRestore()
    await restart()
    expect((await spin(link)).status).toBe(200)
  })

  it('counts a post only once, for one wallet', async () => {
    const link = share('alice', `${shareCodeOf(alice.wallet)} ${shareCodeOf(bob.wallet)}`)
    const first = await spin(link)
    expect(refused(await spin(link, bob))).toEqual([409, 'spin_used', 'post'])
    pass(DAY_MS)
    expect(refused(await spin(link, bob))).toEqual([409, 'spin_used', 'post'])
    const disguised = link.replace('/alice/', '/bob/')
    expect((await spin(disguised)).body.open.id).toBe(first.body.open.id)
  })

  it('can be taken again if the clocks of post and day differ at midnight', async () => {
    const link = shareOf(alice, 'alice')
    const ended = vi.spyOn(LootboxDay.prototype, 'takeSpin').mockResolvedValue(null)
    expect(outcomeOf(await spin(link))).toEqual([502, 'upstream_failed'])
    ended.mockRestore()
    expect((await spin(link)).status).toBe(200)
  })

  it('goes to the first wallet if the answer was lost before the day had confirmed it', async () => {
    const link = share('alice', `${shareCodeOf(alice.wallet)} ${shareCodeOf(bob.wallet)}`)
    const stub = objectOf(link)
    const takeSpin = vi.spyOn(env.LOOTBOX_DAY, 'getByName').mockImplementationOnce(() => {
      throw new Error('lost')
    })
    await stub.spin(alice.wallet, 'posts:alice').catch(() => {})
    takeSpin.mockRestore()
    await restart()
    expect(refused(await spin(link, bob))).toEqual([409, 'spin_used', 'post'])
    expect((await spin(link)).status).toBe(200)
  })

  it.each([
    ['the day has taken it, and its answer was lost', 'takeSpin'],
    ['the day did not roll', 'roll'],
  ] as const)('is rolled though its player never asks again: %s', async (_what, method) => {
    const link = share('alice', shareCodeOf(alice.wallet))
    const real = Reflect.get(LootboxDay.prototype, method) as (...args: unknown[]) => unknown
    const lost = vi.spyOn(LootboxDay.prototype, method).mockImplementation(async function (
      this: LootboxDay,
      ...args: unknown[]
    ) {
      if (method === 'takeSpin') await real.apply(this, args)
      throw new Error('lost')
    })
    await objectOf(link)
      .spin(alice.wallet, 'posts:alice')
      .catch(() => {})
    lost.mockRestore()
    await restart()
    pass(5_000)
    expect(await runDurableObjectAlarm(objectOf(link))).toBe(true)
    const rolled = await env.HISTORY.prepare('SELECT wallet FROM openings').all()
    expect(rolled.results).toEqual([{ wallet: alice.wallet }])
  })

  it.each([
    ['unknown_provider', () => 'http://elsewhere.test/alice/status/1'],
    ['not_a_post', () => 'http://posts.test/alice'],
    ['not_found', () => 'http://posts.test/alice/status/1'],
    ['code_missing', () => share('alice', 'I play!')],
    ['code_missing', () => shareOf(bob, 'alice')],
    ['no_author', () => share('', '').replace('posts.test/', 'posts.test/x')],
  ])('is refused as %s', async (reason, link) => {
    posts.set('1', () => new Response(null, { status: 404 }))
    const url = link()
    if (reason === 'no_author') posts.set(url.split('/').at(-1)!, () => Response.json({}))
    expect(refused(await spin(url))).toEqual([422, 'post_unverified', reason])
    expect((await get(`/api/lootbox?wallet=${alice.wallet}`)).body.hasSpun).toBe(false)
  })

  it('needs a signature and a link', async () => {
    const bare = { action: 'share-spin', wallet: alice.wallet, postUrl: shareOf(alice, 'alice') }
    expect(refused(await post('/api/lootbox', bare)).slice(0, 2)).toEqual([401, 'auth_required'])
    const forged = { ...bare, authSig: await bob.authSig() }
    expect(refused(await post('/api/lootbox', forged)).slice(0, 2)).toEqual([401, 'auth_invalid'])
    expect(outcomeOf(await spin(7 as never))).toEqual([400, 'invalid_request'])
  })
})

describe('the other site', () => {
  /** Returns the link of a post that carries the code, with the site's answer for it. */
  const telling = (answering: Answering) => {
    const link = shareOf(alice, 'alice')
    posts.set(link.split('/').at(-1)!, answering)
    return link
  }
  const sound = (title = '') =>
    Response.json({ author_url: 'http://posts.test/alice', html: shareCodeOf(alice.wallet), title })

  it.each<[string, Answering]>([
    ['is down', () => Promise.reject(new Error('down'))],
    ['fails', () => new Response('oops', { status: 500 })],
    ['does not answer in JSON', () => new Response(`<p>${shareCodeOf(alice.wallet)}</p>`)],
    ['answers with nothing', () => Response.json(null)],
    ['answers with more than the service reads', () => sound(' '.repeat(70_000))],
    ['redirects elsewhere', () => Response.redirect('http://127.0.0.1/oembed?url=x')],
    ['redirects to another of its hosts', () => Response.redirect('http://api.posts.test/oembed')],
    ['redirects in circles', ({ href }) => Response.redirect(href)],
  ])('that %s is not trusted, and nothing is used up', async (_what, answering) => {
    const link = telling(answering)
    expect(refused(await spin(link)).slice(0, 2)).toEqual([502, 'upstream_failed'])
    posts.set(link.split('/').at(-1)!, () => sound())
    expect((await spin(link)).status).toBe(200)
    expect(asked.every((url) => url.startsWith('http://posts.test/'))).toBe(true)
  })

  it('may redirect to another path of the same host', async () => {
    const link = telling((url) =>
      url.searchParams.has('v')
        ? sound()
        : Response.redirect(`${url.origin}/oembed?v=2&${url.searchParams.toString()}`),
    )
    expect((await spin(link)).status).toBe(200)
  })
})

describe('a spin whose pepper comes from a beacon', () => {
  /** Alice's spin is taken by a day whose pepper comes from a beacon's round. */
  async function taken(round: number): Promise<string> {
    const link = shareOf(alice, 'alice')
    const spun: TakenSpin = {
      acceptedAt: now(),
      pepperSource: { kind: 'drand-quicknet', round },
      pepper: null,
      prizes: promised,
      pool: POOL_ADDRESS,
    }
    const day = lootboxDay(env, dateOf(now()))
    await day.commitment()
    await runInDurableObject(day, (_: unknown, { storage }) => {
      const [author, name] = ['posts:http://posts.test/alice', `post:${nameOf(link)}`]
      storage.sql.exec(
        'INSERT INTO spins VALUES (?, ?, ?, ?)',
        alice.wallet,
        author,
        name,
        JSON.stringify(spun),
      )
    })
    await objectOf(link).spin(alice.wallet, 'posts:http://posts.test/alice')
    return link
  }
  useOwnBeacon()

  it('waits for the beacon, and asks no relay before it is published', async () => {
    const round = firstBeaconAfter(now())
    const relay = vi.fn(publishedBeacon)
    beacon = relay
    const { status, body } = await spin(await taken(round))
    expect(status).toBe(202)
    expect(body).toEqual({
      ok: true,
      status: 'pending',
      acceptedAt: now(),
      pepperSource: { kind: 'drand-quicknet', round },
      expectedAt: beaconPublishedAt(round) + 1_000,
    })
    expect(relay).not.toHaveBeenCalled()
  })

  it('is rolled automatically once the pepper is available, even if relays lie before, and is proven', async () => {
    const [acceptedAt, round] = [now(), firstBeaconAfter(now())]
    const link = await taken(round)
    const first = await spin(link)
    expect(first.status).toBe(202)
    pass(3_000)
    beacon = () => Response.json({ round, signature: signBeacon(round + 1) })
    expect((await spin(link)).status).toBe(202)
    await restart()
    beacon = publishedBeacon
    await runDurableObjectAlarm(objectOf(link))
    beacon = () => new Response('down', { status: 500 })
    const { status, body } = await spin(link)
    expect(status).toBe(200)
    expect(body.open).toMatchObject({
      label: 'Promised',
      prize: '7',
      acceptedAt,
      pepper: beaconRandomness(signBeacon(round)),
      pepperSource: { kind: 'drand-quicknet', round },
      signature: signBeacon(round),
    })
    pass(DAY_MS)
    const [opening] = readOpenings((await spin(link)).body, 'the answer')
    const { pepperSource } = first.body
    const seen = { seenAt: acceptedAt, acceptedAt: first.body.acceptedAt, pepperSource }
    const checks = verifyOpening(opening!, seen)
    expect(checks).toHaveLength(12)
    expect(checks.filter(({ holds }) => !holds)).toEqual([])
  })

  it('is rolled although the lootbox has been switched off since it was taken', async () => {
    const link = await taken(firstBeaconAfter(now()))
    expect((await spin(link)).status).toBe(202)
    pass(3_000)
    beacon = publishedBeacon
    await setVars(objectOf(link), { LOOTBOX_POOL: '' })
    await runDurableObjectAlarm(objectOf(link))
    expect((await spin(link)).body.open).toMatchObject({ label: 'Promised', prize: '7' })
  })

  it('uses the first beacon that nobody can know when the spin is taken', async () => {
    const day = lootboxDay(env, dateOf(now()))
    const claim = { wallet: alice.wallet, author: 'posts:alice', post: 'post:posts:1' }
    const spun = await runInDurableObject(day, (object) => {
      const production = { ...env, CRASH_PEPPER: 'drand-quicknet' }
      return Object.assign(object, { env: production }).takeSpin(claim)
    })
    const { pepperSource } = spun as { pepperSource: { kind: string; round: number } }
    expect(pepperSource.kind).toBe('drand-quicknet')
    expect(beaconPublishedAt(pepperSource.round)).toBeGreaterThan(now())
    expect(beaconPublishedAt(pepperSource.round - 1)).toBeLessThanOrEqual(now())
    await evictDurableObject(day)
  })

  it('cannot be taken from a day that has ended or whose lootbox is switched off', async () => {
    const claim = { wallet: alice.wallet, author: 'posts:alice', post: 'post:posts:1' }
    expect(await lootboxDay(env, dateOf(now() - DAY_MS)).takeSpin(claim)).toBeNull()
    const today = lootboxDay(env, dateOf(now()))
    await setVars(today, { LOOTBOX_POOL: '' })
    expect(await today.takeSpin(claim)).toBe('day')
  })
})
