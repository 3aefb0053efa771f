import { DAY_MS } from '../../src/core/utc-day.ts'
import { rewriteJson } from './json-text.ts'
import { FOR_PEOPLE, SETS, UNSTABLE } from './unstable.ts'

/** A number counts as a time if it is within this many days of the recording. */
const NEAR_DAYS = 60

/**
 * Random and hashed text: contract calls, decimal uint256, lower-case hex of 32 bytes or more with or
 * without 0x, UUIDs, and tokens.
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
/** The arguments of a contract call, 32 bytes each. */
const WORDS = /[0-9a-f]{64}/g
/** A small number or an address; random words don't start with so many zeros. */
const PLAIN_WORD = /^0{24}/
const DATE = /\b\d{4}-\d{2}-\d{2}(?=\b|T)/g
const SIGN_IN_DAY = /\bday(\d{8})\b/g
const ROUND_IN_QUERY = /\broundId=\d+/g

/**
 * Masks everything that may differ between two recordings. Random text and times become the place of
 * their first occurrence in the story, so values that are equal in one recording must be equal in the
 * other. Days become their distance from the recording's day. Values listed in `unstable.ts` become
 * their type.
 */
export class Mask {
  readonly #firstPlaces = new Map<string, string>()
  readonly #today: number
  readonly #names: [RegExp, string][]

  /** Masks one story of a recording. */
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
    // Two keys may share a millisecond by chance, so each key has its own first place.
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
    // The stories make tokens themselves; two made within a second may be equal.
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

/** Returns which shape matched. The named groups are the last argument of a replacer. */
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
