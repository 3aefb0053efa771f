import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { LOG_EVENTS } from '../../src/log-events.ts'
import { eventsPage } from '../../src/reference/events.ts'

const ROOT = new URL('../../', import.meta.url)

/** The one function that passes an event on. */
const LOGGED = /(?:\blog(?:Event|Fault)|#report)\(\s*'([a-z_]+)'/g
const UNNAMED = /\blog(?:Event|Fault)\(\s*(?!')(\w+)/g

/** The text of the service's code, without programs that only read its log. */
function sources(folders: string[]): string[] {
  return folders.flatMap((folder) =>
    readdirSync(new URL(folder, ROOT), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !/^(cli|play)\//.test(name) && name !== 'log.ts')
      .map((name) => readFileSync(new URL(`${folder}/${name}`, ROOT), 'utf8')),
  )
}

const found = (pattern: RegExp, folders = ['src', 'durable-objects']) =>
  sources(folders).flatMap((text) => [...text.matchAll(pattern)].map(([, name]) => name ?? ''))

describe('the catalogue of log events', () => {
  it('has every event that the code logs, and no other', () => {
    expect([...new Set(found(LOGGED))].toSorted()).toEqual(Object.keys(LOG_EVENTS).toSorted())
  })

  it('can be held against the code, because events are written out where they are logged', () => {
    // The relayer's #report passes its event on.
    expect(found(UNNAMED)).toEqual(['event'])
  })

  // The types of logEvent and logFault hold that each line has the fields of its event.
  it('has the name of the object in each line that an object writes', () => {
    const written = new Set(found(LOGGED, ['durable-objects']))
    const nameless = Object.entries(LOG_EVENTS)
      .filter(([name, { fields }]) => written.has(name) && !/^object\b/.test(fields[0] ?? ''))
      .map(([name]) => name)
    expect(written.size).toBeGreaterThan(40)
    expect(nameless).toEqual([])
  })

  it.each(Object.entries(LOG_EVENTS))('says what %s means', (_name, { level, means, todo }) => {
    expect(means).toMatch(/^[A-Z`].+\.$/)
    if (level === 'error') expect(todo).toMatch(/^[A-Z].+\.$/)
    else expect(todo).toBeNull()
  })

  it('is the page of the reference (npm run reference writes it)', () => {
    expect(readFileSync(new URL('reference/events.md', ROOT), 'utf8')).toBe(eventsPage())
  })
})
