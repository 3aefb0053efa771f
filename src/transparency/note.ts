import { ed25519 } from '@noble/curves/ed25519'
import { sha256 } from '@noble/hashes/sha2'
import { bytesToHex, concatBytes } from '@noble/hashes/utils'
import { fromBase64, toBase64 } from '../core/base64.ts'
import { utf8 } from '../core/utf8.ts'

/** Signed notes, as in https://c2sp.org/signed-note. */

/** The types of signatures that we know: of a log, and a witness's cosignature with its time. */
export const SIGNATURE_TYPE = { log: 0x01, witness: 0x04 } as const

/** A key that verifies signatures of a name. */
export interface VerifierKey {
  name: string
  /** Identifies the key among those of its name: 8 hex digits. */
  id: string
  type: (typeof SIGNATURE_TYPE)[keyof typeof SIGNATURE_TYPE]
  publicKey: Uint8Array
}

/** A log's signing key. */
export interface SignerKey {
  verifier: VerifierKey
  /** The private key of RFC 8032: 32 random bytes. */
  seed: Uint8Array
}

/** A signature line of a note. */
interface NoteSignature {
  name: string
  id: string
  /** Without the key's id. */
  signature: Uint8Array
}

/** A note, not verified yet. */
export interface Note {
  /** Ends in a line feed. */
  body: string
  signatures: NoteSignature[]
}

