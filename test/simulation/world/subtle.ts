import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/** A key as far as the service looks at it. */
interface Key {
  secret: Uint8Array
}

/**
 * The part of `crypto.subtle` that the service uses: SHA-256, and HMAC with it. Node's own works on other threads,
 * whose order no seed decides.
 */
export const SUBTLE = {
  async importKey(_format: 'raw', secret: Uint8Array): Promise<object> {
    const algorithm = { name: 'HMAC', hash: { name: 'SHA-256' }, length: secret.length * 8 }
    const shape = { type: 'secret', extractable: false, usages: ['verify'], algorithm }
    return { ...shape, [Symbol.toStringTag]: 'CryptoKey', secret }
  },
  async digest(_algorithm: 'SHA-256', data: ArrayBuffer | Uint8Array): Promise<ArrayBuffer> {
    const bytes = data instanceof Uint8Array ? data : new Uint8Array(data)
    return new Uint8Array(createHash('sha256').update(bytes).digest()).buffer
  },
  async verify(_algorithm: object, { secret }: Key, signature: Uint8Array, data: Uint8Array) {
    const expected = createHmac('sha256', secret).update(data).digest()
    return signature.length === expected.length && timingSafeEqual(expected, signature)
  },
}

/** Hashes what is written to it, as the runtime's own. */
export class DigestStream extends WritableStream<Uint8Array> {
  readonly digest: Promise<ArrayBuffer>

  constructor(_algorithm: 'SHA-256') {
    const hash = createHash('sha256')
    let end: (hash: ArrayBuffer) => void
    const digest = new Promise<ArrayBuffer>((resolve) => (end = resolve))
    super({
      write: (chunk) => void hash.update(chunk),
      close: () => end(new Uint8Array(hash.digest()).buffer),
    })
    this.digest = digest
  }
}
