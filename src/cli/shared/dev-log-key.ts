import { isDevSeed } from '../../config/known-keys.ts'
import { invariant } from '../../core/invariant.ts'
import { utf8 } from '../../core/utf8.ts'
import { logOrigin } from '../../transparency/checkpoint.ts'
import { signerKey, writeSignerKey } from '../../transparency/note.ts'

/** Production refuses seeds that begin so. */
const SEED = utf8('fairhouse development key')
const SEED_BYTES = 32

/** Returns a development key for a site's log. @param rest the seed's last 7 bytes */
export function devLogKey(site: string, rest = utf8(' of log')): string {
  const seed = Uint8Array.of(...SEED, ...rest)
  invariant(seed.length === SEED_BYTES && isDevSeed(seed), 'production refuses development keys')
  return writeSignerKey(signerKey(logOrigin(site), seed))
}

/** Draws a development key for a log that begins with it: two logs must not share a key and a name. */
export function newDevLogKey(site: string): string {
  const rest = crypto.getRandomValues(new Uint8Array(SEED_BYTES - SEED.length))
  return devLogKey(site, rest)
}
