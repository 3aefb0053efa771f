import { retried } from '../../src/calls/call.ts'
import { control, ledger } from '../../src/calls/objects.ts'
import { readBlock } from '../../src/chain/logs.ts'
import { vaultBalances } from '../../src/chain/vault.ts'
import { settledWei, type VaultConfig } from '../../src/config/config.ts'
import { loadConfig } from '../../src/config/load.ts'
import { isoTime } from '../../src/core/utc-day.ts'
import type { ReconciliationFacts } from '../../src/health/facts.ts'
import type { PositionSums } from '../../src/history/bankroll.ts'
import { listedWallets } from '../../src/history/positions.ts'
import { HOUSE } from '../../src/ledger/accounts.ts'
import { logFault } from '../../src/log.ts'
import { perToken } from '../../src/money/token.ts'
import {
  driftChanges,
  hasStayed,
  isPauseDue,
  sizeOf,
  type DriftRecord,
} from '../../src/reconciliation/drift.ts'
import {
  isAccount,
  reconcile,
  type Drift,
  type ReconciliationResult,
} from '../../src/reconciliation/reconcile.ts'
import type { VaultSums } from '../../src/vault/trust.ts'
import { transact } from '../kernel/transact.ts'
import { DriftStore } from './drift-store.ts'

/** Wallets that each reconciliation compares in turn, besides those with something new. */
const PAGE = 50
/** Wallets with a new drift whose ledgers are asked for their positions at a time. */
const MAX_ASKED = 20
/** The most drifts shown, current and past, and the most that a reconciliation logs. */
const MAX_SHOWN = 100
const MAX_LOGGED = 20
/** Accounts that differ and are stored, to be compared again. The others are found in turn. */
const MAX_DIFFERING = 1_000

/** The chain and the ledgers, as the treasury has read them for its count. */
interface TreasuryReading {
  standing: VaultSums
  sums: PositionSums
}

/** A reading whose two sides the treasury has checked against each other. */
export interface CheckedReading extends TreasuryReading {
  /** The wallets that the chain has changed lately. */
  recent: string[]
  /** Null if they agree. */
  problem: string | null
}

/** Compares the vault with the ledgers each minute, from the treasury's own readings, and keeps the drifts. */
export class Reconciliation {
  readonly #storage: DurableObjectStorage
  readonly #env: () => Env
  readonly #object: string
  readonly #store: DriftStore

  constructor(storage: DurableObjectStorage, env: () => Env, object: string) {
    this.#object = object
    this.#storage = storage
    this.#env = env
    this.#store = new DriftStore(storage.sql)
  }

  get migration() {
    return this.#store.migration
  }

