/** The ids of a kind that a log has: whole numbers as ranges, because they mostly follow each other. */
export class IdSet {
  readonly #ranges: [first: number, last: number][]
  readonly #texts: Set<string>

  constructor({ ranges, texts }: StoredIds = { ranges: [], texts: [] }) {
    this.#ranges = ranges.map(([first, last]) => [first, last])
    this.#texts = new Set(texts)
  }

  /** Adds an id. Returns false if it was there. */
  add(id: string): boolean {
    const number = /^(0|[1-9][0-9]{0,14})$/.test(id) ? Number(id) : null
    if (number !== null) return this.#addNumber(number)
    if (this.#texts.has(id)) return false
    this.#texts.add(id)
    return true
  }

  /** Returns its ids for {@link IdSet} to be made again. */
  stored(): StoredIds {
    return { ranges: this.#ranges.map(([first, last]) => [first, last]), texts: [...this.#texts] }
  }

  #addNumber(number: number): boolean {
    let at = this.#ranges.length
    while (at > 0 && (this.#ranges[at - 1]?.[0] ?? 0) > number) at--
    const [before, after] = [this.#ranges[at - 1], this.#ranges[at]]
    if (before && number <= before[1]) return false
    const [follows, precedes] = [before?.[1] === number - 1, after?.[0] === number + 1]
    if (before && after && follows && precedes) {
      before[1] = after[1]
      this.#ranges.splice(at, 1)
    } else if (before && follows) before[1] = number
    else if (after && precedes) after[0] = number
    else this.#ranges.splice(at, 0, [number, number])
    return true
  }
}

/** The ids of {@link IdSet} as JSON. */
export interface StoredIds {
  ranges: [first: number, last: number][]
  texts: string[]
}

/** The kinds and ids of a log's entries. No two entries may have the same. */
export class EntryNames {
  readonly #ids: Map<string, IdSet>

  constructor(stored: Record<string, StoredIds> = {}) {
    this.#ids = new Map(Object.entries(stored).map(([kind, ids]) => [kind, new IdSet(ids)]))
  }

  /** Adds an entry's name. Returns false if it was there. */
  add({ kind, id }: { kind: string; id: string }): boolean {
    const ids = this.#ids.get(kind) ?? new IdSet()
    this.#ids.set(kind, ids)
    return ids.add(id)
  }

  /** Returns its names for {@link EntryNames} to be made again. */
  stored(): Record<string, StoredIds> {
    return Object.fromEntries([...this.#ids].map(([kind, ids]) => [kind, ids.stored()]))
  }
}
