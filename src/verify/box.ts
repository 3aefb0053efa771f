import { tierOfBox, type BoxTier } from '../box-nft/tier.ts'
import { isoTime } from '../core/utc-day.ts'
import { checkSeen, type Check } from '../fairness/check.ts'
import { commits, isSecret } from '../fairness/seed.ts'
import { ALL_BPS } from '../money/rational.ts'
import type { LoggedEntry } from '../transparency/entry.ts'
import { NAMED_IN_TURN } from './logged-batches.ts'

/** A box of a batch with a published pepper, with everything that determines its tier. */
export interface DisclosedBox {
  boxId: bigint
  batch: number
  pepperHash: string
  pepper: string
  /** Null while the box is closed. */
  tier: number | null
  /** In the reward token's smallest unit; null while the box is closed. */
  prize: bigint | null
  /** The tiers of its kind. */
  tiers: readonly (BoxTier & { label: string })[]
}

/**
 * Checks a box's claims: its batch's commitment, its tier and its prize. Anyone with a node can check
 * separately that id, commitment and tiers are those on chain.
 * @param seen the pepper's hash on chain before the box was bought
 */
export function verifyBox(box: DisclosedBox, seen: { pepperHash?: string } = {}): Check[] {
  const { boxId, batch, pepperHash, pepper, tiers } = box
  const drawn = isSecret(pepper) ? tierOfBox(boxId, pepper, tiers) : -1
  const won = tiers[drawn]
  const tier = box.tier ?? drawn
  return [
    {
      claim: `the pepper of batch ${batch} matches its hash ${pepperHash}`,
      holds: commits(pepperHash, pepper),
    },
    {
      claim: `the odds add up to ${ALL_BPS}, and id and pepper draw tier ${tier}, ${tiers[tier]?.label}`,
      holds:
        tiers.reduce((sum, { bps }) => sum + bps, 0) === ALL_BPS &&
        won !== undefined &&
        tier === drawn,
    },
    ...(box.prize === null ? [] : [checkPrize(box.prize, won)]),
    ...checkSeen(
      'the pepper hash is the one you saw before you bought the box',
      pepperHash,
      seen.pepperHash,
    ),
  ]
}

/** A public log's entries on a batch of boxes. */
export interface LoggedBatch {
  commitment: LoggedEntry
  /** Since when it has the commitment, in unix milliseconds by the house's clock. */
  since: number
  pepper: LoggedEntry
  /** Whether it has the batch by its number, or by its contract because another one had taken the number. */
  isNamedInTurn: boolean
}

/** Checks a box's pepper against the public log. The house may tell each caller of another one. */
export function verifyPepperAsLogged(
  { batch, pepperHash, pepper }: DisclosedBox,
  logged: LoggedBatch,
): Check[] {
  return [
    {
      claim: `the public log has the pepper hash of batch ${batch}, since ${isoTime(logged.since)}, and it is this one`,
      holds: logged.commitment.entry['pepperHash'] === pepperHash,
    },
    {
      claim: `the public log has the pepper of batch ${batch}, and it is this one`,
      holds: logged.pepper.entry['pepper'] === pepper,
    },
    ...(logged.isNamedInTurn ? [] : [{ claim: NAMED_IN_TURN, holds: false }]),
  ]
}

function checkPrize(prize: bigint, won: BoxTier | undefined): Check {
  const claim = `its prize is the prize of the drawn tier, ${prize} smallest units`
  return { claim, holds: won?.prize === prize }
}
