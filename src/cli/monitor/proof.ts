import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { toBase64 } from '../../core/base64.ts'
import type { Breach } from '../../transparency/follower.ts'
import { inclusionPath } from '../../transparency/merkle.ts'
import { subtreeHash } from '../../transparency/tile-hashes.ts'
import type { LogReader } from './log-reader.ts'

/** The log that a breach was found in. */
interface About {
  site: string
  /** Its verifier key. */
  key: string
  /** Its latest checkpoint, signed; null before the first. */
  checkpoint: string | null
  /** The number of entries of that checkpoint. */
  size: number
}

/** Writes the proof of a breach, for others to check. Returns the file's name. */
export async function writeProof(
  { claim, finding, evidence }: Breach,
  { size, ...about }: About,
  { reader, folder }: { reader: Pick<LogReader, 'hashes'>; folder: string },
): Promise<string> {
  const at = new Date().toISOString()
  const inclusion = await inclusionOf(evidence, size, reader).catch(() => [])
  const proof = { claim, finding, at, ...about, evidence, inclusion }
  const { host } = new URL(about.site)
  const name = `proof-${host.replaceAll(/[^a-z0-9.-]/gi, '-')}-${at.replaceAll(/[:.]/g, '-')}.json`
  const file = join(folder, name)
  await writeFile(file, `${JSON.stringify(proof, null, 2)}\n`)
  return file
}

/** Returns a proof that each named entry is in the signed tree, for when the log is gone. */
export async function inclusionOf(
  evidence: object,
  size: number,
  { hashes }: Pick<LogReader, 'hashes'>,
): Promise<{ index: number; size: number; proof: string[] }[]> {
  const indices = [...new Set(indicesIn(evidence))].filter((index) => index < size)
  return Promise.all(
    indices.map(async (index) => {
      const path = inclusionPath(index, size)
      const proof = await Promise.all(path.map((range) => subtreeHash(range, size, hashes)))
      return { index, size, proof: proof.map(toBase64) }
    }),
  )
}

/** Returns the places of all entries in some evidence. */
function indicesIn(evidence: object): number[] {
  return Object.entries(evidence).flatMap(([name, value]: [string, unknown]) => {
    if (name === 'index' && typeof value === 'number') return [value]
    return typeof value === 'object' && value !== null ? indicesIn(value) : []
  })
}
