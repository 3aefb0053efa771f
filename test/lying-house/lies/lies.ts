import type { Lie } from '../lie.ts'
import { EXPORT_LIES } from './exports.ts'
import { LOG_LIES } from './log.ts'
import { OPENING_LIES } from './openings.ts'
import { RECEIPT_LIES } from './receipts.ts'
import { ROUND_LIES } from './rounds.ts'
import { SOLVENCY_LIES } from './solvency.ts'

export const LIES: readonly Lie[] = [
  ...ROUND_LIES,
  ...RECEIPT_LIES,
  ...LOG_LIES,
  ...EXPORT_LIES,
  ...OPENING_LIES,
  ...SOLVENCY_LIES,
]
