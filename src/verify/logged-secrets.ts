import { DAY_MS, dateOf } from '../core/utc-day.ts'
import type { LoggedEntry } from '../transparency/entry.ts'

type SecretKind = 'seeds' | 'batch'

/** The ends of the ids of an entry that commits to a secret, and of the one that discloses it. */
const ENDS = {
  seeds: { commitment: ':hash', secret: ':seed' },
  batch: { commitment: ':open', secret: ':closed' },
} satisfies Record<SecretKind, { commitment: string; secret: string }>

/**
 * How long a pepper may stay unpublished before the reader is reminded of it, in milliseconds, and how long between two
 * reminders. It proves nothing, because a batch is sold for as long as there are buyers, but until then nobody can
 * verify its boxes.
 */
const PEPPER_AWAITED_MS = 30 * DAY_MS

/** Returns the lootbox day or the batch whose commitment has an id; null if it is the id of anything else. */
export function committedIn(kind: SecretKind, id: string): string | null {
  return withoutEnd(id, ENDS[kind].commitment)
}

/** Returns the lootbox day or the batch whose secret has an id; null if it is the id of anything else. */
export function disclosedIn(kind: SecretKind, id: string): string | null {
  return withoutEnd(id, ENDS[kind].secret)
}

/** An entry under any other id must not replace a day's or a batch's commitment. */
function withoutEnd(id: string, end: string): string | null {
  return id.endsWith(end) ? id.slice(0, -end.length) : null
}

/** The commitments of a log whose secrets are not disclosed yet: of lootbox days and of batches of boxes. */
export class LoggedSecrets {
  /** By kind, and day or batch. */
  readonly #committed = new Map<string, LoggedEntry>()
  /** When the pepper of a batch is missed again, in unix milliseconds. */
  readonly #missedAt: Map<string, number>

  constructor(committed: Record<string, LoggedEntry>, missedAt: Record<string, number>) {
    for (const logged of Object.values(committed)) this.commit(logged)
    this.#missedAt = new Map(Object.entries(missedAt))
  }

  /** Keeps an entry that commits to a secret. Returns its day or batch, or null if the entry commits to none. */
  commit(logged: LoggedEntry): string | null {
    const { kind, id } = logged.entry
    const name = kind === 'seeds' || kind === 'batch' ? committedIn(kind, id) : null
    if (name !== null) this.#committed.set(`${kind} ${name}`, logged)
    return name
  }

  /** Removes and returns the commitment to a secret that has been disclosed, or undefined if there was none. */
  disclose(kind: SecretKind, name: string): LoggedEntry | undefined {
    const committed = this.#committed.get(`${kind} ${name}`)
    this.#committed.delete(`${kind} ${name}`)
    this.#missedAt.delete(`${kind} ${name}`)
    return committed
  }

  /** Returns notices of batches whose peppers have been unpublished for long. @param now in unix milliseconds */
  missedPeppers(now: number): string[] {
    return [...this.#committed].flatMap(([name, { entry }]) => {
      const missedAt = this.#missedAt.get(name) ?? entry.at + PEPPER_AWAITED_MS
      if (entry.kind !== 'batch' || now < missedAt) return []
      this.#missedAt.set(name, now + PEPPER_AWAITED_MS)
      const days = Math.floor((now - entry.at) / DAY_MS)
      return [
        `The log has had the pepper hash of ${name} of boxes since ${dateOf(entry.at)}, but after ${days} days still lacks the pepper. Until it is published, nobody can check what the boxes won. The batch may still be on sale. Otherwise, ask the house to end it.`,
      ]
    })
  }

  stored(): { committed: Record<string, LoggedEntry>; missedAt: Record<string, number> } {
    return {
      committed: Object.fromEntries(this.#committed),
      missedAt: Object.fromEntries(this.#missedAt),
    }
  }
}
