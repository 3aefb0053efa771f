import type { StreamMessage } from '../../crash/stream.ts'
import {
  byStake,
  noBets,
  SHOWN_BETS,
  type ShownBet,
  type TableBets,
} from '../../crash/table-bets.ts'
import { TOKENS, type PerToken } from '../../money/token.ts'

/** The bets of the current round, as the page shows them. */
export type ShownBets = Omit<TableBets, 'betsRoot'>

/** The facts that the order of the bets and their number depend on. */
export interface Seat {
  /** The largest stake in each token, in smallest units. */
  maxWei: PerToken<bigint>
  /** The player's wallet, whose bet is always shown. */
  wallet: string | undefined
}

/** Returns the bets after a message; null until a snapshot has arrived. */
export function withBetNews(
  shown: ShownBets | null,
  news: StreamMessage,
  seat: Seat,
): ShownBets | null {
  switch (news.type) {
    case 'snapshot': {
      const { roundId } = news.state
      const isBehind = shown !== null && roundId < shown.roundId
      return isBehind ? shown : { ...ofRound(shown, roundId), totals: news.totals }
    }
    case 'phase':
      return news.phase === 'results'
        ? ended(ofRound(shown, news.roundId), news.crashPoint === null)
        : ofRound(shown, news.roundId)
    case 'bets': {
      const { roundId, totals, bets } = news
      if (shown && roundId < shown.roundId) return shown
      return withBets({ ...ofRound(shown, roundId), totals }, bets, seat)
    }
    case 'win': {
      const { wallet, mult: multiplier, payout } = news.win
      return shown?.roundId === news.roundId
        ? changed(shown, (bet) => (bet.wallet === wallet ? { ...bet, multiplier, payout } : bet))
        : shown
    }
    case 'close':
    case 'history':
      return shown
  }
}

/** Returns the bets after they were read. A bet's known end is never forgotten. */
export function withRead(shown: ShownBets | null, read: TableBets, seat: Seat): ShownBets {
  if (shown && read.roundId < shown.roundId) return shown
  const known = ofRound(shown, read.roundId)
  const totals = countOf(read) >= countOf(known) ? read.totals : known.totals
  return withBets({ ...known, totals }, read.bets, seat)
}

/** Returns the number of all bets, which is that of the players: each has one bet. */
export function countOf({ totals }: Pick<ShownBets, 'totals'>): number {
  return TOKENS.reduce((sum, token) => sum + totals[token].count, 0)
}

/** Whether there are bets to show that no message had. */
export function hasGaps(shown: ShownBets): boolean {
  return shown.bets.length < Math.min(SHOWN_BETS, countOf(shown))
}

function ofRound(shown: ShownBets | null, roundId: number): ShownBets {
  return shown?.roundId === roundId ? shown : noBets(roundId, null)
}

function withBets(shown: ShownBets, bets: readonly ShownBet[], seat: Seat): ShownBets {
  const byWallet = new Map(shown.bets.map((bet) => [bet.wallet, bet]))
  for (const bet of bets) {
    // A bet that a reading missed the end of is a loss until the cash-out is read.
    const isNewer = bet.multiplier !== null || !byWallet.has(bet.wallet)
    if (isNewer) byWallet.set(bet.wallet, bet)
  }
  const sorted = [...byWallet.values()].toSorted(byStake(seat.maxWei))
  const isShown = (bet: ShownBet, rank: number) => rank < SHOWN_BETS || bet.wallet === seat.wallet
  return { ...shown, bets: sorted.filter(isShown) }
}

/** A bet that is still live when the round ends is lost, or refunded with a voided round. */
function ended(shown: ShownBets, isVoided: boolean): ShownBets {
  return changed(shown, (bet) => {
    if (bet.multiplier !== null) return bet
    return isVoided
      ? { ...bet, multiplier: 1, payout: bet.amountWei }
      : { ...bet, multiplier: 0, payout: '0' }
  })
}

function changed(shown: ShownBets, change: (bet: ShownBet) => ShownBet): ShownBets {
  return { ...shown, bets: shown.bets.map(change) }
}
