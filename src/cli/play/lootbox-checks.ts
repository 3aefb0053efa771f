import { isDeepStrictEqual } from 'node:util'
import type { z } from 'zod'
import type { ConfigAnswer } from '../../api/lootbox/answers-schema.ts'
import { dateOf, dayAfter } from '../../core/utc-day.ts'
import type { Check } from '../../fairness/check.ts'
import type { OpeningAnswer } from '../../lootbox/opening.ts'
import { expectedValue, tierOfRoll } from '../../lootbox/prizes.ts'
import { showAsset } from '../shared/amounts.ts'
import type { Holding } from '../shared/chain-account.ts'

/** The answer of `GET /api/lootbox` before the payment. */
export type LootboxTerms = Pick<
  z.infer<typeof ConfigAnswer>,
  'price' | 'pool' | 'expectedValue' | 'day' | 'seedHash' | 'nextSeedHash'
> & { prizes: Omit<z.infer<typeof ConfigAnswer>['prizes'][number], 'decimals'>[] }

/** The payment as on chain. */
export interface MinedPayment {
  txHash: string
  blockHash: string
  /** The block's time, in unix milliseconds. */
  paidAt: number
}

/** An opening from the player's side. */
export interface OpenedLootbox {
  /** As shown before the payment. */
  terms: LootboxTerms
  payment: MinedPayment
  open: OpeningAnswer['open']
  /** The wallet's balance of the prize's asset before and after its payment; null if it wasn't paid. */
  held: Holding | null
}

/** Checks an opening against the facts shown beforehand and the facts on chain. */
export function checkOpened({ terms, payment, open, held }: OpenedLootbox): Check[] {
  const { prizes } = terms
  const seedHash = commitmentFor(terms, dateOf(payment.paidAt))
  const won = prizes[open.tier]
  const prize = showAsset(BigInt(open.prize), open.asset)
  const around = held
    ? `${showAsset(held.before, open.asset)} before, ${showAsset(held.after, open.asset)} after`
    : 'the chain has no payment'
  return [
    {
      claim: 'the average win shown follows from the odds shown',
      holds: isDeepStrictEqual(
        expectedValue(prizes.map(({ prize: amountWei, ...rest }) => ({ ...rest, amountWei }))),
        terms.expectedValue,
      ),
    },
    {
      claim: 'it was opened with your payment and its block',
      holds: open.txHash === payment.txHash && open.blockHash === payment.blockHash,
    },
    {
      claim: 'its seed hash is the one shown for its day before you paid',
      holds: seedHash !== null && open.seedHash === seedHash,
    },
    {
      claim: 'its odds are the ones shown',
      holds: isDeepStrictEqual(
        open.odds,
        prizes.map(({ bps }) => bps),
      ),
    },
    {
      claim: `its roll, ${open.roll}, wins tier ${open.tier}, ${open.label}`,
      holds: Number.isSafeInteger(open.roll) && tierOfRoll(BigInt(open.roll), prizes) === open.tier,
    },
    {
      claim: `its prize is the one shown, ${prize}`,
      holds: won?.label === open.label && won.prize === open.prize && won.asset === open.asset,
    },
    {
      claim: `your wallet has exactly ${prize} more: ${around}`,
      holds: held !== null && held.after - held.before === BigInt(open.prize),
    },
  ]
}

/** Returns the seed hash shown for a day, or null if neither day shown is this one. */
function commitmentFor({ day, seedHash, nextSeedHash }: LootboxTerms, paidOn: string) {
  if (paidOn === day) return seedHash
  return paidOn === dayAfter(day) ? nextSeedHash : null
}
