import { contractIn, isNumbered } from '../box-nft/log-entries.ts'
import type { Check } from '../fairness/check.ts'
import type { LoggedEntry } from '../transparency/entry.ts'

/**
 * Which batches of boxes a log may name by their contracts. Each contract numbers its batches from 1, so a number that
 * a former contract has taken can't be logged again. A house that could name a batch at any time could log a second
 * pepper for boxes that are already sold.
 */
export class LoggedBatches {
  /** Where the log has the entries that commit to batches by their numbers, by id. */
  readonly #numbered: Map<string, number>

  /** @param stored what {@link stored} has returned */
  constructor(stored: Record<string, number> = {}) {
    this.#numbered = new Map(Object.entries(stored))
  }

  /**
   * Takes the next entry of a batch, and checks its name.
   * @param terms the entries of terms before it, in their order
   */
  take({ index, entry: { id } }: LoggedEntry, terms: readonly LoggedEntry[]): Check {
    if (isNumbered(id)) this.#numbered.set(id, index)
    const named = contractIn(id)
    if (!named) return { claim: NAMED_IN_TURN, holds: true }
    const numbered = this.#numbered.get(named.numberedId)
    const holds = numbered !== undefined && mayBeNamed(named.contract, numbered, terms)
    return { claim: NAMED_IN_TURN, holds }
  }

  stored(): Record<string, number> {
    return Object.fromEntries(this.#numbered)
  }
}

export const NAMED_IN_TURN =
  'a batch of boxes is named by its contract only if another contract had taken its number'

/**
 * Returns whether a log may name a batch by its contract: when its number was logged, terms had named another one. A
 * new service may log its first batch before its first terms, so these always count.
 * @param numbered the index of the entry with the number @param terms the log's entries of terms, in their order
 */
export function mayBeNamed(
  contract: string,
  numbered: number,
  terms: readonly LoggedEntry[],
): boolean {
  const [first] = terms.filter((each) => boxContractOf(each) !== null)
  return terms.some(
    (each) => isOfAnother(each, contract) && (each === first || each.index < numbered),
  )
}

/** Returns whether some terms name another box contract. */
export function isOfAnother(terms: LoggedEntry, contract: string): boolean {
  return ![contract, null].includes(boxContractOf(terms))
}

/** Returns the box contract that some terms name, as in the ids of batches; null if they name none. */
export function boxContractOf({ entry }: LoggedEntry): string | null {
  const { boxes } = (entry['terms'] ?? {}) as { boxes?: { chainId?: unknown; contract?: unknown } }
  return boxes ? `${String(boxes.chainId)}:${String(boxes.contract).toLowerCase()}` : null
}
