import { bytesToHex } from '@noble/hashes/utils'
import {
  abortAllDurableObjects,
  evictDurableObject,
  listDurableObjectIds,
  reset,
  runDurableObjectAlarm,
  runInDurableObject,
} from 'cloudflare:test'
import { env, exports } from 'cloudflare:workers'
import type { HDAccount } from 'viem/accounts'
import { afterEach, beforeAll, beforeEach, expect, vi } from 'vitest'
import { flush } from '../../src/api/games/feed.ts'
import { crashRound, crashTable, ledger, transparencyLog } from '../../src/calls/objects.ts'
import { loadConfig } from '../../src/config/load.ts'
import { DAY_MS } from '../../src/core/utc-day.ts'
import { crashPointOf } from '../../src/crash/crash-point.ts'
import { flightMs } from '../../src/crash/curve.ts'
import { planEntry } from '../../src/crash/log-entries.ts'
import { planRound, type RoundPlan } from '../../src/crash/plan.ts'
import type { TokenLimits } from '../../src/crash/stakes.ts'
import { beaconRandomness, firstBeaconAfter } from '../../src/fairness/drand.ts'
import { commitmentOf } from '../../src/fairness/seed.ts'
import type { Hundredths } from '../../src/money/multiplier.ts'
import { perToken, type Token } from '../../src/money/token.ts'
import { entryText } from '../../src/transparency/entry.ts'
import { account } from '../shared/mnemonic.ts'
import { SOON } from '../shared/soon.ts'
import { signBeacon } from './beacon.ts'
import { expectDocumented } from './documented.ts'
import { expectSoundBooks } from './journals.ts'
import { NAMESPACES } from './namespaces.ts'

export { isBlankObject } from './journals.ts'

/** Tests drive the clock. It is set in the future, so that no alarm fires automatically. */
let clock = Date.UTC(2040, 0, 1)

/** Objects fall asleep ten seconds after their last call. Less, because the clock may be coarse. */
const AWAKE_MS = 8_000

export function now(): number {
  return clock
}

export function setTime(unixMs: number): void {
  clock = unixMs
  vi.setSystemTime(unixMs)
}

export function pass(ms: number): void {
  setTime(clock + ms)
}

/**
 * Sets the clock and empties storage before each test; audits the books after it. Many stories are about
 * faults, so what the service reports about them is only shown if a test fails.
 */
export function useStories(): void {
  let startedAt = 0
  beforeAll(emptyPartnerIds)
  beforeEach(async ({ onTestFailed }) => {
    startedAt = performance.now()
    const reports = vi.spyOn(console, 'error').mockImplementation(() => {})
    onTestFailed(() => console.info(reports.mock.calls.flat().join('\n')))
    vi.useFakeTimers({ toFake: ['Date'] })
    // Its own day, so that nothing cached by an isolate is still valid.
    setTime(Math.ceil((clock + 3 * DAY_MS) / DAY_MS) * DAY_MS + 43_200_000)
    // Only databases and objects that are awake are emptied.
    await Promise.all([
      ...[env.DB, env.HISTORY].map((database) => database.prepare('SELECT 1').first()),
      crashTable(env).newestRoundId(),
      transparencyLog(env).find('plan', '0'),
    ])
    await reset()
    await migrateD1()
  })
  afterEach(async () => {
    vi.restoreAllMocks()
    await flush(env)
    await expectSoundBooks()
    // Rounds and ledgers are awake, because they have just been audited.
    if (performance.now() - startedAt > AWAKE_MS) await wakeAll()
    await reset()
    vi.useRealTimers()
  })
}

/** Wakes all objects and buckets, because the runtime empties only what is awake. */
async function wakeAll(): Promise<void> {
  for (const bucket of [env.ARCHIVE, env.EXPORTS]) await bucket.head('nothing')
  for (const namespace of NAMESPACES) {
    const ids = await listDurableObjectIds(namespace)
    await Promise.all(ids.map((id) => runInDurableObject(namespace.get(id), () => {})))
  }
}

