import { DurableObject } from 'cloudflare:workers'
import { answerWithin } from '../src/calls/call.ts'
import { generationOf, type PublicLog } from '../src/calls/objects.ts'
import { loadConfig } from '../src/config/load.ts'
import { isWithin } from '../src/core/age.ts'
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
import { migrate, schemaOf, type Schema } from './kernel/migrations.ts'
import { DELIVERY_MS } from './kernel/outbox.ts'
import { objectOf } from './kernel/owner.ts'
import { putOnce } from './kernel/put-once.ts'
import { transact } from './kernel/transact.ts'
import { ArchiveState } from './transparency-log/archive-state.ts'
import { LogStore, TABLES } from './transparency-log/store.ts'

/** A checkpoint is kept in the archive at most this often. */
const ANCHOR_EVERY_MS = 60_000
/**
 * How long after a failure or a disagreement the archive is asked again: less than the time that a log counts as whole.
 */
const RETRY_MS = 20_000
/** The most tiles that one alarm copies. */
const MAX_COPIES = 16

/** The file of the archive that keeps the latest checkpoint. */
const ANCHOR = 'checkpoint'

/**
 * The public log: the order of all the house's commitments. Every answer is about stored entries, so there is no
 * separate step to publish them: the checkpoint of the current size is signed when it is read.
 */
export class TransparencyLog extends DurableObject<Env> implements PublicLog {
  readonly #clock = new Clock()
  readonly #object = objectOf('TransparencyLog', this.ctx)
  readonly #alarm = new Alarm(this.ctx.storage)
  readonly #store = new LogStore(this.ctx.storage.sql)
  readonly #archive = new ArchiveState(this.ctx.storage.sql)
  #isOpen = false
  /** The comparison with the archive, made once before the first entry. */
  #comparing: Promise<void> | null = null
  /** Whether the object was found to have lost nothing. That lasts while it is awake: only a restart restores it. */
  #wasWhole = false
  #signed: { size: number; text: string } | null = null
  #anchoredAt = -Infinity
  #anchoredSize = 0

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    const schema = schemaOf(ctx.storage)
    if (schema.size > 0) this.#open(schema)
    void ctx.blockConcurrencyWhile(() => this.#alarm.load())
  }

