import { DurableObject } from 'cloudflare:workers'
import { answerWithin } from '../src/calls/call.ts'
import { generationOf, type PublicLog } from '../src/calls/objects.ts'
import { loadConfig } from '../src/config/load.ts'
import { invariant } from '../src/core/invariant.ts'
import type { LogFacts } from '../src/health/facts.ts'
import { logFault } from '../src/log.ts'
import { logOrigin, openCheckpoint, signCheckpoint } from '../src/transparency/checkpoint.ts'
import {
  entryText,
  type LogEntry,
  type LoggedEntry,
  type LogKind,
} from '../src/transparency/entry.ts'
import { isSameHash } from '../src/transparency/merkle.ts'
import type { SignerKey } from '../src/transparency/note.ts'
import { predecessorEntry } from '../src/transparency/predecessor.ts'
import { logPath, tilePath, TILE_WIDTH, type Tile } from '../src/transparency/tiles.ts'
import { Alarm } from './kernel/alarm.ts'
import { Clock } from './kernel/clock.ts'
import { isBlank, migrate } from './kernel/migrations.ts'
import { DELIVERY_MS } from './kernel/outbox.ts'
import { objectOf } from './kernel/owner.ts'
import { putOnce } from './kernel/put-once.ts'
import { transact } from './kernel/transact.ts'
import { LogStore, TABLES } from './transparency-log/store.ts'

/** A checkpoint is kept in the archive at most this often. */
const ANCHOR_EVERY_MS = 60_000
/** A copy that failed is tried again after this. */
const RETRY_MS = 60_000
/** The most tiles that one alarm copies. */
const MAX_COPIES = 16

/** The file of the archive that keeps the latest checkpoint. */
const ANCHOR = 'checkpoint'

/**
 * The public log: the order of everything that the house commits to. Every answer is about entries that are
 * stored, so nothing has to be published: the checkpoint of the current size is signed when it is read.
 */
export class TransparencyLog extends DurableObject<Env> implements PublicLog {
  readonly #clock = new Clock()
  readonly #object = objectOf('TransparencyLog', this.ctx)
  readonly #alarm = new Alarm(this.ctx.storage)
  readonly #store = new LogStore(this.ctx.storage.sql)
  #isOpen = false
  /** The comparison with the archive, made once before the first entry. */
  #comparing: Promise<void> | null = null
  #isForked = false
  /** Since when the archive has not answered; null if it did, or if it was not asked since the start. */
  #failingSince: number | null = null
  #signed: { size: number; text: string } | null = null
  #anchoredAt = -Infinity
  #anchoredSize = 0

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    if (!isBlank(ctx.storage)) this.#open()
    void ctx.blockConcurrencyWhile(() => this.#alarm.load())
  }

  /**
   * Appends an entry, once for its kind and id: a repeated call returns the first entry and its index. The
   * entry is in the checkpoint that is read next.
   * @throws if the archive does not answer, or shows that this object was restored to an earlier time
   */
  async append(entry: LogEntry): Promise<LoggedEntry> {
    const text = entryText(entry)
    this.#open()
    const kept = this.#store.find(entry.kind, entry.id)
    if (kept) return kept
    await this.#compared()
    await this.#introduce()
    return this.#append(entry, text)
  }

  /** Returns an entry by its kind and id; null if the log does not have it. */
  async find(kind: LogKind, id: string): Promise<LoggedEntry | null> {
    return this.#isOpen ? this.#store.find(kind, id) : null
  }

  /** Returns the signed checkpoint of the current size. */
  async checkpoint(): Promise<string> {
    const size = this.#isOpen ? this.#store.size() : 0
    const text = this.#signedAt(size)
    this.#anchor(size, text)
    return text
  }

  /** Returns a tile of hashes or a bundle of entries; null if the log is not that long. */
  async tile(tile: Tile): Promise<Uint8Array | null> {
    return this.#isOpen ? this.#store.tile(tile) : null
  }

  /** Returns the facts behind its health. Doesn't ask the archive. */
  async facts(): Promise<LogFacts> {
    const [size, archived] = this.#isOpen ? [this.#store.size(), this.#store.archived()] : [0, 0]
    const databaseBytes = this.ctx.storage.sql.databaseSize
    return {
      size,
      archived,
      databaseBytes,
      isForked: this.#isForked,
      failingSince: this.#failingSince,
    }
  }

  override async alarm(info?: AlarmInvocationInfo): Promise<void> {
    await this.#alarm.run(info, this.#clock.now(), () => this.#copyFull())
  }

  #open(): void {
    if (this.#isOpen) return
    migrate(this.ctx.storage, [{ id: 'transparency-log', sql: TABLES }])
    this.#isOpen = true
  }

