import { canonicalJson } from '../core/canonical-json.ts'
import { sha256Hex } from '../core/sha256.ts'
import type { LogEntry } from '../transparency/entry.ts'
import { LEAD_MS, type Mode, type ModesChange, type SetTerm } from './modes.ts'

/** The hash before the first version. */
const NO_VERSION_HASH = '0'.repeat(64)

/** A version of the operators' settings. Each commits to the one before it, and none ever changes. */
export interface ModesVersion extends ModesChange {
  at: number
  prevHash: string
  hash: string
}

/** The modes and terms that an act sets. A term set to null holds as configured again. */
export interface Settings {
  modes?: Readonly<Record<string, Mode>>
  terms?: Readonly<Record<string, SetTerm | null>>
}

/**
 * Returns the version that an act makes: its settings over those of the version before it.
 * @param previous null before the first
 */
export function nextVersion(
  previous: ModesVersion | null,
  settings: Settings,
  at: number,
): ModesVersion {
  const modes = Object.entries({ ...previous?.modes, ...settings.modes })
  const terms = Object.entries({ ...previous?.terms, ...settings.terms })
  const version = {
    number: (previous?.number ?? 0) + 1,
    at,
    // Versions take effect in their order, even if the clock has stepped back.
    takesEffectAt: Math.max(at + LEAD_MS, previous?.takesEffectAt ?? 0),
    modes: Object.fromEntries(
      modes.filter((entry): entry is [string, Exclude<Mode, 'open'>] => entry[1] !== 'open'),
    ),
    terms: Object.fromEntries(
      terms.filter((entry): entry is [string, SetTerm] => entry[1] !== null),
    ),
    prevHash: previous?.hash ?? NO_VERSION_HASH,
  }
  return { ...version, hash: versionHash(version) }
}

/** Returns the hash of a version, which commits to all versions before it. */
function versionHash(version: Omit<ModesVersion, 'hash'>): string {
  const { number, at, takesEffectAt, modes, terms, prevHash } = version
  return sha256Hex(canonicalJson({ number, at, takesEffectAt, modes, terms, prevHash }))
}

/** Returns whether a version follows from the one before it; null before the first. */
export function isNextVersion(previous: ModesVersion | null, version: ModesVersion): boolean {
  return (
    version.number === (previous?.number ?? 0) + 1 &&
    version.prevHash === (previous?.hash ?? NO_VERSION_HASH) &&
    version.hash === versionHash(version) &&
    version.takesEffectAt >= Math.max(version.at + LEAD_MS, previous?.takesEffectAt ?? 0)
  )
}

/** Returns a version as an entry of the public log. @param act the hash of the act that made it */
export function versionEntry({ number, ...version }: ModesVersion, act: string): LogEntry {
  return { kind: 'control', id: String(number), ...version, act }
}

/** Returns the version of an entry of the public log, and the act; the reverse of {@link versionEntry}. */
export function loggedVersion({ kind: _kind, id, act, ...version }: LogEntry): {
  version: ModesVersion
  actId: string
} {
  return {
    version: { number: Number(id), ...version } as unknown as ModesVersion,
    actId: act as string,
  }
}
