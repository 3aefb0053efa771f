import { retried } from './calls/call.ts'
import { logBatch } from './calls/log-batch.ts'
import { announceTerms } from './calls/log-terms.ts'
import { currentModes } from './calls/modes.ts'
import {
  crashTable,
  daybook,
  exporter,
  health,
  ledger,
  lootboxDay,
  relayer,
  reprojection,
  solvency,
  treasury,
  vaultWatch,
} from './calls/objects.ts'
import { readFinalBatches } from './chain/boxes.ts'
import { checkChain, problemsOf } from './chain/check.ts'
import type { Config } from './config/config.ts'
import { loadConfig } from './config/load.ts'
import { DAY_MS, dateOf } from './core/utc-day.ts'
import { trimPlays } from './history/plays.ts'
import { unresolvedWallets } from './history/positions.ts'
import { HOUSE } from './ledger/accounts.ts'
import { logFault } from './log.ts'
import { NOTHING_KNOWN, termsAt } from './operator/modes.ts'

const LEDGERS_A_SWEEP = 50
const UNRESOLVED_FOR_MS = 600_000

/**
 * The minute of each hour at which the daily jobs are woken. A day is exported, and its books are made, from 00:15 on.
 */
const HOURLY_AT_MINUTE = 20

/** Operators may set terms while the object that logs them runs another version. */
const TERMS_EVERY_MINUTES = 30

/**
 * Today and the next three days. The commitments outlast a pause of the cron trigger. Audits and monitors expect them
 * two days ahead (src/verify/logged-seeds.ts).
 */
const COMMITTED_DAYS = 4

/** Handles the cron trigger. The parts run independently, so that one failure doesn't stop the others. */
export async function sweep(env: Env): Promise<void> {
  const parts = {
    chain: () => checkConfiguration(env),
    rounds: () => crashTable(env).sweep(),
    ledgers: () => sweepLedgers(env),
    // The ledgers' journals hold the full history.
    feed: () => trimPlays(env.HISTORY),
    heartbeat: () => sweepHeartbeat(env),
    vault: () => sweepVault(env),
    relayer: () => sweepRelayer(env),
    reprojection: () => reprojection(env).sweep(),
    lootbox: () => sweepLootbox(env),
    solvency: () => sweepSolvency(env),
    log: () => sweepLog(env),
    exports: () => hourly(async () => exporter(env).sweep()),
    daybook: () => hourly(async () => daybook(env).sweep()),
  }
  await Promise.all(
    Object.entries(parts).map(async ([part, run]) => {
      try {
        await run()
      } catch (fault) {
        logFault('sweep_failed', fault, { part })
      }
    }),
  )
}

/** Logs every mismatch between configuration and chain, on each run until it is fixed, and counts them for alerts. */
async function checkConfiguration(env: Env): Promise<void> {
  const problems = problemsOf(await checkChain(loadConfig(env)))
  for (const problem of problems) logFault('chain_configuration_mismatch', new Error(problem))
  await retried(async () => health(env).noteConfiguration(problems.length))
}

/** Sweeps ledgers whose own alarm should have settled a bet long ago. */
async function sweepLedgers(env: Env): Promise<void> {
  const before = Date.now() - UNRESOLVED_FOR_MS
  const wallets = await unresolvedWallets(env.DB, before, LEDGERS_A_SWEEP)
  await Promise.all(wallets.map((wallet) => ledger(env, wallet).sweep()))
}

/** Runs separately from the count, which also needs the chain. */
async function sweepHeartbeat(env: Env): Promise<void> {
  const { vault } = loadConfig(env)
  if (vault) await treasury(env, vault.id).beat()
}

/** Credits deposits and house funds, and counts the bankroll. */
async function sweepVault(env: Env): Promise<void> {
  const { vault } = loadConfig(env)
  if (!vault) return
  await vaultWatch(env, vault.id).catchUp(HOUSE)
  await ledger(env, HOUSE).sendPosition()
  await retried(async () => treasury(env, vault.id).count({ mayPause: true }))
}

/** Wakes a relayer that lost its alarm. The count of the bankroll must not wait for its node. */
async function sweepRelayer(env: Env): Promise<void> {
  const { vault } = loadConfig(env)
  if (vault) await relayer(env, vault.chainId).sweep()
}

/** Publishes the tree of debts once an hour. */
async function sweepSolvency(env: Env): Promise<void> {
  if (loadConfig(env).vault) await solvency(env).sweep()
}

/** Wakes the objects that work once a day, in case they lost their alarms. */
async function hourly(wake: () => Promise<void>): Promise<void> {
  if (new Date(Date.now()).getUTCMinutes() === HOURLY_AT_MINUTE) await wake()
}

/** Commits to the coming days' seeds, so that every payment follows the commitment that decides it. */
async function sweepLootbox(env: Env): Promise<void> {
  if (!loadConfig(env).lootbox) return
  const now = Date.now()
  const days = Array.from({ length: COMMITTED_DAYS }, (_, ahead) => dateOf(now + ahead * DAY_MS))
  await Promise.all(days.map((day) => retried(async () => lootboxDay(env, day).commitment())))
}

/** Logs the terms before batches, which name their contract only if earlier terms name another one. */
async function sweepLog(env: Env): Promise<void> {
  if (await logTerms(env)) await logBatches(env)
}

const logged = new WeakSet<Config>()

/**
 * Logs the terms that plays of this version name, with the first run of an isolate and at intervals: during a
 * deployment the objects that log them too may still run another version. Returns whether the log has them.
 */
async function logTerms(env: Env): Promise<boolean> {
  const config = loadConfig(env)
  const isDue = new Date(Date.now()).getUTCMinutes() % TERMS_EVERY_MINUTES === 0
  if (!config.log) return false
  if (logged.has(config) && !isDue) return true
  const modes = await currentModes(env)
  // Terms that operators have set may not be known.
  if (modes === NOTHING_KNOWN) return false
  await announceTerms(env, termsAt(modes.changes, Date.now()))
  logged.add(config)
  return true
}

/** The batches that are looked at: one may have been opened just after the one before it ended. */
const LOGGED_BATCHES = 2

/** Logs batches of boxes as they are opened and closed on chain. Repeated entries change nothing. */
async function logBatches(env: Env): Promise<void> {
  const { boxes, log } = loadConfig(env)
  if (!boxes || !log) return
  const { chainId, contract } = boxes
  const now = Date.now()
  for (const { number, ...peppers } of await readFinalBatches(boxes, LOGGED_BATCHES)) {
    await logBatch(env, { chainId, contract, batch: number, ...peppers }, now)
  }
}
