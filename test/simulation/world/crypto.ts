import { DigestStream, SUBTLE } from './subtle.ts'
import type { World } from './world.ts'

/** How many bytes are taken from one draw. */
const DRAWN_BYTES = 4

export interface RuntimeCrypto {
  getRandomValues: <T extends Uint8Array | Int32Array>(array: T) => T
  randomUUID: () => string
  subtle: typeof SUBTLE
  DigestStream: typeof DigestStream
}

/** Returns the runtime's `crypto`, which draws differently in each host. */
export function cryptoOf({ random, scheduler, twin, draws }: World): RuntimeCrypto {
  const getRandomValues = <T extends Uint8Array | Int32Array>(array: T) => {
    // For libsecp256k1 as it starts, which histories share.
    if (array instanceof Int32Array) return array
    const host = scheduler.current?.name ?? 'world'
    const count = (draws.get(host) ?? 0) + 1
    draws.set(host, count)
    const isSecret = twin !== null && scheduler.current?.kind === 'CrashRound'
    const source = isSecret ? `${host} of ${twin}` : host
    for (let at = 0; at < array.length; at++) {
      const byte = at % DRAWN_BYTES
      if (byte === 0) drawn = random.between(`crypto of ${source} ${count} ${at}`, 0, 2 ** 32 - 1)
      array[at] = drawn >>> (8 * byte)
    }
    return array
  }
  let drawn = 0
  const randomUUID = () => {
    const hex = Buffer.from(getRandomValues(new Uint8Array(16))).toString('hex')
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`
  }
  return { getRandomValues, randomUUID, subtle: SUBTLE, DigestStream }
}
