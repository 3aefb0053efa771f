import { COUNT_OLD_MS } from '../solvency/age.ts'

/**
 * When a part counts as degraded, in milliseconds. The alert rules in ops/alerts.yml read the verdict
 * (`fairhouse_part_up`), so these are the only thresholds of ages.
 */
export const THRESHOLDS = {
  /** How long looks at the table may fail to find or open a round. */
  roundOpensWithinMs: 15_000,
  /** A take-off that waits longer for its beacon is late. */
  beaconLateMs: 5_000,
  /** A voided round counts as a problem for this long, unless a later one has settled. */
  voidedForMs: 600_000,
  /** The cron trigger reads the vault each minute. */
  chainUnreadMs: 300_000,
  /** Every supported chain makes blocks more often than this. */
  headOldMs: 900_000,
  /** An order with enough funds and a working node takes minutes; each chain's confirmations are within this. */
  orderLateMs: 3_600_000,
  /** The bankroll is counted each minute, and its count is valid for ten. */
  countOldMs: 600_000,
  /** How long the log's archive may fail. */
  logFailingMs: 60_000,
  /** A day is exported from 00:15 on, in minutes. */
  exportLateMs: 7_200_000,
  /** A day's books are counted from 00:15 on, in minutes. */
  booksLateMs: 7_200_000,
  /** Debts are counted each hour. */
  solvencyOldMs: COUNT_OLD_MS,
} as const
