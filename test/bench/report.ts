import { ROWS, STORAGES, type RowName, type Storage } from './rows.ts'
import type { Sample } from './session.ts'

export interface StoredSample extends Sample {
  storage: Storage
}

/** The samples of one row on one storage, as medians. */
interface Figure {
  ratio: number
  lowest: number
  highest: number
  perSecond: number
  p50Ms: number
  p99Ms: number
  samples: number
  outOfTime: number
  reached: boolean | null
}

type Figures = Record<RowName, Partial<Record<Storage, Figure>>>

export function summarize(samples: readonly StoredSample[]): Figures {
  const names = Object.keys(ROWS) as RowName[]
  const rows = names.map((row) => {
    const ofRow = samples.filter((sample) => sample.row === row)
    const figures = STORAGES.flatMap((storage) => {
      const found = figureOf(
        row,
        storage,
        ofRow.filter((sample) => sample.storage === storage),
      )
      return found ? [[storage, found]] : []
    })
    return [row, Object.fromEntries(figures)]
  })
  return Object.fromEntries(rows) as Figures
}

function figureOf(row: RowName, storage: Storage, all: StoredSample[]): Figure | null {
  const samples = all.filter((sample) => !sample.outOfTime)
  if (samples.length === 0) return null
  const ratios = samples.map((sample) => sample.ratio)
  const ratio = median(ratios)
  const { goal, compare } = ROWS[row]
  const reaches = (wanted: number) => (compare === 'at least' ? ratio >= wanted : ratio <= wanted)
  return {
    ratio,
    lowest: Math.min(...ratios),
    highest: Math.max(...ratios),
    perSecond: median(samples.map((sample) => sample.perSecond)),
    p50Ms: median(samples.map((sample) => sample.p50Ms)),
    p99Ms: median(samples.map((sample) => sample.p99Ms)),
    samples: samples.length,
    outOfTime: all.length - samples.length,
    reached: goal && reaches(goal[storage]),
  }
}

/** Formats the figures as text: one line per row, a group of columns per storage. */
export function formatTable(figures: Figures): string {
  const head = [
    '',
    ...STORAGES.flatMap((name) => [name, '(spread)', 'goal', 'req/s', 'p50/p99 ms']),
  ]
  const lines = Object.entries(figures).map(([row, ofRow]) => {
    const { title } = ROWS[row as RowName]
    return [title, ...STORAGES.flatMap((name) => cells(row as RowName, name, ofRow[name]))]
  })
  return formatColumns([head, ...lines])
}

/** Aligns the cells of a table's lines: the first column to the left, the others to the right. */
export function formatColumns(table: string[][]): string {
  const widths = (table[0] ?? []).map((_, column) =>
    Math.max(...table.map((line) => line[column]?.length ?? 0)),
  )
  return table
    .map((line) =>
      line
        .map((cell, column) =>
          column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
        )
        .join('  '),
    )
    .join('\n')
}

function cells(row: RowName, storage: Storage, figure: Figure | undefined): string[] {
  const { goal, compare } = ROWS[row]
  const sign = compare === 'at least' ? '≥' : '≤'
  if (!figure) return ['–', '', '', '', '']
  const { ratio, lowest, highest, perSecond, p50Ms, p99Ms, reached } = figure
  const digits = ratio >= 2 ? 1 : 3
  return [
    ratio.toFixed(digits),
    `(${lowest.toFixed(digits)}–${highest.toFixed(digits)})`,
    goal ? `${sign} ${goal[storage]} ${reached ? 'yes' : 'NO'}` : '',
    perSecond.toFixed(0),
    `${p50Ms.toFixed(2)}/${p99Ms.toFixed(1)}`,
  ]
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  return ((sorted[Math.ceil(middle) - 1] ?? NaN) + (sorted[Math.floor(middle)] ?? NaN)) / 2
}
