/** An entry of a journal, with the earliest time at which it can have been made, in any unit. */
interface Dated {
  seq: number
  from: number
}

/**
 * Returns the pairs of entries of one journal whose numbers contradict their times: the second entry was made later,
 * and has no higher number. Entries with equal times may have any order. The list is empty only if no two entries
 * contradict each other.
 */
export function outOfOrder<Entry extends Dated>(
  entries: readonly Entry[],
): [earlier: Entry, later: Entry][] {
  const sorted = entries.toSorted((one, other) => one.from - other.from || one.seq - other.seq)
  return sorted.flatMap((later, index): [Entry, Entry][] => {
    const earlier = sorted[index - 1]
    const isWrong = earlier && earlier.from < later.from && earlier.seq >= later.seq
    return isWrong ? [[earlier, later]] : []
  })
}
