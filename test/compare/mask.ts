import { rewriteJson } from './json-text.ts'
import { FOR_PEOPLE, SETS, UNSTABLE } from './unstable.ts'

const DAY_MS = 86_400_000
/** How far from the recording's day a number may lie to count as a time. */
const NEAR_DAYS = 60

/**
 * Text that is drawn or hashed: calls of contracts, uint256 in decimals, lower-case hex of 32 bytes and
 * more with or without 0x, UUIDs and tokens.
 */
const SHAPES = new RegExp(
  [
    String.raw`(?<call>\b0x[0-9a-f]{8}(?:[0-9a-f]{64})+\b)`,
    String.raw`(?<uint256>\b\d{60,78}\b)`,
    String.raw`(?<hex>\b(?:0x)?[0-9a-f]{64,}\b)`,
    String.raw`(?<uuid>\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b)`,
    String.raw`(?<token>\beyJ[\w-]+\.[\w-]+\.[\w-]+)`,
  ].join('|'),
  'g',
)
/** 4 bytes of a function, and its arguments of 32 bytes each. */
const WORDS = /[0-9a-f]{64}/g
/** A small number or an address, which no draw comes out as. */
const PLAIN_WORD = /^0{24}/
const DATE = /\b\d{4}-\d{2}-\d{2}(?=\b|T)/g
const SIGN_IN_DAY = /\bday(\d{8})\b/g
const ROUND_IN_QUERY = /\broundId=\d+/g

/**
 * Replaces what may differ between two recordings. Random text becomes the place where its story had it
 * first, so that what is equal in one recording has to be equal in the other. Days and times are told by
 * their distance from the recording's day. What `unstable.ts` lists becomes its type alone.
 */
export class Mask {
  readonly #firstPlaces = new Map<string, string>()
  readonly #today: number
  readonly #names: [RegExp, string][]

  /** For one story of a recording. */
  constructor({ startedAt, names }: { startedAt: number; names: Record<string, string> }) {
    this.#today = Math.floor(startedAt / DAY_MS)
    this.#names = Object.entries(names).flatMap(([text, name]): [RegExp, string][] => [
      [new RegExp(text, 'g'), `<${name}>`],
      [new RegExp(text, 'gi'), `<${name} in another letter case>`],
    ])
  }

  /** @param place the exchange, and which part of it */
  text(place: string, text: string): string {
    const rewrite = {
      leaf: (path: string, source: string) => this.#leaf(`${place} ${path}`, source),
      isSet: (path: string) => matches(SETS, `${place} ${path}`),
    }
    return rewriteJson(text, rewrite) ?? this.#plain(place, text)
  }

  #leaf(place: string, source: string): string {
    if (matches(FOR_PEOPLE, place) && source.startsWith('"')) return '<message>'
    if (matches(UNSTABLE, place)) return typeOf(source)
    if (source.startsWith('"')) return this.#plain(place, source)
    return /^\d+$/.test(source) ? this.#number(place, source) : source
  }

  #number(place: string, source: string): string {
    const key = place.split('.').at(-1)?.split(' ').at(-1) ?? ''
    if (key === 'roundId') return this.#first('round', source, place)
    if (key === 'window') return this.#day(Number(source))
    const day = Number(source) / DAY_MS
    if (Math.abs(day - this.#today) > NEAR_DAYS) return source
    // One moment may stand under two keys by chance, but not twice under one.
    return Number.isInteger(day) ? this.#day(day) : this.#first(`time ${key}`, source, place)
  }

  #plain(place: string, text: string): string {
    let masked = text
    for (const [pattern, name] of this.#names) masked = masked.replace(pattern, name)
    return masked
      .replace(SHAPES, (found, ...groups) => this.#shape(kindOf(groups), found, place))
      .replace(DATE, (date) => this.#day(Date.parse(date) / DAY_MS))
      .replace(SIGN_IN_DAY, (_, day) => this.#day(Number(day)))
      .replace(ROUND_IN_QUERY, (query) => {
        const [name = '', round = ''] = query.split('=')
        return `${name}=${this.#first('round', round, place)}`
      })
  }

  #shape(kind: string, found: string, place: string): string {
    const digits = found.replace(/^0x/, '').length
    const prefix = found.startsWith('0x') ? '0x and ' : ''
    if (kind === 'hex') return this.#first(`${prefix}${digits} hex digits`, found, place)
    // Made by the stories; two of one second may be equal.
    if (kind === 'token') return '<token>'
    if (kind !== 'call') return this.#first(kind, found, place)
    const words = found.slice(10).match(WORDS) ?? []
    const shown = words.map((word) =>
      PLAIN_WORD.test(word) ? word : this.#first('word', word, place),
    )
    return [found.slice(0, 10), ...shown].join(' ')
  }

  #first(kind: string, value: string, place: string): string {
    const key = `${kind} ${value}`
    const first = this.#firstPlaces.get(key) ?? place
    this.#firstPlaces.set(key, first)
    return `<${kind}: ${first}>`
  }

  #day(day: number): string {
    if (Math.abs(day - this.#today) > NEAR_DAYS) return `<day ${day}>`
    return `<today ${day < this.#today ? '' : '+'}${day - this.#today}>`
  }
}

/** The shape that a match of {@link SHAPES} has; its groups are the last argument of a replacer. */
function kindOf(groups: unknown[]): string {
  const named = Object.entries(groups.at(-1) as Record<string, string | undefined>)
  return named.find(([, found]) => found !== undefined)?.[0] ?? ''
}

function typeOf(source: string): string {
  if (source === 'null') return source
  if (source === 'true' || source === 'false') return '<boolean>'
  if (!source.startsWith('"')) return '<number>'
  const text = source.slice(1, -1)
  if (/^\d+$/.test(text)) return '<digits>'
  if (/^[0-9a-f]{64}$/.test(text)) return '<64 hex digits>'
  if (/^0x[0-9a-f]{8}([0-9a-f]{64})+$/.test(text)) return `<call of ${text.slice(0, 10)}>`
  return /^0x[0-9a-f]+$/.test(text) ? '<0x and hex digits>' : '<text>'
}

function matches(patterns: readonly RegExp[], place: string): boolean {
  return patterns.some((pattern) => pattern.test(place))
}