/** Empties the ids that partners used in earlier files, which nothing audits. */
async function emptyPartnerIds(): Promise<void> {
  const shards = await listDurableObjectIds(env.PARTNER_IDS)
  await Promise.all(shards.map((id) => env.PARTNER_IDS.get(id).players(null, 1)))
  await reset()
}

/** Gives the databases their schema, with one call each, because every test begins with it. */
export async function migrateD1(): Promise<void> {
  await Promise.all(
    (['DB', 'HISTORY'] as const).map((name) => {
      const queries = env.TEST_MIGRATIONS[name].flatMap((migration) => migration.queries)
      return env[name].batch(queries.map((query) => env[name].prepare(query)))
    }),
  )
}

/** A player with their own key. */
export class Player {
  readonly account: HDAccount
  readonly #signatures = new Map<string, string>()

  constructor(index: number) {
    this.account = account(index)
  }

  get wallet(): string {
    return this.account.address
  }

  /** The signature of today's message. */
  async authSig(): Promise<string> {
    const day = String(Math.floor(now() / DAY_MS))
    const known = this.#signatures.get(day)
    if (known) return known
    const { body } = await get(`/api/auth/message?wallet=${this.wallet}`)
    const authSig = await this.account.signMessage({ message: String(body.message) })
    this.#signatures.set(day, authSig)
    return authSig
  }

  async state(): Promise<Answer> {
    const authSig = await this.authSig()
    return get(`/api/crash?wallet=${this.wallet}&authSig=${authSig}`)
  }

  async act(action: string, fields: object = {}): Promise<Answer> {
    return post('/api/crash', {
      action,
      wallet: this.wallet,
      authSig: await this.authSig(),
      ...fields,
    })
  }

  bet(amountWei: string, fields: object = {}): Promise<Answer> {
    return this.act('bet', { token: 'USDG', amountWei, ...fields })
  }

  cashout(fields: object = {}): Promise<Answer> {
    return this.act('cashout', fields)
  }

  /** Plays an entropy game: limbo at 2.00 with a dollar unless the options say otherwise. */
  async play(fields: object = {}): Promise<Answer> {
    return post('/api/entropy', {
      action: 'play',
      game: 'limbo',
      token: 'USDG',
      amountWei: '1000000',
      params: { target: 2 },
      wallet: this.wallet,
      authSig: await this.authSig(),
      ...fields,
    })
  }

  /** The number and the commitment of the next play. */
  async nextPlay(): Promise<{ nonce: number; seedHash: string }> {
    const authSig = await this.authSig()
    return (await get(`/api/entropy?wallet=${this.wallet}&authSig=${authSig}`)).body.fairness
  }

  async chips(token: Token = 'USDG'): Promise<string> {
    return (await this.state()).body.me.chips[token]
  }

  async fund(amountWei = '1000000000', token: Token = 'USDG'): Promise<this> {
    const { status } = await post('/api/dev/faucet', { wallet: this.wallet, token, amountWei })
    expect(status).toBe(200)
    return this
  }
}

/** A player with chips. */
export function fundedPlayer(index: number): Promise<Player> {
  return new Player(index).fund()
}

export interface Answer {
  status: number
  headers: Headers
  text: string
  // oxlint-disable-next-line typescript/no-explicit-any -- answers are asserted field by field
  body: any
  /** The receipt of the body, apart from it: ES256 is randomised, so a repeated call has another one. */
  receipt: string | null
}

/** The code of a refusal; undefined for any other answer. */
export const codeOf = ({ body }: Pick<Answer, 'body'>): string | undefined => body.error?.code

/** The status of an answer and the code of a refusal. */
export const outcomeOf = (answer: Pick<Answer, 'status' | 'body'>) => [
  answer.status,
  codeOf(answer),
]

