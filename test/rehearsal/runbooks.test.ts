import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { rulesIn } from '../shared/alerts.ts'
import * as chain from './stories/chain.ts'
import * as crash from './stories/crash.ts'
import * as log from './stories/log.ts'
import * as money from './stories/money.ts'
import * as platform from './stories/platform.ts'

const ROOT = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

const STORIES = [crash, log, platform, chain, money].flatMap((stories) => Object.values(stories))

/** A database of seven gigabytes would take longer than all rehearsals. */
const NOT_REHEARSED = 'DatabaseFilling'

it('every alert but one is rehearsed', () => {
  const alerts = rulesIn(read('ops/alerts.yml')).map(({ alert }) => alert)
  const rehearsed = STORIES.map(({ alert }) => alert)
  expect(new Set([...rehearsed, NOT_REHEARSED])).toEqual(new Set(alerts))
})

it('the table of rehearsals is in reference/runbooks/README.md', () => {
  const rows = STORIES.map(({ alert, fault, fires, remedy }) =>
    [`[${alert}](${alert}.md)`, fault, fires.join(', '), remedy].join(' | '),
  )
  const table = read('reference/runbooks/README.md')
    .split('\n')
    .filter((line) => line.startsWith('| ['))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim())
        .join(' | '),
    )
  expect(table.toSorted()).toEqual(rows.toSorted())
})
