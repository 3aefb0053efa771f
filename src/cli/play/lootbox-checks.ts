import { isDeepStrictEqual } from 'node:util'
import type { Check } from '../../fairness/check.ts'
import type { OpeningAnswer } from '../../lootbox/opening.ts'
import { expectedValue, tierOfRoll } from '../../lootbox/prizes.ts'
import { DAY_MS, dateOf } from '../../core/utc-day.ts'
import { showAsset } from '../shared/amounts.ts'
import type { Holding } from '../shared/chain-account.ts'

/** What `GET /api/lootbox` shows before anybody pays. */
export interface LootboxTerms {
  /** In wei. */
  price: string
  pool: string
  prizes: { bps: number; chance: number; prize: string; label: string; asset: string }[]
  expectedValue: Record<string, string>
  day: string
  seedHash: string
  nextSeedHash: string
}

/** The payment as the chain has it. */
export interface MinedPayment {
  txHash: string
  blockHash: string
  /** When its block was made, in unix milliseconds. */
  paidAt: number
}

/** An opening from the player's side. */
export interface OpenedLootbox {
  /** As they were shown before the payment. */
  terms: LootboxTerms
  payment: MinedPayment
  open: OpeningAnswer['open']
  /** What the wallet held of the prize's asset around its payment; null if there was none. */
  held: Holding | null
}

/** Holds an opening against what was shown before it and what the chain tells of it. */
export function checkOpened({ terms, payment, open, held }: OpenedLootbox): Check[] {
  const { prizes } = terms
  const seedHash = commitmentFor(terms, dateOf(payment.paidAt))
  const won = prizes[open.tier]
  const prize = showAsset(BigInt(open.prize), open.asset)
  const around = held
    ? `${showAsset(held.before, open.asset)} before, ${showAsset(held.after, open.asset)} after`
    : 'the chain knows of no payment'
  return [
    {
      claim: 'the average that was shown follows from the odds that were shown',
      holds: isDeepStrictEqual(
        expectedValue(prizes.map(({ prize: amountWei, ...rest }) => ({ ...rest, amountWei }))),
        terms.expectedValue,
      ),
    },
    {
      claim: 'it was opened with your payment, in the block that it is in',
      holds: open.txHash === payment.txHash && open.blockHash === payment.blockHash,
    },
    {
      claim: `it is committed to as was shown before you paid, by the seed hash of its day`,
      holds: seedHash !== null && open.seedHash === seedHash,
    },
    {
      claim: 'its odds are those that were shown',
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
      claim: `its prize is the one that was shown, ${prize}`,
      holds: won?.label === open.label && won.prize === open.prize && won.asset === open.asset,
    },
    {
      claim: `your wallet has exactly ${prize} more: ${around}`,
      holds: held !== null && held.after - held.before === BigInt(open.prize),
    },
  ]
}

/** What a day was committed to, of the two that were shown. */
function commitmentFor({ day, seedHash, nextSeedHash }: LootboxTerms, paidOn: string) {
  if (paidOn === day) return seedHash
  return paidOn === dateOf(Date.parse(day) + DAY_MS) ? nextSeedHash : null
}
