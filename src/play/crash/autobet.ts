import type { DisclosedBet } from '../../crash/disclosure.ts'
import type { Hundredths } from '../../money/multiplier.ts'
import { get, isFailure } from '../api.ts'
import { Autobet } from '../autobet/autobet.ts'
import type { Event } from '../autobet/rules.ts'
import { session, playingWallet } from '../session.ts'
import { hand, place } from './hand.ts'
import { live, serverNow } from './live.ts'
import { isBetting } from './table.ts'

interface Choice {
  /** Null to cash out by hand. */
  autoCashout: Hundredths | null
}

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
      const draft = { token, amountWei: BigInt(amountWei), ...choice }
      const answer = await place(draft, table)
      // Whether a bet that came too late is in the round is known once the round has ended.
      if (isFailure(answer) && answer.error.code !== 'betting_closed') {
        return { kind: 'refused', id, code: answer.error.code }
      }
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
