import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { describe, expect, it } from 'vitest'

interface SourceFile {
  /** From the project's root, with forward slashes. */
  path: string
  text: string
}

/** The files that a rule applies to. */
type Files = (path: string) => boolean

const inside =
  (...folders: string[]): Files =>
  (path) =>
    folders.some((folder) => path.startsWith(`${folder}/`))
const named =
  (...names: string[]): Files =>
  (path) =>
    names.includes(path)
const all: Files = () => true
const either =
  (...parts: Files[]): Files =>
  (path) =>
    parts.some((part) => part(path))
const not =
  (files: Files): Files =>
  (path) =>
    !files(path)
const both =
  (...parts: Files[]): Files =>
  (path) =>
    parts.every((part) => part(path))

/** The folders of pure rules, each importing only those before it. */
const RULES = [
  'core',
  'money',
  'fairness',
  'transparency',
  'operator',
  'ledger',
  'protection',
  'relayer',
  'vault',
  'reconciliation',
  'solvency',
  'games',
  'crash',
  'activity',
  'daybook',
  'lootbox',
  'box-nft',
  'ad-rental',
  'payment',
  'wallet-bridge',
  'rpc-proxy',
  'auth',
  'receipts',
  'exports',
  'preview',
  'verify',
  'audit',
  'health',
]
const PURE_RULES = inside(...RULES.map((folder) => `src/${folder}`))

/** The other folders of src, in the same order: they come after the rules. */
const EDGES = ['config', 'chain', 'history', 'calls', 'api', 'reference', 'certify', 'cli', 'play']
const ORDER = [...RULES, ...EDGES]

/** The folder of src that a file is in; undefined for a file outside or directly in src. */
const folderOf = (path: string) => /^src\/([^/]+)\//.exec(path)?.[1]

const OBJECTS = inside('durable-objects')
const KERNEL = inside('durable-objects/kernel')
const ENTRY = named('src/worker.ts')
const GENERATED = named('src/env.d.ts', 'src/chain/abi.ts')

const IMPORT_RULES: { rule: string; files: Files; mayImport: Files }[] = [
  {
    rule: 'a pure rule imports only pure rules, hash functions and curve functions',
    files: PURE_RULES,
    mayImport: either(PURE_RULES, inside('@noble')),
  },
  {
    rule: 'nothing but the entry imports an object, not even its types',
    files: both(inside('src'), not(ENTRY)),
    mayImport: not(OBJECTS),
  },
  {
    rule: 'an object imports of the API only how it answers HTTP',
    files: OBJECTS,
    mayImport: either(inside('src/api/http'), not(inside('src/api'))),
  },
  {
    rule: 'what the objects share knows none of them',
    files: KERNEL,
    mayImport: either(KERNEL, not(OBJECTS)),
  },
]

