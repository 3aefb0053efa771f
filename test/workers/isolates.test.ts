import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { crashTable, treasury } from '../../src/calls/objects.ts'
import { sign, soundToken } from '../../src/certify/token.ts'
import { DEV_PARTNER } from '../../src/cli/shared/dev-partners.ts'
import type { VaultConfig } from '../../src/config/config.ts'
import { flightMs } from '../../src/crash/curve.ts'
import { SNAPSHOT_MS, type Snapshot } from '../../src/crash/state.ts'
import { startIsolate, type Isolate } from './isolate.ts'
import { answering, CHAIN_ID, ONE, playUpstreams, rpc, TWO } from './rpc-support.ts'
import {
  fundedPlayer,
  openRound,
  pass,
  Player,
  secretsOf,
  setTime,
  useStories,
  codeOf,
} from './support.ts'
import { fireTimersAtOnce } from './timers.ts'

useStories()

/** Two isolates that share only the objects and the databases. */
const twoIsolates = async () => [await startIsolate(), await startIsolate()] as const

async function act(isolate: Isolate, player: Player, action: string, fields: object = {}) {
  const { wallet } = player
  return isolate.post('/api/crash', { action, wallet, authSig: await player.authSig(), ...fields })
}

const bet = (isolate: Isolate, player: Player, amountWei: string) =>
  act(isolate, player, 'bet', { token: 'USDG', amountWei })

describe('the last round seen by an isolate', () => {
  /** Alice wins a round through one isolate and bets in the next round through another. */
  async function wonThenBetElsewhere() {
    const [first, second] = await twoIsolates()
    const alice = await fundedPlayer(0)
    const won = await openRound({ min: 200, max: 300 })
    await first.watch()
    await bet(first, alice, '100000000')
    setTime(won.flightAt + 5_000)
    const win = await act(first, alice, 'cashout')
    expect(win.body).toMatchObject({ roundId: won.roundId, multiplier: 1.34 })
    setTime(won.flightAt + flightMs(300) + won.resultsMs)
    const live = await openRound({ min: 300 })
    expect(live.roundId).toBe(won.roundId + 1)
    await bet(second, alice, '50000000')
    setTime(live.flightAt + 11_553)
    return { first, second, alice, won, live, win }
  }

  it('does not answer a cash-out with its win while the current round’s bet is live', async () => {
    const { first, alice, live } = await wonThenBetElsewhere()
    const { body } = await act(first, alice, 'cashout')
    expect(body).toMatchObject({ roundId: live.roundId, multiplier: 2, payout: '100000000' })
    expect(await alice.chips()).toBe('1084000000')
  })

  it('answers a repeated cash-out of the current round like the first, through every isolate', async () => {
    const { first, second, alice } = await wonThenBetElsewhere()
    const { body } = await act(first, alice, 'cashout')
    pass(500)
    for (const isolate of [first, second]) {
      expect((await act(isolate, alice, 'cashout')).body).toEqual(body)
    }
  })

  it('answers a cash-out that names the earlier round with its win', async () => {
    const { first, second, alice, won, win } = await wonThenBetElsewhere()
    for (const isolate of [first, second]) {
      const { body } = await act(isolate, alice, 'cashout', { roundId: won.roundId })
      expect(body).toMatchObject({ ...win.body, me: { openBet: { amountWei: '50000000' } } })
    }
  })

  it('refuses a winner of the earlier round without a bet in the current one', async () => {
    const { first, second } = await wonThenBetElsewhere()
    const bob = await fundedPlayer(1)
    setTime((await first.watch()).serverTime + 3_600_000)
    const won = await openRound({ min: 200, max: 300 })
    await first.watch()
    await bet(first, bob, '1000000')
    setTime(won.flightAt + 1_000)
    await act(first, bob, 'cashout')
    setTime(won.flightAt + flightMs(300) + won.resultsMs)
    await second.watch()
    for (const isolate of [first, second]) {
      expect(codeOf(await act(isolate, bob, 'cashout'))).toBe('no_open_bet')
    }
  })

  it('accepts no bet if it has ended elsewhere', async () => {
    const [first, second] = await twoIsolates()
    const alice = await fundedPlayer(0)
    const plan = await openRound({ max: 300 })
    await first.watch()
    setTime(plan.flightAt + flightMs(300) + plan.resultsMs)
    await second.watch()
    const { body } = await bet(first, alice, '1000000')
    expect(body).toMatchObject({ ok: true, roundId: plan.roundId + 1 })
  })
})

