import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  bundleOf,
  entriesOf,
  parseTilePath,
  tilePath,
  tilesOf,
  type Tile,
} from '../../../src/transparency/tiles.ts'
import { forAll } from '../support/for-all.ts'

describe("a tile's path", () => {
  it.each<[string, Tile]>([
    // The example of https://c2sp.org/tlog-tiles.
    ['tile/0/x001/x234/067', { level: 0, index: 1_234_067, width: 256 }],
    ['tile/0/000', { level: 0, index: 0, width: 256 }],
    ['tile/63/999.p/1', { level: 63, index: 999, width: 1 }],
    ['tile/entries/x001/000.p/255', { level: 'entries', index: 1_000, width: 255 }],
  ])('%s', (path, tile) => {
    expect(parseTilePath(path)).toEqual(tile)
    expect(tilePath(tile)).toBe(path)
  })

  it('is the only one of its tile', () => {
    const tile = fc.record({
      level: fc.oneof(fc.constant('entries' as const), fc.integer({ min: 0, max: 63 })),
      index: fc.integer({ min: 0, max: 999_999_999_999_999 }),
      width: fc.integer({ min: 1, max: 256 }),
    })
    forAll(tile, (made) => {
      expect(parseTilePath(tilePath(made))).toEqual(made)
    })
  })

  it.each([
    'tile/64/000',
    'tile/00/000',
    'tile/-1/000',
    'tile/data/000',
    'tile/0/00',
    'tile/0/0000',
    'tile/0/x000/001',
    'tile/0/x001',
    'tile/0/001/x001',
    'tile/0/000.p/0',
    'tile/0/000.p/256',
    'tile/0/000.p/01',
    'tile/0/000.p/',
    'tile/0/000.p/1/1',
    '/tile/0/000',
    'tile/0/000\n',
    '',
    `tile/0/${'x001/'.repeat(6)}000`,
  ])('is not %j', (path) => {
    expect(parseTilePath(path)).toBeNull()
  })
})

describe("a tree's tiles", () => {
  it('are those of the example for 70,000 entries', () => {
    // https://c2sp.org/tlog-tiles, section "Partial Tiles"
    const shapes = [0, 1, 2, 3].map((level) => tilesOf(level, 0, 70_000))
    expect(shapes.map(({ length }) => length)).toEqual([274, 2, 1, 0])
    expect(shapes.map((tiles) => tiles.at(-1)?.width)).toEqual([112, 17, 1, undefined])
    expect(tilesOf(0, 0, 256)).toEqual([{ level: 0, index: 0, width: 256 }])
    expect(tilesOf(1, 0, 256)).toEqual([{ level: 1, index: 0, width: 1 }])
  })

  it('begin with the one that has a given entry', () => {
    expect(tilesOf('entries', 300, 600)).toEqual([
      { level: 'entries', index: 1, width: 256 },
      { level: 'entries', index: 2, width: 88 },
    ])
    expect(tilesOf('entries', 512, 512)).toEqual([])
  })
})

describe('a bundle', () => {
  it('has its entries behind their lengths, big-endian', () => {
    const long = new Uint8Array(258).fill(7)
    const bundle = bundleOf([Uint8Array.of(1, 2), new Uint8Array(), long])
    expect(Array.from(bundle.slice(0, 8))).toEqual([0, 2, 1, 2, 0, 0, 1, 2])
    expect(entriesOf(bundle)).toEqual([Uint8Array.of(1, 2), new Uint8Array(), long])
  })

  it('that is cut off is refused', () => {
    const bundle = bundleOf([Uint8Array.of(1, 2), Uint8Array.of(3)])
    for (const length of [1, 2, 3, 5, 6]) expect(entriesOf(bundle.slice(0, length))).toBeNull()
  })
})
