import { setTimeout as sleep } from 'node:timers/promises'
import type { LoadClient, LoadRequest, LoadResult } from './load.ts'
import type { Player } from './players.ts'
import { balance, bet, betInUsdg, cashOut, debit, fund, play, rpcCall, state } from './requests.ts'
import type { RowName } from './rows.ts'
import type { Runtime } from './runtime.ts'

/** One measurement of one row. */
export interface Sample extends LoadResult {
  row: RowName
  /** The ratio to hello-world right before and after; the row says what is compared. */
  ratio: number
  /** Bets closed or the round crashed before the row had finished, so it proves nothing. */
  outOfTime: boolean
}

const MEASURED_PLAYERS = 1_000
/** They send every kind of request first, so that its code is compiled before the measurement. */
const WARMING_PLAYERS = 600
const LONE_PLAYERS = 100
/** One extra player takes the round's only place in USDG. */
export const PLAYERS = 1 + LONE_PLAYERS + WARMING_PLAYERS + MEASURED_PLAYERS

const CONNECTIONS = 16
/** How often the session looks whether the next round has begun. */
const LOOK_AGAIN_MS = 250
const HELLO_REQUESTS = 5_000
const READ_REQUESTS = 5_000
const ALONE_REQUESTS = 100

/** The numbers of each player's measured plays; the first one is for warming up. */
const PLAYS = [1, 2, 3]

const BETTING_CLOSED = '409 betting_closed'

/** Failures of requests that came after bets had closed or the round had crashed. */
const OUT_OF_TIME = [BETTING_CLOSED, '409 already_crashed']

const HELLO: LoadRequest[] = [{ path: '/' }]
const WATCH: LoadRequest[] = [{ path: '/api/crash?action=watch' }]
const ADS: LoadRequest[] = [{ path: '/api/ad-rental' }]
const VERIFY_SEEDS: LoadRequest[] = [{ path: '/api/crash?action=verify-seeds' }]

/** How long the rounds of a session take bets. */
export const BETTING_MS = 36_000

/** Bets are placed in rounds that take bets for at least this long. It should be enough for 1,000 bets. */
const BETTING_LEFT_MS = 15_000

/** A flight ends by chance. If it ends during the measured cash-outs, the next round takes over, up to this many. */
const MAX_ROUNDS = 6

/** How many players are warmed up in one round, at least. */
const WARMED_AT_ONCE = 250

/**
 * Measures every row once, on a Worker that has just started. Every bet and cash-out names its round. The
 * session waits for the next round if the current one has too little time left.
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
    for (const some of inParts(others, WARMED_AT_ONCE)) {
      if (first) await this.#prepareInRound((roundId) => [betInUsdg(roundId)(first)])
      await this.#prepareInRound((roundId) => some.map(betInUsdg(roundId)), ['422 payout_limit'])
    }
    for (const some of inParts(warming, WARMED_AT_ONCE)) {
      await this.#prepareInRound((roundId) => some.map(bet(roundId)))
    }
    await this.#compareInRound('bet', async (roundId) => players.map(bet(roundId)))
    const loneBets = lone.map(bet(await this.#bettingRound()))
    await this.#compareAlone('alone', loneBets, { url: this.#runtime.hello, requests: HELLO })
    await this.#prepare([...warming.map(play(0)), ...players.map(play(0))])
    const plays = PLAYS.flatMap((nonce) => players.map(play(nonce)))
    await this.#compare('play', plays, plays.length)
    await this.#compare('watch', WATCH, READ_REQUESTS)
    await this.#compare('state', players.map(state), READ_REQUESTS)
    await this.#compareInRound('cashout', async () => {
      // Players who have a bet in this round repeat it, which changes nothing.
      const roundId = await this.#prepareInRound((id) => [...lone, ...players].map(bet(id)))
      await this.#takeOff()
      await this.#prepare(lone.map(cashOut(roundId)), ['409 already_crashed'])
      return players.map(cashOut(roundId))
    })
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
  async #prepare(
    requests: LoadRequest[],
    expected: string[] = [],
  ): Promise<LoadResult['failures']> {
    const { failures } = await this.#client.run({
      url: this.#runtime.worker,
      connections: Math.min(CONNECTIONS, requests.length),
      amount: requests.length,
      requests,
    })
    if (!areAll(failures, expected))
      throw new Error(`a preparation failed: ${JSON.stringify(failures)}`)
    this.#hello = null
    return failures
  }

  /**
   * Places bets without measuring them, again in the next round if they were too slow for one. Returns the round that
   * has them.
   */
  async #prepareInRound(
    betsIn: (roundId: number) => LoadRequest[],
    expected: string[] = [],
  ): Promise<number> {
    for (let rounds = 1; ; rounds++) {
      const roundId = await this.#bettingRound()
      const late = rounds < MAX_ROUNDS ? [BETTING_CLOSED] : []
      const failures = await this.#prepare(betsIn(roundId), [...expected, ...late])
      if (!(BETTING_CLOSED in failures)) return roundId
    }
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

  /** Measures a row in one round after another, until a round was long enough for all its requests. */
  async #compareInRound(
    row: RowName,
    requestsIn: (roundId: number) => Promise<LoadRequest[]>,
  ): Promise<void> {
    for (let rounds = 1; rounds <= MAX_ROUNDS; rounds++) {
      const requests = await requestsIn(await this.#bettingRound())
      const { outOfTime } = await this.#compare(row, requests, requests.length)
      if (!outOfTime) return
    }
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
    const outOfTime =
      Object.keys(result.failures).length > 0 && areAll(result.failures, OUT_OF_TIME)
    const sample = { row, ...result, ratio, outOfTime }
    this.#samples.push(sample)
    return sample
  }

  /** Returns a round that takes bets for {@link BETTING_LEFT_MS} or more: the current one or the next. */
  async #bettingRound(): Promise<number> {
    for (;;) {
      const { roundId, phase, msLeft } = await this.#watch()
      if (phase === 'betting' && msLeft >= BETTING_LEFT_MS) return roundId
      while ((await this.#watch()).roundId === roundId) await sleep(LOOK_AGAIN_MS)
      await this.#wakeEveryone()
    }
  }

  /** Waits for take-off. */
  async #takeOff(): Promise<void> {
    const { msLeft } = await this.#watch()
    const takesOffAt = Date.now() + msLeft
    await sleep(Math.max(0, msLeft - 2_000))
    await this.#wakeEveryone()
    this.#hello = await this.#measureHello()
    await sleep(Math.max(0, takesOffAt - Date.now()))
  }

  /** Objects sleep after 10 s, so everyone reads once more after a pause. */
  async #wakeEveryone(): Promise<void> {
    await this.#prepare(this.#players.map(state))
  }

  async #watch(): Promise<{ roundId: number; phase: string; msLeft: number }> {
    const response = await fetch(new URL('/api/crash?action=watch', this.#runtime.worker))
    return response.json()
  }
}

/** How many tokens stay valid while they are sent one after the other. */
const SIGNED_AT_ONCE = 250

function inParts<T>(all: readonly T[], size: number): T[][] {
  const starts = Array.from({ length: Math.ceil(all.length / size) }, (_, part) => part * size)
  return starts.map((start) => all.slice(start, start + size))
}

/** Returns whether there are no failures but the expected ones. */
function areAll(failures: LoadResult['failures'], expected: string[]): boolean {
  return Object.keys(failures).every((failure) => expected.includes(failure))
}
