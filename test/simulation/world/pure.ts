import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/** The longest message whose hash is remembered, in bytes, and how many results are. */
const MAX_MESSAGE_BYTES = 128
const MAX_RESULTS = 5_000

/** Hashes a message, or derives a public key. */
type Derive = (from: Uint8Array | string, ...more: unknown[]) => Uint8Array

/**
 * Loads a package for the service. The same few keys and texts are hashed again and again in all histories: selectors,
 * types, and the addresses of the service's own keys. So results of these functions, which depend on nothing else, are
 * remembered.
 */
export function requirePure(id: string): unknown {
  const found = require(id) as Record<string, object>
  const name = PURE[id]
  if (name === undefined) return found
  if (name === 'keccak_256') return { ...found, [name]: remembered(found[name] as Derive) }
  const curve = found[name] as { getPublicKey: Derive }
  return { ...found, [name]: { ...curve, getPublicKey: remembered(curve.getPublicKey) } }
}

const PURE: Readonly<Record<string, string>> = {
  '@noble/hashes/sha3': 'keccak_256',
  '@noble/curves/secp256k1': 'secp256k1',
}

function remembered(derive: Derive): Derive {
  const results = new Map<string, Uint8Array>()
  const remember: Derive = (from, ...more) => {
    if (from.length > MAX_MESSAGE_BYTES) return derive(from, ...more)
    const text = typeof from === 'string' ? from : `bytes ${Buffer.from(from).toString('latin1')}`
    const key = more.length === 0 ? text : `${String(more[0])} ${text}`
    let result = results.get(key)
    if (!result) {
      if (results.size >= MAX_RESULTS) results.clear()
      result = derive(from, ...more)
      results.set(key, result)
    }
    // Its taker may write to it.
    return result.slice()
  }
  return Object.assign(remember, derive)
}
