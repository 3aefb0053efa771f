import { DurableObject } from 'cloudflare:workers'
import { answerRefusal } from '../src/api/http/answer.ts'
import { clientAddress, clientNetwork } from '../src/api/http/rate-limits.ts'
import { answerWithin, retried } from '../src/calls/call.ts'
import { currentConditions, type Conditions } from '../src/calls/chain-conditions.ts'
import { crashRound, crashTable } from '../src/calls/objects.ts'
import { currentTerms } from '../src/calls/terms.ts'
import { loadConfig } from '../src/config/load.ts'
import { withTerms } from '../src/config/set-terms.ts'
import { refuse, type Refusal } from '../src/core/refusal.ts'
import type { RoundReport, RoundView, Snapshot } from '../src/crash/state.ts'
import {
  HEARTBEAT_MS,
  isBehind,
  isCurrent,
  messagesAfter,
  msToNextPoll,
  snapshotMessage,
  type StreamUpdate,
  type StreamState,
} from '../src/crash/stream.ts'
import { logFault } from '../src/log.ts'
import { type TableConfig, tableConfigOf } from '../src/vault/table-config.ts'
import { Alarm } from './kernel/alarm.ts'
import { Clock } from './kernel/clock.ts'
import { migrate } from './kernel/migrations.ts'
import { objectOf } from './kernel/owner.ts'
import { firstRow } from './kernel/rows.ts'

const TABLES = `
  CREATE TABLE told (id INTEGER PRIMARY KEY CHECK (id = 1), told TEXT NOT NULL) STRICT;
`

/** The state kept with a socket while the object sleeps. */
interface Viewer {
  connectedAt: number
  /** The number of unexpected messages from it. */
  ignored: number
}

/** One object can notify this many viewers of a crash within a tenth of a second. */
const MAX_VIEWERS = 5_000
const MAX_VIEWERS_PER_ADDRESS = 100
/** For IPv6, where one site has more addresses than the stream has places. */
const MAX_VIEWERS_PER_NETWORK = 200

/** A viewer that sends no ping for this long counts as gone, so a forgotten page doesn't keep rounds going. */
const SILENT_MS = 600_000

const MAX_IGNORED = 10
const LONGEST_IGNORED = 1_024

/**
 * The table is read at most this many times until it has caught up. It waits between reads, because the clock of the
 * instance that answers may be behind that of the instance that opened the round. The answer can't show by how much:
 * its round was timed by a third clock.
 */
const MAX_LOOKS = 10
const CATCH_UP_PAUSE_MS = 350

const RETRY_MS = 1_000

/** A look that takes longer has failed. All later ones would wait for it. */
const LOOK_MS = 5_000
/** A round that doesn't answer within this time isn't followed. */
const FOLLOW_MS = 2_000

/** Viewers wait this long for the chain's conditions, which another object knows. */
const CONDITIONS_MS = 200

const GOING_AWAY = 1001
const POLICY_VIOLATION = 1008
const INTERNAL_ERROR = 1011

const FULL = refuse(
  'rate_limited',
  'There are too many live viewers; read GET /api/crash?action=watch instead.',
)
const FULL_ADDRESS = refuse(
  'rate_limited',
  `An address may open at most ${MAX_VIEWERS_PER_ADDRESS} sockets at once; close one first.`,
)
const FULL_NETWORK = refuse(
  'rate_limited',
  `A network (IPv6 /48) may open at most ${MAX_VIEWERS_PER_NETWORK} sockets at once; read GET /api/crash?action=watch instead.`,
)

/**
 * The live stream to all viewers of the table. It decides nothing. While viewers are connected, it reads the table,
 * follows the current round and sends all viewers the same messages in the same turn. It sleeps in between: the state
 * that it has sent is stored, and the rest can be read again.
 */
