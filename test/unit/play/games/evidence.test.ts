import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ErrorCode } from '../../../../src/core/refusal.ts'
import { commitmentOf } from '../../../../src/fairness/seed.ts'
import type { PayTerms } from '../../../../src/games/game.ts'
import type { Selection } from '../../../../src/games/games.ts'
import { settle } from '../../../../src/games/play.ts'
import type { Unit } from '../../../../src/money/token.ts'
import { isFailure } from '../../../../src/play/api.ts'
import type { PlayDraft } from '../../../../src/play/games/desk.ts'
import type { Proof } from '../../../../src/play/verify/proof.ts'
import { inBrowser } from '../in-browser.ts'

const WALLET = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const SEED = 'aa'.repeat(32)
const OTHER = 'bb'.repeat(32)
const MAX_PAYOUT = { ETH: '0', USDG: '500000000000' }
const CONFIG = { edgeBps: 100, tables: 1, terms: { hash: 'terms' }, maxPayout: MAX_PAYOUT }

const LIMBO: Selection = { game: 'limbo', params: { target: 101 } }
const KENO: Selection = { game: 'keno', params: { picks: [1, 2, 3], risk: 'low' } }
const ORDER: PlayDraft = { selection: LIMBO, token: 'USDG', amountWei: 1_000_000n }

/** What the house settles. */
interface Settled extends PayTerms {
  selection: Selection
  token: Unit
  amountWei: bigint
  seed: string
  clientSeed: string
  nonce: number
}

type Sent = Record<string, unknown> & { action: string; clientSeed: string }
type House = (sent: Sent) => object

let page: Awaited<ReturnType<typeof loadPage>>
/** The house's answer to the last play. */
let disclosed: object
let shownSeed: string
let stored: Map<string, string>

async function loadPage() {
  const { session } = await import('../../../../src/play/session.ts')
  const desk = await import('../../../../src/play/games/desk.ts')
  const hand = await import('../../../../src/play/games/mines/hand.ts')
  const { provePlay } = await import('../../../../src/play/verify/play.ts')
  return { session, ...desk, ...hand, provePlay }
}

beforeEach(async () => {
  stored = inBrowser()
  vi.useFakeTimers()
  await openPage()
  shownSeed = SEED
})

async function openPage(): Promise<void> {
  page = await loadPage()
  page.session.patch({ player: { wallet: WALLET, authSig: '0x' }, credentials: null })
}

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

function settledBy(told: Settled): object {
  const { selection, token, amountWei, seed, clientSeed, nonce } = told
  const draw = { seed, seedHash: commitmentOf(seed), clientSeed, nonce }
  const play = settle(selection, { token, amountWei }, draw, told)
  const answer = { ok: true, ...play, nextSeedHash: commitmentOf('cc'.repeat(32)), settledAt: 1 }
  disclosed = { wallet: WALLET, ...answer }
  return { ...answer, me: { chips: { ETH: '0', USDG: '0' } } }
}

/** Settles as asked for, but for some changes. */
const settling =
  (changes: Partial<Settled> = {}, order = ORDER): House =>
  ({ clientSeed }) =>
    settledBy({ ...order, ...CONFIG, seed: SEED, clientSeed, nonce: 0, ...changes })

/** Sits down at a house that answers plays and steps like this. */
async function sitDownAt(house: House): Promise<void> {
  vi.stubGlobal('fetch', async (path: string, { body }: { body?: string } = {}) => {
    const sent = JSON.parse(body ?? 'null') as Sent | null
    if (sent?.action === 'recent') return Response.json({ ok: true, recent: [] })
    if (sent) return Response.json(house(sent))
    if (path.includes('action=play')) return Response.json(disclosed)
    const fairness = { nonce: 0, seedHash: commitmentOf(shownSeed) }
    return Response.json({ ...CONFIG, fairness })
  })
  await page.sitDown()
}

async function proven(nonce = '0'): Promise<Proof> {
  const proof = await page.provePlay(WALLET, nonce)
  if (isFailure(proof)) throw new Error(proof.error.message)
  return proof
}