describe('the table state cached by an isolate', () => {
  it('is at most 250 ms behind the state shown by another isolate', async () => {
    const [first, second] = await twoIsolates()
    const plan = await openRound({ min: 200, max: 300 })
    const { crash } = await secretsOf(plan.roundId)
    setTime(plan.flightAt + flightMs(crash) - 1)
    expect(await first.watch()).toMatchObject({ phase: 'flight' })
    pass(1)
    expect(await second.watch()).toMatchObject({ phase: 'results', crashPoint: crash / 100 })
    pass(SNAPSHOT_MS)
    const shown = await first.watch()
    expect(shown).toEqual(await second.watch())
    expect(shown.history[0]).toEqual({ roundId: plan.roundId, crash: crash / 100 })
  })

  it('does not return to an earlier round whose clock was ahead', async () => {
    const isolate = await startIsolate()
    const plan = await openRound()
    const snapshot = await crashTable(env).snapshot()
    const asked: ((answer: Snapshot) => void)[] = []
    const table = { snapshot: () => new Promise<Snapshot>((resolve) => asked.push(resolve)) }
    const slowTable = { ...env, CRASH_TABLE: { getByName: () => table } } as unknown as Env
    const early = isolate.currentSnapshot(slowTable)
    await vi.waitFor(() => expect(asked).toHaveLength(1))
    // By then the first call counts as lost.
    pass(500)
    const late = isolate.currentSnapshot(slowTable)
    await vi.waitFor(() => expect(asked).toHaveLength(2))
    asked[1]?.({ ...snapshot, plan: { ...plan, roundId: plan.roundId + 1 } })
    expect((await late).snapshot.plan.roundId).toBe(plan.roundId + 1)
    asked[0]?.({ ...snapshot, asOf: snapshot.asOf + 1_000 })
    expect((await early).snapshot.plan.roundId).toBe(plan.roundId + 1)
  })

  describe('while the table is slow', () => {
    /** Requests of one isolate, and the calls to the table that they make, which the test answers. */
    async function slowly() {
      const isolate = await startIsolate()
      await openRound()
      const snapshot = { ...(await crashTable(env).snapshot()), stage: 'flight' as const }
      const calls: { answer: (snapshot: Snapshot) => void; fail: (fault: Error) => void }[] = []
      const asked = () =>
        new Promise<Snapshot>((answer, fail) => {
          calls.push({ answer, fail })
        })
      const table = { getByName: () => ({ snapshot: asked }) }
      const slowTable = { ...env, CRASH_TABLE: table } as unknown as Env
      return { snapshot, calls, read: () => isolate.currentSnapshot(slowTable) }
    }

    it('costs one call at a time, however many requests want it', async () => {
      const { snapshot, calls, read } = await slowly()
      const first = read()
      await vi.waitFor(() => expect(calls).toHaveLength(1))
      pass(300)
      const others = Array.from({ length: 20 }, read)
      expect(calls).toHaveLength(1)
      calls[0]?.answer(snapshot)
      await first
      // What the first call read may have been old when the others asked.
      await vi.waitFor(() => expect(calls).toHaveLength(2))
      calls[1]?.answer(snapshot)
      expect(new Set(await Promise.all(others)).size).toBe(1)
      expect(calls).toHaveLength(2)
    })

    it('fails with the call that all wait for', async () => {
      const { calls, read } = await slowly()
      const outcomes = Promise.allSettled(Array.from({ length: 20 }, read))
      await vi.waitFor(() => expect(calls).toHaveLength(1))
      calls[0]?.fail(new Error('overloaded'))
      await vi.waitFor(() => expect(calls).toHaveLength(2))
      calls[1]?.fail(new Error('overloaded'))
      expect((await outcomes).every(({ status }) => status === 'rejected')).toBe(true)
      expect(calls).toHaveLength(2)
    })
  })

  it('is rendered for each moment, with each caller’s wallet', async () => {
    const [first, second] = await twoIsolates()
    const [alice, bob] = [await fundedPlayer(0), await fundedPlayer(1)]
    await openRound()
    await bet(first, alice, '1000000')
    for (const isolate of [first, second]) {
      const before = await isolate.state(alice)
      expect(before.me.openBet).toMatchObject({ amountWei: '1000000' })
      expect((await isolate.state(bob)).me.openBet).toBeNull()
      pass(10)
      expect((await isolate.watch()).serverTime).toBe(before.serverTime + 10)
    }
  })
})

