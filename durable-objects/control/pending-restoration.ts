import type { EntryId, LastKnownState } from '../../src/ledger/restoration.ts'
import { readAmounts, type PerToken } from '../../src/money/token.ts'
import type { Safeguards } from '../../src/protection/safeguards.ts'

/** A restoration that has not been completed. */
export interface PendingRestoration {
  /**
   * The known state of the ledger, and its time; with all that is known of the player's safeguards, which an earlier
   * version did not note.
   */
  known: LastKnownState & { at: number; safeguards?: Safeguards[] }
  undo: string | null
  /** The latest entry that was left; null before the ledger has gone back. */
  kept: EntryId | null
}

/** A {@link PendingRestoration} as it is stored. */
export type PendingRow = { known: string; undo: string | null; kept: string | null }

/** Reads a stored restoration. */
export function readPending({ known, undo, kept }: PendingRow): PendingRestoration {
  return {
    known: knownOf(known),
    undo,
    kept: kept === null ? null : (JSON.parse(kept) as EntryId),
  }
}

function knownOf(text: string): PendingRestoration['known'] {
  const { balances, writtenOffWei, ...known } = JSON.parse(text) as {
    seq: number
    hash: string | null
    at: number
    safeguards?: Safeguards[]
    writtenOffWei?: PerToken<string>
    balances: Record<'ETH' | 'USDG', Record<string, string>>
  }
  const borne = writtenOffWei && { writtenOffWei: readAmounts(writtenOffWei) }
  return { ...known, ...borne, balances: amountsOf(balances) }
}

function amountsOf(
  texts: Record<'ETH' | 'USDG', Record<string, string>>,
): LastKnownState['balances'] {
  const read = (accounts: Record<string, string>) =>
    Object.fromEntries(
      Object.entries(accounts).map(([account, wei]) => [account, BigInt(wei)]),
    ) as LastKnownState['balances']['ETH']
  return { ETH: read(texts.ETH), USDG: read(texts.USDG) }
}
