import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { grow, play, useShortSegments } from './archive.ts'
import { Platform } from './partner.ts'
import {
  codeOf,
  endRound,
  fundedPlayer,
  get,
  openRound,
  Player,
  restart,
  useStories,
  type Answer,
} from './support.ts'

useShortSegments()
useStories()

async function activity(player: Player, query = ''): Promise<Answer> {
  return get(`/api/history?wallet=${player.wallet}&authSig=${await player.authSig()}${query}`)
}

/** A player who has been funded, has bet, played, and was debited by a partner. */
async function busyPlayer(): Promise<Player> {
  const alice = await fundedPlayer(0)
  const plan = await openRound({ min: 200, max: 600 })
  expect((await alice.bet('1000000', { autoCashout: 1.5 })).status).toBe(200)
  expect((await alice.play()).status).toBe(200)
  const spin = { partnerTransactionId: 'spin-00001' }
  expect((await new Platform().transact(alice, '-2.5', spin)).status).toBe(200)
  await endRound(plan)
  await alice.state()
  return alice
}

describe('the activity of a wallet', () => {
  it('lists everything that moved its chips, newest first, with totals', async () => {
    const alice = await busyPlayer()
    const { body } = await activity(alice)
    expect(body.entries).toMatchObject([
      { kind: 'crash', amountWei: '1000000', payout: '1500000', outcome: 'won', multiplier: 1.5 },
      { kind: 'partner', amountWei: '-2500000', partnerTransactionId: 'spin-00001' },
      { kind: 'limbo', amountWei: '1000000', nonce: 0 },
      { kind: 'deposit', amountWei: '1000000000' },
    ])
    expect(body.next).toBeNull()
    const played = BigInt(body.entries[2].payout)
    expect(body.totals.USDG).toEqual({
      wagered: '2000000',
      returned: (1_500_000n + played).toString(),
      deposited: '1000000000',
      withdrawn: '0',
      debited: '2500000',
      bets: 2,
    })
  })

  it('comes page by page, and by kind', async () => {
    const alice = await busyPlayer()
    const kinds: string[] = []
    for (let before = ''; ;) {
      const { body } = await activity(alice, `&limit=1${before}`)
      kinds.push(...body.entries.map(({ kind }: { kind: string }) => kind))
      if (body.next === null) break
      before = `&before=${body.next}`
    }
    expect(kinds).toEqual(['crash', 'partner', 'limbo', 'deposit'])
    const { body } = await activity(alice, '&kind=limbo')
    expect(body.entries).toHaveLength(1)
  })

  it('has nothing before its first entry', async () => {
    const { body } = await activity(await busyPlayer(), '&before=1')
    expect(body).toMatchObject({ entries: [], next: null })
  })

  it('is a CSV file where one is asked for', async () => {
    const alice = await busyPlayer()
    const query = `wallet=${alice.wallet}&authSig=${await alice.authSig()}`
    const { exports } = await import('cloudflare:workers')
    const file = await exports.default.fetch(
      `http://fairhouse.test/api/history?${query}&format=csv`,
    )
    expect(file.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect((await file.text()).split('\r\n')).toHaveLength(1 + 4 + 1)
  })

  it('reaches into the archive, and says so while that is down', async () => {
    const alice = await fundedPlayer(0)
    await play(alice, 45)
    await grow(alice)
    await restart()
    const seqs: number[] = []
    for (let before = ''; ;) {
      const { body } = await activity(alice, before)
      seqs.push(...body.entries.map(({ seq }: { seq: number }) => seq))
      if (body.next === null) break
      before = `&before=${body.next}`
    }
    expect(seqs).toEqual(Array.from({ length: seqs.length }, (_, n) => seqs.length - n))
    await restart()
    vi.spyOn(env.ARCHIVE, 'get').mockRejectedValue(new Error('R2 is down'))
    expect(codeOf(await activity(alice, '&before=2'))).toBe('archive_unavailable')
  })

  it('is for its player only, and empty before the first chips', async () => {
    const alice = new Player(0)
    const { body } = await activity(alice)
    expect(body).toMatchObject({ entries: [], next: null, totals: { ETH: { bets: 0 } } })
    const unsigned = await get(`/api/history?wallet=${alice.wallet}`)
    expect(codeOf(unsigned)).toBe('auth_required')
    for (const wrong of ['&limit=101', '&limit=0', '&kind=poker', '&format=xml', '&before=0']) {
      expect(codeOf(await activity(alice, wrong))).toBe('invalid_request')
    }
  })
})
