import { batchId, closedEntryId, openEntryId } from '../box-nft/log-entries.ts'
import type { Json } from '../core/canonical-json.ts'
import type { LoggedEntry } from '../transparency/entry.ts'
import { LoggedBatches } from '../verify/logged-batches.ts'
import type { BoxBatch } from './boxes.ts'
import type { Finding } from './finding.ts'

/** The entries of a public log on batches of boxes. */
export class BatchesInLog {
  /** The hash of each batch's pepper, and the pepper, by the ids of their entries. */
  readonly #peppers = new Map<string, Json | undefined>()
  readonly #names = new LoggedBatches()

  /**
   * Takes the next entry of a batch. Returns problems with its name.
   * @param terms the entries of terms before it, in their order
   */
  take(logged: LoggedEntry, terms: readonly LoggedEntry[]): Finding[] {
    const { index, entry } = logged
    this.#peppers.set(entry.id, entry['pepperHash'] ?? entry['pepper'])
    if (this.#names.take(logged, terms).holds) return []
    const where = `entry ${index} of the public log`
    const problem = `it names the batch ${entry.id} of boxes by its contract, but no other contract had taken its number`
    return [{ where, problem }]
  }

  /**
   * Compares a batch of exported boxes with the one that was logged.
   * @param isBefore whether it ended before the log began, which succeeds another one
   */
  check({ chainId, contract, batch, pepperHash, pepper }: BoxBatch, isBefore: boolean): Finding[] {
    const own = batchId({ chainId, contract, batch })
    // Each contract numbers its batches from 1, and a former one may have taken the number.
    const isNamed =
      this.#peppers.get(openEntryId(batch)) !== pepperHash && this.#peppers.has(openEntryId(own))
    const id = isNamed ? own : batch
    const parts = [
      ['its pepper hash', openEntryId(id), pepperHash],
      ['its pepper', closedEntryId(id), pepper],
    ] as const
    return parts.flatMap(([name, entryId, value]) => {
      const logged = this.#peppers.get(entryId)
      if (logged === value) return []
      // An entry with only the number may be of another contract.
      if (isBefore && (!isNamed || logged === undefined)) return []
      const is = logged === undefined ? 'not in the public log' : 'not the logged one'
      return [{ where: `batch ${batch} of boxes`, problem: `${name} is ${is}` }]
    })
  }
}
