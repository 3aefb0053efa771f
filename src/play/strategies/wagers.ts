import type { Hundredths } from '../../money/multiplier.ts'
import { get, type Failure } from '../api.ts'
import type { TableState } from '../crash/table.ts'
import type { EntropyConfig } from '../games/desk.ts'
import type { Wager } from './outcomes.ts'

/** The wagers that can be simulated. Crash and limbo take a target. */
export const WAGERS = {
  'Crash, auto cash-out': 'crash',
  Limbo: 'limbo',
  'Mines: 3 mines, 5 tiles': 'mines',
  'Plinko: 16 rows, high risk': 'plinko',
  'Keno: 5 numbers, medium risk': 'keno',
} as const

export type WagerName = (typeof WAGERS)[keyof typeof WAGERS]

export function hasTarget(name: WagerName): boolean {
  return name === 'crash' || name === 'limbo'
}

export function wagerOf(name: WagerName, target: Hundredths): Wager {
  switch (name) {
    case 'crash':
      return { game: 'crash', target }
    case 'limbo':
      return { game: 'limbo', params: { target } }
    case 'mines':
      return { game: 'mines', params: { mines: 3, picked: [0, 1, 2, 3, 4] } }
    case 'plinko':
      return { game: 'plinko', params: { rows: 16, risk: 'high' } }
    case 'keno':
      return { game: 'keno', params: { picks: [1, 2, 3, 4, 5], risk: 'medium' } }
  }
}

/** Reads the edge by which this site pays now. */
export function readEdge(name: WagerName): Promise<{ edgeBps: number } | Failure> {
  return name === 'crash'
    ? get<TableState>('/api/crash', { action: 'watch' })
    : get<EntropyConfig>('/api/entropy')
}
