import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { USAGE } from '../../../src/cli/operate/options.ts'
import { LOG_EVENTS } from '../../../src/log-events.ts'
import { ACTS } from '../../../src/operator/act.ts'

const ROOT = new URL('../../../', import.meta.url)
const FOLDER = new URL('reference/recovery/', ROOT)
const read = (name: string) => readFileSync(new URL(name, FOLDER), 'utf8')

const PAGES = readdirSync(FOLDER).filter((name) => name !== 'README.md')

const HEADINGS = ['Symptom', 'What it can cost', 'What to do', "When it's resolved"]

describe('the pages about recovery', () => {
  it.each(PAGES)('%s says what it can cost and what to do, in this order', (name) => {
    const headings = [...read(name).matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)
    expect(headings).toEqual(HEADINGS)
  })

  it('are all listed', () => {
    const listed = [...read('README.md').matchAll(/\[[\w-]+\.md\]\(([\w-]+\.md)\)/g)]
    expect(listed.map(([, name = '']) => name).toSorted()).toEqual(PAGES.toSorted())
  })

  it.each(['README.md', ...PAGES])('%s names only commands and secrets that exist', (name) => {
    const page = read(name)
    const { scripts } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8'))
    for (const [, script = ''] of page.matchAll(/npm run (?:--silent )?([\w:-]+)/g)) {
      expect(Object.keys(scripts)).toContain(script)
    }
    for (const [, command] of page.matchAll(/npm run operate -- ([\w-]+)/g)) {
      expect(USAGE).toMatch(new RegExp(`^  ${command}( |$)`, 'm'))
    }
    for (const [, target = ''] of page.matchAll(/npm run operate -- mode ([^ `]+)/g)) {
      expect(target.replace('0x…', '0x0')).toMatch(ACTS.mode)
    }
    const environment = readFileSync(new URL('src/config/environment.ts', ROOT), 'utf8')
    for (const [, secret] of page.matchAll(/\bset\s+`([A-Z_]+)`/gi))
      expect(environment).toContain(secret)
  })

  it('are named by the catalogue of log events only if they exist', () => {
    const named = Object.values(LOG_EVENTS).flatMap(
      ({ todo }) => /reference\/recovery\/([\w-]+\.md)/.exec(todo ?? '')?.[1] ?? [],
    )
    expect(named.length).toBeGreaterThan(0)
    for (const name of named) expect(PAGES).toContain(name)
  })
})
