// npm run receipt-key: makes the signing key of receipts.
import { newReceiptKeys } from './shared/receipt-keys.ts'
import { readArgs, runCommand } from './shared/terminal.ts'

const USAGE = `Usage: npm run --silent receipt-key

Prints a new secret RECEIPT_KEYS, whose one key signs receipts.`

void runCommand(async () => {
  readArgs(USAGE, { options: {} })
  console.log(newReceiptKeys())
  return 0
})
