import { dateOf, HOUR_MS } from '../core/utc-day.ts'
import type { PlayRow } from '../exports/rows.ts'
import { LATEST_END_MS } from '../games/mines/open.ts'

/** Plays under the same terms, of an export of any size. */
export interface TermsUse {
  /** The hash of the terms; null if the plays name none. */
  terms: string | null
  /** The edge of the games without pay tables. */
  edgeBps: number
  plays: number
  wallets: Set<string>
  /** The first and the last day, as YYYY-MM-DD. */
  from: string
  to: string
  /** The first and the last play of each hour, by whether it is one of mines. */
  hours: Map<string, [first: PlayTime, last: PlayTime]>
}

/** When a play was made. */
interface PlayTime {
  wallet: string
  nonce: number
  settledAt: number
  /** How long before that it may have begun, in milliseconds. */
  openMs: number
}

/** Adds a play to those under the same terms. */
export function addUse(uses: Map<string, TermsUse>, play: PlayRow): void {
  const { terms, edgeBps, wallet, nonce, settledAt, game } = play
  const time = { wallet, nonce, settledAt, openMs: game === 'mines' ? LATEST_END_MS : 0 }
  const day = dateOf(settledAt)
  const hour = `${Math.floor(settledAt / HOUR_MS)} ${time.openMs}`
  mergeUse(uses, {
    terms,
    edgeBps,
    plays: 1,
    wallets: new Set([wallet]),
    from: day,
    to: day,
    hours: new Map([[hour, [time, time]]]),
  })
}

/** Adds plays to those under the same terms. */
export function mergeUse(uses: Map<string, TermsUse>, use: TermsUse): void {
  const key = `${use.terms} ${use.edgeBps}`
  const known = uses.get(key)
  if (!known) {
    uses.set(key, use)
    return
  }
  known.plays += use.plays
  for (const wallet of use.wallets) known.wallets.add(wallet)
  if (use.from < known.from) known.from = use.from
  if (use.to > known.to) known.to = use.to
  for (const [hour, [first, last]] of use.hours) {
    const [knownFirst, knownLast] = known.hours.get(hour) ?? [first, last]
    known.hours.set(hour, [
      first.settledAt < knownFirst.settledAt ? first : knownFirst,
      last.settledAt > knownLast.settledAt ? last : knownLast,
    ])
  }
}

/** Plays under the same terms, as a report shows them. */
export type ShownUse = Omit<TermsUse, 'wallets' | 'hours'> & { wallets: number }

/** Returns a use of terms as a report shows it. */
export function shownUse({ terms, edgeBps, plays, wallets, from, to }: TermsUse): ShownUse {
  return { terms, edgeBps, plays, wallets: wallets.size, from, to }
}
