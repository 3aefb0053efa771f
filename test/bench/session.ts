import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sign, soundToken } from '../../src/certify/token.ts'
import { DEV_PARTNER } from '../../src/cli/shared/dev-partners.ts'
import type { LoadClient, LoadRequest, LoadResult } from './load.ts'
import type { Player } from './players.ts'
import type { RowName } from './rows.ts'
import type { Runtime } from './runtime.ts'

/** One measurement of one row. */
export interface Sample extends LoadResult {
  row: RowName
  /** The ratio to hello-world right before and after; the row says what is compared. */
  ratio: number
  /** Betting closed or the round crashed before the row had finished, so it proves nothing. */
  outOfTime: boolean
}

const MEASURED_PLAYERS = 1_000
/** They send every kind of request first, so that its code is compiled before the measurement. */
const WARMING_PLAYERS = 600
const LONE_PLAYERS = 100
/** One extra player takes the round's only place in USDG. */
export const PLAYERS = 1 + LONE_PLAYERS + WARMING_PLAYERS + MEASURED_PLAYERS

/** The round has room for a single bet in USDG, and for everyone's in ETH. */
export const LIMITS = {
  ETH: {
    min: '1',
    max: '100000000000000',
    maxPayout: `1${'0'.repeat(20)}`,
    maxRoundPayout: `1${'0'.repeat(24)}`,
  },
  // A bet may win a quarter of what is left: 800 / 4 / 2.00 is one bet, and then none fits.
  USDG: { min: '100', max: '100', maxPayout: '800', maxRoundPayout: '800' },
}

const CONNECTIONS = 16
const HELLO_REQUESTS = 5_000
const READ_REQUESTS = 5_000
const ALONE_REQUESTS = 100

/** The numbers of each player's measured plays; the first one is for warming up. */
const PLAYS = [1, 2, 3]

const OUT_OF_TIME = ['409 betting_closed', '409 already_crashed']

const HELLO: LoadRequest[] = [{ path: '/' }]
const WATCH: LoadRequest[] = [{ path: '/api/crash?action=watch' }]
const ADS: LoadRequest[] = [{ path: '/api/ad-rental' }]
const VERIFY_SEEDS: LoadRequest[] = [{ path: '/api/crash?action=verify-seeds' }]

/**
 * Measures every row once, on a Worker that has just started. It all happens in one round: the first
 * request opens it, players place bets and read states during betting, and they cash out right after
 * take-off.
 */
export class Session {
  readonly #client: LoadClient
  readonly #runtime: Runtime
  readonly #players: readonly Player[]
  readonly #samples: Sample[] = []
  #hello: LoadResult | null = null

  constructor(client: LoadClient, runtime: Runtime, players: readonly Player[]) {
    this.#client = client
    this.#runtime = runtime
    this.#players = players
  }

  async measure(): Promise<Sample[]> {
    const [first, ...others] = this.#players
    const lone = others.slice(0, LONE_PLAYERS)
    const warming = others.slice(LONE_PLAYERS, LONE_PLAYERS + WARMING_PLAYERS)
    const players = others.slice(-MEASURED_PLAYERS)
    await this.#prepare(this.#players.map((player) => fund(player, 'ETH')))
    await this.#prepare(this.#players.map((player) => fund(player, 'USDG')))
    await this.#prepare(warming.map(state))
    await this.#compare('first', players.map(state), players.length)
    if (first) await this.#prepare([betInUsdg(first)])
    await this.#prepare(others.map(betInUsdg), ['422 payout_limit'])
    await this.#prepare(warming.map(bet))
    const bets = await this.#compare('bet', players.map(bet), players.length)
    await this.#compareAlone('alone', lone.map(bet), { url: this.#runtime.hello, requests: HELLO })
    await this.#prepare([...warming.map(play(0)), ...players.map(play(0))])
    const plays = PLAYS.flatMap((nonce) => players.map(play(nonce)))
    await this.#compare('play', plays, plays.length)
    await this.#compare('watch', WATCH, READ_REQUESTS)
    await this.#compare('state', players.map(state), READ_REQUESTS)
    if (!bets.outOfTime) {
      await this.#takeOff()
      await this.#prepare(lone.map(cashOut))
      await this.#compare('cashout', players.map(cashOut), players.length)
    }
    await this.#compare('verify', VERIFY_SEEDS, READ_REQUESTS)
    await this.#compare('crowd', players.map(state), READ_REQUESTS, 64)
    await this.#compare('ads', ADS, READ_REQUESTS)
    const calls = Array.from({ length: ALONE_REQUESTS }, () => rpcCall('/api/rpc'))
    await this.#prepare(calls)
    const plain = { url: this.#runtime.node, requests: [rpcCall('/')] }
    await this.#compareAlone('rpc', calls, plain)
    for (const some of inParts(players, SIGNED_AT_ONCE)) await this.#prepare(some.map(debit))
    await this.#compare('transaction', players.map(debit), players.length)
    await this.#compare('balance', players.map(balance), players.length)
    return this.#samples
  }

  /** Sends requests without measuring them. */
  async #prepare(requests: LoadRequest[], expected: string[] = []): Promise<void> {
    const { failures } = await this.#client.run({
      url: this.#runtime.worker,
      connections: Math.min(CONNECTIONS, requests.length),
      amount: requests.length,
      requests,
    })
    if (!isSound(failures, expected))
      throw new Error(`a preparation failed: ${JSON.stringify(failures)}`)
    this.#hello = null
  }

  async #compare(
    row: RowName,
    requests: LoadRequest[],
    amount: number,
    connections = CONNECTIONS,
  ): Promise<Sample> {
    const before = (this.#hello ??= await this.#measureHello())
    const result = await this.#client.run({
      url: this.#runtime.worker,
      connections,
      amount,
      requests,
    })
    const after = (this.#hello = await this.#measureHello())
    this.#note('hello', after, 1)
    const helloRate = (before.perSecond + after.perSecond) / 2
    return this.#note(row, result, result.perSecond / helloRate)
  }

  /** Returns how many times as long as a plain request one takes, on one connection. */
  async #compareAlone(
    row: RowName,
    requests: LoadRequest[],
    plain: { url: string; requests: LoadRequest[] },
  ): Promise<void> {
    const alone = { connections: 1, amount: ALONE_REQUESTS }
    const before = await this.#client.run({ ...plain, ...alone })
    const measured = { connections: 1, amount: requests.length, requests }
    const result = await this.#client.run({ url: this.#runtime.worker, ...measured })
    const after = await this.#client.run({ ...plain, ...alone })
    this.#note(row, result, (2 * result.p50Ms) / (before.p50Ms + after.p50Ms))
  }

  async #measureHello(): Promise<LoadResult> {
    return this.#client.run({
      url: this.#runtime.hello,
      connections: CONNECTIONS,
      amount: HELLO_REQUESTS,
      requests: HELLO,
    })
  }

  #note(row: RowName, result: LoadResult, ratio: number): Sample {
    const outOfTime = Object.keys(result.failures).length > 0 && isSound(result.failures)
    const sample = { row, ...result, ratio, outOfTime }
    this.#samples.push(sample)
    return sample
  }

  /** Waits for take-off. Objects sleep after 10 s, so everyone reads once more shortly before. */
  async #takeOff(): Promise<void> {
    const response = await fetch(new URL('/api/crash?action=watch', this.#runtime.worker))
    const { flightAt, serverTime } = await response.json<Record<string, number>>()
    const msLeft = Math.max(0, (flightAt ?? 0) - (serverTime ?? 0))
    const takesOffAt = Date.now() + msLeft
    await sleep(Math.max(0, msLeft - 2_000))
    await this.#prepare(this.#players.map(state))
    this.#hello = await this.#measureHello()
    await sleep(Math.max(0, takesOffAt - Date.now()))
  }
}