async function claimsBroken(nonce = '0'): Promise<string[]> {
  const proof = await proven(nonce)
  return proof.checks.filter(({ holds }) => !holds).map(({ claim }) => claim)
}

const refusing =
  (code: ErrorCode): House =>
  () => ({ ok: false, error: { code, message: '' } })

const CHOICE = 'its choice and stake are the ones you sent'

describe('a play on the page', () => {
  it.each<[string, Selection]>([
    ['limbo', LIMBO],
    ['keno', KENO],
    ['mines', { game: 'mines', params: { mines: 3, picked: [7, 1] } }],
    ['plinko', { game: 'plinko', params: { risk: 'low', rows: 12 } }],
  ])('of %s verifies if it is settled as asked for', async (_game, selection) => {
    const order = { ...ORDER, selection }
    await sitDownAt(settling({}, order))
    await page.play(order)
    expect(page.desk.value.problem).toBeNull()
    expect(await claimsBroken()).toEqual([])
  })

  it.each<[string, Partial<Settled>, string]>([
    ['choice', { selection: { game: 'limbo', params: { target: 9_900 } } }, CHOICE],
    ['game', { selection: { game: 'mines', params: { mines: 24, picked: [0] } } }, CHOICE],
    ['amount', { amountWei: 2_000_000n }, CHOICE],
    ['token', { token: 'ETH' }, CHOICE],
    ['edge', { edgeBps: 200 }, 'its house edge is the one shown before, 1%'],
    ['client seed', { clientSeed: 'of the house' }, 'its client seed is the one you sent'],
    ['seed', { seed: OTHER }, 'its seed hash is the one you saw before you played'],
  ])(
    'is caught at once and in its proof if another %s is settled',
    async (_what, change, claim) => {
      await sitDownAt(settling(change))
      await page.play(ORDER)
      expect(page.desk.value.problem?.message).toContain(claim)
      expect(await claimsBroken()).toContain(claim)
    },
  )

  it('is caught if it is paid by other pay tables than those shown', async () => {
    const order = { ...ORDER, selection: KENO }
    await sitDownAt((sent) => {
      const answer = settling({}, order)(sent)
      disclosed = { ...disclosed, tables: 2 }
      return { ...answer, tables: 2 }
    })
    await page.play(order)
    expect(page.desk.value.problem?.message).toContain('pay tables')
    expect(await claimsBroken()).toEqual(['this page can compute it'])
    expect((await proven()).note).toContain('reload it')
  })

  it('is not sent if the house pays by other pay tables than the page shows', async () => {
    const house = vi.fn<House>(settling())
    await sitDownAt(house)
    page.desk.patch({ config: { ...CONFIG, tables: 2 } as never })
    await page.play({ ...ORDER, selection: KENO })
    expect(house).not.toHaveBeenCalled()
    expect(page.desk.value).toMatchObject({ isPlaying: false, shown: null })
    expect(page.desk.value.problem?.message).toContain('Reload the page')
    await page.play(ORDER)
    expect(house).toHaveBeenCalledOnce()
  })

  it('is caught if another number is settled', async () => {
    await sitDownAt(settling({ nonce: 1 }))
    await page.play(ORDER)
    expect(page.desk.value.problem?.message).toContain('it is play 0')
  })

  it('verifies if an earlier request of its number was settled, whose answer was lost', async () => {
    const first = { ...ORDER, selection: KENO }
    await sitDownAt((sent) => {
      settling({}, first)(sent)
      throw new TypeError('no network')
    })
    await page.play(first)
    await sitDownAt(refusing('idempotency_conflict'))
    await page.play(ORDER)
    expect(await claimsBroken()).toEqual([])
  })

  it.each<[string, House]>([
    ['whose answer was lost', () => expect.fail('no network')],
    ['that was refused', refusing('terms_changed')],
  ])('has the client seed of a request %s, even after a reload', async (_what, house) => {
    const sent: string[] = []
    const noting: House = (request) => (sent.push(request.clientSeed), house(request))
    await sitDownAt(noting)
    await page.play(ORDER)
    vi.resetModules()
    await openPage()
    await sitDownAt(noting)
    await page.play(ORDER)
    expect(sent.length).toBeGreaterThan(1)
    expect(new Set(sent).size).toBe(1)
  })

  it('has a client seed of its own under another commitment', async () => {
    const sent: string[] = []
    const noting: House = ({ clientSeed }) => (sent.push(clientSeed), expect.fail('no network'))
    await sitDownAt(noting)
    await page.play(ORDER)
    shownSeed = OTHER
    vi.resetModules()
    await openPage()
    await sitDownAt(noting)
    await page.play(ORDER)
    expect(new Set(sent).size).toBe(2)
  })

  it('is caught under another seed than the one shown before a request that was refused', async () => {
    await sitDownAt(refusing('terms_changed'))
    await page.play(ORDER)
    shownSeed = OTHER
    await sitDownAt(settling({ seed: OTHER }))
    expect(page.desk.value.problem?.message).toContain('The seed hash of play 0')
    await page.play(ORDER)
    expect(await claimsBroken()).toEqual(['its seed hash is the one you saw before you played'])
  })

  it('is not offered silently under another seed than the one shown before', async () => {
    await sitDownAt(settling())
    page.followCommitment({ nonce: 0, seedHash: commitmentOf(OTHER) })
    expect(page.desk.value.problem?.message).toContain('The seed hash of play 0')
  })

  it('of mines is caught if another tile is played than the one picked', async () => {
    const stake = { token: ORDER.token, amountWei: ORDER.amountWei }
    const game = {
      nonce: 0,
      mines: 3,
      picked: [],
      multiplier: 1,
      next: 1,
      payout: '1',
      token: 'USDG',
    }
    const me = { chips: { ETH: '0', USDG: '0' } }
    const lost: Selection = { game: 'mines', params: { mines: 3, picked: [9] } }
    let clientSeed = ''
    await sitDownAt((sent) => {
      if (sent.action === 'mines-open') ({ clientSeed } = sent)
      const { me: _me, ...play } = settling({ clientSeed, selection: lost })(sent) as { me: object }
      return sent.action === 'mines-open'
        ? { ok: true, game, me }
        : { ok: true, hit: true, game, me, play }
    })
    await page.openGame(3, stake)
    await page.pickTile(4)
    expect(page.desk.value.problem?.message).toContain(CHOICE)
    expect(await claimsBroken()).toContain(CHOICE)
  })
})

