import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { parse } from 'yaml'
import { devLogKey } from '../../src/cli/shared/dev-log-key.ts'
import { devBoxSigner, devOwner, devRelayer } from '../../src/cli/shared/dev-players.ts'
import type { OpenApi } from '../../src/reference/document.ts'
import { auditAll, problemsOf, type Books } from '../live/audit.ts'
import { Random } from '../live/random.ts'
import { Setting, SITE, type Service } from '../live/setting.ts'
import { CALLS, METRICS_TOKEN, nameOf, sealed, validDraft, type FuzzRequest } from './calls.ts'
import { Cast } from './cast.ts'
import { Checker } from './check.ts'
import { curlOf, FuzzClient, type FuzzAnswer } from './client.ts'
import { makeRequest } from './mutations.ts'
import { disturbStream } from './stream.ts'
import { Tally } from './tally.ts'
import { textOf } from './tree.ts'
import { answersIn, brokenBytes, sendBytes } from './wire.ts'

export interface FuzzOptions {
  seed: number
  /** When to stop, whichever comes first. */
  requests: number
  forMs: number
  onProgress?: (line: string) => void
}

export interface FuzzReport {
  requests: number
  seconds: number
  /** The number of answers by operation and status. */
  counts: Map<string, Map<string, number>>
  /** What is wrong, each with a command that repeats it. */
  findings: string[]
}

/** The reference as published, which a change of the source doesn't change with it. */
const PUBLISHED = new URL('../../reference/openapi.yaml', import.meta.url)

const LANES = 24
const MAX_FINDINGS = 20
const PROGRESS_MS = 10_000

/** How many requests are shown with a line of the log. */
const MAX_RECENT = 40

/** Planted in the node's URL, as an API key would be. */
const NODE_KEY = 'canary-of-the-nodes-url'

/**
 * The runtime says so of requests that it answers itself: one whose host makes no URL, a CONNECT, and frames
 * that are no WebSocket's. On the platform they end at the edge.
 */
const OF_THE_RUNTIME = [
  'TypeError: Invalid URL string.',
  'Handler does not export a connect() function.',
  'Received a connect event but we lack a handler.',
  'WebSocket protocol error',
]

/** The chain's node shares the processors, so it may answer late. The count of the house's money follows no request. */
const OF_A_BUSY_NODE = ['"message":"the answer took too long"', '"event":"house_count_failed"']

/** From this many requests on, every call must have been accepted at least once. */
const MANY = 20_000

/** Locally, rounds commit to their peppers and take none from a beacon. */
const REFUSED = ['POST /api/crash beacon', 'GET /api/operate/rounds beacon']

/** Money from nowhere is counted by its answers, so these calls are not broken on their way. */
const COUNTED = ['faucet', 'transaction', 'rollback']

/** Starts a service, sends it requests that are nearly right, and checks every answer and the books. */
export async function fuzz(options: FuzzOptions): Promise<FuzzReport> {
  const setting = await Setting.create(tmpdir())
  const { rpcUrl } = setting.vault
  const vars = {
    CHAIN_RPC_URL: `${rpcUrl}/?key=${NODE_KEY}`,
    METRICS_TOKEN,
    LOG_KEY: devLogKey(SITE.origin),
  }
  const service = await setting.start(vars)
  try {
    const cast = await Cast.gather(setting, service)
    return await new Fuzzer(options, setting, service, cast).run()
  } finally {
    await service.close()
    await setting.close()
  }
}

class Fuzzer {
  readonly #options: FuzzOptions
  readonly #setting: Setting
  readonly #service: Service
  readonly #cast: Cast
  readonly #client: FuzzClient
  readonly #checker: Checker
  readonly #reference = parse(readFileSync(PUBLISHED, 'utf8')) as OpenApi
  readonly #tally = new Tally()
  readonly #counts: FuzzReport['counts'] = new Map()
  /** The calls that were accepted. A GET with another query may be accepted as another call, so it must be valid. */
  readonly #accepted = new Set<string>()
  readonly #findings: string[] = []
  /** The newest requests: what is logged is about one of them. */
  readonly #recent: FuzzRequest[] = []
  #sent = 0
  #readLogs = 0

  constructor(options: FuzzOptions, setting: Setting, service: Service, cast: Cast) {
    this.#options = options
    this.#setting = setting
    this.#service = service
    this.#cast = cast
    this.#client = new FuzzClient(service.baseUrl)
    const { boxPepper } = setting.prizes
    const keys = [devRelayer(), devBoxSigner(), devOwner()].map(({ privateKey }) =>
      privateKey.slice(2),
    )
    const secrets = [
      ...keys,
      boxPepper.replace(/^0x/, ''),
      'development key',
      NODE_KEY,
      METRICS_TOKEN,
    ]
    this.#checker = new Checker(this.#reference, [...secrets, new URL(setting.vault.rpcUrl).host])
  }

