import { Unfinished } from '../unfinished.ts'

/** A wallet's payments that have not opened anything yet, newest last. */
export const paid = new Unfinished<{ txHashes: string[] }>('lootbox-payments')

export function unopened(owner: string): string[] {
  return paid.read(owner)?.txHashes ?? []
}

const givenUp = new Unfinished<string[]>('lootbox-given-up')

/** Returns the payments of a wallet that the page no longer waits for, although they may still turn up. */
export function unawaited(owner: string): string[] {
  const ignored = givenUp.read(owner) ?? []
  return unopened(owner).filter((txHash) => ignored.includes(txHash))
}

/** Stops waiting for payments that the chain doesn't have. */
export function giveUp(owner: string, txHashes: string[]): void {
  givenUp.write(owner, [...unawaited(owner), ...txHashes])
}