describe('a number that the wallet played on another device', () => {
  const ELSEWHERE = { clientSeed: 'of the phone', amountWei: 3_000_000n }
  const PLAYED = expect.stringContaining('Another device or tab played this number.')
  const SENT = 'its client seed is the one you sent'

  /** Plays the number elsewhere once the page has asked for it. */
  function playElsewhere(changes: Partial<Settled> = {}): void {
    settling({ ...ELSEWHERE, ...changes })({ action: 'play', clientSeed: '' })
  }

  it.each<ErrorCode>(['nonce_mismatch', 'idempotency_conflict', 'game_open', 'terms_changed'])(
    'verifies with a note if the house refused the page’s request: %s',
    async (code) => {
      await sitDownAt(refusing(code))
      await page.play(ORDER)
      playElsewhere()
      expect(await claimsBroken()).toEqual([])
      expect((await proven()).note).toEqual(PLAYED)
    },
  )

  it('verifies even if the player left before the refusal arrived', async () => {
    await sitDownAt((sent) => {
      page.session.patch({ player: null })
      return refusing('nonce_mismatch')(sent)
    })
    await page.play(ORDER)
    playElsewhere()
    expect(await claimsBroken()).toEqual([])
  })

  it('is still held to the seed hash shown before', async () => {
    await sitDownAt(refusing('nonce_mismatch'))
    await page.play(ORDER)
    playElsewhere({ seed: OTHER })
    expect(await claimsBroken()).toEqual(['its seed hash is the one you saw before you played'])
  })

  it('is held to what was sent if the house may have taken any request', async () => {
    await sitDownAt(refusing('internal'))
    await page.play(ORDER)
    await sitDownAt(refusing('nonce_mismatch'))
    await page.play({ ...ORDER, selection: KENO })
    playElsewhere()
    expect(await claimsBroken()).toContain(SENT)
  })

  it('is held to what was sent if no answer arrived', async () => {
    await sitDownAt(() => {
      throw new TypeError('no network')
    })
    await page.play(ORDER)
    playElsewhere()
    expect(await claimsBroken()).toContain(SENT)
    expect((await proven()).note).toBeUndefined()
  })

  it('is held to a request that was refused and then taken', async () => {
    await sitDownAt(refusing('terms_changed'))
    await page.play(ORDER)
    await sitDownAt(settling({ clientSeed: 'of the house' }))
    await page.play(ORDER)
    expect(page.desk.value.problem?.message).toContain(SENT)
    expect(await claimsBroken()).toContain(SENT)
  })

  it('goes on here as a game of mines, held to its seed hash alone', async () => {
    const { amountWei } = ELSEWHERE
    const openGame = {
      nonce: 0,
      mines: 3,
      picked: [],
      multiplier: 1,
      next: 1,
      payout: '1',
      token: 'USDG',
      amountWei: String(amountWei),
      clientSeed: ELSEWHERE.clientSeed,
    }
    const lost: Selection = { game: 'mines', params: { mines: 3, picked: [4] } }
    await sitDownAt((sent) => {
      if (sent.action === 'mines-open') return refusing('game_open')(sent)
      const { me, ...play } = settling({ ...ELSEWHERE, selection: lost })(sent) as { me: object }
      return { ok: true, hit: true, game: openGame, me, play }
    })
    await page.openGame(5, { token: 'ETH', amountWei: 1n })
    page.desk.patch({ game: openGame as never, problem: null })
    await page.pickTile(4)
    expect(page.desk.value.problem).toBeNull()
    expect(await claimsBroken()).toEqual([])
    expect((await proven()).note).toEqual(PLAYED)
  })
})