export class CrashStream extends DurableObject<Env> {
  readonly #clock = new Clock()
  readonly #object = objectOf('CrashStream', this.ctx)
  readonly #alarm = new Alarm(this.ctx.storage)
  readonly #sql = this.ctx.storage.sql
  #sent: StreamState | null = null
  /** The chain as the latest look found it. */
  #conditions: Conditions | null = null
  /** The look at the table now in progress; concurrent callers share it. */
  #looking: Promise<Snapshot> | null = null
  /** The round that has agreed to report. */
  #followedRoundId: number | null = null
  /** When the table must be read again. */
  #lookAt = 0
  /** When the alarm must look, if nothing else has. */
  #alarmAt = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #timedFor = 0

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair('ping', 'pong'))
    void ctx.blockConcurrencyWhile(async () => {
      migrate(ctx.storage, [{ id: 'crash-stream', sql: TABLES }])
      const row = firstRow(this.#sql.exec<{ told: string }>('SELECT told FROM told'))
      this.#sent = row ? (JSON.parse(row.told) as StreamState) : null
      await this.#alarm.load()
    })
  }

  /** Connects a viewer: sends a snapshot of everything that the others have received, then the same messages. */
  override async fetch(request: Request): Promise<Response> {
    const tags = [clientAddress(request), `network ${clientNetwork(request)}`] as const
    const full = this.#refusalOf(...tags)
    if (full) return answerRefusal(full)
    const snapshot = await this.#presentSnapshot()
    // Others may have connected meanwhile.
    const refusal = this.#refusalOf(...tags)
    if (refusal) return answerRefusal(refusal)
    const { 0: client, 1: server } = new WebSocketPair()
    this.ctx.acceptWebSocket(server, [...tags])
    const viewer: Viewer = { connectedAt: this.#clock.now(), ignored: 0 }
    server.serializeAttachment(viewer)
    server.send(JSON.stringify(snapshotMessage(snapshot, this.#configOf(snapshot))))
    this.#wake()
    return new Response(null, { status: 101, webSocket: client })
  }

  /** Accepts a report from a followed round. Safe to repeat, in any order. */
  async tell(report: RoundReport): Promise<void> {
    if (!this.#conditions) await this.#readConditions()
    this.#tell(report)
    const { roundId } = report.plan
    if (roundId === this.#sent?.roundId) this.#followedRoundId = roundId
    this.#planLook(report)
  }

  /** Reads the table and sends the news to any viewers. */
  async lookAgain(): Promise<void> {
    // A look in progress may have read the table before it changed.
    await this.#looking?.catch(() => {})
    if (this.#viewers().length > 0) await this.#presentSnapshot()
  }

  override async alarm(info?: AlarmInvocationInfo): Promise<void> {
    await this.#alarm.run(info, this.#clock.now(), async () => {
      this.#closeSilent()
      if (this.#viewers().length === 0) return null
      try {
        if (!(await this.#followOn())) await this.#look()
      } catch (fault) {
        logFault('stream_table_read_failed', fault, { object: this.#object })
        return this.#clock.now() + RETRY_MS
      }
      return this.#alarmAt
    })
  }

  /** The only valid message is `ping`, which is answered without waking the object. */
  override async webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): Promise<void> {
    const viewer = viewerOf(socket)
    const size = typeof message === 'string' ? message.length : message.byteLength
    if (size > LONGEST_IGNORED || viewer.ignored >= MAX_IGNORED) {
      socket.close(POLICY_VIOLATION, 'The only message accepted is ping.')
      return
    }
    socket.serializeAttachment({ ...viewer, ignored: viewer.ignored + 1 } satisfies Viewer)
  }

  override async webSocketClose(socket: WebSocket): Promise<void> {
    socket.close()
  }

  /** Reads the table until it has caught up with the viewers' messages. A restored table may never catch up. */
  async #presentSnapshot(): Promise<Snapshot> {
    for (let looks = 1; ; looks++) {
      const snapshot = await this.#look()
      const isPresent = !this.#sent || !isBehind(snapshot, this.#sent)
      if (isPresent || looks === MAX_LOOKS) return snapshot
      await new Promise((resolve) => setTimeout(resolve, CATCH_UP_PAUSE_MS))
    }
  }

  /** Reads the table and follows its round. */
  #look(): Promise<Snapshot> {
    this.#looking ??= answerWithin(LOOK_MS, this.#lookAndFollow()).finally(() => {
      this.#looking = null
    })
    return this.#looking
  }

  async #lookAndFollow(): Promise<Snapshot> {
    const [snapshot] = await Promise.all([
      retried(async () => crashTable(this.env).snapshot('stream')),
      this.#readConditions(),
    ])
    this.#tell(snapshot)
    const { roundId } = snapshot.plan
    const mayFollow = this.#followedRoundId !== roundId && !snapshot.result
    const isFollowed = mayFollow && (await this.#follow(roundId))
    if (!isFollowed) this.#planLook(snapshot)
    return snapshot
  }

  /**
   * Asks the running round for unreported news, because after a restart it may have forgotten its follower. Returns
   * false without a running round, or after its time: the table then has newer information.
   */
  async #followOn(): Promise<boolean> {
    const sent = this.#sent
    this.#followedRoundId = null
    return sent !== null && sent.phase !== 'results' && this.#follow(sent.roundId)
  }

  async #follow(roundId: number): Promise<boolean> {
    const sent = this.#sent?.roundId === roundId ? this.#sent : null
    try {
      const reading = retried(async () =>
        crashRound(this.env, roundId).follow(sent?.winCount ?? 0, sent?.betCount),
      )
      const report = await answerWithin(FOLLOW_MS, reading)
      if (!report || report.stage === 'over' || report.stage === 'void') return false
      if (!this.#conditions) await this.#readConditions()
      this.#followedRoundId = roundId
      this.#tell(report)
      this.#planLook(report)
      return true
    } catch (fault) {
      // Until a round can be followed, it is read more often.
      logFault('stream_round_read_failed', fault, { object: this.#object, roundId })
      return false
    }
  }

  /**
   * Reads the chain's conditions. Viewers don't wait for long, so a late answer leaves the previous ones. Never throws.
   */
  async #readConditions(): Promise<void> {
    const conditions = answerWithin(CONDITIONS_MS, currentConditions(this.env))
    this.#conditions = await conditions.catch(() => this.#conditions)
  }

  /** Sends every viewer the messages that follow from a report, each to all viewers before the next. */
  #tell(news: StreamUpdate): void {
    const viewers = this.#viewers()
    const before = this.#sent
    const { sent, messages } = messagesAfter(before, news, {
      config: this.#configOf(news),
      viewers: viewers.length,
    })
    for (const message of messages) {
      const text = JSON.stringify(message)
      for (const viewer of viewers) send(viewer, text)
    }
    // Bets and their root alone are not worth a row: after a restart, viewers may get some of them again.
    const isStored =
      before !== null && messages.every(({ type }) => type === 'bets' || type === 'close')
    // After the messages, because messages sent before a write don't wait for it.
    if (!isStored) this.#store(sent, viewers)
    this.#sent = sent
  }

  /**
   * Stores the state that viewers have been sent. If that fails, disconnects them: after a restart they would get some
   * messages again.
   */
  #store(sent: StreamState, viewers: readonly WebSocket[]): void {
    try {
      this.#sql.exec('INSERT OR REPLACE INTO told (id, told) VALUES (1, ?)', JSON.stringify(sent))
    } catch (fault) {
      for (const viewer of viewers) viewer.close(INTERNAL_ERROR, 'Connect again.')
      throw fault
    }
  }

  /** Plans the next look at the table, which happens automatically while anyone watches. */
  #planLook(news: StreamUpdate): void {
    // If newer news has overtaken this, the current state must be read.
    const reports = this.#followedRoundId === news.plan.roundId && isCurrent(news, this.#sent)
    this.#lookAt = this.#clock.now() + msToNextPoll(news, reports)
    if (this.#viewers().length > 0) this.#wake()
  }

  /**
   * Looks again when it is time. The end of the results is so near that a timer serves, which costs nothing;
   * the alarm makes up for a lost one.
   */
  #wake(): void {
    const now = this.#clock.now()
    const isTimed = this.#sent?.phase === 'results'
    this.#alarmAt = this.#lookAt + (isTimed ? HEARTBEAT_MS : 0)
    this.#alarm.wakeBy(this.#alarmAt, now)
    // A timer that fires early is not set again, because the alarm is set too.
    if (!isTimed || this.#timedFor === this.#lookAt) return
    this.#timedFor = this.#lookAt
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#lookInTime(), this.#lookAt - now)
  }

  async #lookInTime(): Promise<void> {
    if (this.#viewers().length === 0) return
    try {
      await this.#look()
    } catch (fault) {
      logFault('stream_table_read_failed', fault, { object: this.#object })
      const now = this.#clock.now()
      this.#alarm.wakeBy(now + RETRY_MS, now)
    }
  }

  /** A client that does not answer a close keeps its socket, which counts as long as the platform has it. */
  #refusalOf(address: string, network: string): Refusal | null {
    const held = (tag?: string) => this.ctx.getWebSockets(tag).length
    if (held() >= MAX_VIEWERS) return FULL
    if (held(address) >= MAX_VIEWERS_PER_ADDRESS) return FULL_ADDRESS
    return held(network) >= MAX_VIEWERS_PER_NETWORK ? FULL_NETWORK : null
  }

  #viewers(): WebSocket[] {
    return this.ctx.getWebSockets().filter(({ readyState }) => readyState === WebSocket.OPEN)
  }

  #closeSilent(): void {
    const now = this.#clock.now()
    for (const viewer of this.#viewers()) {
      const pingedAt = this.ctx.getWebSocketAutoResponseTimestamp(viewer)?.getTime() ?? 0
      if (now - Math.max(pingedAt, viewerOf(viewer).connectedAt) < SILENT_MS) continue
      viewer.close(GOING_AWAY, 'No ping arrived for ten minutes; send ping once a minute.')
    }
  }

  /** Returns the table's config under the terms that a round was opened with. */
  #configOf({ setTerms }: RoundView): TableConfig {
    const config = withTerms(loadConfig(this.env), setTerms)
    return tableConfigOf(config, this.#conditions, currentTerms(config))
  }
}

function viewerOf(socket: WebSocket): Viewer {
  return socket.deserializeAttachment() as Viewer
}

/** Never waits: the platform buffers messages for a slow viewer. */
function send(viewer: WebSocket, text: string): void {
  try {
    viewer.send(text)
  } catch {
    // It has gone; the platform forgets it.
  }
}
