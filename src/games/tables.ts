import { invariant } from '../core/invariant.ts'

/** A game's payouts from one version of the pay tables until the game's next entry. */
export interface TableVersion<Pays> {
  since: number
  pays: Pays
}

/** Returns a game's payouts in a version of the pay tables. */
export function tableOf<Pays>(versions: readonly TableVersion<Pays>[], version: number): Pays {
  const paying = versions.findLast(({ since }) => since <= version)
  invariant(paying, `there are no pay tables of version ${version}`)
  return paying.pays
}
