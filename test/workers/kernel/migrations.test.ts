import { describe, expect, it } from 'vitest'
import { isBlank, migrate } from '../../../durable-objects/kernel/migrations.ts'
import { column, inBlankObject } from './support.ts'

const FIRST = { id: 'first', sql: 'CREATE TABLE a (x INTEGER); CREATE TABLE b (x INTEGER);' }
const SECOND = { id: 'second', sql: 'ALTER TABLE a ADD COLUMN y INTEGER;' }
const THIRD = { id: 'third', sql: 'CREATE TABLE c (x INTEGER);' }

const DONE = 'SELECT id FROM migrations ORDER BY number'
const TABLES = `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_%' ESCAPE '\\' ORDER BY name`

describe('migrations', () => {
  it('create tables in a blank object, and are recorded in order', async () => {
    await inBlankObject(({ storage }) => {
      expect(isBlank(storage)).toBe(true)
      migrate(storage, [FIRST, SECOND])
      expect(isBlank(storage)).toBe(false)
      expect(column(storage.sql, DONE)).toEqual(['first', 'second'])
      expect(column(storage.sql, TABLES)).toEqual(['a', 'b', 'migrations'])
    })
  })

  it('leave no record of the first one alone, which is recorded with the second', async () => {
    await inBlankObject(({ storage }) => {
      migrate(storage, [FIRST])
      expect([isBlank(storage), column(storage.sql, TABLES)]).toEqual([false, ['a', 'b']])
      migrate(storage, [FIRST, SECOND])
      expect(column(storage.sql, DONE)).toEqual(['first', 'second'])
    })
  })

  it('run once, and appended ones run later', async () => {
    await inBlankObject(({ storage }) => {
      migrate(storage, [FIRST])
      storage.sql.exec('INSERT INTO a (x) VALUES (7)')
      migrate(storage, [FIRST])
      migrate(storage, [FIRST, SECOND, THIRD])
      migrate(storage, [FIRST, SECOND, THIRD])
      expect(column(storage.sql, DONE)).toEqual(['first', 'second', 'third'])
      expect(storage.sql.exec('SELECT x, y FROM a').toArray()).toEqual([{ x: 7, y: null }])
    })
  })

  it('may be fewer than in the object: a deployment that was rolled back still runs', async () => {
    await inBlankObject(({ storage }) => {
      migrate(storage, [FIRST, SECOND, THIRD])
      migrate(storage, [FIRST])
      expect(column(storage.sql, DONE)).toEqual(['first', 'second', 'third'])
    })
  })

  it.each([
    ['reordered', [SECOND, FIRST], 1],
    ['renamed', [FIRST, { ...SECOND, id: 'other' }], 2],
    ['removed', [FIRST, THIRD], 2],
    ['inserted before others', [FIRST, THIRD, SECOND], 2],
  ])('fail clearly where one was %s, and change nothing', async (_, migrations, number) => {
    await inBlankObject(({ storage }) => {
      migrate(storage, [FIRST, SECOND])
      expect(() => migrate(storage, migrations)).toThrow(
        `migration ${number} is "${[FIRST, SECOND][number - 1]?.id}", but this deployment expects "${migrations[number - 1]?.id}"`,
      )
      expect(column(storage.sql, DONE)).toEqual(['first', 'second'])
      expect(column(storage.sql, TABLES)).toEqual(['a', 'b', 'migrations'])
    })
  })

  it('are rolled back together if one of them fails', async () => {
    await inBlankObject(({ storage }) => {
      const broken = {
        id: 'broken',
        sql: 'CREATE TABLE d (x INTEGER); CREATE TABLE a (x INTEGER);',
      }
      expect(() => migrate(storage, [FIRST, broken])).toThrow('already exists')
      expect(isBlank(storage)).toBe(true)
      migrate(storage, [FIRST])
      expect(column(storage.sql, TABLES)).toEqual(['a', 'b'])
    })
  })
})
