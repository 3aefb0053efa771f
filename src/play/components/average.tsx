import { percent } from '../../games/returns.ts'
import type { Rational } from '../../money/rational.ts'
import { localDecimal } from '../locale.ts'

/** The same precision as in reference/returns.md. */
const DECIMALS = 4

/** Formats an exact share: "99%", "98.9883%". */
export function showShare(share: Rational): string {
  return localDecimal(percent(share, DECIMALS).replace(/\.?0+%/, '%'))
}

/** Returns the rest after an edge, as a share of the stake. */
export function lessEdge(edgeBps: number): Rational {
  return { numerator: BigInt(10_000 - edgeBps), denominator: 10_000n }
}

/** Returns the edge that a return leaves. It is negative for a return above the stake. */
export function edgeOf({ numerator, denominator }: Rational): Rational {
  return { numerator: denominator - numerator, denominator }
}

/** Shows a choice's average return, as rows of a list of odds. */
export function AverageRows({ share }: { share: Rational | null }) {
  return (
    <>
      <div class="returns">
        <dt>Returns on average</dt>
        <dd>{share ? showShare(share) : '–'}</dd>
      </div>
      <div class="returns">
        <dt>House edge</dt>
        <dd>{share ? showShare(edgeOf(share)) : '–'}</dd>
      </div>
    </>
  )
}

/** Links to a game's page of help. */
export function HelpLink({ game }: { game: string }) {
  return (
    <a class="help-link" href={`#/help/${game}`}>
      Rules, return and limits
    </a>
  )
}
