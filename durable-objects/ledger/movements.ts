import { catchUp } from '../../src/api/vault/catch-up.ts'
import type { VaultConfig } from '../../src/config/config.ts'
import { invariant } from '../../src/core/invariant.ts'
import {
  movementPostings,
  uncredited,
  writeBackPostings,
  writeOffPostings,
  type VaultMovement,
  type VaultTransaction,
} from '../../src/ledger/deposit.ts'
import { logFault } from '../../src/log.ts'
import { textOf, type Stored } from '../kernel/stored.ts'
import type { Books, LedgerPart } from './books.ts'
import type { Limits } from './limits.ts'

/**
 * The vault transactions credited here, with their amounts. A `missing` one is no longer on the chain and
 * stops withdrawals and debits. Operators have given up waiting for a `written_off` one.
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

/** A vault transaction as this ledger has recorded it. */
interface Kept {
  txHash: string
  version: number
  state: 'on_chain' | 'missing' | 'written_off'
  credited: VaultMovement[]
}

/** The vault's deposits and withdrawals of one wallet, as its watch reports them. */
export class Movements implements LedgerPart {
  readonly migration = { id: 'movements', sql: TABLES }
  readonly #sql: SqlStorage
  readonly #books: Books
  readonly #limits: Limits

  constructor(books: Books, { limits }: { limits: Limits }) {
    this.#sql = books.storage.sql
    this.#books = books
    this.#limits = limits
  }

  /** Has the vault's new deposits credited. Returns false if some can't be known now. */
  async catchUp(): Promise<boolean> {
    const { env, vault, wallet } = this.#books
    return vault ? catchUp(env, vault, wallet) : true
  }

  /**
   * Accepts the watch's report on a transaction: credits each new amount once, as chips as far as the player's
   * limits allow, and stops withdrawals and debits while a credited deposit is missing from the chain. Safe to
   * repeat; the newest report counts.
   */
  take(transaction: VaultTransaction): void {
    const { vault } = this.#books
    invariant(vault?.id === transaction.vaultId, 'a transaction belongs to the configured vault')
    const { txHash, version, isOnChain, movements } = transaction
    const kept = this.#find(vault.id, txHash)
    if (kept && version <= kept.version) return
    const credited = kept?.credited ?? []
    // A transaction that is mined again may have moved a different amount from the one credited.
    const rest = uncredited(credited, isOnChain ? movements : [])
    const [isIntact, fresh] = [rest !== null, rest ?? []]
    const isReturning = kept?.state === 'written_off' && isIntact
    const state = isIntact ? 'on_chain' : kept?.state === 'written_off' ? 'written_off' : 'missing'
    if (state === 'missing') {
      logFault('credited_deposit_missing', new Error('reorganised'), {
        object: this.#books.owner.object,
        txHash,
      })
    }
    const at = this.#books.clock.now()
    this.#books.commit(at, () => {
      for (const movement of fresh) this.#credit(vault, txHash, movement, at)
      if (isReturning) {
        this.#books.operations.record(
          {
            id: `write-back:${vault.chainId}:${txHash}:${version}:${vault.address}`,
            request: txHash,
            at,
          },
          { postings: credited.flatMap(writeBackPostings), result: 'returned' },
        )
      }
      this.#save(vault.id, { txHash, version, state, credited: [...credited, ...fresh] })
    })
  }

  /** Returns whether a deposit from any vault has ever been credited here. */
  hasAny(): boolean {
    return this.#sql.exec('SELECT 1 FROM vault_transactions LIMIT 1').toArray().length > 0
  }

  /** Returns whether a credited deposit is missing from the chain. */
  hasMissingDeposit(): boolean {
    return this.countMissing() > 0
  }

  /** Returns the number of credited transactions that are missing from the chain. */
  countMissing(): number {
    const { vault } = this.#books
    return vault === null ? 0 : this.#missing(vault.id).length
  }

  /**
   * Ends this stop by an operators' act: the house bears the loss of deposits missing from the chain. An act is carried
   * out once: repeated, it writes off nothing that has gone missing since.
   * @returns the number of transactions written off
   */
  writeOff(actId: string): number {
    const { vault } = this.#books
    if (!vault) return 0
    const id = `write-off:${actId}`
    const stored = this.#books.operations.find<number>(id)
    if (stored) return stored.result
    const missing = this.#missing(vault.id)
    const at = this.#books.clock.now()
    const request = JSON.stringify(missing.map(({ txHash }) => txHash))
    const postings = missing.flatMap(({ credited }) => credited.flatMap(writeOffPostings))
    return this.#books.commit(at, () => {
      for (const kept of missing) this.#save(vault.id, { ...kept, state: 'written_off' })
      return this.#books.operations.record(
        { id, request, at },
        { postings, result: missing.length },
      )
    })
  }

  #credit(vault: VaultConfig, txHash: string, movement: VaultMovement, at: number): void {
    const { kind, position, token, amountWei } = movement
    const isDeposit = kind === 'deposited'
    const { amountWei: quarantinedWei, change } = this.#limits.quarantined({
      token,
      amountWei: isDeposit ? amountWei : 0n,
      at,
    })
    this.#books.operations.record(
      {
        // With the contract, because a transaction may pay into several.
        id: `${kind}:${vault.chainId}:${txHash}:${position}:${vault.address}`,
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

  #missing(vaultId: string): Kept[] {
    return this.#select(`vault = ? AND state = 'missing'`, vaultId)
  }

  #find(vaultId: string, txHash: string): Kept | null {
    return this.#select('vault = ? AND tx_hash = ?', vaultId, txHash)[0] ?? null
  }

  #select(where: string, ...bindings: string[]): Kept[] {
    return this.#sql
      .exec<Stored<Kept>>(
        `SELECT tx_hash AS txHash, version, state, credited FROM vault_transactions WHERE ${where}`,
        ...bindings,
      )
      .toArray()
      .map((row) => ({
        ...row,
        credited: JSON.parse(row.credited, (key, value: unknown) =>
          key === 'amountWei' ? BigInt(String(value)) : value,
        ) as VaultMovement[],
      }))
  }

  #save(vaultId: string, { txHash, version, state, credited }: Kept): void {
    this.#sql.exec(
      `INSERT OR REPLACE INTO vault_transactions (vault, tx_hash, version, state, credited)
       VALUES (?, ?, ?, ?, ?)`,
      ...[vaultId, txHash, version, state, textOf(credited)],
    )
  }
}