  /**
   * Appends an entry, once for its kind and id: a repeated call returns the first entry and its index. The
   * entry is in the checkpoint that is read next.
   * @throws if the archive shows that this object was restored to an earlier time, or does not answer after a rest
   */
  async append(entry: LogEntry): Promise<LoggedEntry> {
    const text = entryText(entry)
    this.#open()
    const kept = this.#store.find(entry.kind, entry.id)
    if (kept) return kept
    await this.#assertWhole()
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
    const databaseBytes = this.ctx.storage.sql.databaseSize
    if (!this.#isOpen)
      return { size: 0, archived: 0, databaseBytes, isForked: false, failingSince: null }
    return {
      size: this.#store.size(),
      archived: this.#store.archived(),
      databaseBytes,
      isForked: this.#archive.fork !== null,
      failingSince: this.#archive.failingSince,
    }
  }

  override async alarm(info?: AlarmInvocationInfo): Promise<void> {
    await this.#alarm.run(info, this.#clock.now(), () => this.#catchUp())
  }

  #open(schema?: Schema): void {
    if (this.#isOpen) return
    const tables = { id: 'transparency-log', sql: TABLES }
    migrate(this.ctx.storage, [tables, this.#archive.migration], schema)
    this.#isOpen = true
  }

  #append(entry: LogEntry, text: string): LoggedEntry {
    // Another call may have been first.
    const kept = this.#store.find(entry.kind, entry.id)
    if (kept) return kept
    invariant(this.#archive.fork === null, 'the log agrees with its archive')
    const now = this.#clock.now()
    try {
      const { index, completed } = transact(this.ctx.storage, () => this.#store.append(entry, text))
      if (completed) this.#alarm.wakeBy(now, now)
      else if (this.#archive.failingSince !== null) this.#alarm.wakeBy(now + RETRY_MS, now)
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

  /** Keeps a checkpoint outside of this object, so that a restored object finds out that it has published more. */
  #anchor(size: number, text: string): void {
    const now = this.#clock.now()
    const isRecent = now - this.#anchoredAt < ANCHOR_EVERY_MS
    if (isRecent || size <= this.#anchoredSize || this.#archive.fork !== null) return
    this.#anchoredAt = now
    this.ctx.waitUntil(
      this.#putAnchor(size, text).catch((fault: unknown) => {
        this.#noteFailure()
        logFault('log_anchor_failed', fault, { object: this.#object, size })
      }),
    )
  }

  async #putAnchor(size: number, text: string): Promise<void> {
    await this.#compared()
    this.#assertAgreed()
    if (size <= this.#anchoredSize) return
    await inTime(this.env.EXPORTS.put(this.#archiveKey(ANCHOR), text))
    this.#anchoredSize = size
  }

  /**
   * Makes sure that the object wasn't restored to an earlier time, because it would then sign a second history. The
   * archive shows a restore, and so does the age of the newest entry: a restored object lacks its latest ones. So the
   * archive needn't answer if the object is known to have been whole within the interval of checkpoints. The archive
   * itself could miss a restore within that interval.
   * @throws if the object may have lost entries
   */
  async #assertWhole(): Promise<void> {
    const isWhole = this.#isWhole()
    // The alarm asks an archive that has failed.
    if (!isWhole || this.#archive.failingSince === null) {
      await this.#compared().catch((fault: unknown) => {
        this.#noteFailure()
        if (!isWhole) throw fault
      })
    }
    this.#assertAgreed()
  }

  #isWhole(): boolean {
    if (this.#archive.fork !== null) return false
    if (this.#wasWhole) return true
    const now = this.#clock.now()
    // A restore to an earlier time would have taken both from it. An entry's time may be ahead: a caller set it.
    const stored = [this.#archive.wholeAt, this.#store.newestAt()]
    this.#wasWhole = stored.some((at) => isWithin(ANCHOR_EVERY_MS, at, now))
    return this.#wasWhole
  }

  #assertAgreed(): void {
    if (this.#archive.fork !== null) {
      throw new Error(
        'the log was restored to an earlier time or has another key, and must not publish a second history',
      )
    }
  }

  /** Compares the log with the archive, once. @throws if the archive does not answer */
  #compared(): Promise<void> {
    this.#comparing ??= this.#compare().catch((fault: unknown) => {
      this.#comparing = null
      throw fault
    })
    return this.#comparing
  }

  async #compare(): Promise<void> {
    const fork = await this.#otherFile()
    this.#wasWhole = fork === null
    if (fork === null) this.#archive.noteFork(null)
    else this.#reportFork(fork)
  }

  /** Returns the name of an archive file that this object's log contradicts or lacks; null without one. */
  async #otherFile(): Promise<string | null> {
    const next = { level: 0, index: Math.floor(this.#store.size() / TILE_WIDTH), width: TILE_WIDTH }
    const [anchor, later] = await inTime(
      Promise.all([
        this.env.EXPORTS.get(this.#archiveKey(ANCHOR)),
        this.env.EXPORTS.head(this.#archiveKey(tilePath(next))),
      ]),
    )
    // A concurrent append may have completed it.
    if (later && !this.#store.tile(next)) return later.key
    if (anchor) {
      const kept = openCheckpoint(await inTime(anchor.text()), this.#key().verifier)
      // Under another key it would count as another log, with the same name.
      const isKnown = kept !== null && kept.size <= this.#store.size()
      if (!isKnown || !isSameHash(kept.root, this.#store.rootAt(kept.size))) return anchor.key
      this.#anchoredSize = kept.size
    }
    for (const tile of this.#store.nextToCopy() ?? []) {
      const key = this.#archiveKey(tilePath(tile))
      if ((await this.#isSame(key, tile)) === false) return key
    }
    return null
  }

  /**
   * Copies to the archive the full tiles that it lacks, in order, and a checkpoint if something failed. Returns when to
   * continue; null once it has everything and agrees, or if another log has succeeded this one.
   */
  async #catchUp(): Promise<number | null> {
    const { fork, failingSince } = this.#archive
    const isCurrent = loadConfig(this.env).log?.generation === this.#generation()
    try {
      if (isCurrent && fork !== null) {
        this.#comparing = null
        await this.#compared()
      }
      if (this.#archive.fork !== null) return isCurrent ? this.#clock.now() + RETRY_MS : null
      if (isCurrent && failingSince !== null) {
        const size = this.#store.size()
        await this.#putAnchor(size, this.#signedAt(size))
      }
      if (!(await this.#copyFull())) return this.#clock.now()
      // An append may have found a fork meanwhile.
      this.#assertAgreed()
      this.#archive.noteSuccess()
      return null
    } catch (fault) {
      logFault('log_copy_failed', fault, { object: this.#object })
      this.#noteFailure()
      return this.#clock.now() + RETRY_MS
    }
  }

  /** Copies full tiles to the archive. Returns whether none is left. */
  async #copyFull(): Promise<boolean> {
    for (let copies = 0; copies < MAX_COPIES; copies++) {
      const tiles = this.#store.nextToCopy()
      if (!tiles) return true
      for (const tile of tiles) await this.#copy(tile)
      this.#store.markCopied()
    }
    return false
  }

  /** Copies a tile under a name that is never written twice. @throws if the archive holds another one */
  async #copy(tile: Tile): Promise<void> {
    const bytes = this.#tile(tile)
    const key = this.#archiveKey(tilePath(tile))
    if (await inTime(putOnce(this.env.EXPORTS, key, bytes))) return
    const isSame = await this.#isSame(key, tile)
    invariant(isSame !== null, 'a file that is in the way can be read')
    if (isSame) return
    this.#reportFork(key)
    throw new Error(`the archive holds another ${key}`)
  }

  /** Returns whether a file of the archive is a tile of this log; null if there is no such file. */
  async #isSame(key: string, tile: Tile): Promise<boolean | null> {
    const kept = await inTime(this.env.EXPORTS.get(key))
    return kept && isSameHash(new Uint8Array(await inTime(kept.arrayBuffer())), this.#tile(tile))
  }

  #tile(tile: Tile): Uint8Array {
    const bytes = this.#store.tile(tile)
    invariant(bytes, 'a full tile is stored')
    return bytes
  }

  /** Has the alarm ask the archive again. */
  #noteFailure(): void {
    const now = this.#clock.now()
    this.#archive.noteFailure(now, this.#isWhole())
    this.#alarm.wakeBy(now + RETRY_MS, now)
  }

  /** An operator has to act: restore the object's latest state or its key, or begin a log of the next generation. */
  #reportFork(key: string): void {
    this.#archive.noteFork(key)
    const now = this.#clock.now()
    this.#alarm.wakeBy(now + RETRY_MS, now)
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
