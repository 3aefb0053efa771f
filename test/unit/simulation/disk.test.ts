import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Disk } from '../../simulation/world/disk.ts'
import { Random } from '../../simulation/world/random.ts'

let disk: Disk

beforeEach(() => {
  disk = new Disk('disk', new Random(1))
  disk.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT UNIQUE) STRICT', [])
  disk.confirm()
})

afterEach(() => disk.close())

const insert = (id: number, text: string) =>
  disk.exec('INSERT INTO t (id, text) VALUES (?, ?)', [id, text])
const ids = (of = disk) => of.exec('SELECT id FROM t ORDER BY id', []).rows.map(({ id }) => id)

describe('the disk of a simulated object', () => {
  it('keeps what was written before a throw', () => {
    insert(1, 'a')
    expect(() => insert(2, 'a')).toThrow('UNIQUE constraint failed')
    expect(ids()).toEqual([1])
  })

  it('undoes a whole transaction that throws, and only that', () => {
    insert(1, 'a')
    const work = () => {
      insert(2, 'b')
      throw new Error('stop')
    }
    expect(() => disk.atomically(work)).toThrow('stop')
    expect(ids()).toEqual([1])
  })

  it('loses unconfirmed writes, and only those', () => {
    insert(1, 'a')
    disk.confirm()
    insert(2, 'b')
    expect(disk.isDirty).toBe(true)
    disk.lose()
    expect(ids()).toEqual([1])
    expect(disk.isDirty).toBe(false)
  })

  it('is not dirty after reading', () => {
    disk.exec('SELECT * FROM t', [])
    expect(disk.isDirty).toBe(false)
  })

  it('refuses a bigint, as the runtime does', () => {
    expect(() => disk.exec('SELECT ?', [1n])).toThrow('a bigint cannot be bound')
  })

  it('refuses more than 100 bound parameters', () => {
    const places = Array.from({ length: 101 }, () => '?').join(', ')
    expect(() => disk.exec(`SELECT ${places}`, Array(101).fill(1))).toThrow(
      'too many SQL variables',
    )
  })

  it('returns blobs as buffers', () => {
    const [row] = disk.exec('SELECT ? AS blob', [new Uint8Array([1, 2])]).rows
    expect(row?.['blob']).toEqual(new Uint8Array([1, 2]).buffer)
    const [empty] = disk.exec('SELECT ? AS blob', [new Uint8Array()]).rows
    expect(empty?.['blob']).toEqual(new ArrayBuffer(0))
  })

  it('draws the same random order again', () => {
    for (let id = 1; id <= 20; id++) insert(id, `${id}`)
    const query = 'SELECT id FROM t ORDER BY random()'
    const other = disk.copy('disk')
    const drawn = disk.exec(query, []).rows
    expect(drawn).not.toEqual(disk.exec('SELECT id FROM t ORDER BY id', []).rows)
    expect(other.exec(query, []).rows).toEqual(drawn)
    other.close()
  })

  it('is copied with its unconfirmed writes, which do not come back to it', () => {
    insert(1, 'a')
    const copy = disk.copy('copy')
    disk.lose()
    expect([ids(), ids(copy)]).toEqual([[], [1]])
    copy.close()
  })
})