const TEXT_RULES: { rule: string; files: Files; never: RegExp }[] = [
  { rule: 'nothing is drawn that could be guessed', files: all, never: /Math\s*\.\s*random/ },
  {
    rule: 'an INSERT names its columns: code that is rolled back meets tables with more of them',
    files: all,
    never: /\bINTO\s+\w+\s+(VALUES|SELECT)\b/,
  },
  {
    rule: 'transactions are synchronous, begun in one place that makes sure of it',
    files: not(named('durable-objects/kernel/transact.ts')),
    never: /\.transactionSync\s*\(/,
  },
  {
    rule: 'a pure rule has no clock, no randomness and no network',
    files: PURE_RULES,
    never:
      /Date\.now\(|new Date\(\)|performance\.now|getRandomValues|randomUUID|\bfetch\(|setTimeout/,
  },
  {
    rule: "the page's state and effects end with their component, as Hono's own do not",
    files: not(named('src/play/hooks.ts')),
    never: /\buse(State|Reducer|\w*Effect|SyncExternalStore)\b[^;'"]*\}\s*from\s*['"]hono\/jsx/,
  },
]

const LONGEST_FILE = 400
const LONGEST_COMMENT_LINE = 120

/** A line of a comment alone. The formatter wraps code, but no comments. */
const COMMENT_LINE = /^ *(\/\/|\/?\*).*$/gm

const IMPORT = /\bfrom\s*['"]([^'"]+)['"]|\bimport\s*\(?\s*['"]([^'"]+)['"]/g

/** A folder of src, or of src/api: undefined elsewhere. */
const domainOf = (path: string) => /^src\/(api\/[^/]+|[^/]+)\//.exec(path)?.[1]

/** Returns a file's imports: paths from the root, or package names. */
function importsOf({ path, text }: SourceFile): string[] {
  return [...text.matchAll(IMPORT)].map(([, from, bare]) => {
    const target = from ?? bare ?? ''
    return target.startsWith('.') ? posix.join(posix.dirname(path), target) : target
  })
}

/** Whether a folder stands after another in the order of imports. */
function isAfter(folder: string | undefined, other: string | undefined): boolean {
  if (folder === undefined || other === undefined) return false
  return ORDER.indexOf(folder) > ORDER.indexOf(other)
}

function hasLongComment(text: string): boolean {
  const lines = text.match(COMMENT_LINE) ?? []
  return lines.some((line) => line.length > LONGEST_COMMENT_LINE)
}

/** Returns the rules that a file breaks. */
function broken(file: SourceFile): string[] {
  const imports = IMPORT_RULES.filter(
    ({ files, mayImport }) => files(file.path) && !importsOf(file).every(mayImport),
  )
  const isLate = importsOf(file).some((path) => isAfter(folderOf(path), folderOf(file.path)))
  const texts = TEXT_RULES.filter(({ files, never }) => files(file.path) && never.test(file.text))
  const isLong = !GENERATED(file.path) && file.text.trimEnd().split('\n').length > LONGEST_FILE
  const hasLongLine = !GENERATED(file.path) && hasLongComment(file.text)
  return [
    ...[...imports, ...texts].map(({ rule }) => rule),
    ...(isLate ? ['a folder imports only folders before it'] : []),
    ...(isLong ? [`a file has at most ${LONGEST_FILE} lines`] : []),
    ...(hasLongLine ? [`a comment's line has at most ${LONGEST_COMMENT_LINE} characters`] : []),
  ]
}

const ROOT = new URL('../../', import.meta.url)

/** The source files in folders below a root. */
function sourcesOf(root: URL, folders: string[]): SourceFile[] {
  return folders.flatMap((folder) =>
    readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
      .map((name) => posix.join(folder, name.replaceAll('\\', '/')))
      .filter((path) => /\.tsx?$/.test(path))
      .map((path) => ({ path, text: readFileSync(new URL(path, root), 'utf8') })),
  )
}

const SOURCES = sourcesOf(ROOT, ['src', 'durable-objects'])

/** A game added to the sources by tests. */
const DICE = sourcesOf(new URL('test/fixtures/dice/', ROOT), ['src'])

describe('every source file', () => {
  it.each([...SOURCES, ...DICE])('$path follows the rules', (file) => {
    expect(broken(file)).toEqual([])
  })

  it('is in a folder that has a place in the order', () => {
    const folders = SOURCES.map(({ path }) => folderOf(path)).filter((name) => name !== undefined)
    expect(new Set(folders)).toEqual(new Set(ORDER))
  })

  it('is in an order that matches the architecture page', () => {
    const page = readFileSync(new URL('reference/architecture.md', ROOT), 'utf8')
    const [, drawn = ''] = /```\nrules([^`]+)```/.exec(page) ?? []
    expect(drawn.match(/[a-z-]+/g)).toEqual([...RULES, 'edges', ...EDGES])
  })

  it('belongs to a domain without mutual imports', () => {
    const pairs = new Set(
      SOURCES.flatMap((file) =>
        importsOf(file).map((path) => [domainOf(file.path), domainOf(path)] as const),
      )
        .filter(([from, to]) => from && to && from !== to)
        .map(([from, to]) => `${from} imports ${to}`),
    )
    const mutual = [...pairs].filter((pair) => pairs.has(pair.split(' ').toReversed().join(' ')))
    expect(mutual).toEqual([])
  })

  it('is covered by the rules, including the rules for pure files', () => {
    const paths = SOURCES.map(({ path }) => path)
    expect(paths).toContain('src/crash/round.ts')
    expect(paths).toContain('durable-objects/kernel/transact.ts')
    const missing = RULES.filter((folder) => !paths.some(inside(`src/${folder}`)))
    expect(missing).toEqual([])
  })
})

describe('the rules detect', () => {
  it.each<[string, string, string, number]>([
    ['a pure rule that imports the runtime', 'src/crash/x.ts', "import 'cloudflare:workers'", 1],
    ['one that imports the router', 'src/ledger/x.ts', "import { Hono } from 'hono'", 1],
    ['one that imports the stubs', 'src/money/x.ts', "import { ledger } from '../objects.ts'", 1],
    ['one that imports a route', 'src/crash/x.ts', "import type { A } from '../api/x.ts'", 2],
    ['one that imports a later one', 'src/money/x.ts', "import { A } from '../ledger/x.ts'", 1],
    ['one that imports an earlier one', 'src/ledger/x.ts', "import { A } from '../money/x.ts'", 0],
    ['a node client that imports a route', 'src/chain/x.ts', "import { A } from '../api/x.ts'", 1],
    ['one that loads something later', 'src/crash/x.ts', "await import('../log.ts')", 1],
    ['one that reads the clock', 'src/crash/x.ts', 'const now = Date.now()', 1],
    ['one that draws', 'src/fairness/x.ts', 'crypto.getRandomValues(bytes)', 1],
    ['one that fetches', 'src/fairness/x.ts', "await fetch('https://a')", 1],
    [
      'an object imported by a route',
      'src/app.ts',
      "import type { L } from '../durable-objects/l.ts'",
      1,
    ],
    [
      'an object imported by the entry',
      'src/worker.ts',
      "export { L } from '../durable-objects/l.ts'",
      0,
    ],
    [
      'a route imported by an object',
      'durable-objects/x.ts',
      "import { a } from '../src/api/a/b.ts'",
      1,
    ],
    [
      'an object imported by the kernel',
      'durable-objects/kernel/x.ts',
      "import { L } from '../ledger.ts'",
      1,
    ],
    [
      'the kernel imported by itself',
      'durable-objects/kernel/x.ts',
      "import { A } from './alarm.ts'",
      0,
    ],
    ['a guessable draw', 'durable-objects/x.ts', 'Math.random()', 1],
    ['a transaction begun elsewhere', 'durable-objects/x.ts', 'storage.transactionSync(work)', 1],
    ['an INSERT without columns', 'durable-objects/x.ts', "exec('INSERT INTO a VALUES (?)')", 1],
    [
      'one of what a query finds',
      'src/history/x.ts',
      '`INSERT OR IGNORE INTO a\n  SELECT b FROM c`',
      1,
    ],
    ['one that names them', 'src/history/x.ts', '`INSERT INTO a (b) VALUES (?)`', 0],
    [
      "Hono's own state",
      'src/play/x.ts',
      "import { useId, useState, type FC } from 'hono/jsx/dom'",
      1,
    ],
    ["the page's state", 'src/play/x.ts', "import { useState } from './hooks.ts'", 0],
    ['a file of 401 lines', 'src/x.ts', 'a\n'.repeat(401), 1],
    ['a file of 400 lines', 'src/x.ts', 'a\n'.repeat(400), 0],
    ["a comment's line of 121 characters", 'src/x.ts', `  // ${'a'.repeat(116)}`, 1],
    ["a comment's line of 120 characters", 'src/x.ts', `  // ${'a'.repeat(115)}`, 0],
    ['nothing wrong', 'src/crash/x.ts', "import { sha256 } from '@noble/hashes/sha2'", 0],
  ])('%s', (_what, path, text, faults) => {
    expect(broken({ path, text })).toHaveLength(faults)
  })
})

const TESTS = readdirSync(new URL('test/unit', ROOT), { recursive: true, encoding: 'utf8' })
  .map((name) => name.replaceAll('\\', '/'))
  .filter((name) => name.includes('/') && name.endsWith('.test.ts'))

describe('the unit tests', () => {
  it('are in the folder that mirrors their source', () => {
    const folders = new Set(SOURCES.map(({ path }) => posix.dirname(path)))
    const strays = TESTS.filter((name) => {
      const folder = posix.dirname(name)
      const isOfTests = existsSync(new URL(`test/${folder}`, ROOT))
      return !folders.has(folder) && !folders.has(`src/${folder}`) && !isOfTests
    })
    expect(strays).toEqual([])
  })
})
