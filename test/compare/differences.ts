import { diff } from 'node:util'
import { parse } from 'yaml'
import { Mask } from './mask.ts'
import type { Exchange, Recording } from './recording.ts'

/** Headers of the connection and of caches, which the service doesn't decide. */
const IGNORED_HEADERS = new Set([
  'date',
  'connection',
  'keep-alive',
  'content-length',
  'transfer-encoding',
  'etag',
  'cf-cache-status',
])
const CONTEXT_LINES = 2

/** Returns a report for each exchange that differs, and for each one that only one recording has. */
export function differences(before: Recording, after: Recording): string[] {
  const [old, now] = [render(before), render(after)]
  const missing = [...old.keys()].filter((name) => !now.has(name))
  const added = [...now.keys()].filter((name) => !old.has(name))
  const changed = [...old].flatMap(([name, text]) => {
    const other = now.get(name)
    return other === undefined || other === text ? [] : [describe(name, text, other)]
  })
  return [
    ...changed,
    ...missing.map((name) => `Only the first recording has "${name}".\n`),
    ...added.map((name) => `Only the second recording has "${name}".\n`),
  ]
}

/** Renders every exchange as text, with everything that may differ masked. */
function render(recording: Recording): Map<string, string> {
  const masks = new Map<string, Mask>()
  return new Map(
    recording.exchanges.map((exchange, index) => {
      const story = storyOf(exchange)
      const mask = masks.get(story) ?? new Mask(recording)
      masks.set(story, mask)
      const earlier = recording.exchanges
        .slice(0, index)
        .findLast((other) => isSame(exchange, other))
      return [exchange.name, renderOne(exchange, mask, earlier)]
    }),
  )
}

function renderOne({ name, request, answer }: Exchange, mask: Mask, earlier?: Exchange): string {
  const part = (what: string, text: string) => mask.text(`${name} ${what}`, text)
  const headers = Object.entries(answer.headers)
    .filter(([header]) => !IGNORED_HEADERS.has(header))
    .map(([header, value]) => `${header}: ${part(header, value)}`)
    .toSorted()
  const isRepeated = earlier?.answer.body === answer.body
  return [
    `${request.method} ${part('request', request.path)}`,
    ...Object.entries(request.headers ?? {}).map(([header, value]) =>
      part('request', `${header}: ${value}`),
    ),
    ...(request.body === undefined ? [] : [part('request', request.body)]),
    `Status ${answer.status}`,
    ...headers,
    ...(earlier
      ? [`${isRepeated ? 'Same answer as' : 'Another answer than'} "${earlier.name}".`]
      : []),
    part('answer', comparable(answer)),
  ].join('\n')
}

/** Reduces the OpenAPI document to all but its prose, and an HTML page to its anchors. */
function comparable({ headers, body }: Exchange['answer']): string {
  const type = headers['content-type'] ?? ''
  if (type.startsWith('application/yaml')) return JSON.stringify(parse(body), withoutProse)
  if (type.startsWith('text/html')) return [...body.matchAll(/\sid="([^"]*)"/g)].join('\n')
  return body
}

/** Drops the prose of a document: what it says about a field isn't part of the wire. */
function withoutProse(key: string, value: unknown): unknown {
  const isProse = (key === 'description' || key === 'summary') && typeof value === 'string'
  return isProse ? undefined : value
}

/** Returns whether a POST repeats an earlier one of its story. */
function isSame({ request, name }: Exchange, other: Exchange): boolean {
  const { method, path, body } = other.request
  if (request.method !== 'POST' || storyOf(other) !== name.split(':')[0]) return false
  return method === request.method && path === request.path && body === request.body
}

function storyOf({ name }: Exchange): string {
  return name.split(':')[0] ?? ''
}

/** Shows the lines that differ and their neighbours. Each value of a JSON body starts a line. */
function describe(name: string, before: string, after: string): string {
  const lines = diff(linesOf(before), linesOf(after)).map(([kind, line]) => ({
    isChanged: kind !== 0,
    text: `  ${kind === 0 ? ' ' : kind === 1 ? '-' : '+'} ${line}`,
  }))
  const shown = lines.filter((_, index) =>
    lines
      .slice(Math.max(0, index - CONTEXT_LINES), index + CONTEXT_LINES + 1)
      .some(({ isChanged }) => isChanged),
  )
  return `${name}\n${shown.map(({ text }) => text).join('\n')}\n`
}

function linesOf(text: string): string[] {
  return text.split(/\n|(?<=[,{[])(?=["{[\d<])/)
}