const NAME = /^[^\s+\p{Cc}\p{Z}]+$/u
const VERIFIER = /^([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/
const SIGNER = /^PRIVATE\+KEY\+([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/
const KEY_BYTES = 32

/** Returns the key of a name, with the id that follows from both. */
export function verifierKey(
  name: string,
  type: VerifierKey['type'],
  publicKey: Uint8Array,
): VerifierKey {
  const digest = sha256(concatBytes(utf8(`${name}\n`), Uint8Array.of(type), publicKey))
  return { name, id: bytesToHex(digest.subarray(0, 4)), type, publicKey }
}

/** Writes a verifier key ("vkey") for publication. */
export function writeVerifierKey({ name, id, type, publicKey }: VerifierKey): string {
  return `${name}+${id}+${toBase64(concatBytes(Uint8Array.of(type), publicKey))}`
}

/** Parses a verifier key. Returns null for another text, type of key, or an id of another key. */
export function parseVerifierKey(text: string): VerifierKey | null {
  const [, name = '', id = '', encoded = ''] = VERIFIER.exec(text) ?? []
  const [type, publicKey] = typed(encoded)
  const known = Object.values(SIGNATURE_TYPE).find((value) => value === type)
  if (!NAME.test(name) || known === undefined || publicKey?.length !== KEY_BYTES) return null
  const key = verifierKey(name, known, publicKey)
  return key.id === id ? key : null
}

/** Returns the signing key of a name. @param seed 32 random bytes */
export function signerKey(name: string, seed: Uint8Array): SignerKey {
  return { verifier: verifierKey(name, SIGNATURE_TYPE.log, ed25519.getPublicKey(seed)), seed }
}

/** Writes a signing key in the encoding of Go's `sumdb/note`, which the field's tools read. */
export function writeSignerKey({ verifier: { name, id, type }, seed }: SignerKey): string {
  return `PRIVATE+KEY+${name}+${id}+${toBase64(concatBytes(Uint8Array.of(type), seed))}`
}

/** Parses a signing key. Returns null for another text or type of key, or an id of another key. */
export function parseSignerKey(text: string): SignerKey | null {
  const [, name = '', id = '', encoded = ''] = SIGNER.exec(text) ?? []
  const [type, seed] = typed(encoded)
  if (!NAME.test(name) || type !== SIGNATURE_TYPE.log || seed?.length !== KEY_BYTES) return null
  const key = signerKey(name, seed)
  return key.verifier.id === id ? key : null
}

/** Splits off the first byte of base64, which is the type of the rest. */
function typed(encoded: string): [number | undefined, Uint8Array | undefined] {
  const bytes = fromBase64(encoded)
  return [bytes?.[0], bytes?.slice(1)]
}

/** Signs a text that ends in a line feed. */
export function signNote(body: string, { verifier, seed }: SignerKey): string {
  const signature = ed25519.sign(utf8(body), seed)
  return `${body}\n${signatureLine({ ...verifier, signature })}`
}

/** Writes a signature line, to be added to a note. */
export function signatureLine({ name, id, signature }: NoteSignature): string {
  return `— ${name} ${toBase64(concatBytes(idBytes(id), signature))}\n`
}

function idBytes(id: string): Uint8Array {
  return Uint8Array.from(id.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))
}

/** Notes of ours are shorter: a checkpoint has three lines, and each witness adds one. */
const MAX_NOTE_CHARS = 65_536
const MAX_SIGNATURES = 100
const SIGNATURE_LINE = /^— (\S+) ([A-Za-z0-9+/=]+)$/

/** Parses a note. Returns null for any other text. */
export function parseNote(text: string): Note | null {
  const end = text.lastIndexOf('\n\n')
  // oxlint-disable-next-line no-control-regex -- the format forbids them
  const isText = text.length <= MAX_NOTE_CHARS && !/[\u0000-\u0009\u000b-\u001f\p{Cs}]/u.test(text)
  if (!isText || end < 0 || !text.endsWith('\n')) return null
  const lines = text.slice(end + 2, -1).split('\n')
  const signatures = lines.map(parseSignature)
  if (lines.length > MAX_SIGNATURES || signatures.includes(null)) return null
  return { body: text.slice(0, end + 1), signatures: signatures.filter((line) => line !== null) }
}

function parseSignature(line: string): NoteSignature | null {
  const [, name = '', encoded = ''] = SIGNATURE_LINE.exec(line) ?? []
  const bytes = fromBase64(encoded)
  if (!NAME.test(name) || !bytes || bytes.length <= 4) return null
  return { name, id: bytesToHex(bytes.subarray(0, 4)), signature: bytes.slice(4) }
}

/** A key's valid signature of a note. */
export interface ValidSignature {
  key: VerifierKey
  /** When a witness signed, in unix seconds; null for a log's signature. */
  at: number | null
}

/**
 * Returns the valid signatures of known keys. Signatures of others are ignored.
 * @returns null if a known key's signature is wrong: then the note can't be trusted
 */
export function signaturesOf(note: Note, keys: readonly VerifierKey[]): ValidSignature[] | null {
  const signed: ValidSignature[] = []
  for (const { name, id, signature } of note.signatures) {
    const key = keys.find((known) => known.name === name && known.id === id)
    if (!key || signed.some((known) => known.key === key)) continue
    const valid = verified(note.body, key, signature)
    if (!valid) return null
    signed.push(valid)
  }
  return signed
}

function verified(body: string, key: VerifierKey, signature: Uint8Array): ValidSignature | null {
  if (key.type === SIGNATURE_TYPE.log) {
    return isSigned(body, key, signature) ? { key, at: null } : null
  }
  if (signature.length !== 8 + 64) return null
  const seconds = new DataView(signature.buffer, signature.byteOffset).getBigUint64(0)
  const isRight = isSigned(cosignedText(body, seconds), key, signature.subarray(8))
  return isRight && seconds < 2n ** 53n ? { key, at: Number(seconds) } : null
}

/** Returns the text that a witness signs, as in https://c2sp.org/tlog-cosignature. @param seconds unix time */
export function cosignedText(body: string, seconds: bigint): string {
  return `cosignature/v1\ntime ${seconds}\n${body}`
}

function isSigned(text: string, { publicKey }: VerifierKey, signature: Uint8Array): boolean {
  try {
    return ed25519.verify(signature, utf8(text), publicKey, { zip215: false })
  } catch {
    // The key or the signature is not a point of the curve.
    return false
  }
}
