import { batchClosedEntry, batchId, batchOpenEntry } from '../box-nft/log-entries.ts'
import { appendToLog } from './public-log.ts'

interface LoggedBatch {
  chainId: number
  contract: string
  /** Its number in its contract. */
  batch: number
  pepperHash: string
  /** Null until the batch has ended. */
  pepper: string | null
}

/**
 * Makes sure that the public log has a batch of boxes: its hash, and its pepper once that is published. Safe to repeat.
 * @param at in unix milliseconds
 * @throws if the log can't be reached
 */
export async function logBatch(
  env: Env,
  { chainId, contract, batch, pepperHash, pepper }: LoggedBatch,
  at: number,
): Promise<void> {
  const { entry } = await appendToLog(env, batchOpenEntry(batch, pepperHash, at))
  // Each contract numbers its batches from 1, and a former one may have taken the number.
  const isOwn = entry['pepperHash'] === pepperHash
  const id = isOwn ? batch : batchId({ chainId, contract, batch })
  if (!isOwn) await appendToLog(env, batchOpenEntry(id, pepperHash, at))
  if (pepper !== null) await appendToLog(env, batchClosedEntry(id, pepper, at))
}
