import { describe, expect, it } from 'vitest'
import { isBlank, migrate } from '../../../durable-objects/kernel/migrations.ts'
import { column, inBlankObject } from './support.ts'

const FIRST = {
  id: 'first',
  sql: 'CREATE TABLE a (x INTEGER) STRICT; CREATE TABLE b (x INTEGER);\n CREATE INDEX b_x ON b (x);',
}
const SECOND = { id: 'second', sql: 'ALTER TABLE a ADD COLUMN y INTEGER;' }
const THIRD = { id: 'third', sql: 'CREATE TABLE c (x INTEGER);' }

const TABLES = `SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_%' ESCAPE '\\' ORDER BY name`
const COLUMNS = `SELECT name FROM pragma_table_info('a')`

describe('migrations', () => {
  it('make tables, indexes and columns in a blank object, and nothing else', async () => {
    await inBlankObject(({ storage }) => {
      expect(isBlank(storage)).toBe(true)
      migrate(storage, [FIRST, SECOND])
      expect(isBlank(storage)).toBe(false)
      expect(column(storage.sql, TABLES)).toEqual(['a', 'b', 'b_x'])
      expect(column(storage.sql, COLUMNS)).toEqual(['x', 'y'])
    })
  })

  it('run once, and later ones run later', async () => {
    await inBlankObject(({ storage }) => {
      migrate(storage, [FIRST])
      storage.sql.exec('INSERT INTO a (x) VALUES (7)')
      migrate(storage, [FIRST])
      migrate(storage, [FIRST, SECOND, THIRD])
      migrate(storage, [FIRST, SECOND, THIRD])
      expect(column(storage.sql, TABLES)).toEqual(['a', 'b', 'b_x', 'c'])
      expect(storage.sql.exec('SELECT x, y FROM a').toArray()).toEqual([{ x: 7, y: null }])
    })
  })

  it('run in any order', async () => {
    await inBlankObject(({ storage }) => {
      migrate(storage, [THIRD])
      migrate(storage, [FIRST, SECOND, THIRD])
      expect(column(storage.sql, TABLES)).toEqual(['a', 'b', 'b_x', 'c'])
    })
  })

  it('may be fewer than the object has had: a deployment that was rolled back still runs', async () => {
    await inBlankObject(({ storage }) => {
      migrate(storage, [FIRST, SECOND, THIRD])
      migrate(storage, [FIRST])
      expect(column(storage.sql, COLUMNS)).toEqual(['x', 'y'])
    })
  })

  it.each([
    ['a column', { id: 'first', sql: 'CREATE TABLE a (x TEXT) STRICT;' }, 'a'],
    ['a constraint', { id: 'first', sql: 'CREATE TABLE a (x INTEGER NOT NULL) STRICT;' }, 'a'],
    ['a clause', { id: 'first', sql: 'CREATE TABLE a (x INTEGER);' }, 'a'],
    ['a table', { id: 'first', sql: 'CREATE TABLE b (y INTEGER, x INTEGER);' }, 'b'],
    ['an index', { id: 'first', sql: 'CREATE INDEX b_x ON b (y);' }, 'b_x'],
  ])(
    'fail clearly where %s was made in another way, and change nothing',
    async (_, edited, name) => {
      await inBlankObject(({ storage }) => {
        migrate(storage, [FIRST])
        expect(() => migrate(storage, [THIRD, edited])).toThrow(
          `"${name}" was made by another statement than that of "first"`,
        )
        expect(column(storage.sql, TABLES)).toEqual(['a', 'b', 'b_x'])
      })
    },
  )

  it('never remove anything', async () => {
    await inBlankObject(({ storage }) => {
      const drop = { id: 'drop', sql: 'DROP TABLE a;' }
      expect(() => migrate(storage, [FIRST, drop])).toThrow('a migration creates tables')
      expect(isBlank(storage)).toBe(true)
    })
  })

  it('are rolled back together if one of them fails', async () => {
    await inBlankObject(({ storage }) => {
      const broken = { id: 'broken', sql: 'CREATE TABLE d (x INTEGER); CREATE INDEX d_y ON d (y);' }
      expect(() => migrate(storage, [FIRST, broken])).toThrow('no such column')
      expect(isBlank(storage)).toBe(true)
      migrate(storage, [FIRST])
      expect(column(storage.sql, TABLES)).toEqual(['a', 'b', 'b_x'])
    })
  })
})