  #append(entry: LogEntry, text: string): LoggedEntry {
    // Another call may have been first.
    const kept = this.#store.find(entry.kind, entry.id)
    if (kept) return kept
    invariant(!this.#isForked, 'the log agrees with its archive')
    const now = this.#clock.now()
    try {
      const { index, completed } = transact(this.ctx.storage, () => this.#store.append(entry, text))
      if (completed) this.#alarm.wakeBy(now, now)
      return { index, entry }
    } catch (fault) {
      this.#store.forget()
      throw fault
    }
  }

  /** Begins a log that succeeds another one with that one's last known checkpoint. */
  async #introduce(): Promise<void> {
    const generation = this.#generation()
    if (generation === 1 || this.#store.size() > 0) return
    const kept = await inTime(this.env.EXPORTS.get(logPath(generation - 1, ANCHOR)))
    const checkpoint = kept && (await inTime(kept.text()))
    const predecessor = logOrigin(loadConfig(this.env).origin, generation - 1)
    const entry = predecessorEntry(predecessor, checkpoint, this.#clock.now())
    this.#append(entry, entryText(entry))
  }

  #signedAt(size: number): string {
    if (this.#signed?.size === size) return this.#signed.text
    const text = signCheckpoint({ size, root: this.#store.rootAt(size) }, this.#key())
    this.#signed = { size, text }
    return text
  }

  #key(): SignerKey {
    const { log } = loadConfig(this.env)
    invariant(log, 'the log has a key')
    invariant(log.generation === this.#generation(), 'a log is signed with its own key only')
    return log.key
  }

  #generation(): number {
    const { name } = this.ctx.id
    invariant(name, 'a log is named by its generation')
    return generationOf(name)
  }

  #archiveKey(path: string): string {
    return logPath(this.#generation(), path)
  }

  /** Keeps a checkpoint outside of this object, so that a restored object finds that it has said more. */
  #anchor(size: number, text: string): void {
    const now = this.#clock.now()
    const isRecent = now - this.#anchoredAt < ANCHOR_EVERY_MS
    if (this.#isForked || isRecent || size <= this.#anchoredSize) return
    this.#anchoredAt = now
    this.ctx.waitUntil(
      this.#putAnchor(size, text).catch((fault: unknown) => {
        this.#failingSince ??= this.#clock.now()
        logFault('log_anchor_failed', fault, { object: this.#object, size })
      }),
    )
  }

  async #putAnchor(size: number, text: string): Promise<void> {
    await this.#compared()
    if (size <= this.#anchoredSize) return
    await inTime(this.env.EXPORTS.put(this.#archiveKey(ANCHOR), text))
    this.#anchoredSize = size
    this.#failingSince = null
  }

  /** @throws if the archive does not answer, or holds what this object no longer knows */
  async #compared(): Promise<void> {
    this.#comparing ??= this.#compare().catch((fault: unknown) => {
      this.#comparing = null
      this.#failingSince ??= this.#clock.now()
      throw fault
    })
    await this.#comparing
    if (this.#isForked) {
      throw new Error(
        'the log was restored to an earlier time or has another key, and must not tell another story',
      )
    }
  }

  /** A restored object would sign a second history. Only what stands elsewhere can tell it. */
  async #compare(): Promise<void> {
    const next = { level: 0, index: Math.floor(this.#store.size() / TILE_WIDTH), width: TILE_WIDTH }
    const [anchor, later] = await inTime(
      Promise.all([
        this.env.EXPORTS.get(this.#archiveKey(ANCHOR)),
        this.env.EXPORTS.head(this.#archiveKey(tilePath(next))),
      ]),
    )
    this.#failingSince = null
    if (later) this.#reportFork(later.key)
    if (!anchor) return
    const kept = openCheckpoint(await inTime(anchor.text()), this.#key().verifier)
    // Under another key it would count as another log, with the same name.
    if (!kept) return this.#reportFork(anchor.key)
    const isKnown = kept.size <= this.#store.size()
    if (!isKnown || !isSameHash(kept.root, this.#store.rootAt(kept.size)))
      this.#reportFork(anchor.key)
    this.#anchoredSize = kept.size
  }

  /** Copies full tiles to the archive, in order. Returns when to continue; null once all are copied. */
  async #copyFull(): Promise<number | null> {
    try {
      for (let copies = 0; copies < MAX_COPIES; copies++) {
        const tiles = this.#isForked ? null : this.#store.nextToCopy()
        if (!tiles) return null
        for (const tile of tiles) await this.#copy(tile)
        this.#store.markCopied()
        this.#failingSince = null
      }
      return this.#clock.now()
    } catch (fault) {
      this.#failingSince ??= this.#clock.now()
      logFault('log_copy_failed', fault, { object: this.#object })
      return this.#isForked ? null : this.#clock.now() + RETRY_MS
    }
  }

  /** Copies a tile under a name that is never written twice. @throws if the archive holds another one */
  async #copy(tile: Tile): Promise<void> {
    const bytes = this.#store.tile(tile)
    invariant(bytes, 'a full tile is stored')
    const key = this.#archiveKey(tilePath(tile))
    const { EXPORTS } = this.env
    if (await inTime(putOnce(EXPORTS, key, bytes))) return
    const kept = await inTime(EXPORTS.get(key))
    invariant(kept, 'a file that is in the way can be read')
    if (isSameHash(new Uint8Array(await inTime(kept.arrayBuffer())), bytes)) return
    this.#reportFork(key)
    throw new Error(`the archive holds another ${key}`)
  }

  /** An operator has to act: restore the object's latest state or its key, or begin a log of the next generation. */
  #reportFork(key: string): void {
    this.#isForked = true
    logFault(
      'log_forked',
      new Error('the log was restored to an earlier time or has another key; appending stops'),
      {
        object: this.#object,
        key,
        size: this.#store.size(),
      },
    )
  }
}

/** Waits for the file store as long as for a delivery. @throws if it takes longer */
function inTime<T>(call: Promise<T>): Promise<T> {
  return answerWithin(DELIVERY_MS, call)
}
