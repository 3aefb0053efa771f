import type { Mode } from '../../../src/operator/modes.ts'
import { nextVersion, type ModesVersion } from '../../../src/operator/versions.ts'

/** Versions made one after the other, a second apart. @param from when the first is made */
export function versionsOf(from: number, settings: Record<string, Mode>[]): ModesVersion[] {
  const versions: ModesVersion[] = []
  for (const [index, setting] of settings.entries()) {
    versions.push(nextVersion(versions.at(-1) ?? null, { modes: setting }, from + index * 1_000))
  }
  return versions
}
