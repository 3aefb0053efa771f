import { fromBase64, toBase64 } from '../core/base64.ts'
import type { Hash, Tree } from './merkle.ts'
import {
  parseNote,
  signaturesOf,
  signNote,
  type SignerKey,
  type ValidSignature,
  type VerifierKey,
} from './note.ts'

/** A log's tree at one size, as in https://c2sp.org/tlog-checkpoint. */
export interface Checkpoint extends Tree {
  /** The log's name. */
  origin: string
}

const HASH_BYTES = 32

/**
 * Returns the name of a site's log.
 * @param site its origin, such as `https://play.example.com`
 * @param generation 1 for its first log, 2 for the log that succeeds it if it is lost, and so on
 */
export function logOrigin(site: string, generation = 1): string {
  return `${new URL(site).host}/log${generation === 1 ? '' : `/${generation}`}`
}

/** Returns which log of a site has a name; null if none has. */
export function logGeneration(site: string, origin: string): number | null {
  const [, number = '1'] = /\/log(?:\/([1-9]\d{0,5}))?$/.exec(origin) ?? []
  const generation = Number(number)
  return logOrigin(site, generation) === origin ? generation : null
}

/** Writes and signs a checkpoint of the log that the key belongs to. */
export function signCheckpoint({ size, root }: Tree, key: SignerKey): string {
  return signNote(`${key.verifier.name}\n${size}\n${toBase64(root)}\n`, key)
}

/** Parses a checkpoint's text. Returns null for any other text. Ignores extension lines. */
export function parseCheckpoint(body: string): Checkpoint | null {
  const [origin = '', sizeText = '', rootText = '', ...extensions] = body.split('\n')
  const root: Hash | null = fromBase64(rootText)
  const size = Number(sizeText)
  const isSize = /^(0|[1-9][0-9]{0,15})$/.test(sizeText) && Number.isSafeInteger(size)
  const isWhole = extensions.pop() === '' && extensions.every((line) => line !== '')
  return origin !== '' && isSize && root?.length === HASH_BYTES && isWhole
    ? { origin, size, root }
    : null
}

/** A checkpoint with the valid signatures of known keys. */
export interface OpenedCheckpoint extends Checkpoint {
  signatures: ValidSignature[]
}

/**
 * Parses and verifies a signed checkpoint.
 * @param log the log's key, which must have signed it under the log's name
 * @param witnesses the witnesses whose cosignatures are verified, if there are any
 * @returns null if it can't be trusted
 */
export function openCheckpoint(
  text: string,
  log: VerifierKey,
  witnesses: readonly VerifierKey[] = [],
): OpenedCheckpoint | null {
  const note = parseNote(text)
  const checkpoint = note && parseCheckpoint(note.body)
  const signatures = note && signaturesOf(note, [log, ...witnesses])
  const isByLog = signatures?.some(({ key }) => key === log) ?? false
  return checkpoint && signatures && isByLog && checkpoint.origin === log.name
    ? { ...checkpoint, signatures }
    : null
}
