import { fromBase64Url } from '../core/base64.ts'
import type { PerToken } from '../money/token.ts'
import type { ShownEntry } from '../verify/solvency.ts'
import { FUN_WALLET } from './fun/fun.ts'
import type { Facts } from './receipt-check.ts'
import { readKept, writeKept } from './storage.ts'
import { Store } from './store.ts'

/** A receipt by its subject, such as `play/7`. */
type StoredReceipt = [about: string, receipt: string]

const MOST = 500

const keyOf = (wallet: string) => `fairhouse.receipts.${wallet.toLowerCase()}`

/** A receipt that does not prove the house's answer to the player. */
interface Unproven {
  about: string
  problem: string
}

/** The newest one. */
export const unproven = new Store<Unproven | null>(null)

/**
 * Keeps the receipt in an answer, and checks it at once: once the house disputes something, it is too late.
 * @param receipt undefined if the answer has none
 * @param facts the facts that it must state
 */
export function takeReceipt(
  wallet: string,
  about: string,
  receipt: string | undefined,
  facts: Facts,
): void {
  if (wallet === FUN_WALLET) return
  keepReceipt(wallet, about, receipt)
  const check = async () => {
    // Without the check, which may not load, the receipt is kept all the same.
    const loaded = await import('./receipt-check.ts').catch(() => null)
    const unread = () => 'it can’t be read'
    const problem = await loaded?.problemOf(receipt, wallet, facts).catch(unread)
    if (problem) unproven.set({ about, problem })
  }
  void check()
}

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

/** Returns the entries of the wallet's journal that its kept receipts show. */
export function receiptedEntries(wallet: string): ShownEntry[] {
  return keptReceipts(wallet).flatMap((receipt) => entryOf(receipt) ?? [])
}

function entryOf(receipt: string): ShownEntry | null {
  try {
    const bytes = fromBase64Url(claimsIn(receipt) ?? '')
    const { seq, iat, owed } = JSON.parse(new TextDecoder().decode(bytes ?? undefined)) as {
      seq?: unknown
      iat?: unknown
      owed?: PerToken<string>
    }
    if (typeof seq !== 'number' || typeof iat !== 'number') return null
    const from = iat * 1_000
    return { seq, from, at: from + 999, ...(owed && { owed }) }
  } catch {
    // A text that isn't a receipt shows no entry.
    return null
  }
}

function read(wallet: string): StoredReceipt[] {
  return readKept<StoredReceipt[]>(keyOf(wallet)) ?? []
}

/** The signature after the claims differs each time. */
function claimsIn(receipt: string): string | undefined {
  return receipt.split('.')[1]
}
