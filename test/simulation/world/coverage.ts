import { FAULTS, type Fault } from './faults.ts'

type Kind = Fault | 'crossed' | 'histories'

/** Counts per boundary: how often it was crossed and with each fault, and in how many of several histories. */
export type Counts = Record<string, Partial<Record<Kind, number>>>

/** Counts the crossings of boundaries, and the faults there. */
export class Coverage {
  readonly counts: Counts = {}
  /** What can happen at each boundary, as it was counted last. */
  readonly #possible = new Map<string, readonly Fault[]>()

  /** @param possible the faults that can happen there, in a list that is the same for most crossings */
  cross(boundary: string, possible: readonly Fault[]): void {
    this.#add(boundary, 'crossed', 1)
    if (this.#possible.get(boundary) === possible) return
    this.#possible.set(boundary, possible)
    for (const fault of possible) this.#add(boundary, fault, 0)
  }

  hit(boundary: string, fault: Fault): void {
    this.#add(boundary, fault, 1)
  }

  /** Adds another history's counts. */
  merge(counts: Counts): void {
    for (const [boundary, row] of Object.entries(counts)) {
      this.#add(boundary, 'histories', 1)
      for (const [kind, count] of Object.entries(row)) {
        this.#add(boundary, kind as Kind, count)
      }
    }
  }

  #add(boundary: string, kind: Kind, count: number): void {
    const row = (this.counts[boundary] ??= {})
    row[kind] = (row[kind] ?? 0) + count
  }
}

/** Returns how often each kind of fault has happened, the most frequent first. */
export function faultsIn(counts: Counts): [Fault, number][] {
  const sumOf = (fault: Fault) =>
    Object.values(counts).reduce((sum, row) => sum + (row[fault] ?? 0), 0)
  return FAULTS.map((fault): [Fault, number] => [fault, sumOf(fault)]).toSorted(
    ([, a], [, b]) => b - a,
  )
}

/** Writes the table of boundaries and faults. A dot stands for a fault that cannot happen there. */
export function coverageTable(counts: Counts): string {
  const boundaries = Object.keys(counts).toSorted()
  const width = Math.max(...boundaries.map(({ length }) => length), 8)
  const kinds = ['histories', 'crossed', ...FAULTS] as const
  const titles = kinds.map((kind) => kind.replace('killed-', 'k-').replace('-commit', ''))
  const header = ['boundary'.padEnd(width), ...titles.map((title) => title.padStart(12))]
  const rows = boundaries.map((boundary) => [
    boundary.padEnd(width),
    ...kinds.map((kind) => String(counts[boundary]?.[kind] ?? '.').padStart(12)),
  ])
  return [header, ...rows].map((cells) => cells.join(' ')).join('\n')
}
