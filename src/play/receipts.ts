import { fromBase64Url } from '../core/base64.ts'
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

/**
 * Returns the entries of the wallet's journal that its kept receipts show. `at` is in unix milliseconds: the
 * last one of the receipt's second, before which the entry was made.
 */
export function receiptedEntries(wallet: string): { seq: number; at: number }[] {
  return keptReceipts(wallet).flatMap((receipt) => entryOf(receipt) ?? [])
}

function entryOf(receipt: string): { seq: number; at: number } | null {
  try {
    const bytes = fromBase64Url(claimsIn(receipt) ?? '')
    const { seq, iat } = JSON.parse(new TextDecoder().decode(bytes ?? undefined)) as {
      seq?: unknown
      iat?: unknown
    }
    const isEntry = typeof seq === 'number' && typeof iat === 'number'
    return isEntry ? { seq, at: iat * 1_000 + 999 } : null
  } catch {
    // A text that isn't a receipt shows no entry.
    return null
  }
}

function read(wallet: string): Kept[] {
  return readKept<Kept[]>(keyOf(wallet)) ?? []
}

/** The signature after the claims differs each time. */
function claimsIn(receipt: string): string | undefined {
  return receipt.split('.')[1]
}