describe('the disclosure cached by an isolate', () => {
  it('includes a round as soon as that isolate shows its results', async () => {
    const [first, second] = await twoIsolates()
    const alice = await fundedPlayer(0)
    const plan = await openRound({ min: 200, max: 300 })
    await bet(first, alice, '1000000')
    const { crash } = await secretsOf(plan.roundId)
    setTime(plan.flightAt + flightMs(crash) - 1)
    const disclosed = async (isolate: Isolate) =>
      (await isolate.call('/api/crash/verify-seeds')).body.rounds
    for (const isolate of [first, second]) expect(await disclosed(isolate)).toEqual([])
    pass(1)
    await second.watch()
    pass(SNAPSHOT_MS)
    for (const isolate of [first, second]) {
      expect(await isolate.watch()).toMatchObject({ phase: 'results' })
      expect(await disclosed(isolate)).toMatchObject([{ roundId: plan.roundId }])
    }
  })
})

describe('a signature verified by an isolate', () => {
  it('of a key expires with its window in every isolate', async () => {
    const [first, second] = await twoIsolates()
    const alice = new Player(0)
    const authSig = await alice.authSig()
    const read = (isolate: Isolate) =>
      isolate.call(`/api/crash?wallet=${alice.wallet}&authSig=${authSig}`)
    expect((await read(first)).status).toBe(200)
    expect(first.knownSignature(alice.wallet, authSig, Date.now())).toBe('valid')
    expect(second.knownSignature(alice.wallet, authSig, Date.now())).toBeNull()
    pass(2 * 86_400_000)
    for (const isolate of [first, second]) {
      expect(codeOf(await read(isolate))).toBe('auth_invalid')
    }
  })

  it('of a contract wallet that is revoked expires within a minute in every isolate', async () => {
    const [first, second] = await twoIsolates()
    const { wallet } = new Player(0)
    const authSig = `0x${'5e'.repeat(70)}`
    let isOwner = true
    playUpstreams({
      'http://chain.test/': ({ method }) =>
        method === 'eth_call' ? (isOwner ? '0x01' : '0x00') : undefined,
    })
    const read = (isolate: Isolate) =>
      isolate.call(`/api/crash?wallet=${wallet}&authSig=${authSig}`, undefined, {
        CHAIN_RPC_URL: 'http://chain.test/',
      })
    for (const isolate of [first, second]) expect((await read(isolate)).status).toBe(200)
    isOwner = false
    pass(60_000)
    for (const isolate of [first, second]) {
      expect(codeOf(await read(isolate))).toBe('auth_invalid')
    }
  })

  it('is valid only for its own wallet', async () => {
    const isolate = await startIsolate()
    const [alice, bob] = [new Player(0), new Player(1)]
    const authSig = await alice.authSig()
    await isolate.state(alice)
    expect(codeOf(await isolate.call(`/api/crash?wallet=${bob.wallet}&authSig=${authSig}`))).toBe(
      'auth_invalid',
    )
  })
})

describe('a partner’s key imported by an isolate', () => {
  it('lets a token be used once, whichever isolate it reaches', async () => {
    const [first, second] = await twoIsolates()
    const { wallet } = new Player(0)
    const [body, other] = ['one', 'other'].map((partnerTransactionId) => ({
      playerId: wallet,
      currency: 'USDG',
      partnerTransactionId,
      amount: 1,
    })) as [object, object]
    const token = soundToken(DEV_PARTNER, JSON.stringify(body))
    const send = (isolate: Isolate, sent: object) => {
      const { bodyHash: _, ...claims } = token.claims
      const authorization = `Bearer ${sign({ ...token, claims })}`
      return isolate.post('/api/wallet/transaction', sent, { authorization })
    }
    const { text } = await send(first, body)
    expect(text).toContain('"balance":1')
    expect((await send(second, body)).text).toBe(text)
    expect(codeOf(await send(second, other))).toBe('token_replayed')
    pass(30_000)
    for (const isolate of [first, second]) {
      expect(codeOf(await send(isolate, body))).toBe('token_expired')
    }
  })
})

const VAULT = '0x00000000000000000000000000000000000000A1'
const CHAINED = {
  VAULT_ADDRESS: VAULT,
  USDG_ADDRESS: '0x00000000000000000000000000000000000000a2',
  CHAIN_RPC_URL: 'http://chain.test',
  RELAYER_PRIVATE_KEY: `0x${'11'.repeat(32)}`,
}

