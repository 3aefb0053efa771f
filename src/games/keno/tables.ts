import type { Hundredths } from '../../money/multiplier.ts'
import type { TableVersion } from '../tables.ts'

export const KENO_RISKS = ['classic', 'low', 'medium', 'high'] as const
export type KenoRisk = (typeof KENO_RISKS)[number]

/** By risk, then number of picks: the payout for each number of hits from 0, in hundredths of the stake. */
type KenoTables = Record<KenoRisk, Record<number, readonly Hundredths[]>>

/**
 * Source: the tables of the best-known operator of these games, as recomputed in public audits; every
 * table's exact return is computed in the tests.
 */
const VERSION_1: KenoTables = {
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
}

/** Append new versions and never change an old one, because it verifies the plays that it paid. */
export const KENO_TABLES: readonly TableVersion<KenoTables>[] = [{ since: 1, pays: VERSION_1 }]
