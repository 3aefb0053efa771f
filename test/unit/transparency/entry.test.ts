import { utf8ToBytes } from '@noble/hashes/utils'
import { describe, expect, it } from 'vitest'
import {
  entryText,
  MAX_ENTRY_BYTES,
  parseEntry,
  type LogEntry,
} from '../../../src/transparency/entry.ts'

const entry = (fields: object = {}): LogEntry => ({ kind: 'plan', id: '7', at: 1, ...fields })

describe('an entry of the log', () => {
  it('is written as canonical JSON, and read back', () => {
    expect(entryText(entry({ b: [1.5, null], a: 'é' }))).toBe(
      '{"a":"é","at":1,"b":[1.5,null],"id":"7","kind":"plan"}',
    )
    expect(parseEntry(utf8ToBytes(entryText(entry({ a: 'é' }))))).toEqual(entry({ a: 'é' }))
  })

  it('may be as long as a bundle can hold', () => {
    const rest = MAX_ENTRY_BYTES - entryText(entry({ text: '' })).length
    expect(entryText(entry({ text: 'x'.repeat(rest) }))).toHaveLength(MAX_ENTRY_BYTES)
    expect(() => entryText(entry({ text: 'x'.repeat(rest + 1) }))).toThrow('fits into a bundle')
  })

  it.each([
    { kind: 'other' },
    { id: '' },
    { id: 'x'.repeat(129) },
    { id: 7 },
    { at: -1 },
    { at: 1.5 },
    { at: '1' },
    { at: NaN },
    { text: '\ud800' },
    { text: undefined },
  ])('is not written with %j', (fields) => {
    expect(() => entryText(entry(fields))).toThrow()
  })

  it.each([
    '{"at":1,"id":"7","kind":"plan"} ',
    '{"id":"7","at":1,"kind":"plan"}',
    '{"at":1,"at":1,"id":"7","kind":"plan"}',
    '{"at":1.0,"id":"7","kind":"plan"}',
    '\ufeff{"at":1,"id":"7","kind":"plan"}',
    '{"at":1,"id":"7"}',
    '[]',
    'null',
    '7',
    '',
    '{',
  ])('is not read from %j', (text) => {
    expect(parseEntry(utf8ToBytes(text))).toBeNull()
  })

  it('is not read from broken UTF-8', () => {
    expect(parseEntry(Uint8Array.of(...utf8ToBytes('{"at":1,"id":"'), 0xff))).toBeNull()
  })
})
