import { isOwnMachine } from '../../core/own-machine.ts'
import { isoTime } from '../../core/utc-day.ts'
import { counted } from '../../core/words.ts'
import { verifyFromBeacon, type PepperSource } from '../../fairness/pepper.ts'
import { openCheckpoint, type OpenedCheckpoint } from '../../transparency/checkpoint.ts'
import type { LogEntry, LoggedEntry } from '../../transparency/entry.ts'
import { Follower, type Breach } from '../../transparency/follower.ts'
import { consistencyPath, isConsistent } from '../../transparency/merkle.ts'
import { writeVerifierKey, type VerifierKey } from '../../transparency/note.ts'
import { predecessorOf } from '../../transparency/predecessor.ts'
import { subtreeHash } from '../../transparency/tile-hashes.ts'
import { EntryTimes } from '../../verify/entry-times.ts'
import { noticeOfUnseenBets } from '../../verify/logged-round.ts'
import { LogReading } from '../../verify/logged.ts'
import type { Client } from '../shared/client.ts'
import { CommandError } from '../shared/terminal.ts'
import type { LogReader } from './log-reader.ts'
import { actingMeanwhile } from './meanwhile.ts'
import { otherLog, type OtherLog } from './other-log.ts'
import { checkWhole, fetchWhole } from './rounds.ts'
import type { MonitorState, UndisclosedRound } from './state.ts'
import { Table } from './table.ts'

/** The first look verifies at most this many ended rounds in full, and only the log's entries of older ones. */
const MAX_PAST_ROUNDS = 100
/** A round's disclosure is looked for this long before its absence proves anything. */
const DISCLOSED_WITHIN_MS = 600_000
/** A round counts as hidden only after this many looks that reached the log but not the round. */
const MISSES = 3
/** A look asks for disclosures for at most this many milliseconds, and then continues with the log. */
const CHECKED_FOR_MS = 30_000
/** A log that takes longer to answer is taken for silent, in milliseconds. */
const SILENT_AFTER_MS = 2_000
/** After a longer pause between two answers, the log may have been down in between. */
const UNBROKEN_MS = 10_000

/** A round that was asked for in vain. */
interface MissedRound extends UndisclosedRound {
  missedSince: number
  misses: number
}

/** The findings of a look at the log. */
interface MonitorReport {
  size: number
  /** The entries that are new. */
  added: number
  /** The rounds that were checked whole. */
  rounds: number
  /** The rounds that ended and are not disclosed yet. */
  undisclosed: number
  /** The names of the witnesses that signed the checkpoint, and of those that were expected to and did not. */
  witnesses: string[]
  absentWitnesses: string[]
  /** A notice for the reader, which proves nothing. */
  notices: string[]
}

/** The house has broken a promise. */
export class Caught extends Error {
  override name = 'Caught'
  readonly breach: Breach

  constructor(breach: Breach) {
    super(breach.claim)
    this.breach = breach
  }
}

/** Follows the log of a site. */
export class Monitor {
  readonly #reader: LogReader
  readonly #client: Client
  readonly #key: VerifierKey
  readonly #witnesses: VerifierKey[]
  readonly #follower: Follower
  readonly #reading: LogReading
  readonly #times: EntryTimes
  #undisclosed: UndisclosedRound[]
  /** When the latest checkpoint, or an older one, was last asked for, in unix milliseconds; null before the first. */
  #askedAt: number | null
  /** The same of the checkpoint before it, which lacks the entries that are being taken. */
  #absentAt: number | null
  /** When the log last answered, and since when without a break. */
  #answeredAt: number | null
  #answeredSince: number | null
  /** Whether the log was read to its end before, and whether it has failed to answer in time since then. */
  #hasRead: boolean
  #wasSilent = false
  /** The notices of entries, for when a look reaches the end of the log, and the rounds whose bets came unseen. */
  readonly #notices: string[] = []
  readonly #unseen: number[] = []
  readonly #table: Table

