import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { flush } from '../../src/api/games/feed.ts'
import { recent, SELECTIONS } from './plays.ts'
import { fundedPlayer, pass, post, ringLedger, useStories, codeOf } from './support.ts'

useStories()

describe('the feed', () => {
  it('shows the newest plays, with everything needed to verify them', async () => {
    const alice = await fundedPlayer(0)
    const { ok: _ok, me: _me, ...first } = (await alice.play()).body
    pass(1_000)
    const { ok: _ok2, me: _me2, ...second } = (await alice.play(SELECTIONS[0])).body
    await flush(env)
    expect(await recent()).toEqual([
      { wallet: alice.wallet, ...second },
      { wallet: alice.wallet, ...first },
    ])
  })

  it('can be filtered by game and wallet, and limited in length', async () => {
    const [alice, bob] = [await fundedPlayer(0), await fundedPlayer(1)]
    for (const selection of SELECTIONS) {
      await alice.play(selection)
      pass(1)
    }
    await bob.play(SELECTIONS[0])
    await flush(env)
    expect((await recent()).length).toBe(5)
    expect((await recent({ limit: 2 })).map(({ wallet }) => wallet)).toEqual([
      bob.wallet,
      alice.wallet,
    ])
    expect((await recent({ game: 'mines' })).length).toBe(2)
    expect((await recent({ wallet: alice.wallet.toLowerCase() })).length).toBe(4)
    expect((await recent({ wallet: bob.wallet, game: 'keno' })).length).toBe(0)
    for (const fields of [{ limit: 0 }, { limit: 101 }, { game: 'dice' }, { wallet: '0x' }]) {
      const answer = await post('/api/entropy', { action: 'recent', ...fields })
      expect(codeOf(answer)).toBe('invalid_request')
    }
  })

  it('receives missed plays from the ledger, each once', async () => {
    const alice = await fundedPlayer(0)
    for (let nonce = 0; nonce < 3; nonce++) await alice.play()
    await env.HISTORY.exec('ALTER TABLE recent_plays RENAME TO away')
    await flush(env)
    await env.HISTORY.exec('ALTER TABLE away RENAME TO recent_plays')
    expect(await recent()).toEqual([])
    pass(300_000)
    await ringLedger(alice)
    expect((await recent()).length).toBe(3)
    await alice.play()
    await flush(env)
    pass(300_000)
    await ringLedger(alice)
    expect(new Set((await recent()).map(({ nonce }) => nonce))).toEqual(new Set([0, 1, 2, 3]))
    expect((await recent()).length).toBe(4)
  })

  it('receives plays that D1 rejected on the next attempt', async () => {
    const alice = await fundedPlayer(0)
    await alice.play()
    await env.HISTORY.exec('ALTER TABLE recent_plays RENAME TO away')
    await flush(env)
    await env.HISTORY.exec('ALTER TABLE away RENAME TO recent_plays')
    await flush(env)
    expect((await recent()).length).toBe(1)
  })

  it('does not block balances from reaching D1 while it is down', async () => {
    const alice = await fundedPlayer(0)
    await alice.play()
    await env.HISTORY.exec('ALTER TABLE recent_plays RENAME TO away')
    pass(300_000)
    await ringLedger(alice)
    const { results } = await env.DB.prepare('SELECT token FROM ledger_positions').all()
    await env.HISTORY.exec('ALTER TABLE away RENAME TO recent_plays')
    expect(results).toHaveLength(2)
  })

  it('refuses other actions', async () => {
    expect(codeOf(await post('/api/entropy', { action: 'roll' }))).toBe('unknown_action')
    expect(codeOf(await post('/api/entropy', {}))).toBe('invalid_request')
  })
})
