import { csvOf } from '../core/csv.ts'
import { perToken, type PerToken } from '../money/token.ts'
import {
  balancesOf,
  FEES,
  GAS,
  LOSSES,
  PARTNER,
  PAYOUTS,
  PRIZES,
  RESTORED_HOUSE,
  WAGERS,
  type DaybookLine,
} from './lines.ts'

/** A day that was counted. */
export interface CountedDay {
  /** As YYYY-MM-DD. */
  day: string
  /** In unix milliseconds. */
  countedAt: number
  /** Whether the day had ended, so that its books are complete. */
  isClosed: boolean
  /** The wallets that moved anything, and their operations. */
  wallets: number
  entries: number
  /** The wallets whose journals disagree with their lines, and the first amount that differs. */
  problems: string[]
}

/** The books of one day: its lines, by their accounts. */
export interface DayBooks extends CountedDay {
  lines: DaybookLine[]
}

/**
 * A day of one game, of one partner, or of the house itself, in one asset. Amounts in its smallest unit.
 *
 * - A game's `ggr` is `wagered` less `returned`.
 * - A partner's `wagered` are its debits and its `returned` its credits; rolled-back debits count as returned,
 *   rolled-back credits as wagered. Its `ggr` is the partner's own: the increase of the house's debt to it.
 * - The house's row, named `house`, has deposit fees, prizes when they were won, gas, `losses` (deposits that were
 *   written off, and withdrawals that an operators' act ended), and the amount that `restored` ledgers moved to the
 *   house, below zero if to players.
 */
export interface Row {
  day: string
  asset: string
  kind: 'game' | 'partner' | 'house'
  name: string
  wagered: bigint
  returned: bigint
  ggr: bigint
  fees: bigint
  prizes: bigint
  gas: bigint
  losses: bigint
  restored: bigint
}

/** The amounts that only the house's row has. */
const NOTHING_OWN = { fees: 0n, prizes: 0n, gas: 0n, losses: 0n, restored: 0n }

/** Returns the rows of a day's lines: by asset, the games, the partners, and the house. */
export function reportOf(day: string, lines: readonly DaybookLine[]): Row[] {
  const assets = [...new Set(lines.map(({ asset }) => asset))].toSorted()
  return assets.flatMap((asset) => {
    const balances = balancesOf(lines, asset)
    const credited = (account: string) => balances.get(account) ?? 0n
    const none = { wagered: 0n, returned: 0n, ggr: 0n, ...NOTHING_OWN }
    const games = namesAfter([WAGERS, PAYOUTS], balances.keys()).map((name): Row => {
      const [wagered, returned] = [credited(WAGERS + name), -credited(PAYOUTS + name)]
      const ggr = wagered - returned
      return { day, asset, kind: 'game', name, ...none, wagered, returned, ggr }
    })
    const partners = namesAfter([PARTNER], balances.keys()).map((name): Row => {
      const [wagered, returned] = sidesOf(lines, asset, PARTNER + name)
      const ggr = wagered - returned
      return { day, asset, kind: 'partner', name, ...none, wagered, returned, ggr }
    })
    const own = {
      fees: credited(FEES),
      prizes: -credited(PRIZES),
      gas: -credited(GAS),
      losses: -credited(LOSSES),
      restored: credited(RESTORED_HOUSE),
    }
    const isEmpty = Object.values(own).every((amount) => amount === 0n)
    const house: Row = { day, asset, kind: 'house', name: 'house', ...none, ...own }
    return [...games, ...partners, ...(isEmpty ? [] : [house])]
  })
}

/** A partner's totals over some days in one token, in smallest units: see {@link Row}. */
export interface PartnerTotals {
  wagered: bigint
  returned: bigint
}

/** Returns each partner's totals from the lines of any days. */
export function partnerTotals(
  lines: readonly DaybookLine[],
): Record<string, PerToken<PartnerTotals>> {
  const accounts = lines.flatMap(({ debit, credit }) => [debit, credit])
  return Object.fromEntries(
    namesAfter([PARTNER], accounts).map((name) => [
      name,
      perToken((token) => {
        const [wagered, returned] = sidesOf(lines, token, PARTNER + name)
        return { wagered, returned }
      }),
    ]),
  )
}

function sidesOf(lines: readonly DaybookLine[], asset: string, account: string): [bigint, bigint] {
  const sum = (side: 'credit' | 'debit') =>
    lines
      .filter((line) => line.asset === asset && line[side] === account)
      .reduce((total, { amountWei }) => total + amountWei, 0n)
  return [sum('credit'), sum('debit')]
}

function namesAfter(prefixes: readonly string[], accounts: Iterable<string>): string[] {
  const names = [...accounts].flatMap((account) => {
    const prefix = prefixes.find((one) => account.startsWith(one))
    return prefix === undefined ? [] : [account.slice(prefix.length)]
  })
  return [...new Set(names)].toSorted()
}

const COLUMNS = [
  ...(['day', 'asset', 'kind', 'name', 'wagered', 'returned', 'ggr'] as const),
  ...(['fees', 'prizes', 'gas', 'losses', 'restored'] as const),
] as const

/** Writes rows as CSV, with a header. */
export function reportCsv(rows: readonly Record<(typeof COLUMNS)[number], unknown>[]): string {
  return csvOf(COLUMNS, rows)
}
