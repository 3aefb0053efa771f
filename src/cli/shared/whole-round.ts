import type { WholeRound } from '../../crash/disclosure.ts'

/** Pages of bets that are read of a round: as many as a round can have. */
const MAX_PAGES = 1_000

/** Returns a round with all of its bets. @param read returns the page from a position on */
export async function readPages(read: (from: number) => Promise<WholeRound>): Promise<WholeRound> {
  const whole = await read(0)
  const bets = [...whole.bets]
  let { next } = whole
  for (let pages = 1; next !== null && pages < MAX_PAGES; pages++) {
    const page = await read(next)
    bets.push(...page.bets)
    next = page.next
  }
  return { ...whole, bets, next }
}