function state({ wallet, authSig }: Player): LoadRequest {
  return { path: `/api/crash?wallet=${wallet}&authSig=${authSig}` }
}

function fund({ wallet }: Player, token: 'ETH' | 'USDG'): LoadRequest {
  return post('/api/dev/faucet', { wallet, token, amountWei: '1000000000000000' })
}

function bet({ wallet, authSig }: Player): LoadRequest {
  const amountWei = '50000000000000'
  return post('/api/crash', { action: 'bet', wallet, authSig, token: 'ETH', amountWei })
}

/**
 * A bet in USDG. The round refuses all but the first, and their ledgers refund them. That warms the
 * ledgers up like an earlier round, without waiting for one to end. See {@link LIMITS}.
 */
function betInUsdg({ wallet, authSig }: Player): LoadRequest {
  const amountWei = LIMITS.USDG.min
  return post('/api/crash', { action: 'bet', wallet, authSig, token: 'USDG', amountWei })
}

function cashOut({ wallet, authSig }: Player): LoadRequest {
  return post('/api/crash', { action: 'cashout', wallet, authSig })
}

function play(nonce: number): (player: Player) => LoadRequest {
  const stake = { game: 'limbo', params: { target: 2 }, token: 'ETH', amountWei: '50000000000000' }
  return ({ wallet, authSig }) =>
    post('/api/entropy', { action: 'play', wallet, authSig, ...stake, nonce })
}

function rpcCall(path: string): LoadRequest {
  return post(path, { jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] })
}

function balance({ wallet }: Player): LoadRequest {
  return { path: `/api/wallet/balance?playerId=${wallet}&currency=ETH`, headers: signed(null) }
}

function debit({ wallet: playerId }: Player): LoadRequest {
  const fields = { playerId, currency: 'ETH', amount: -1e-18, partnerTransactionId: randomUUID() }
  const request = post('/api/wallet/transaction', fields)
  return { ...request, headers: { ...request.headers, ...signed(request.body ?? '') } }
}

/** How many tokens stay valid while they are sent one after the other. */
const SIGNED_AT_ONCE = 250

function inParts<T>(all: readonly T[], size: number): T[][] {
  const starts = Array.from({ length: Math.ceil(all.length / size) }, (_, part) => part * size)
  return starts.map((start) => all.slice(start, start + size))
}

/** Signs a token for one call, right before it is sent, because it lives only for seconds. */
function signed(body: string | null): Record<string, string> {
  return { authorization: `Bearer ${sign(soundToken(DEV_PARTNER, body))}` }
}

function post(path: string, body: object): LoadRequest {
  const headers = { 'content-type': 'application/json' }
  return { method: 'POST', path, headers, body: JSON.stringify(body) }
}

/** Returns whether every failure was expected, or came after betting closed or the round crashed. */
function isSound(failures: LoadResult['failures'], expected: string[] = []): boolean {
  const harmless = [...OUT_OF_TIME, ...expected]
  return Object.keys(failures).every((failure) => harmless.includes(failure))
}
