import { readKept, writeKept } from './storage.ts'

/** A receipt by what it is about, such as `play/7`. */
type Kept = [about: string, receipt: string]

const MOST = 500

const keyOf = (wallet: string) => `fairhouse.receipts.${wallet.toLowerCase()}`

/**
 * Keeps a receipt. One with equal claims is not kept again; one with other claims about the same is, because
 * both together are evidence.
 */
export function keepReceipt(wallet: string, about: string, receipt: string | undefined): void {
  if (receipt === undefined) return
  const kept = read(wallet)
  const isKnown = kept.some(([, known]) => claimsIn(known) === claimsIn(receipt))
  if (!isKnown) writeKept(keyOf(wallet), [...kept, [about, receipt]].slice(-MOST))
}

/** Returns the wallet's kept receipts, oldest first: all of them, or those about some things. */
export function keptReceipts(wallet: string, abouts?: readonly string[]): string[] {
  const kept = read(wallet).filter(([about]) => abouts?.includes(about) ?? true)
  return kept.map(([, receipt]) => receipt)
}

function read(wallet: string): Kept[] {
  return readKept<Kept[]>(keyOf(wallet)) ?? []
}

/** The signature after the claims differs each time. */
function claimsIn(receipt: string): string | undefined {
  return receipt.split('.')[1]
}
