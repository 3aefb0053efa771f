const ENCODER = new TextEncoder()

/** Returns a text's bytes in UTF-8. Making an encoder for each text would take longer than encoding it. */
export function utf8(text: string): Uint8Array {
  return ENCODER.encode(text)
}
