/** Characters that control a terminal, break a line or reorder text, and halves of surrogate pairs. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu

/** Returns whether a text looks the same wherever it is shown, on one line. */
export function isPrintable(text: string): boolean {
  return text.search(UNPRINTABLE) === -1
}

/** Returns a text with every character that {@link isPrintable} refuses as its code point, such as `\u{1b}`. */
export function printable(text: string): string {
  return text.replaceAll(UNPRINTABLE, (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`)
}
