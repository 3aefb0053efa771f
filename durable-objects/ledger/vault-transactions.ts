import { catchUp } from '../../src/calls/vault-catch-up.ts'
import type { VaultConfig } from '../../src/config/config.ts'
import { invariant } from '../../src/core/invariant.ts'
import {
  movementPostings,
  parseWrittenOff,
  readAmount,
  compareCredited,
  writeBackPostings,
  writeOffMissing,
  writeOffPostings,
  writtenOffWei,
  type CreditedMovement,
  type VaultMovement,
  type VaultTransaction,
} from '../../src/ledger/deposit.ts'
import { operationId } from '../../src/ledger/operation.ts'
import { logFault } from '../../src/log.ts'
import type { PerToken } from '../../src/money/token.ts'
import { hasRow } from '../kernel/rows.ts'
import { textOf, type Stored } from '../kernel/stored.ts'
import type { LedgerKernel, LedgerPart } from './kernel.ts'
import type { Limits } from './limits.ts'

/**
 * The vault transactions credited here, with their amounts. One whose credited amount the chain lacks is `missing`,
 * which stops withdrawals and debits, or `written_off` once operators have given up waiting for it.
 */
const TABLES = `
  CREATE TABLE vault_transactions (
    vault TEXT NOT NULL,
    tx_hash TEXT NOT NULL,
    version INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('on_chain', 'missing', 'written_off')),
    credited TEXT NOT NULL,
    PRIMARY KEY (vault, tx_hash)
  ) STRICT, WITHOUT ROWID;
`

/** The longest note of written-off transactions, so that it fits into a row here and in Control. */
const MAX_NOTED = 1_000_000

type State = 'on_chain' | 'missing' | 'written_off'

/** A vault transaction as this ledger has recorded it. */
interface StoredTransaction {
  txHash: string
  version: number
  credited: CreditedMovement[]
}

/** The deposits of one wallet, or the house's funding and withdrawals, as the vault watch reports them. */
export class VaultTransactions implements LedgerPart {
  readonly migration = { id: 'movements', sql: TABLES }
  readonly #sql: SqlStorage
  readonly #kernel: LedgerKernel
  readonly #limits: Limits

  constructor(kernel: LedgerKernel, { limits }: { limits: Limits }) {
    this.#sql = kernel.storage.sql
    this.#kernel = kernel
    this.#limits = limits
  }

  /** Has the vault's new deposits credited. Returns false if some can't be known now. */
  async catchUp(): Promise<boolean> {
    const { env, vault, wallet } = this.#kernel
    return vault ? catchUp(env, vault, wallet) : true
  }

