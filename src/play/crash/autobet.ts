import type { DisclosedBet } from '../../crash/disclosure.ts'
import type { Hundredths } from '../../money/multiplier.ts'
import { get, isFailure } from '../api.ts'
import { Autobet } from '../autobet/autobet.ts'
import type { Event } from '../autobet/rules.ts'
import { session, playingWallet } from '../session.ts'
import { hand, place } from './hand.ts'
import { live, serverNow } from './live.ts'
import { isBetting, termsOf } from './table.ts'

interface Choice {
  /** Null to cash out by hand. */
  autoCashout: Hundredths | null
  /** As in {@link termsOf}, when the run began. */
  terms: string
}

const WAIT_FOR_LOG_MS = 3_000
/** Until when no bet as large is sent, by the server's clock: the round has refused one, and would refuse it again. */
let held = { until: 0, amountWei: 0n }

/** Automatic bets, one a round. A bet is sent again in its own round only, where it is the same bet. */
export const autobet = new Autobet<Choice, null>({
  name: 'crash',
  player: playingWallet,
  terms: () => live.value.table?.config.terms ?? null,
  ready() {
    const { table } = live.value
    const isFree = table && isBetting(table, serverNow()) && !hand.value.queued
    return isFree && canBet() ? { id: table.roundId, ticket: null } : null
  },
  async place({ id, choice, token, amountWei }) {
    const { table } = live.value
    const isOpen = table?.roundId === id && isBetting(table, serverNow())
    if (table && isOpen && canBet()) {
      if (termsOf(table) !== choice.terms) return { kind: 'refused', id, code: 'terms_changed' }
      const { autoCashout } = choice
      const draft = { token, amountWei: BigInt(amountWei), autoCashout }
      if (serverNow() < held.until && draft.amountWei >= held.amountWei) return null
      const answer = await place(draft, table)
      if (!isFailure(answer)) return null
      const { code } = answer.error
      // The room in a round never grows.
      if (code === 'payout_limit') held = { until: table.betsCloseAt, amountWei: draft.amountWei }
      // Whether a bet that came too late is in the round is known once the round has ended.
      else if (code === 'betting_closed')
        held = { until: serverNow() + WAIT_FOR_LOG_MS, amountWei: 0n }
      else return { kind: 'refused', id, code }
      return null
    }
    return resultOf(id, amountWei)
  },
})

function canBet(): boolean {
  const { me } = session.value
  return me?.openBet === null && hand.value.pending === null
}

/** Returns how the bet of a round ended; null while it is open. */
async function resultOf(roundId: number, amountWei: string): Promise<Event<null> | null> {
  const { table } = live.value
  const openBet = session.value.me?.openBet
  if (openBet?.roundId === roundId) {
    const isOther = openBet.amountWei !== amountWei
    return isOther ? { kind: 'refused', id: roundId, code: 'bet_exists' } : null
  }
  const { result } = hand.value
  if (result?.roundId === roundId) {
    return { ...settled(roundId, paid(result)), isVoid: result.kind === 'voided' }
  }
  if (!table || table.roundId <= roundId) return null
  const query = { action: 'bet', wallet: playingWallet() ?? '', roundId: String(roundId) }
  const ended = await get<DisclosedBet>('/api/crash', query)
  if (!isFailure(ended)) {
    return { ...settled(roundId, ended.payout), isVoid: ended.outcome === 'voided' }
  }
  // The ledger has asked the ended round about any bet in it, and accepts none for it any more.
  return ended.error.code === 'not_found' ? { kind: 'missed', id: roundId } : null
}

function settled(id: number, payoutWei: string) {
  return { kind: 'settled' as const, id, payoutWei }
}

function paid(result: NonNullable<typeof hand.value.result>): string {
  if (result.kind === 'won') return result.payoutWei
  return result.kind === 'voided' ? result.amountWei : '0'
}
