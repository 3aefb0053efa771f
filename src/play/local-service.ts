import { forgetKeepsakes } from './keepsakes.ts'
import { readText, writeText } from './storage.ts'

const KEY = 'fairhouse.localLog'

/**
 * Forgets the evidence of an earlier service on this machine. Each start has other seeds, and another log, so that they
 * would contradict the evidence.
 */
export function forgetEarlierService(logKey: string): void {
  if (readText(KEY) === logKey) return
  forgetKeepsakes()
  writeText(KEY, logKey)
}