  async run(): Promise<FuzzReport> {
    await this.#prepare()
    const startedAt = Date.now()
    const until = startedAt + this.#options.forMs
    const report = () => {
      const rate = this.#sent / ((Date.now() - startedAt) / 1000)
      this.#options.onProgress?.(`${this.#sent} requests, ${rate.toFixed(0)} a second`)
    }
    const reporting = setInterval(report, PROGRESS_MS)
    let next = 0
    const lane = async () => {
      while (next < this.#options.requests && Date.now() < until && !this.#isFull) {
        await this.#one(next++)
      }
    }
    await Promise.all(Array.from({ length: LANES }, lane))
    clearInterval(reporting)
    const seconds = (Date.now() - startedAt) / 1000
    await this.#checkEnd()
    if (this.#sent >= MANY) this.#checkAccepted()
    this.#client.close()
    return { requests: this.#sent, seconds, counts: this.#counts, findings: this.#findings }
  }

  get #isFull(): boolean {
    return this.#findings.length >= MAX_FINDINGS
  }

  /** Gives everybody chips, and has the house counted, without which no bet is accepted. */
  async #prepare(): Promise<void> {
    const { owner, actors } = this.#cast
    await this.#cast.keepSignedIn()
    const topUp = { action: 'house-topup', wallet: owner.wallet, authSig: owner.authSig }
    await this.#ask('the house', post('/api/crash', topUp))
    for (const { wallet } of actors) {
      for (const [token, amountWei] of [
        ['ETH', '10000000000000000000'],
        ['USDG', '100000000000'],
      ]) {
        await this.#ask('chips', post('/api/dev/faucet', { wallet, token, amountWei }))
      }
    }
  }

