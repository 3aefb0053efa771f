import { expect, it } from 'vitest'
import { isPrintable, printable } from '../../../src/core/printable.ts'

it.each([
  ['a key that clears the line', '\u001B[2K\r', String.raw`\u{1b}[2K\u{d}`],
  ['a line break', 'a\nb', String.raw`a\u{a}b`],
  ['a separator of lines', 'a\u2028b\u2029', String.raw`a\u{2028}b\u{2029}`],
  ['a control character of eight bits', '\u009B2K\u007F', String.raw`\u{9b}2K\u{7f}`],
  ['an override of the direction', '\u202Ecba\u202C', String.raw`\u{202e}cba\u{202c}`],
  ['an isolate and a mark', '\u2066a\u2069\u200F', String.raw`\u{2066}a\u{2069}\u{200f}`],
  ['half a surrogate pair', '\uD800', String.raw`\u{d800}`],
])('%s is not printable, and is shown by its number', (_what, text, shown) => {
  expect(isPrintable(text)).toBe(false)
  expect(printable(text)).toBe(shown)
})

it.each(['', 'Reported as stolen: 0xabc.', 'Größe, 日本語, שלום, 👩‍🚀', '{"crash.edgeBps": 150}'])(
  '%j is shown as it is',
  (text) => {
    expect(isPrintable(text)).toBe(true)
    expect(printable(text)).toBe(text)
  },
)