  /**
   * Returns the accounts to compare one by one, besides those with something new: the house, those that differed, and
   * some wallets in turn. This finds opposite drifts that cancel out in a sum.
   */
  async singly(): Promise<{ accounts: string[]; after: string }> {
    const { differing, after } = this.#store.next()
    const page = await listedWallets(this.#env().DB, after, PAGE)
    const last = page.length === PAGE ? (page.at(-1) ?? '') : ''
    return { accounts: [...new Set([HOUSE, ...differing, ...page])], after: last }
  }

  /**
   * Compares a reading, and keeps the result.
   * @param again reads everything once more: a new drift may be a movement between two readings
   * @throws if the node does not answer or has replaced the block
   */
  async take(
    vault: VaultConfig,
    read: TreasuryReading,
    {
      after,
      again,
      now,
    }: { after: string; again: () => Promise<TreasuryReading | null>; now: () => number },
  ): Promise<void> {
    const first = await this.#compare(vault, read)
    if (!first) return
    const { began } = this.#changes(first.reconciled.drifts, now())
    if (began.length > 0) await this.#sendPositions(began)
    const second = began.length > 0 ? await again() : null
    const last = (second && (await this.#compare(vault, second))) ?? first
    const { reconciled, ...where } = last
    const at = now()
    transact(this.#storage, () => {
      const differing = reconciled.differing.slice(0, MAX_DIFFERING)
      this.#store.save({ ...where, at }, { ...reconciled, differing }, after)
      this.#store.change(this.#changes(reconciled.drifts, at), at)
    })
    this.#report(reconciled.drifts, at)
    await this.#pauseIfDue(reconciled.drifts, at)
  }

  /** Returns the newest reconciliation; null before the first. */
  shown(): DriftRecord | null {
    const newest = this.#store.newest()
    if (!newest) return null
    return {
      ...newest,
      drifts: this.#store.present().slice(0, MAX_SHOWN),
      ended: this.#store.ended(MAX_SHOWN),
      drifting: this.#store.drifting(),
    }
  }

  /** Returns the facts that its metrics follow from; null before the first reconciliation. */
  facts(): ReconciliationFacts | null {
    const newest = this.#store.newest()
    if (!newest) return null
    const drifting = this.#store.drifting()
    return {
      at: newest.at,
      driftWei: perToken((token) => newest.books[token].drift.toString()),
      driftingSince: perToken(
        (token) => drifting.find((one) => one.token === token)?.since ?? null,
      ),
    }
  }

  async #compare(
    vault: VaultConfig,
    { standing, sums }: TreasuryReading,
  ): Promise<{ block: number; blockHash: string; reconciled: ReconciliationResult } | null> {
    const { block, blockHash, net, recent, others } = standing
    // Before the vault's first block there is nothing to compare.
    if (blockHash === null) return null
    const held = await vaultBalances(vault, block)
    const there = await readBlock(vault, block)
    if (there?.hash !== blockHash) throw new Error(`block ${block} was replaced`)
    const accounts = [...recent, ...others].map((account) => ({
      ...account,
      position: sums.singly.get(account.wallet) ?? null,
    }))
    const config = loadConfig(this.#env())
    const reconciled = reconcile(
      { held, net, sums: sums.totals, accounts },
      perToken((token) => settledWei(config, token)),
    )
    return { block, blockHash, reconciled }
  }

  /** Has some wallets that differ send their positions: one may have lost the alarm that does. */
  async #sendPositions(drifts: readonly Drift[]): Promise<void> {
    const accounts = new Set(drifts.map(({ place }) => place).filter(isAccount))
    const asked = [...accounts].slice(0, MAX_ASKED).map(async (account) => {
      try {
        await retried(async () => ledger(this.#env(), account).sendPosition())
      } catch (fault) {
        logFault('position_send_failed', fault, { object: this.#object, account })
      }
    })
    await Promise.all(asked)
  }

  #changes(found: readonly Drift[], now: number) {
    return driftChanges(this.#store.present(), this.#store.drifting(), found, now)
  }

  /** Logs the drifts that have stayed, each minute until they end. */
  #report(drifts: readonly Drift[], now: number): void {
    const stayed = this.#store.drifting().filter((drifting) => hasStayed(drifting, now))
    const logged = drifts.filter(({ token }) => stayed.some((drifting) => drifting.token === token))
    for (const { token, place, amountWei } of logged.slice(0, MAX_LOGGED)) {
      logFault('vault_drift_stays', new Error('the vault and the ledgers differ'), {
        object: this.#object,
        token,
        place,
        amountWei: amountWei.toString(),
      })
    }
  }

  /** Has withdrawals paused for each drift that has stayed, if the operator wants that. */
  async #pauseIfDue(drifts: readonly Drift[], now: number): Promise<void> {
    const env = this.#env()
    if (!loadConfig(env).driftPausesWithdrawals) return
    for (const drifting of this.#store.drifting()) {
      if (!isPauseDue(drifting, drifts, now)) continue
      const { token, since } = drifting
      const pausedWei = sizeOf(token, drifts)
      const reason = `The vault and the ledgers have differed by ${pausedWei} of ${token} since ${isoTime(since)}.`
      await retried(async () => control(env).pauseWithdrawals(reason))
      this.#store.notePaused({ ...drifting, pausedWei })
      logFault('withdrawals_paused', new Error('a drift has stayed'), {
        object: this.#object,
        token,
        since,
        amountWei: pausedWei.toString(),
      })
    }
  }
}
