import { HISTORY_LENGTH, LONG_HISTORY_LENGTH, RECENT_WINS_LENGTH } from '../../crash/result.ts'
import type { StreamMessage } from '../../crash/stream.ts'
import type { TableState } from './table.ts'

/** The results of rounds, newest first. */
export type Results = TableState['history']

/** Returns the table after a message; null until a snapshot has arrived. */
export function withNews(table: TableState | null, news: StreamMessage): TableState | null {
  if (news.type === 'snapshot') return newer(table, news.state)
  if (!table) return null
  switch (news.type) {
    case 'phase': {
      const { type: _type, ...moved } = news
      return newer(table, { ...table, ...moved })
    }
    case 'close': {
      const { betsRoot, betCount } = news
      return news.roundId === table.roundId ? { ...table, betsRoot, betCount } : table
    }
    case 'bets':
      return table
    case 'win':
      return { ...table, recentWins: [news.win, ...table.recentWins].slice(0, RECENT_WINS_LENGTH) }
    case 'history': {
      const others = table.history.filter(({ roundId }) => roundId !== news.entry.roundId)
      return { ...table, history: [news.entry, ...others].slice(0, HISTORY_LENGTH) }
    }
  }
}

const ORDER = { betting: 0, flight: 1, results: 2 }

/**
 * Returns a state that was read beside the stream. The operators' settings may be a few seconds old in it, and the
 * stream tells that once.
 * @param table as the stream has told it
 */
export function asTold(table: TableState | null, state: TableState): TableState {
  return table ? { ...state, mode: table.mode } : state
}

/** Returns the later of two states: answers can overtake each other. */
export function newer(table: TableState | null, next: TableState): TableState {
  if (!table) return next
  const isBehind =
    next.roundId === table.roundId
      ? ORDER[next.phase] < ORDER[table.phase]
      : next.roundId === table.roundId - 1
  return isBehind ? table : next
}

/** Adds results to a list, newest first. Returns the same list if it has them all. */
export function withResults(known: Results, more: Results): Results {
  const ids = new Set(known.map(({ roundId }) => roundId))
  const fresh = more.filter(({ roundId }) => !ids.has(roundId))
  if (fresh.length === 0) return known
  return [...known, ...fresh]
    .toSorted((a, b) => b.roundId - a.roundId)
    .slice(0, LONG_HISTORY_LENGTH)
}
