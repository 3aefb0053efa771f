import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { API, type Diagnostic } from 'typescript/unstable/sync'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../../..')
const CONFIG = join(ROOT, 'tsconfig.json')

/** An edit of a source: its path, a text in it, and what takes the text's place. */
type Edit = readonly [path: string, from: string, to: string]

let edited: { path: string; text: string } | null = null
let api: API

beforeAll(() => {
  const readFile = (path: string) => (path === edited?.path ? edited.text : undefined)
  api = new API({ cwd: ROOT, fs: { readFile } })
  api.updateSnapshot({ openProjects: [CONFIG] })
})

afterAll(() => api.close())

/** Returns what the compiler says about the released interface after an edit. */
function problems(edit: Edit | null): string {
  const paths = [edited?.path, edit && join(ROOT, edit[0])].filter(
    (path) => typeof path === 'string',
  )
  edited = edit && { path: join(ROOT, edit[0]), text: textAfter(edit) }
  const snapshot = api.updateSnapshot({ fileChanges: { changed: paths } })
  const program = snapshot.getProject(CONFIG)?.program
  return (program?.getSemanticDiagnostics(join(ROOT, 'test/upgrades/only-widened.ts')) ?? [])
    .map(wholeText)
    .join('\n')
}

function textAfter([path, from, to]: Edit): string {
  const text = readFileSync(join(ROOT, path), 'utf8')
  expect(text).toContain(from)
  return text.replace(from, to)
}

function wholeText({ text, messageChain = [] }: Diagnostic): string {
  return [text, ...messageChain.map(wholeText)].join('\n')
}

const ROUND = 'durable-objects/crash-round.ts'
const LIMIT = 'durable-objects/partner-limit.ts'

describe('the object calls of the last release', () => {
  it('are those of the newest release in the changelog', () => {
    const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
    const [, newest = ''] = /^## (\d+\.\d+\.\d+)/m.exec(read('CHANGELOG.md')) ?? []
    expect(read('test/upgrades/released.ts')).toContain(`of release ${newest}. `)
    expect(JSON.parse(read('package.json'))).toMatchObject({ version: newest })
  })

  it('can all be made to the current objects', () => {
    expect(problems(null)).toBe('')
  })

  it.each<[string, Edit, string]>([
    ['a method that is gone', [LIMIT, 'async today(', 'async presentDay('], "'today' is missing"],
    [
      'another required parameter',
      [ROUND, 'betCount = 0)', 'betCount: number)'],
      "'CrashRound.follow' are incompatible",
    ],
    [
      'a parameter that takes less',
      [ROUND, 'tableBets(wallet: string | null,', 'tableBets(wallet: string,'],
      "'CrashRound.tableBets' are incompatible",
    ],
    [
      'another required field of a parameter',
      [LIMIT, 'interface DebitReport {', 'interface DebitReport {\n  at: number'],
      "Property 'at' is missing",
    ],
    [
      'a result without a field',
      [LIMIT, '  leftWei: bigint\n  hasTooManyNew', '  hasTooManyNew'],
      "'leftWei' is missing",
    ],
    [
      'a result that the release does not know',
      [ROUND, 'async sweep(): Promise<number>', 'async sweep(): Promise<number | null>'],
      "'CrashRound.sweep()' are incompatible",
    ],
  ])('are broken by %s', (_what, edit, problem) => {
    expect(problems(edit)).toContain(problem)
  })

  it.each<[string, Edit]>([
    ['a new method', [LIMIT, 'async today(', 'async tomorrow() {}\n  async today(']],
    ['another optional parameter', [ROUND, 'betCount = 0)', 'betCount = 0, isWhole = false)']],
    [
      'a parameter that takes more',
      [ROUND, 'async outcome(betId: string)', 'async outcome(betId: string | null)'],
    ],
    [
      'a result with another field',
      [
        LIMIT,
        '  leftWei: bigint\n  hasTooManyNew',
        '  leftWei: bigint\n  at: number\n  hasTooManyNew',
      ],
    ],
    [
      'a new code of refusals',
      ['src/core/refusal.ts', 'closed: 503,', 'closed: 503,\n  sold_out: 409,'],
    ],
  ])('are not broken by %s', (_what, edit) => {
    expect(problems(edit)).toBe('')
  })
})