  /**
   * Accepts the watch's report on a transaction: credits each new amount once, as chips as far as the player's
   * limits allow, and stops withdrawals and debits while a credited deposit is missing from the chain. Safe to
   * repeat; the newest report counts. Returns whether any of it has been credited.
   * @param areAllSetAside whether no deposit becomes chips, because the limits can't be measured
   */
  take(transaction: VaultTransaction, areAllSetAside = false): boolean {
    const { vault } = this.#kernel
    invariant(vault?.id === transaction.vaultId, 'a transaction belongs to the configured vault')
    const { txHash, version, isOnChain, movements, dropped } = transaction
    const kept = this.#find(vault.id, txHash)
    // A restored ledger may first hear only that a transaction was dropped, and then get the full report.
    if (kept && (version < kept.version || (version === kept.version && !dropped)))
      return kept.credited.length > 0
    const { credited, fresh, returned } = compareCredited(
      kept?.credited ?? [],
      isOnChain ? movements : [],
      dropped,
    )
    if (stateOf(credited) === 'missing') {
      logFault('credited_deposit_missing', new Error('reorganised'), {
        object: this.#kernel.owner.object,
        txHash,
      })
    }
    const at = this.#kernel.clock.now()
    this.#kernel.commit(at, () => {
      for (const movement of fresh) this.#credit(vault, txHash, movement, { at, areAllSetAside })
      if (returned.length > 0) {
        this.#kernel.journal.record(
          {
            id: operationId('write-back', vault.chainId, txHash, version, vault.address),
            request: txHash,
            at,
          },
          { postings: returned.flatMap(writeBackPostings), result: 'returned' },
        )
      }
      this.#save(vault.id, { txHash, version, credited })
    })
    return credited.length > 0
  }

  /** Returns the house's loss by the movements that are written off now, in smallest units. */
  writtenOffWei(): PerToken<bigint> {
    const { vault } = this.#kernel
    const all =
      vault && this.#kernel.isOpen
        ? this.#select(`vault = ? AND state <> 'on_chain'`, vault.id)
        : []
    return writtenOffWei(
      all.flatMap(({ credited }) => credited.filter(({ state }) => state === 'written_off')),
    )
  }

  /** Returns whether a deposit from any vault has ever been credited here. */
  hasAny(): boolean {
    return hasRow(this.#sql.exec('SELECT 1 FROM vault_transactions LIMIT 1'))
  }

  /** Returns whether a credited deposit is missing from the chain. */
  hasMissingDeposit(): boolean {
    return this.countMissing() > 0
  }

  /** Returns the number of credited transactions that are missing from the chain. */
  countMissing(): number {
    const { vault } = this.#kernel
    return vault === null ? 0 : this.#missing(vault.id).length
  }

  /**
   * Lifts the stop on withdrawals by an operators' act: the house bears the loss of deposits missing from the chain. An
   * act is carried out once: a repetition doesn't write off deposits that have gone missing since.
   * @param covered the transactions that the act wrote off before the ledger went back, as {@link writtenOff} returned
   *   them: then it writes off nothing else
   * @returns the number of transactions written off
   */
  writeOff(actId: string, covered?: string): number {
    const { vault } = this.#kernel
    if (!vault) return 0
    const id = operationId('write-off', actId)
    const stored = this.#kernel.journal.find<number>(id)
    if (stored) return stored.result
    const only = covered === undefined ? undefined : parseWrittenOff(covered)
    const missing = this.#missing(vault.id)
      .map((kept) => {
        const most = only && (only.find(({ txHash }) => txHash === kept.txHash)?.movements ?? [])
        return { ...kept, ...writeOffMissing(kept.credited, most) }
      })
      .filter(({ lost }) => lost.length > 0)
    const at = this.#kernel.clock.now()
    const noted = textOf(missing.map(({ txHash, lost }) => ({ txHash, movements: lost })))
    const request = noted.length <= MAX_NOTED ? noted : textOf(missing.map(({ txHash }) => txHash))
    const postings = missing.flatMap(({ lost }) => lost.flatMap(writeOffPostings))
    return this.#kernel.commit(at, () => {
      for (const kept of missing) this.#save(vault.id, kept)
      return this.#kernel.journal.record({ id, request, at }, { postings, result: missing.length })
    })
  }

  /** Returns the transactions that an act has written off, as text; null without any, or if the note was too long. */
  writtenOff(actId: string): string | null {
    const text = this.#kernel.journal.find(operationId('write-off', actId))?.request
    return text?.startsWith('[{') ? text : null
  }

  #credit(
    vault: VaultConfig,
    txHash: string,
    movement: VaultMovement,
    { at, areAllSetAside }: { at: number; areAllSetAside: boolean },
  ): void {
    const { kind, position, token, amountWei } = movement
    const isDeposit = kind === 'deposited'
    const { amountWei: quarantinedWei, change } = this.#limits.quarantined(
      { token, amountWei: isDeposit ? amountWei : 0n, at },
      areAllSetAside,
    )
    this.#kernel.journal.record(
      {
        // With the contract, because a transaction may pay into several.
        id: operationId(kind, vault.chainId, txHash, position, vault.address),
        request: JSON.stringify([token, amountWei.toString()]),
        at,
      },
      {
        postings: movementPostings(movement, vault.depositFeeBps, quarantinedWei),
        result: 'credited',
      },
      change,
    )
  }

  #missing(vaultId: string): StoredTransaction[] {
    return this.#select(`vault = ? AND state = 'missing'`, vaultId)
  }

  #find(vaultId: string, txHash: string): StoredTransaction | null {
    return this.#select('vault = ? AND tx_hash = ?', vaultId, txHash)[0] ?? null
  }

  #select(where: string, ...bindings: string[]): StoredTransaction[] {
    return this.#sql
      .exec<Stored<StoredTransaction>>(
        `SELECT tx_hash AS txHash, version, credited FROM vault_transactions WHERE ${where}`,
        ...bindings,
      )
      .toArray()
      .map((row) => ({
        ...row,
        credited: JSON.parse(row.credited, readAmount) as CreditedMovement[],
      }))
  }

  #save(vaultId: string, { txHash, version, credited }: StoredTransaction): void {
    this.#sql.exec(
      `INSERT OR REPLACE INTO vault_transactions (vault, tx_hash, version, state, credited)
       VALUES (?, ?, ?, ?, ?)`,
      vaultId,
      txHash,
      version,
      stateOf(credited),
      textOf(credited),
    )
  }
}

function stateOf(credited: readonly CreditedMovement[]): State {
  const has = (wanted: State) => credited.some(({ state }) => state === wanted)
  return has('missing') ? 'missing' : has('written_off') ? 'written_off' : 'on_chain'
}
