import { Unfinished } from '../unfinished.ts'

/** A wallet's payments that have not opened anything yet, newest last. */
export const paid = new Unfinished<{ txHashes: string[] }>('lootbox-payments')

export function unopened(owner: string): string[] {
  return paid.read(owner)?.txHashes ?? []
}
