import { z } from 'zod'
import type { Finding } from '../../audit/finding.ts'
import type { Manifest } from '../../exports/manifest.ts'
import { jsonIn } from '../shared/json.ts'
import { readManifest, type ExportSource } from './source.ts'

const ManifestForm = z.object({
  day: z.string(),
  files: z.array(
    z.object({
      name: z.string(),
      rows: z.int().min(0),
      sha256: z.string(),
      first: z.string().nullable(),
      last: z.string().nullable(),
    }),
  ),
  openGames: z.array(z.object({ wallet: z.string(), nonce: z.int().min(0) })).exactOptional(),
})

/** Reads a day's manifest. One of a wrong form lists no files. @param find takes its problems */
export async function manifestOf(
  source: ExportSource,
  day: string,
  listed: string | null,
  find: (findings: Finding[]) => void,
): Promise<Manifest & { sha256: string }> {
  const where = `the export of ${day}`
  const { text, sha256 } = await readManifest(source, day)
  if (listed !== null && sha256 !== listed) {
    find([{ where, problem: `its manifest has the sha256 ${sha256}, not the listed ${listed}` }])
  }
  const parsed = ManifestForm.safeParse(jsonIn(text))
  if (parsed.success && parsed.data.day === day) return { ...parsed.data, sha256 }
  find([{ where, problem: 'its manifest has a wrong form' }])
  return { day, files: [], sha256 }
}
