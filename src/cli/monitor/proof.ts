import { writeFile } from 'node:fs/promises'
import type { Breach } from '../../transparency/follower.ts'

/** Writes what proves a breach, for others to check. Returns the file's name. */
export async function writeProof(
  { claim, finding, evidence }: Breach,
  about: { site: string; key: string; checkpoint: string | null },
): Promise<string> {
  const at = new Date().toISOString()
  const { host } = new URL(about.site)
  const file = `proof-${host.replaceAll(/[^a-z0-9.-]/gi, '-')}-${at.replaceAll(/[:.]/g, '-')}.json`
  await writeFile(file, `${JSON.stringify({ claim, finding, at, ...about, evidence }, null, 2)}\n`)
  return file
}
