import { DAY_MS, dateOf } from '../../core/utc-day.ts'
import { get, isFailure, type Problem } from '../api.ts'
import { keep } from '../keepsakes.ts'
import { session } from '../session.ts'
import { Store } from '../store.ts'

export interface Prize {
  bps: number
  label: string
  /** In the asset's smallest unit. */
  prize: string
  asset: string
  decimals?: number
}

export interface Win {
  wallet: string
  label: string
  prize: string
  asset: string
  at: number
}

export interface OwnOpening extends Win {
  id: string
  txHash: string | null
  status: 'paying' | 'paid'
  prizeTxHash: string | null
}

/** The answer of GET /api/lootbox. */
export interface Terms {
  /** In wei. */
  price: string
  pool: string
  prizes: Prize[]
  /** By asset, in its smallest unit, exactly. */
  expectedValue: Record<string, string>
  /** The UTC day, as YYYY-MM-DD. */
  day: string
  seedHash: string
  nextSeedHash: string
  spin: { prizes: Prize[]; expectedValue: Record<string, string>; hosts: string[] }
  recentWins: Win[]
  /** Where a wallet asks. */
  shareCode?: string
  hasSpun?: boolean
  openings?: OwnOpening[]
}

interface State {
  /** Whose share code, spin and openings are among the terms. */
  owner: string | undefined
  terms: Terms | null
  problem: Problem | null
}

export const lootbox = new Store<State>({ owner: undefined, terms: null, problem: null })

/** Reads it anew, and keeps what the days are committed to before anything is paid: a block may be tomorrow's. */
export async function readLootbox(): Promise<void> {
  const owner = session.value.credentials?.wallet
  // What is another wallet's own is not shown for a moment longer.
  if (lootbox.value.owner !== owner) lootbox.set({ owner, terms: null, problem: null })
  const terms = await get<Terms>('/api/lootbox', owner === undefined ? {} : { wallet: owner })
  if (isFailure(terms)) return lootbox.patch({ problem: terms.error })
  if (session.value.credentials?.wallet !== owner) return
  const tomorrow = dateOf(Date.parse(terms.day) + DAY_MS)
  keep('days', terms.day, { seedHash: terms.seedHash })
  keep('days', tomorrow, { seedHash: terms.nextSeedHash })
  lootbox.patch({ terms, problem: null })
}

/** The decimals of an asset, as the prize tables tell. */
export function decimalsOf({ prizes, spin }: Terms, asset: string): number | undefined {
  return [...prizes, ...spin.prizes].find((prize) => prize.asset === asset)?.decimals
}
