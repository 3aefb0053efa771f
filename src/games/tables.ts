import type { Hundredths } from '../money/multiplier.ts'
import { invariant } from '../core/invariant.ts'

export const RISKS = ['low', 'medium', 'high'] as const
export type Risk = (typeof RISKS)[number]

export const KENO_RISKS = ['classic', ...RISKS] as const
export type KenoRisk = (typeof KENO_RISKS)[number]

/** What plinko and keno pay, in hundredths of the stake. */
export interface PayTables {
  /** By rows, then risk: what bucket 0 … rows pays. */
  plinko: Record<number, Record<Risk, readonly Hundredths[]>>
  /** By risk, then number of picks: what 0 … picks hits pay. */
  keno: Record<KenoRisk, Record<number, readonly Hundredths[]>>
}

/**
 * Source: the tables of the best-known operator of these games, as recomputed in public audits; every
 * table's exact return is computed in the tests.
 */
const VERSION_1: PayTables = {
  plinko: {
    8: {
      low: [560, 210, 110, 100, 50, 100, 110, 210, 560],
      medium: [1300, 300, 130, 70, 40, 70, 130, 300, 1300],
      high: [2900, 400, 150, 30, 20, 30, 150, 400, 2900],
    },
    9: {
      low: [560, 200, 160, 100, 70, 70, 100, 160, 200, 560],
      medium: [1800, 400, 170, 90, 50, 50, 90, 170, 400, 1800],
      high: [4300, 700, 200, 60, 20, 20, 60, 200, 700, 4300],
    },
    10: {
      low: [890, 300, 140, 110, 100, 50, 100, 110, 140, 300, 890],
      medium: [2200, 500, 200, 140, 60, 40, 60, 140, 200, 500, 2200],
      high: [7600, 1000, 300, 90, 30, 20, 30, 90, 300, 1000, 7600],
    },
    11: {
      low: [840, 300, 190, 130, 100, 70, 70, 100, 130, 190, 300, 840],
      medium: [2400, 600, 300, 180, 70, 50, 50, 70, 180, 300, 600, 2400],
      high: [12000, 1400, 520, 140, 40, 20, 20, 40, 140, 520, 1400, 12000],
    },
    12: {
      low: [1000, 300, 160, 140, 110, 100, 50, 100, 110, 140, 160, 300, 1000],
      medium: [3300, 1100, 400, 200, 110, 60, 30, 60, 110, 200, 400, 1100, 3300],
      high: [17000, 2400, 810, 200, 70, 20, 20, 20, 70, 200, 810, 2400, 17000],
    },
    13: {
      low: [810, 400, 300, 190, 120, 90, 70, 70, 90, 120, 190, 300, 400, 810],
      medium: [4300, 1300, 600, 300, 130, 70, 40, 40, 70, 130, 300, 600, 1300, 4300],
      high: [26000, 3700, 1100, 400, 100, 20, 20, 20, 20, 100, 400, 1100, 3700, 26000],
    },
    14: {
      low: [710, 400, 190, 140, 130, 110, 100, 50, 100, 110, 130, 140, 190, 400, 710],
      medium: [5800, 1500, 700, 400, 190, 100, 50, 20, 50, 100, 190, 400, 700, 1500, 5800],
      high: [42000, 5600, 1800, 500, 190, 30, 20, 20, 20, 30, 190, 500, 1800, 5600, 42000],
    },
    15: {
      low: [1500, 800, 300, 200, 150, 110, 100, 70, 70, 100, 110, 150, 200, 300, 800, 1500],
      medium: [8800, 1800, 1100, 500, 300, 130, 50, 30, 30, 50, 130, 300, 500, 1100, 1800, 8800],
      high: [62000, 8300, 2700, 800, 300, 50, 20, 20, 20, 20, 50, 300, 800, 2700, 8300, 62000],
    },
    16: {
      low: [1600, 900, 200, 140, 140, 120, 110, 100, 50, 100, 110, 120, 140, 140, 200, 900, 1600],
      medium: [
        11000, 4100, 1000, 500, 300, 150, 100, 50, 30, 50, 100, 150, 300, 500, 1000, 4100, 11000,
      ],
      high: [
        100000, 13000, 2600, 900, 400, 200, 20, 20, 20, 20, 20, 200, 400, 900, 2600, 13000, 100000,
      ],
    },
  },
  keno: {
    classic: {
      1: [0, 396],
      2: [0, 190, 450],
      3: [0, 100, 310, 1040],
      4: [0, 80, 180, 500, 2250],
      5: [0, 25, 140, 410, 1650, 3600],
      6: [0, 0, 100, 368, 700, 1650, 4000],
      7: [0, 0, 47, 300, 450, 1400, 3100, 6000],
      8: [0, 0, 0, 220, 400, 1300, 2200, 5500, 7000],
      9: [0, 0, 0, 155, 300, 800, 1500, 4400, 6000, 8500],
      10: [0, 0, 0, 140, 225, 450, 800, 1700, 5000, 8000, 10000],
    },
    low: {
      1: [70, 185],
      2: [0, 200, 380],
      3: [0, 110, 138, 2600],
      4: [0, 0, 220, 790, 9000],
      5: [0, 0, 150, 420, 1300, 30000],
      6: [0, 0, 110, 200, 620, 10000, 70000],
      7: [0, 0, 110, 160, 350, 1500, 22500, 70000],
      8: [0, 0, 110, 150, 200, 550, 3900, 10000, 80000],
      9: [0, 0, 110, 130, 170, 250, 750, 5000, 25000, 100000],
      10: [0, 0, 110, 120, 130, 180, 350, 1300, 5000, 25000, 100000],
    },
    medium: {
      1: [40, 275],
      2: [0, 180, 510],
      3: [0, 0, 280, 5000],
      4: [0, 0, 170, 1000, 10000],
      5: [0, 0, 140, 400, 1400, 39000],
      6: [0, 0, 0, 300, 900, 18000, 71000],
      7: [0, 0, 0, 200, 700, 3000, 40000, 80000],
      8: [0, 0, 0, 200, 400, 1100, 6700, 40000, 90000],
      9: [0, 0, 0, 200, 250, 500, 1500, 10000, 50000, 100000],
      10: [0, 0, 0, 160, 200, 400, 700, 2600, 10000, 50000, 100000],
    },
    high: {
      1: [0, 396],
      2: [0, 0, 1710],
      3: [0, 0, 0, 8150],
      4: [0, 0, 0, 1000, 25900],
      5: [0, 0, 0, 450, 4800, 45000],
      6: [0, 0, 0, 0, 1100, 35000, 71000],
      7: [0, 0, 0, 0, 700, 9000, 40000, 80000],
      8: [0, 0, 0, 0, 500, 2000, 27000, 60000, 90000],
      9: [0, 0, 0, 0, 400, 1100, 5600, 50000, 80000, 100000],
      10: [0, 0, 0, 0, 350, 800, 1300, 6300, 50000, 80000, 100000],
    },
  },
}

/**
 * Every version of the tables, the first as version 1. The newest is played. An old one verifies the
 * plays that it paid, so a change is always another version, appended here.
 */
export const PAY_TABLES: readonly PayTables[] = [VERSION_1]

/** The version that new plays are paid by. */
export function newestTables(): number {
  return PAY_TABLES.length
}

export function areKnownTables(version: number): boolean {
  return PAY_TABLES[version - 1] !== undefined
}

/** @throws InvariantError for a version that is not known here */
export function payTables(version: number): PayTables {
  const tables = PAY_TABLES[version - 1]
  invariant(tables, `there are no pay tables of version ${version}`)
  return tables
}