export async function call(path: string, init?: RequestInit): Promise<Answer> {
  const response = await exports.default.fetch(`http://fairhouse.test${path}`, init)
  return answerOf(path, init, response)
}

/** Reads an answer, after checking it against the reference. */
export async function answerOf(
  path: string,
  init: RequestInit | undefined,
  response: Response,
): Promise<Answer> {
  const { status, headers } = response
  const text = await response.text()
  const isText = headers.get('content-type')?.startsWith('text/') ?? false
  const body = text && !isText ? JSON.parse(text) : null
  await expectDocumented(path, init, { status, headers, text, body: isText ? text : body })
  const { receipt = null, ...rest } = body ?? {}
  if (receipt === null) return { status, headers, text, body, receipt }
  return { status, headers, text: text.replace(`,"receipt":"${receipt}"`, ''), body: rest, receipt }
}

export function get(path: string): Promise<Answer> {
  return call(path)
}

export function post(path: string, body: object | string): Promise<Answer> {
  return call(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}

/** The public state of the table. */
export async function watch() {
  return (await get('/api/crash?action=watch')).body
}

/**
 * Opens a round whose crash point is in a range, by replacing its seed before the first bet;
 * the limits can also be replaced.
 */
export async function openRound(
  range: { min?: Hundredths; max?: Hundredths; limits?: TokenLimits } = {},
): Promise<RoundPlan> {
  const { min = 100, max = Number.MAX_SAFE_INTEGER, limits } = range
  const snapshot = await crashTable(env).snapshot()
  const { roundId } = snapshot.plan
  const stub = crashRound(env, roundId)
  const plan = await runInDurableObject(stub, async (_, { storage }) => {
    // Set for the crash of the replaced seed.
    await storage.deleteAlarm()
    const row = storage.sql
      .exec<{ plan: string; pepper: string | null }>('SELECT * FROM round')
      .one()
    const planned = JSON.parse(row.plan) as RoundPlan
    const seed = seedFor(planned, row.pepper, min, max)
    const rigged: RoundPlan = {
      ...planned,
      seedHash: commitmentOf(seed),
      limits: limits ? perToken(() => limits) : planned.limits,
    }
    storage.sql.exec('UPDATE round SET plan = ?, seed = ?', JSON.stringify(rigged), seed)
    return rigged
  })
  await logInstead(plan)
  await evictDurableObject(stub)
  await stub.open({})
  return plan
}

function seedFor(plan: RoundPlan, pepper: string | null, min: Hundredths, max: Hundredths): string {
  for (;;) {
    const seed = bytesToHex(crypto.getRandomValues(new Uint8Array(32)))
    if (pepper === null) return seed
    const { roundId, edgeBps } = plan
    const crash = crashPointOf({ roundId, seed, pepper, edgeBps })
    if (crash >= min && crash <= max) return seed
  }
}

/**
 * Opens a round that waits for a beacon; `relay` answers for the relays.
 * @param crash the crash point with the tests' own beacon, in hundredths
 */
export async function openBeaconRound(
  relay: (round: number) => Response,
  crash?: Hundredths,
): Promise<RoundPlan & { beacon: number }> {
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) =>
    relay(Number(/\d+$/.exec(new Request(input, init).url)?.[0])),
  )
  const { plan } = await crashTable(env).snapshot()
  const stub = crashRound(env, plan.roundId)
  const { roundId, openedAt, seedHash, terms } = plan
  const { crash: rules } = loadConfig(env)
  const waiting = planRound({ roundId, openedAt, rules, terms, seedHash, pepperHash: null })
  const beacon = firstBeaconAfter(waiting.betsCloseAt)
  await runInDurableObject(stub, (_, { storage }) => {
    storage.sql.exec(
      'UPDATE round SET plan = ?, pepper = NULL, pepper_at = NULL',
      JSON.stringify(waiting),
    )
    if (crash === undefined) return
    const seed = seedFor(waiting, beaconRandomness(signBeacon(beacon)), crash, crash)
    storage.sql.exec('UPDATE round SET seed = ?', seed)
  })
  await logInstead(waiting)
  await evictDurableObject(stub)
  return { ...waiting, beacon }
}

