import { forgetKeepsakes } from './keepsakes.ts'
import { readText, writeText } from './storage.ts'

const KEY = 'fairhouse.localLog'

/**
 * Forgets what was seen of an earlier service on this machine. Each start has other seeds, and another log, so that they
 * would contradict the evidence.
 */
export async function forgetEarlierService(): Promise<void> {
  const answer = await fetch('/log/key').catch(() => null)
  if (!answer?.ok) return
  const key = await answer.text()
  if (readText(KEY) === key) return
  forgetKeepsakes()
  writeText(KEY, key)
}
