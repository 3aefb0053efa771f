import type { Receipt } from '../../receipts/claims.ts'
import { isUnreached } from './missing.ts'

/** The plays of a wallet at a site, as far as its receipts tell. */
interface OwnPlays {
  receipt: Receipt
  /** The numbers of the plays that have a receipt. */
  nonces: Set<number>
}

/** The findings on the numbers of plays. */
interface CountedPlays {
  /** The notices of plays that the house counts and that have no receipt. */
  doubts: string[]
  /** Why a site's count is unknown. Without it, plays after the last receipt could be missing. */
  uncounted: string[]
}

/**
 * Finds plays that the house counts and that have no receipt, from the first one that has one. The house knows a play's
 * result when the call arrives: it could count a play that would win without having taken it.
 * @param receipts with verified signatures
 * @param countOf how many plays of a wallet its site counts; null if it doesn't say. It throws if the site could not be
 *   reached
 */
export async function missingPlays(
  receipts: readonly Receipt[],
  countOf: (receipt: Receipt) => Promise<number | null>,
): Promise<CountedPlays> {
  const found: CountedPlays = { doubts: [], uncounted: [] }
  for (const { receipt, nonces } of playsBySite(receipts)) {
    const numbers = [...nonces].toSorted((one, other) => one - other)
    const signed = numbers.at(-1)! + 1
    let count = 0
    try {
      count = (await countOf(receipt)) ?? 0
      // The count is not signed and may be a moment old, so too low a count proves nothing.
      if (count < signed) found.uncounted.push(uncountedIn(receipt, signed))
    } catch (fault) {
      if (!isUnreached(fault)) throw fault
      found.uncounted.push(unaskedIn(receipt))
    }
    const gaps = gapsIn([...numbers, Math.max(count, signed)])
    if (gaps.length > 0) found.doubts.push(doubtOf(receipt, gaps))
  }
  return found
}

function uncountedIn({ sub, iss }: Receipt, signed: number): string {
  return `${iss} does not say that it counts ${signed} plays of ${sub} or more, though it signed play ${signed - 1}`
}

function unaskedIn({ sub, iss }: Receipt): string {
  return `${iss} could not be asked how many plays of ${sub} it counts`
}

function playsBySite(receipts: readonly Receipt[]): OwnPlays[] {
  const found = new Map<string, OwnPlays>()
  for (const receipt of receipts) {
    const nonce = nonceOf(receipt)
    if (nonce === null) continue
    const name = `${receipt.iss} ${receipt.sub}`
    const known = found.get(name)
    if (known) known.nonces.add(nonce)
    else found.set(name, { receipt, nonces: new Set([nonce]) })
  }
  return [...found.values()]
}

/** Returns the number of the play that a receipt is of; null if it is of none. */
function nonceOf(receipt: Receipt): number | null {
  if (receipt.kind === 'play') return receipt.nonce
  return receipt.kind === 'mines-open' || receipt.kind === 'mines-pick' ? receipt.game.nonce : null
}

/** Returns the first and the last number of each gap between rising numbers. */
function gapsIn(numbers: readonly number[]): [number, number][] {
  return numbers.flatMap((number, index): [number, number][] => {
    const before = numbers[index - 1] ?? number
    return number > before + 1 ? [[before + 1, number - 1]] : []
  })
}

const MAX_NAMED = 10

function doubtOf({ sub, iss }: Receipt, gaps: readonly [number, number][]): string {
  const named = gaps
    .slice(0, MAX_NAMED)
    .map(([first, last]) => (first === last ? `${first}` : `${first} to ${last}`))
  const more = gaps.length > MAX_NAMED ? ' and later ones' : ''
  return `${iss} counts plays of ${sub} of which no receipt is here, by their numbers: ${named.join(', ')}${more}. If you did not make one of them, or were told that you had already made it, the house used up its number. It could do so with plays that would win. Look at each with --wallet ${sub} --play and its number.`
}