  constructor(
    { reader, client }: { reader: LogReader; client: Client },
    { key, witnesses }: { key: VerifierKey; witnesses: VerifierKey[] },
    state: MonitorState | null,
  ) {
    ;[this.#reader, this.#client] = [reader.of(key), client]
    ;[this.#key, this.#witnesses] = [key, witnesses]
    this.#follower = new Follower(state?.follower)
    this.#reading = new LogReading(state?.reading)
    this.#times = new EntryTimes(state?.newestAt)
    this.#undisclosed = state?.undisclosed ?? []
    this.#askedAt = this.#absentAt = this.#answeredAt = state?.askedAt ?? null
    this.#answeredSince = state?.answeredSince ?? null
    this.#hasRead = state !== null
    this.#table = new Table(client)
  }

  /** The latest checkpoint, signed; null before the first. */
  get checkpoint(): string | null {
    return this.#follower.signed
  }

  /** The number of entries of the latest checkpoint. */
  get size(): number {
    return this.#follower.size
  }

  state(): MonitorState {
    return {
      version: 6,
      key: writeVerifierKey(this.#key),
      follower: this.#follower.state(),
      reading: this.#reading.state(),
      newestAt: this.#times.newestAt,
      undisclosed: this.#undisclosed,
      askedAt: this.#askedAt,
      answeredSince: this.#answeredSince,
    }
  }

  /** Reads and checks the new entries. @throws Caught, or CommandError if the log does not answer */
  async look(): Promise<MonitorReport> {
    const askedAt = Date.now()
    const { taken } = this.#follower
    const checkpoint = await this.#readLog(askedAt)
    const notices = [...this.#newNotices(), ...this.#reading.missing(Date.now())]
    const table = await this.#table.compare(this.#reading, this.#askedAt ?? askedAt)
    expectNone(table.breach)
    notices.push(...table.notices)
    const rounds = await this.#checkRounds()
    const { size } = this.#follower
    const signers = new Set(checkpoint.signatures.map(({ key }) => key))
    const [witnesses, absentWitnesses] = [true, false].map((hasSigned) =>
      this.#witnesses.filter((key) => signers.has(key) === hasSigned).map(({ name }) => name),
    ) as [string[], string[]]
    return {
      size,
      added: size - taken,
      rounds,
      undisclosed: this.#undisclosed.length,
      witnesses,
      absentWitnesses,
      notices,
    }
  }

  /**
   * Reads the log. While it doesn't answer, the table is asked: a house could hold back its log until it knows a
   * beacon, and log other bets then.
   */
  async #readLog(askedAt: number): Promise<OpenedCheckpoint> {
    const askTable = () => this.#askTableAlone()
    try {
      const read = await actingMeanwhile(this.#takeNew(askedAt), SILENT_AFTER_MS, askTable)
      this.#wasSilent = false
      return read
    } catch (fault) {
      if (fault instanceof CommandError) await askTable()
      throw fault
    }
  }

  async #takeNew(askedAt: number): Promise<OpenedCheckpoint> {
    const text = await this.#reader.text('checkpoint')
    this.#noteAnswer(askedAt)
    const checkpoint = await this.#opened(text)
    // The last look may have been broken off.
    if (this.#follower.taken === this.#follower.size) await this.#accept(text, checkpoint, askedAt)
    await this.#takeAll()
    this.#hasRead = true
    return checkpoint
  }

  async #askTableAlone(): Promise<void> {
    this.#wasSilent = true
    // A table can't be compared with a log that hasn't been read.
    if (!this.#hasRead) return
    const { taken, size } = this.#follower
    // While the entries of the latest checkpoint are being taken, the reading is that of the one before.
    const readAt = taken === size ? this.#askedAt : this.#absentAt
    const { breach } = await this.#table.compare(this.#reading, readAt ?? 0, true)
    expectNone(breach)
  }

  #noteAnswer(askedAt: number): void {
    const { since, at } = { since: this.#answeredSince, at: this.#answeredAt }
    const isUnbroken = since !== null && at !== null && askedAt - at <= UNBROKEN_MS
    this.#answeredSince = isUnbroken ? since : askedAt
    this.#answeredAt = askedAt
  }

  async #opened(text: string): Promise<OpenedCheckpoint> {
    const opened = openCheckpoint(text, this.#key, this.#witnesses)
    if (opened) return opened
    const other = await otherLog(this.#reader, text, this.#key)
    throw new Caught({
      claim: `the checkpoint is signed by ${this.#key.name}, and its witnesses' signatures are right`,
      ...(other
        ? this.#replacedBy(other)
        : {
            finding:
              'it is not. This is no proof to others: anyone could have written the checkpoint',
            evidence: { checkpoint: text },
          }),
    })
  }

  /** The breach of a site that shows a log other than the one that is followed. */
  #replacedBy({ key, checkpoint, first }: OtherLog): Omit<Breach, 'claim'> {
    const { name } = this.#key
    const predecessor = first && predecessorOf(first)
    const says =
      predecessor?.name === name
        ? `says that it succeeds ${name} after ${predecessor.size ?? 'an unknown number of'} entries; you have seen ${this.size}`
        : `does not say that it succeeds ${name}`
    const shown = writeVerifierKey(key)
    return {
      finding: `the site now shows another log, ${key.name}, which ${says}. Ask the house why ${name} has ended. Follow the other log with --key ${shown} and another --state`,
      evidence: { last: this.checkpoint, key: shown, checkpoint, first },
    }
  }

  /** Accepts a checkpoint if it continues the latest one. */
  async #accept(text: string, checkpoint: OpenedCheckpoint, askedAt: number): Promise<void> {
    const { size } = this.#follower
    if (checkpoint.size > size) {
      const leaves = await this.#reader.leaves(size, checkpoint.size)
      expectNone(this.#follower.extend(text, checkpoint, leaves))
      this.#absentAt = this.#askedAt
    } else await this.#compare(text, checkpoint)
    // An older checkpoint lacks everything that the latest one lacks, so the log was seen without it now, too.
    this.#askedAt = askedAt
  }

  /** Returns the notices of entries taken since the last call. */
  #newNotices(): string[] {
    const unseen = this.#unseen.splice(0)
    return [...this.#notices.splice(0), ...(unseen.length > 0 ? [noticeOfUnseenBets(unseen)] : [])]
  }

  /** Checks the entries that the latest checkpoint added. */
  async #takeAll(): Promise<void> {
    const { taken, size } = this.#follower
    for await (const bytes of this.#reader.entries(taken, size)) {
      const read = this.#follower.take(bytes)
      if ('breach' in read) throw new Caught(read.breach)
      const { breach, ended, notice, isUnseen } = this.#reading.take(read.logged, {
        absentAt: this.#absentAt,
        answeredSince: this.#answeredSince,
        wasSilent: this.#wasSilent,
        readAt: Date.now(),
      })
      expectNone(breach)
      if (ended) this.#undisclosed.push({ round: ended, missedSince: null, misses: 0 })
      if (isUnseen) this.#unseen.push(Number(read.logged.entry.id))
      expectNone(this.#known(read.logged))
      const told = [notice, this.#times.take(read.logged)]
      this.#notices.push(...told.filter((text) => text !== null))
    }
    if (taken === 0) this.#undisclosed = this.#undisclosed.slice(-MAX_PAST_ROUNDS)
  }

  /** Returns the breach of a round whose outcome the house knows beforehand. On this machine that is usual. */
  #known(logged: LoggedEntry): Breach | null {
    const { kind, id, pepperSource } = logged.entry as LogEntry & { pepperSource?: PepperSource }
    if (kind !== 'plan' || isOwnMachine(this.#client.baseUrl.hostname)) return null
    if (pepperSource?.kind !== 'committed') return null
    const { claim } = verifyFromBeacon(pepperSource)
    const finding = `not so in round ${id}: the house could know the outcome before betting opened`
    return { claim, finding, evidence: { logged } }
  }

  /** Compares a checkpoint that is no newer than the latest one. Caches may show an older one. */
  async #compare(text: string, old: OpenedCheckpoint): Promise<void> {
    const latest = this.#follower.checkpoint
    if (!latest) {
      expectNone(this.#follower.extend(text, old, []))
      return
    }
    const path = old.size === 0 ? [] : consistencyPath(old.size, latest.size)
    const proof = await Promise.all(
      path.map((range) => subtreeHash(range, latest.size, this.#reader.hashes)),
    )
    if (!isConsistent(old, latest, proof)) throw new Caught(this.#follower.forked(text))
  }

  /** Checks the ended rounds that are disclosed by now. Returns how many. */
  async #checkRounds(): Promise<number> {
    const until = Date.now() + CHECKED_FOR_MS
    const missed: MissedRound[] = []
    let checked = 0
    let asked = 0
    for (const { round, missedSince, misses } of this.#undisclosed) {
      if (Date.now() > until) break
      asked++
      const whole = await fetchWhole(this.#client, round.plan.entry.id)
      if (whole) {
        expectNone(checkWhole(round, whole))
        checked++
      } else {
        const unseen = { round, missedSince: missedSince ?? Date.now(), misses: misses + 1 }
        expectNone(hidden(unseen))
        missed.push(unseen)
      }
    }
    // A round without an answer must not keep those behind it waiting.
    this.#undisclosed = [...this.#undisclosed.slice(asked), ...missed]
    return checked
  }
}

/**
 * The breach of a round that has ended and was asked for in vain for a long time. The reader's own network may fail,
 * too.
 */
function hidden({ round, missedSince, misses }: MissedRound): Breach | null {
  if (misses < MISSES || Date.now() < missedSince + DISCLOSED_WITHIN_MS) return null
  const claim = 'each ended round is disclosed'
  const finding = `round ${round.plan.entry.id} is not, by your clock since ${isoTime(missedSince)}`
  return { claim, finding, evidence: { round } }
}

function expectNone(breach: Breach | null): void {
  if (breach) throw new Caught(breach)
}

/** One line about a look. */
export function reportLine(look: MonitorReport): string {
  const { size, added, rounds, undisclosed, witnesses, absentWitnesses } = look
  const parts = [
    `${size} entries (${added} new)`,
    ...(rounds > 0 ? [`${counted(rounds, 'round')} verified`] : []),
    ...(undisclosed > 0 ? [`${undisclosed} not disclosed yet`] : []),
    ...(witnesses.length > 0 ? [`cosigned by ${witnesses.join(', ')}`] : []),
    ...(absentWitnesses.length > 0 ? [`not cosigned by ${absentWitnesses.join(', ')}`] : []),
  ]
  return parts.join(', ')
}
