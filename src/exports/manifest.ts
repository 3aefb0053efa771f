/** The sets of rows that are exported, in the order in which a day's files are written. */
export const DATASETS = ['rounds', 'bets', 'plays', 'openings', 'boxes'] as const
export type Dataset = (typeof DATASETS)[number]

/** A day's file of one dataset, as its manifest lists it. */
export interface ExportFile {
  /** `rounds/2026-11-22.jsonl.gz` */
  name: string
  rows: number
  /** Of the compressed file, in hex. */
  sha256: string
  /** The keys of the first and the last row; null in a file without rows. */
  first: string | null
  last: string | null
}

/** A closed day's files. The manifest's own hash is the day's commitment. */
export interface Manifest {
  /** The UTC day, as YYYY-MM-DD. */
  day: string
  files: ExportFile[]
  /** The games of mines whose numbers the day's plays lack, because they had not ended; absent if there are none. */
  openGames?: OpenGame[]
}

/** A game of mines that has not ended. It will be the wallet's play of this number. */
export interface OpenGame {
  wallet: string
  nonce: number
}

/** A closed day, as the service lists it. */
export interface ExportedDay {
  day: string
  /** The path of its manifest on the site. */
  manifest: string
  /** Of the manifest's bytes, in hex. */
  sha256: string
}

export function fileName(dataset: Dataset, day: string): string {
  return `${dataset}/${day}.jsonl.gz`
}

export function manifestName(day: string): string {
  return `manifest/${day}.json`
}

/** Returns the key under which a file is stored. */
export function objectKey(name: string): string {
  return `export/v1/${name}`
}

/** Returns the path under which a file is published. */
export function publicPath(name: string): string {
  return `/exports/v1/${name}`
}

/** Returns a manifest as it is stored, published and hashed. */
export function manifestText({ day, files, openGames = [] }: Manifest): string {
  const listed = files.map(({ name, rows, sha256, first, last }) => ({
    name,
    rows,
    sha256,
    first,
    last,
  }))
  const open = openGames.map(({ wallet, nonce }) => ({ wallet, nonce }))
  return JSON.stringify({ day, files: listed, ...(open.length > 0 && { openGames: open }) })
}

const DAY = /^\d{4}-\d\d-\d\d$/
const NAME = new RegExp(
  `^(?:(?:${DATASETS.join('|')})/\\d{4}-\\d\\d-\\d\\d\\.jsonl\\.gz|manifest/\\d{4}-\\d\\d-\\d\\d\\.json)$`,
)

/** Returns whether a text is the name of an export file. */
export function isFileName(name: string): boolean {
  return NAME.test(name)
}

export function isDay(text: string): boolean {
  return DAY.test(text) && !Number.isNaN(Date.parse(text))
}
