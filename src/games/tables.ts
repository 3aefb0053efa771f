import { invariant } from '../core/invariant.ts'

/** What a game pays from a version of the pay tables on, until its own next one. */
export interface TableVersion<Pays> {
  since: number
  pays: Pays
}

/** Returns what a game pays in a version of the pay tables: its newest that is not newer. */
export function tableOf<Pays>(versions: readonly TableVersion<Pays>[], version: number): Pays {
  const paying = versions.findLast(({ since }) => since <= version)
  invariant(paying, `there are no pay tables of version ${version}`)
  return paying.pays
}