/** Makes the public log have this plan of a round, whose object would notice another one. */
async function logInstead(plan: RoundPlan): Promise<void> {
  const log = env.TRANSPARENCY_LOG.getByName('main')
  await runInDurableObject(log, (_, { storage }) => {
    storage.sql.exec(
      `UPDATE entries SET entry = ? WHERE kind = 'plan' AND id = ?`,
      entryText(planEntry(plan)),
      String(plan.roundId),
    )
  })
}

/** Restarts one wallet's ledger and the current round, like a deployment or a crash. */
export async function restart(): Promise<void> {
  await abortAllDurableObjects()
}

/** Fires a round's alarm now. */
export function ringRound(roundId: number): Promise<boolean> {
  return runDurableObjectAlarm(crashRound(env, roundId))
}

/** Passes time until a round crashes. */
export async function passFlight({ roundId, flightAt }: RoundPlan): Promise<void> {
  setTime(flightAt + flightMs((await secretsOf(roundId)).crash))
}

/** Lets a round crash and fires its alarm. */
export async function endRound(plan: RoundPlan): Promise<void> {
  await passFlight(plan)
  await ringRound(plan.roundId)
}

/** Deletes an object's alarm, like a fault of the platform. */
export function loseAlarm(stub: DurableObjectStub): Promise<void> {
  return runInDurableObject(stub, (_: unknown, { storage }: DurableObjectState) =>
    storage.deleteAlarm(),
  )
}

/** Holds back an answer that an object has given, until it is released. */
export function holdAnswer() {
  let given = false
  let release = () => {}
  const isReleased = new Promise<void>((resolve) => (release = resolve))
  const after = async <T>(answer: T): Promise<T> => {
    given = true
    await isReleased
    return answer
  }
  return { after, isGiven: () => vi.waitFor(() => expect(given).toBe(true), SOON), release }
}

/** Returns the rows of a query in an object's database. */
export function rowsOf<Row extends Record<string, SqlStorageValue>>(
  stub: DurableObjectStub,
  query: string,
): Promise<Row[]> {
  return runInDurableObject(stub, (_: unknown, { storage }: DurableObjectState) =>
    storage.sql.exec<Row>(query).toArray(),
  )
}

export function ringTable(): Promise<boolean> {
  return runDurableObjectAlarm(crashTable(env))
}

export function ringLedger(player: Player): Promise<boolean> {
  return runDurableObjectAlarm(ledger(env, player.wallet))
}

/** The secrets of a round, known only to its own object. */
export function secretsOf(roundId: number) {
  return runInDurableObject(crashRound(env, roundId), (_, { storage }) => {
    const row = storage.sql
      .exec<{ plan: string; seed: string; pepper: string }>('SELECT * FROM round')
      .one()
    const { edgeBps } = JSON.parse(row.plan) as RoundPlan
    const { seed, pepper } = row
    return { seed, pepper, crash: crashPointOf({ roundId, seed, pepper, edgeBps }) }
  })
}

/** Makes the platform report this size for every database, since writing gigabytes takes too long. */
export async function reportSize(bytes: number): Promise<void> {
  const capacity = await import('../../src/ledger/capacity.ts')
  vi.spyOn(capacity, 'SMALL_JOURNAL_ENTRIES', 'get').mockReturnValue(0)
  await runInDurableObject(crashTable(env), (_: unknown, { storage }: DurableObjectState) => {
    const prototype = Object.getPrototypeOf(storage.sql) as SqlStorage
    vi.spyOn(prototype, 'databaseSize', 'get').mockReturnValue(bytes)
  })
  // Ledgers read their size only now and then.
  await restart()
}

export function audit(player: Player) {
  return ledger(env, player.wallet).verify()
}
