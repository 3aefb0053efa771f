import { DurableObject } from 'cloudflare:workers'
import { answerRefusal } from '../src/api/http/answer.ts'
import { clientAddress, clientNetwork } from '../src/api/http/limits.ts'
import { currentConditions, type Conditions } from '../src/api/vault/conditions.ts'
import { loadConfig } from '../src/config/load.ts'
import { refuse, type Refusal } from '../src/core/refusal.ts'
import type { RoundReport, Snapshot } from '../src/crash/state.ts'
import {
  isBehind,
  messagesAfter,
  msToNextLook,
  snapshotMessage,
  type News,
  type Told,
} from '../src/crash/stream.ts'
import { logFault } from '../src/log.ts'
import { crashRound, crashTable, retried } from '../src/objects.ts'
import { type Terms, termsOf } from '../src/vault/terms.ts'
import { Alarm } from './kernel/alarm.ts'
import { Clock } from './kernel/clock.ts'
import { migrate } from './kernel/migrations.ts'

const TABLES = `
  CREATE TABLE told (id INTEGER PRIMARY KEY CHECK (id = 1), told TEXT NOT NULL) STRICT;
`

/** What is kept with a socket while the object sleeps. */
interface Viewer {
  connectedAt: number
  /** Messages from it that nobody asked for. */
  ignored: number
}

/** To tell all of them of a crash takes one object a tenth of a second. */
const MOST_VIEWERS = 5_000
const MOST_VIEWERS_AN_ADDRESS = 100
/** Of IPv6, where one site has more addresses than there are places. */
const MOST_VIEWERS_A_NETWORK = 200

/** A viewer without a ping for so long counts as gone: rounds do not go on for a forgotten page. */
const SILENT_MS = 600_000

const MOST_IGNORED = 10
const LONGEST_IGNORED = 1_024

const RETRY_MS = 1_000

const GOING_AWAY = 1001
const POLICY_VIOLATION = 1008

const FULL = refuse(
  'rate_limited',
  'There are too many live viewers; read GET /api/crash?action=watch instead.',
)
const FULL_ADDRESS = refuse(
  'rate_limited',
  `An address may watch ${MOST_VIEWERS_AN_ADDRESS} times at once; close a socket first.`,
)
const FULL_NETWORK = refuse(
  'rate_limited',
  `A network (IPv6 /48) may watch ${MOST_VIEWERS_A_NETWORK} times at once; read GET /api/crash?action=watch instead.`,
)

/**
 * Everybody who watches the table live. It decides nothing: it asks the table and follows the
 * current round while somebody watches, and tells all viewers the same in the same turn. It sleeps
 * in between: what has been told is written down, the rest is asked for again.
 */