describe('the limits computed by an isolate', () => {
  const count = (USDG: bigint) =>
    runInDurableObject(treasury(env, `31337:${VAULT}`), (_, { storage }) => {
      const amounts = { ETH: 10n ** 24n, USDG }
      for (const [token, amountWei] of Object.entries(amounts)) {
        storage.sql.exec(
          `INSERT OR REPLACE INTO bankroll
             (token, amount_wei, owed_wei, result_wei, wallets, counted_at, first_counted_at)
           VALUES (?1, ?2, '0', '0', 1, ?3, ?3)`,
          token,
          amountWei.toString(),
          Date.now(),
        )
      }
    })
  const shown = async (isolate: Isolate) => {
    const { body } = await isolate.call('/api/entropy', undefined, CHAINED)
    return [body.bankroll.amounts.USDG, body.maxPayout.USDG]
  }

  it('follow a new bankroll count within fifteen seconds', async () => {
    const [first, second] = await twoIsolates()
    await count(10_000_000_000n)
    expect(await shown(first)).toEqual(['10000000000', '100000000'])
    await count(5_000_000_000n)
    expect(await shown(second)).toEqual(['5000000000', '50000000'])
    pass(15_000)
    for (const isolate of [first, second]) {
      expect(await shown(isolate)).toEqual(['5000000000', '50000000'])
    }
  })

  it('follow the last bankroll count while the treasury does not answer', async () => {
    const isolate = await startIsolate()
    await count(10_000_000_000n)
    await shown(isolate)
    pass(15_000)
    vi.spyOn(console, 'error').mockImplementation(() => {})
    fireTimersAtOnce(2_000)
    const silent = { bankroll: () => new Promise(() => {}) }
    const vars = { ...env, ...CHAINED, TREASURY: { getByName: () => silent } }
    const bankroll = await isolate.currentBankroll(vars as unknown as Env)
    expect(bankroll?.amounts.USDG).toBe(10_000_000_000n)
  })

  it('belong to the requested vault', async () => {
    const isolate = await startIsolate()
    await count(10_000_000_000n)
    await shown(isolate)
    const another = { ...CHAINED, VAULT_ADDRESS: '0x00000000000000000000000000000000000000A3' }
    const { body } = await isolate.call('/api/entropy', undefined, another)
    expect(body.bankroll.amounts.USDG).toBe('0')
  })
})

describe('the chain status cached by an isolate', () => {
  const seen = { gasPriceWei: '7', isPaused: false, at: 0 }
  const relayer = { conditions: async () => ({ ...seen }) }
  const chained = { ...env, ...CHAINED, RELAYER: { getByName: () => relayer } } as unknown as Env
  const known = async ({ currentConditions }: Isolate) => {
    const conditions = await currentConditions(chained)
    return conditions && [conditions.gasPriceWei, conditions.isPaused]
  }

  it('is at most fifteen seconds older than the relayer’s, and unknown after ten minutes', async () => {
    const [first, second] = await twoIsolates()
    seen.at = Date.now()
    expect(await known(first)).toEqual([7n, false])
    seen.isPaused = true
    expect(await known(second)).toEqual([7n, true])
    expect(await known(first)).toEqual([7n, false])
    pass(15_000)
    expect(await known(first)).toEqual([7n, true])
    pass(600_000)
    for (const isolate of [first, second]) expect(await known(isolate)).toBeNull()
  })

  it('leaves the table’s state as young as ever while the relayer is slow', async () => {
    const isolate = await startIsolate()
    const { flightAt } = await openRound({ min: 300 })
    setTime(flightAt + 1_000)
    let answer = () => {}
    const answered = new Promise<void>((resolve) => (answer = resolve))
    const conditions = vi.fn(() => answered.then(() => ({ ...seen, at: Date.now() })))
    const slow = { ...chained, RELAYER: { getByName: () => ({ conditions }) } } as unknown as Env
    const reading = isolate.currentSnapshot(slow)
    await vi.waitFor(() => expect(conditions).toHaveBeenCalled())
    // An earlier call to the table has been answered after this one.
    await crashTable(env).snapshot()
    pass(900)
    answer()
    expect((await reading).snapshot.asOf).toBe(flightAt + 1_900)
  })

  it('holds up nobody who needs the table while the relayer is silent', async () => {
    const isolate = await startIsolate()
    const { roundId } = await openRound()
    vi.spyOn(console, 'error').mockImplementation(() => {})
    fireTimersAtOnce()
    const silent = { conditions: () => new Promise(() => {}) }
    const silenced = { ...chained, RELAYER: { getByName: () => silent } } as unknown as Env
    const { snapshot } = await isolate.currentSnapshot(silenced)
    expect(snapshot.plan.roundId).toBe(roundId)
  })
})

