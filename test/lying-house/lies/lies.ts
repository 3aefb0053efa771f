import type { Lie } from '../lie.ts'
import { EXPORT_LIES } from './exports.ts'
import { LOG_LIES } from './log.ts'
import { OPENING_LIES } from './openings.ts'
import { RECEIPT_LIES } from './receipts.ts'
import { ROUND_LIES } from './rounds.ts'
import { SOLVENCY_LIES } from './solvency.ts'

/** Two parts, because the stories of one test file run one after another. */
export const LIES_ABOUT_RESULTS: readonly Lie[] = [...ROUND_LIES, ...RECEIPT_LIES]

export const OTHER_LIES: readonly Lie[] = [
  ...LOG_LIES,
  ...EXPORT_LIES,
  ...OPENING_LIES,
  ...SOLVENCY_LIES,
]

export const LIES: readonly Lie[] = [...LIES_ABOUT_RESULTS, ...OTHER_LIES]