export class CrashStream extends DurableObject<Env> {
  readonly #clock = new Clock()
  readonly #alarm = new Alarm(this.ctx.storage)
  readonly #sql = this.ctx.storage.sql
  #told: Told | null = null
  /** The chain as the latest look found it. */
  #conditions: Conditions | null = null
  /** A look at the table that is under way: whoever comes meanwhile shares it. */
  #looking: Promise<Snapshot> | null = null
  /** The round that has promised to report. */
  #followedRoundId: number | null = null
  /** When the table has to be looked at again. */
  #lookAt = 0

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair('ping', 'pong'))
    void ctx.blockConcurrencyWhile(async () => {
      migrate(ctx.storage, [{ id: 'crash-stream', sql: TABLES }])
      const [row] = this.#sql.exec<{ told: string }>('SELECT told FROM told').toArray()
      this.#told = row ? (JSON.parse(row.told) as Told) : null
      await this.#alarm.load()
    })
  }

  /** Takes a viewer: first a snapshot that lacks nothing the others have been told, then what they are told. */
  override async fetch(request: Request): Promise<Response> {
    const snapshot = await this.#presentSnapshot()
    const tags = [clientAddress(request), `network ${clientNetwork(request)}`] as const
    const refusal = this.#refusalOf(...tags)
    if (refusal) return answerRefusal(refusal)
    const { 0: client, 1: server } = new WebSocketPair()
    this.ctx.acceptWebSocket(server, [...tags])
    const viewer: Viewer = { connectedAt: this.#clock.now(), ignored: 0 }
    server.serializeAttachment(viewer)
    server.send(JSON.stringify(snapshotMessage(snapshot, this.#terms())))
    this.#wake()
    return new Response(null, { status: 101, webSocket: client })
  }

  /** Told by a round that it follows. Safe to repeat, in any order. */
  async tell(report: RoundReport): Promise<void> {
    this.#tell(report)
  }

  override async alarm(info?: AlarmInvocationInfo): Promise<void> {
    await this.#alarm.run(info, this.#clock.now(), async () => {
      this.#closeSilent()
      // It may have forgotten its promise.
      this.#followedRoundId = null
      if (this.#viewers().length === 0) return null
      try {
        await this.#look()
      } catch (fault) {
        logFault('stream_table_read_failed', fault)
        return this.#clock.now() + RETRY_MS
      }
      return this.#lookAt
    })
  }

  /** A viewer has nothing to say but `ping`, which is answered without waking anybody. */
  override async webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): Promise<void> {
    const viewer = viewerOf(socket)
    const size = typeof message === 'string' ? message.length : message.byteLength
    if (size > LONGEST_IGNORED || viewer.ignored >= MOST_IGNORED) {
      socket.close(POLICY_VIOLATION, 'The only message taken is ping.')
      return
    }
    socket.serializeAttachment({ ...viewer, ignored: viewer.ignored + 1 } satisfies Viewer)
  }

  override async webSocketClose(socket: WebSocket): Promise<void> {
    socket.close()
  }

  async #presentSnapshot(): Promise<Snapshot> {
    for (;;) {
      const snapshot = await this.#look()
      if (!this.#told || !isBehind(snapshot, this.#told)) return snapshot
    }
  }

  /** Looks at the table, which keeps it awake, and follows its round. */
  #look(): Promise<Snapshot> {
    this.#looking ??= this.#lookAndFollow().finally(() => (this.#looking = null))
    return this.#looking
  }

  async #lookAndFollow(): Promise<Snapshot> {
    const [snapshot, conditions] = await Promise.all([
      retried(async () => crashTable(this.env).snapshot()),
      currentConditions(this.env),
    ])
    this.#conditions = conditions
    this.#tell(snapshot)
    const { roundId } = snapshot.plan
    if (this.#followedRoundId !== roundId) await this.#follow(roundId)
    return snapshot
  }

  async #follow(roundId: number): Promise<void> {
    const winCount = this.#told?.roundId === roundId ? this.#told.winCount : 0
    try {
      const report = await retried(async () => crashRound(this.env, roundId).follow(winCount))
      this.#followedRoundId = roundId
      this.#tell(report)
    } catch (fault) {
      // A round of an earlier deployment does not report: it is looked at all the more often.
      logFault('stream_round_read_failed', fault, { roundId })
    }
  }

  /** Tells every viewer what follows from news, each message to all of them before the next. */
  #tell(news: News): void {
    const viewers = this.#viewers()
    const before = this.#told
    const { told, messages } = messagesAfter(before, news, {
      terms: this.#terms(),
      viewers: viewers.length,
    })
    for (const message of messages) {
      const text = JSON.stringify(message)
      for (const viewer of viewers) send(viewer, text)
    }
    // After the messages: what is sent before a write does not wait for it.
    if (told !== before) {
      this.#told = told
      this.#sql.exec('INSERT OR REPLACE INTO told (id, told) VALUES (1, ?)', JSON.stringify(told))
    }
    const reports = this.#followedRoundId === news.plan.roundId
    this.#lookAt = this.#clock.now() + msToNextLook(news, reports)
    if (viewers.length > 0) this.#wake()
  }

  #wake(): void {
    this.#alarm.wakeBy(this.#lookAt, this.#clock.now())
  }

  #refusalOf(address: string, network: string): Refusal | null {
    if (this.#viewers().length >= MOST_VIEWERS) return FULL
    if (this.#viewers(address).length >= MOST_VIEWERS_AN_ADDRESS) return FULL_ADDRESS
    return this.#viewers(network).length >= MOST_VIEWERS_A_NETWORK ? FULL_NETWORK : null
  }

  /** Those who are still there; all of them, or those of one address or network. */
  #viewers(tag?: string): WebSocket[] {
    return this.ctx.getWebSockets(tag).filter(({ readyState }) => readyState === WebSocket.OPEN)
  }

  #closeSilent(): void {
    const now = this.#clock.now()
    for (const viewer of this.#viewers()) {
      const pingedAt = this.ctx.getWebSocketAutoResponseTimestamp(viewer)?.getTime() ?? 0
      if (now - Math.max(pingedAt, viewerOf(viewer).connectedAt) < SILENT_MS) continue
      viewer.close(GOING_AWAY, 'Nothing was heard for ten minutes; send ping once a minute.')
    }
  }

  #terms(): Terms {
    return termsOf(loadConfig(this.env), this.#conditions)
  }
}

function viewerOf(socket: WebSocket): Viewer {
  return socket.deserializeAttachment() as Viewer
}

/** Never waits: what a slow viewer has not taken yet is kept for it by the platform. */
function send(viewer: WebSocket, text: string): void {
  try {
    viewer.send(text)
  } catch {
    // It has gone; the platform forgets it.
  }
}
