import { parseVerifierKey, SIGNATURE_TYPE, type VerifierKey } from '../../transparency/note.ts'
import { CommandError } from './terminal.ts'

/** Reads an option that names a verifier key of a type. @throws CommandError */
export function readVerifierKey(
  option: string,
  text: string,
  type: VerifierKey['type'],
): VerifierKey {
  const key = parseVerifierKey(text)
  if (key?.type === type) return key
  throw new CommandError(
    `${option} must be a verifier key: a name, an id and a key, joined by +. Check that it is complete.`,
  )
}

/**
 * Reads `--log-key`, a log's key from a place that the house can't change for one player alone. @throws CommandError
 */
export function readLogKey(text: string | undefined): VerifierKey | null {
  return text === undefined ? null : readVerifierKey('--log-key', text, SIGNATURE_TYPE.log)
}