describe('a vault scan', () => {
  it('is reused by its isolate for less than a second, if it was complete', async () => {
    const [first, second] = await twoIsolates()
    const asked: (string | undefined)[] = []
    let isCurrent = true
    const watch = {
      catchUp: async (account?: string) => (asked.push(account), isCurrent),
      undelivered: async () => null,
    }
    const watched = { ...env, VAULT_WATCH: { getByName: () => watch } } as unknown as Env
    const vault = { id: '31337:vault' } as VaultConfig
    const look = ({ catchUp }: Isolate) => catchUp(watched, vault, 'alice')
    expect([await look(first), await look(first), await look(second)]).toEqual([true, true, true])
    expect(asked).toEqual([undefined, undefined])
    isCurrent = false
    pass(900)
    expect([await look(first), await look(second)]).toEqual([false, false])
    expect([await look(first), await look(second)]).toEqual([false, false])
    // Another wallet may be what is missing.
    const each = [undefined, 'alice']
    expect(asked.slice(2)).toEqual([...each, ...each, 'alice', 'alice'])
  })
})

describe('the plays collected by an isolate', () => {
  it('reach the feed from every isolate, each once', async () => {
    const isolates = await twoIsolates()
    const alice = await fundedPlayer(0)
    const play = async (isolate: Isolate, nonce: number) => {
      const { wallet } = alice
      return isolate.post('/api/entropy', {
        action: 'play',
        game: 'limbo',
        token: 'USDG',
        amountWei: '1000000',
        nonce,
        wallet,
        params: { target: 2 },
        clientSeed: 'mine',
        authSig: await alice.authSig(),
      })
    }
    const answers = []
    for (const [nonce, isolate] of isolates.entries()) answers.push(await play(isolate, nonce))
    // The same play again, through the other isolate.
    for (const [nonce, isolate] of isolates.toReversed().entries()) await play(isolate, nonce)
    for (const isolate of isolates) {
      const { body } = await isolate.post('/api/entropy', { action: 'recent' })
      const nonces = body.recent.map((told: { nonce: number }) => told.nonce)
      expect(nonces).toEqual([1, 0])
    }
    expect(answers.map(({ body }) => body.nonce)).toEqual([0, 1])
  })
})

describe('an isolate’s record of upstreams', () => {
  const vars = { RPC_UPSTREAMS: { [CHAIN_ID]: [ONE, TWO] } }
  const ask = (isolate: Isolate, method: string, params: unknown[] = []) =>
    isolate.call('/api/rpc', { method: 'POST', body: JSON.stringify(rpc(method, params)) }, vars)

  it('changes their order, but no answer', async () => {
    const [first, second] = await twoIsolates()
    let isDown = true
    const asked = playUpstreams({
      [ONE]: answering('eth_blockNumber', () => (isDown ? new Response('no') : '0x2')),
      [TWO]: answering('eth_blockNumber', () => '0x2'),
    })
    expect((await ask(first, 'eth_blockNumber')).body.result).toBe('0x2')
    isDown = false
    asked.length = 0
    expect((await ask(first, 'eth_blockNumber')).body.result).toBe('0x2')
    expect((await ask(second, 'eth_blockNumber')).body.result).toBe('0x2')
    expect(
      asked.filter(({ method }) => method === 'eth_blockNumber').map(({ url }) => url),
    ).toEqual([TWO, ONE])
  })

  it('keeps blocks by hash, and nothing that a reorganisation could change', async () => {
    const [first, second] = await twoIsolates()
    const hash = `0x${'cd'.repeat(32)}`
    let number = '0x1'
    playUpstreams({
      [ONE]: ({ method }) =>
        method === 'eth_getBlockByHash'
          ? { hash }
          : method === 'eth_blockNumber'
            ? number
            : undefined,
    })
    for (const isolate of [first, second]) {
      expect((await ask(isolate, 'eth_blockNumber')).body.result).toBe(number)
      expect((await ask(isolate, 'eth_getBlockByHash', [hash, false])).body.result).toEqual({
        hash,
      })
      number = '0x2'
    }
    expect((await ask(first, 'eth_blockNumber')).body.result).toBe('0x2')
  })
})
