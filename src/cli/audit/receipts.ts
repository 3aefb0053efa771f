import type { Receipt } from '../../receipts/claims.ts'
import { CommandError } from '../shared/terminal.ts'
import { readReceipt } from '../verify/receipt-claims.ts'
import { receiptTexts } from '../verify/receipt-sources.ts'

/**
 * Reads a player's receipts. Those of another site promise nothing in the export of this one.
 * @param site the URL of the site whose export is audited; null if it is not known
 * @throws CommandError if the file has no receipts of the site
 */
export async function readReceipts(file: string, site: string | null): Promise<Receipt[]> {
  const texts = (await receiptTexts([file])) ?? []
  const origin = site === null ? null : new URL(site).origin
  const receipts = texts
    .map((text) => readReceipt(text).receipt)
    .filter(({ iss }) => origin === null || iss === origin)
  if (receipts.length > 0) return receipts
  throw new CommandError(`${file} has no receipts${origin === null ? '' : ` of ${origin}`}.`)
}
