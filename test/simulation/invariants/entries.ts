import type { Posting } from '../../../src/ledger/accounts.ts'
import { unpackPostings } from '../../../src/ledger/journal.ts'
import type { Place } from '../world/objects.ts'
import type { World } from '../world/world.ts'
import { journalRows } from './ledgers.ts'

/**
 * An entry of a journal, as limits and operators' acts see it. All amounts but postings are of USDG, in smallest units.
 */
export interface Entry {
  seq: number
  id: string
  request: string
  result: string
  at: number
  postings: Posting[]
  stakedWei: bigint
  debitedWei: bigint
  /** What of a stake has come back because the bet or the game did not count. */
  returnedWei: bigint
  /** What a rollback has given back of a partner's debit. */
  givenBackWei: bigint
  depositedWei: bigint
}

/** Reads the ledgers' journals as they are written, before entries go to the archive. */
export class EntryWatch {
  readonly #world: World
  readonly #entries = new Map<Place, { version: number; losses: number; entries: Entry[] }>()

  constructor(world: World) {
    this.#world = world
  }

  /** Reads the entries that have been written since the last call. */
  check(): void {
    if (!this.#world.traits.hasLimits && !this.#world.traits.hasOperators) return
    for (const place of this.#world.objects.of('Ledger')) {
      const { version, losses } = place.disk
      const before = this.#entries.get(place) ?? { version: -1, losses, entries: [] }
      if (version === before.version) continue
      const reading = { seq: before.entries.at(-1)?.seq ?? 0, losses: before.losses }
      const { keptBelow, rows } = journalRows(this.#world, place, reading, {
        columns: 'seq, operation_id AS id, request, result, at, postings',
        where: 'TRUE',
      })
      const kept = before.entries.filter(({ seq }) => seq < keptBelow)
      this.#entries.set(place, { version, losses, entries: [...kept, ...rows.map(entryOf)] })
    }
  }

  /** Returns the entries of each wallet. */
  all(): (readonly [wallet: string, entries: readonly Entry[]])[] {
    return [...this.#entries].map(([{ name }, { entries }]) => [name, entries] as const)
  }
}

function entryOf(row: Record<string, unknown>): Entry {
  const [id, request] = [String(row['id']), String(row['request'])]
  const postings = unpackPostings(new Uint8Array(row['postings'] as ArrayBuffer))
  const moved = (from: string, to: string) =>
    postings
      .filter((each) => each.token === 'USDG' && each.from === from && each.to === to)
      .reduce((sum, { amountWei }) => sum + BigInt(amountWei), 0n)
  const isTransaction = request.startsWith('["transaction"')
  // The end of a game of mines books a stake that was held since its begin.
  const isEnd = moved('in_play', 'chips') > 0n
  const isLost = moved('chips', 'house') > 0n || moved('in_play', 'house') > 0n
  return {
    seq: Number(row['seq']),
    id,
    request,
    result: String(row['result']),
    at: Number(row['at']),
    postings,
    stakedWei: moved('chips', 'in_play') + (isEnd ? 0n : moved('chips', 'house')),
    returnedWei: isEnd && !isLost ? moved('in_play', 'chips') : 0n,
    debitedWei: isTransaction ? moved('chips', 'partner') : 0n,
    givenBackWei: isTransaction ? 0n : moved('partner', 'chips'),
    depositedWei: ['vault', 'faucet'].reduce((sum, from) => sum + moved(from, 'chips'), 0n),
  }
}