describe('evidence that doesn’t fit into the browser', () => {
  const losing =
    (house: House): House =>
    (sent) => {
      house(sent)
      throw new TypeError('no network')
    }

  /** Lets the browser keep no longer text than it does now. @returns a function that makes room again */
  function fillStorage(): () => void {
    const most = Math.max(...[...stored.values()].map(({ length }) => length))
    const storing = vi.spyOn(localStorage, 'setItem').mockImplementation((key, value) => {
      if (value.length > most) throw new DOMException('Full.', 'QuotaExceededError')
      stored.set(key, value)
    })
    return () => storing.mockRestore()
  }

  /**
   * Leaves a number with one request that is kept and one that isn’t. No answer arrives. @returns as
   * {@link fillStorage}
   */
  async function playTwice(settled: Partial<Settled> = {}): Promise<() => void> {
    const second = { ...ORDER, selection: KENO }
    await sitDownAt(losing(() => ({})))
    await page.play(ORDER)
    const makeRoom = fillStorage()
    await sitDownAt(losing(settling(settled, second)))
    await page.play(second)
    return makeRoom
  }

  it('accuses nobody of a play that was settled as asked for', async () => {
    await playTwice()
    expect(await claimsBroken()).toEqual([])
  })

  it('accuses nobody even if a later request fits', async () => {
    const makeRoom = await playTwice()
    makeRoom()
    await sitDownAt(refusing('internal'))
    await page.play({ ...ORDER, amountWei: 2_000_000n })
    expect(await claimsBroken()).toEqual([])
  })

  it('still holds the house to the seed hash shown before', async () => {
    await playTwice({ seed: OTHER })
    expect(await claimsBroken()).toEqual(['its seed hash is the one you saw before you played'])
  })

  it('still holds an answer to its request', async () => {
    await playTwice()
    await sitDownAt(settling({ clientSeed: 'of the house' }))
    await page.play(ORDER)
    expect(page.desk.value.problem?.message).toContain('its client seed is the one you sent')
  })

  it('accuses nobody of another device’s play if the refusal here wasn’t kept', async () => {
    await sitDownAt((sent) => {
      fillStorage()
      return refusing('nonce_mismatch')(sent)
    })
    await page.play(ORDER)
    settling({ clientSeed: 'of the phone' })({ action: 'play', clientSeed: '' })
    expect(await claimsBroken()).toEqual([])
  })
})