  async #ask(what: string, request: FuzzRequest): Promise<void> {
    const answer = await this.#client.send(request)
    this.#tally.note(request, answer)
    if (answer.status !== 200) throw new Error(`${what}: ${answer.status} ${answer.text}`)
  }

  /** Sends the request of a number. The same seed and number make the same mistakes. */
  async #one(number: number): Promise<void> {
    const random = new Random(Math.imul(this.#options.seed, 0x9e3779b1) ^ number)
    random.draw()
    const kind = random.draw()
    if (kind < 0.07) await this.#breakBytes(random)
    else if (kind < 0.08) await this.#disturb(random)
    else await this.#call(random)
    this.#checkLogs()
  }

  async #call(random: Random): Promise<void> {
    const { draft, request, isValid } = await makeRequest(random, this.#cast, this.#reference)
    const isTwice = random.chance(0.04)
    const repeated = isTwice ? [request, request] : [request]
    await Promise.all(
      repeated.map(async (each) => {
        const answer = await this.#answered(each)
        if (!answer) return
        this.#count(nameOf(draft), answer)
        const isCall = isValid || draft.method === 'POST'
        if (isCall && answer.status < 300) this.#accepted.add(nameOf(draft))
        this.#tally.note(each, answer)
        this.#cast.learnFiles(draft.path, answer.text)
        const body = answer.text.startsWith('{') ? tryParse(answer.text) : null
        this.#cast.learn(draft.actor, draft.path, body)
        if (isValid && draft.call.name === 'bet' && draft.body) {
          this.#cast.learnBet(draft.actor, body)
        }
        const problems = await this.#checker.problemsOf(each, answer)
        for (const problem of problems) this.#find(problem, each, answer)
      }),
    )
  }

  async #answered(request: FuzzRequest): Promise<FuzzAnswer | null> {
    this.#recent.push(request)
    if (this.#recent.length > MAX_RECENT) this.#recent.shift()
    try {
      return await this.#client.send(request)
    } catch (fault) {
      this.#find(`no answer: ${String(fault)}`, request, null)
      return null
    }
  }

  async #breakBytes(random: Random): Promise<void> {
    const { baseUrl } = this.#service
    const calls = CALLS.filter(([, { name }]) => !COUNTED.includes(name))
    const draft = validDraft(random, this.#cast, random.pick(calls))
    const request = sealed(draft, draft.body ? textOf(draft.body) : null)
    const bytes = brokenBytes(random, new URL(baseUrl).host, request)
    const received = await sendBytes(baseUrl, bytes, random.chance(0.3))
    const answers = answersIn(received)
    const broken: FuzzRequest = { ...request, body: bytes }
    for (const answer of answers) {
      this.#count('broken bytes', answer)
      const problems = this.#checker.leaksIn(answer.text, answer.at)
      const isOurs = answer.headers['x-request-id'] !== undefined
      if (isOurs && answer.status === 500) problems.push('a fault: 500')
      const isJson = answer.headers['content-type']?.startsWith('application/json') === true
      if (isOurs && isJson && answer.text !== '' && tryParse(answer.text) === null) {
        problems.push('no JSON')
      }
      for (const problem of problems) this.#findBytes(problem, broken, answer)
    }
    if (answers.length === 0) this.#count('broken bytes', null)
  }

  async #disturb(random: Random): Promise<void> {
    const text = await disturbStream(random, this.#service.baseUrl)
    const status = /^HTTP\/1\.1 (\d+)/.exec(text)?.[1]
    this.#count('stream', status === undefined ? null : { status: Number(status) })
    const problems = this.#checker.leaksIn(text, Date.now())
    if (status === '500' || text.includes('"internal"')) problems.push(`a fault: ${status}`)
    for (const problem of problems) this.#findings.push(`stream: ${problem}\n${text}`)
  }

  #checkLogs(): void {
    const { logs } = this.#setting
    for (; this.#readLogs < logs.length; this.#readLogs++) {
      const line = logs[this.#readLogs] ?? ''
      if (OF_THE_RUNTIME.some((known) => line.includes(known))) continue
      const problems = this.#checker.leaksIn(line, Date.now())
      const isFault = line.includes('"level":"error"') || !line.startsWith('{')
      if (isFault && !OF_A_BUSY_NODE.some((known) => line.includes(known)))
        problems.push('it is a fault')
      if (problems.length === 0) continue
      const commands = this.#recent.map((request) => curlOf(this.#service.baseUrl, request))
      this.#findings.push(
        [`log: ${problems.join(', ')}`, line, 'It is about one of these:', ...commands].join(
          '\n  ',
        ),
      )
    }
  }

  /** Checks that the service still answers, that its books are right, and that it has told no secret. */
  async #checkEnd(): Promise<void> {
    const watch = { method: 'GET', path: '/api/crash?action=watch', headers: [], body: null }
    const answer = await this.#answered(watch)
    if (answer?.status !== 200) this.#find('the service answers no more', watch, answer)
    const { actors, owner } = this.#cast
    const wallets = [...actors, owner].map(({ wallet }) => wallet)
    const books = await auditAll(this.#service, wallets)
    this.#findings.push(...problemsOf(books), ...this.#tally.problemsWith(books))
    this.#findings.push(...earlySecrets(books, this.#checker.firstSeen))
    this.#checkLogs()
  }

  /** A call that is always refused is hardly tested. */
  #checkAccepted(): void {
    const never = CALLS.map(([operation, call]) => nameOf({ operation, call })).filter(
      (name) => !this.#accepted.has(name) && !REFUSED.includes(name),
    )
    this.#findings.push(...never.map((name) => `never accepted: ${name}`))
  }

  #count(name: string, answer: { status: number } | null): void {
    this.#sent++
    const byStatus = this.#counts.get(name) ?? new Map<string, number>()
    const status = answer ? String(answer.status) : 'none'
    byStatus.set(status, (byStatus.get(status) ?? 0) + 1)
    this.#counts.set(name, byStatus)
  }

  #find(problem: string, request: FuzzRequest, answer: FuzzAnswer | null): void {
    const told = answer ? `${answer.status} ${answer.text.slice(0, 2_000)}` : 'nothing'
    const command = curlOf(this.#service.baseUrl, request)
    this.#findings.push(`${problem}\n  answer: ${told}\n  ${command}`)
  }

  #findBytes(problem: string, { body }: FuzzRequest, { status, text }: FuzzAnswer): void {
    const { hostname, port } = new URL(this.#service.baseUrl)
    const command = `echo ${body?.toString('base64')} | base64 -d | nc -q 1 ${hostname} ${port}`
    this.#findings.push(`${problem}\n  answer: ${status} ${text.slice(0, 2_000)}\n  ${command}`)
  }
}

/** Returns the seeds that an answer showed before it was their time. */
function earlySecrets({ ledgers, rounds, days }: Books, firstSeen: Map<string, number>): string[] {
  const isEarly = (secret: string | null, until: number) => {
    const seenAt = secret === null ? undefined : firstSeen.get(secret)
    return seenAt !== undefined && seenAt < until
  }
  const early = [
    ...rounds.flatMap(({ roundId, seed, pepper, endedAt }) =>
      [seed, pepper].some((secret) => isEarly(secret, endedAt ?? Infinity))
        ? [`of round ${roundId}`]
        : [],
    ),
    ...[...ledgers].flatMap(([id, { nextSeed }]) =>
      isEarly(nextSeed, Infinity) ? [`of the next play of ledger ${id}`] : [],
    ),
    ...days.flatMap(({ seed }) => (isEarly(seed, Infinity) ? ['of a day'] : [])),
  ]
  return early.map((whose) => `an answer showed a secret ${whose} too early`)
}

function post(path: string, body: object): FuzzRequest {
  return {
    method: 'POST',
    path,
    headers: [['content-type', 'application/json']],
    body: Buffer.from(JSON.stringify(body)),
  }
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return null
  }
}
