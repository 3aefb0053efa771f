import { MINUTE_MS } from '../../../src/core/utc-day.ts'
import type { Facts } from '../../../src/health/facts.ts'
import { perToken } from '../../../src/money/token.ts'

/** Noon, so that yesterday has been exported. */
export const NOW = Date.UTC(2040, 0, 2, 12)

/** A service in which nothing is wrong. */
export function goodFacts(): { [Name in keyof Facts]: Exclude<Facts[Name], 'off' | 'silent'> } {
  return {
    at: NOW,
    isLocal: false,
    hasBeacon: true,
    table: {
      databaseBytes: 4_096,
      rounds: 41,
      voided: 2,
      unswept: 1,
      lastReadAt: NOW - 2_000,
      isOpen: true,
      failingSince: null,
      newest: {
        kind: 'settled',
        endedAt: NOW - 9_000,
        resultsUntil: NOW - 5_000,
        beacon: 75_380_000,
      },
      current: {
        stage: 'open',
        openedAt: NOW - 5_000,
        flightAt: NOW + 4_000,
        takeoffAt: NOW + 4_000,
        voidAt: NOW + 64_000,
      },
    },
    chain: {
      checkedAt: NOW - MINUTE_MS,
      block: 21_000_000,
      blockAt: NOW - 3 * MINUTE_MS,
      untold: 0,
      databaseBytes: 4_096,
    },
    relayer: {
      withdrawals: { count: 2, oldestAt: NOW - 5 * MINUTE_MS },
      prizes: { count: 0, oldestAt: null },
      unmined: 1,
      nextNonce: 18,
      seen: {
        at: NOW - MINUTE_MS,
        balanceWei: '500000000000000000',
        gasPriceWei: '20000000000',
        marketPriceWei: '35500000000',
        isPaused: false,
        nextRelayer: null,
        poolWei: { ETH: '2500000000000000000', REWARD: '100000000000000000000' },
      },
      reserveWei: '100000000000000000',
      databaseBytes: 4_096,
    },
    bankroll: {
      countedAt: NOW - MINUTE_MS,
      firstCountedAt: NOW - 7_200_001,
      isValid: true,
      doubt: null,
      wallets: 12,
      owedWei: { ETH: '1500000000000000000', USDG: '97500000' },
      bankrollWei: { ETH: '40000000000000000000', USDG: '100000000000' },
      resultWei: { ETH: '-250000000000000000', USDG: '0' },
      reconciliation: {
        at: NOW - MINUTE_MS,
        driftWei: { ETH: '0', USDG: '0' },
        driftingSince: { ETH: null, USDG: null },
      },
      databaseBytes: 4_096,
    },
    control: { closedWallets: 1, databaseBytes: 4_096 },
    log: { size: 300, archived: 256, isForked: false, failingSince: null, databaseBytes: 4_096 },
    exports: { nextDay: '2040-01-02', newestDay: '2040-01-01', databaseBytes: 4_096 },
    books: { nextDay: '2040-01-02', newestDay: '2040-01-01', databaseBytes: 4_096 },
    solvency: {
      newest: { epoch: 7, at: NOW - MINUTE_MS, leaves: 12, ratio: { ETH: '1.000001', USDG: '1' } },
    },
    lootbox: { spins: 3, spinDailyLimit: 1_000 },
    partners: {
      demo: {
        ...perToken((token) => ({
          creditedWei: '2000000',
          debitedWei: '1000000',
          limitWei: '10000000',
          ...(token === 'USDG' && { debtWei: '-1500000', maxDebtWei: '20000000' }),
        })),
        newPlayers: 3,
        newPlayersPerDay: 100,
        idsBytes: 8_192,
      },
    },
    stuck: { objects: 0, messages: 0, oldestAt: null, byClass: {} },
    configurationProblems: 0,
  }
}
