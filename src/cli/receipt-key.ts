// npm run receipt-key: makes the signing key of receipts.
import { newReceiptKeys } from './shared/receipt-keys.ts'

console.log(newReceiptKeys())
