import { dayAfter } from '../../core/utc-day.ts'
import type { Mode } from '../../operator/modes.ts'
import { get, isFailure, type Problem } from '../api.ts'
import { keep } from '../keepsakes.ts'
import { session } from '../session.ts'
import { Store } from '../store.ts'
import type { Prices } from './worth.ts'

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
export interface LootboxAnswer {
  mode: Mode
  /** In wei. */
  price: string
  pool: string
  prizes: Prize[]
  /** By asset, exact, in its smallest unit. */
  expectedValue: Record<string, string>
  prices: Prices
  /** The UTC day, as YYYY-MM-DD. */
  day: string
  seedHash: string
  nextSeedHash: string
  spin: {
    prizes: Prize[]
    expectedValue: Record<string, string>
    dailyLimit: number
    hosts: string[]
    /** Where the pepper of a spin will come from. A committed one has a hash already. */
    pepperSource: { kind: string; pepperHash?: string }
  }
  recentWins: Win[]
  /** Present if the request named a wallet. */
  shareCode?: string
  hasSpun?: boolean
  openings?: OwnOpening[]
}

interface State {
  /** The wallet whose share code, spin and openings the terms contain. */
  owner: string | undefined
  terms: LootboxAnswer | null
  problem: Problem | null
}

export const lootbox = new Store<State>({ owner: undefined, terms: null, problem: null })

/** Reloads the terms, and keeps the commitments of today and tomorrow: a payment's block may be tomorrow's. */
export async function readLootbox(): Promise<void> {
  const owner = session.value.credentials?.wallet
  // Another wallet's share code and openings must disappear at once.
  if (lootbox.value.owner !== owner) lootbox.set({ owner, terms: null, problem: null })
  const terms = await get<LootboxAnswer>(
    '/api/lootbox',
    owner === undefined ? {} : { wallet: owner },
  )
  if (isFailure(terms)) return lootbox.patch({ problem: terms.error })
  if (session.value.credentials?.wallet !== owner) return
  keep('days', terms.day, { seedHash: terms.seedHash })
  keep('days', dayAfter(terms.day), { seedHash: terms.nextSeedHash })
  lootbox.patch({ terms, problem: null })
}

/** Returns the decimals of an asset in the prize tables. */
export function decimalsOf({ prizes, spin }: LootboxAnswer, asset: string): number | undefined {
  return [...prizes, ...spin.prizes].find((prize) => prize.asset === asset)?.decimals
}
