import { invariant } from './invariant.ts'

const ENCODER = new TextEncoder()

/** Returns a text's bytes in UTF-8. Making an encoder for each text would take longer than encoding it. */
export function utf8(text: string): Uint8Array {
  // Without a text the encoder would return no bytes: a key that everybody knows.
  invariant(typeof text === 'string', 'only text is encoded')
  return ENCODER.encode(text)
}
