import type { Address } from 'viem'
import { readMovements, type ChainCursor, type ChainReading } from '../../src/chain/movements.ts'
import type { VaultConfig } from '../../src/config.ts'
import { movementPostings, type VaultMovement } from '../../src/ledger/deposit.ts'
import { logFault } from '../../src/log.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Books } from './books.ts'

/**
 * Where the vault's logs have been read up to, one row a vault, and which transactions have been
 * credited. `frozen` from the moment that the chain takes back a block until all is there again.
 */
export const MOVEMENTS_MIGRATION = `
  CREATE TABLE vault_cursors (
    vault TEXT PRIMARY KEY,
    block INTEGER NOT NULL,
    hash TEXT,
    frozen INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE vault_movements (
    vault TEXT NOT NULL,
    tx_hash TEXT NOT NULL,
    log_index INTEGER NOT NULL,
    block INTEGER NOT NULL,
    PRIMARY KEY (vault, tx_hash, log_index)
  ) STRICT;
`

/** Credited transactions that the chain has taken back, until they are on it again. */
export const MISSING_MIGRATION = `
  CREATE TABLE vault_missing (
    vault TEXT NOT NULL,
    tx_hash TEXT NOT NULL,
    PRIMARY KEY (vault, tx_hash)
  ) STRICT;
  INSERT OR IGNORE INTO vault_missing
    SELECT vault, tx_hash FROM vault_movements JOIN vault_cursors AS cursor USING (vault)
    WHERE cursor.frozen = 1 AND vault_movements.block > cursor.block;
`

/** A wallet's logs are read at most this often. */
const READ_EVERY_MS = 1_500
/** How long a reader of the state waits for the chain. */
const PATIENCE_MS = 1_500
/** How far back a ledger looks again when the chain has taken back its cursor's block. */
const REWIND_BLOCKS = 256

type CursorRow = { block: number; hash: string | null; frozen: number }

/** What the vault's logs say about one wallet, brought into its books. */
export class Movements {
  readonly #sql: SqlStorage
  readonly #books: Books
  readonly #clock: Clock
  readonly #player: () => Address | null
  #reading: Promise<void> | null = null
  #readAt = -Infinity
  #isRead = false

  /** @param player whose deposits; null for what concerns the house */
  constructor(
    sql: SqlStorage,
    { books, clock, player }: { books: Books; clock: Clock; player: () => Address | null },
  ) {
    this.#sql = sql
    this.#books = books
    this.#clock = clock
    this.#player = player
  }

  /**
   * Brings in what is new. Many readers share one look at the chain; none waits for a slow node
   * longer than its patience, and a node that is down fails nobody.
   * @returns whether the latest look was through
   */
  async sweep(vault: VaultConfig): Promise<boolean> {
    const now = this.#clock.now()
    if (!this.#reading && now - this.#readAt >= READ_EVERY_MS) {
      this.#readAt = now
      this.#isRead = false
      this.#reading = this.read(vault)
        .then(() => void (this.#isRead = true))
        .catch((fault: unknown) => logFault('the vault could not be read', fault))
        .finally(() => (this.#reading = null))
    }
    if (this.#reading) await atMost(PATIENCE_MS, this.#reading)
    return this.#isRead
  }

  /** Brings in what is new, however long it takes. @throws where the node does not answer */
  async read(vault: VaultConfig): Promise<void> {
    const before = this.#cursor(vault)
    const reading = await readMovements(vault, this.#player(), before)
    if (this.#cursor(vault).block !== before.block) return
    this.#apply(vault, before, reading)
  }

  /** Whether a credited deposit may not be on the chain any more. */
  isFrozen(vault: VaultConfig): boolean {
    return this.#cursor(vault).frozen
  }

  #apply(
    vault: VaultConfig,
    before: ChainCursor & { frozen: boolean },
    reading: ChainReading,
  ): void {
    const at = this.#clock.now()
    if (reading.kind === 'reorganised') {
      const block = Math.max(vault.startBlock - 1, before.block - REWIND_BLOCKS)
      logFault('the chain took back a block that was read', new Error('reorganised'), {
        block: before.block,
      })
      this.#books.commit(at, () => {
        this.#miss(vault, block)
        this.#move(vault, { block, hash: null }, true)
      })
      return
    }
    const { movements, cursor, isComplete } = reading
    if (movements.length === 0 && cursor.block === before.block) return
    const fresh = movements.filter(({ txHash }) => !this.#isKnown(vault, txHash))
    if (fresh.length === 0 && !before.frozen) {
      this.#move(vault, cursor, false)
      return
    }
    this.#books.commit(at, () => {
      for (const movement of fresh) this.#record(vault, movement, at)
      for (const { txHash } of movements) this.#find(vault, txHash)
      this.#move(vault, cursor, before.frozen && !(isComplete && this.#isAllThere(vault)))
    })
  }

  #record(vault: VaultConfig, movement: VaultMovement, at: number): void {
    const { kind, txHash, logIndex, block, token, amountWei } = movement
    const postings = movementPostings(movement, vault.depositFeeBps)
    this.#books.operations.record(
      {
        id: `${kind}:${vault.chainId}:${txHash}:${logIndex}`,
        request: JSON.stringify([token, amountWei.toString()]),
        at,
      },
      { postings, result: { block } },
    )
    this.#sql.exec(
      'INSERT INTO vault_movements VALUES (?, ?, ?, ?)',
      vault.id,
      txHash,
      logIndex,
      block,
    )
  }

  /** A transaction that was mined again may carry other log numbers, so it is known as a whole. */
  #isKnown(vault: VaultConfig, txHash: string): boolean {
    const known = this.#sql.exec(
      'SELECT 1 FROM vault_movements WHERE vault = ? AND tx_hash = ? LIMIT 1',
      vault.id,
      txHash,
    )
    return known.toArray().length > 0
  }

  /** What was credited from later blocks has to be found again. */
  #miss(vault: VaultConfig, afterBlock: number): void {
    this.#sql.exec(
      `INSERT OR IGNORE INTO vault_missing
       SELECT vault, tx_hash FROM vault_movements WHERE vault = ? AND block > ?`,
      vault.id,
      afterBlock,
    )
  }

  #find(vault: VaultConfig, txHash: string): void {
    this.#sql.exec('DELETE FROM vault_missing WHERE vault = ? AND tx_hash = ?', vault.id, txHash)
  }

  #isAllThere(vault: VaultConfig): boolean {
    const missing = this.#sql.exec('SELECT 1 FROM vault_missing WHERE vault = ? LIMIT 1', vault.id)
    return missing.toArray().length === 0
  }

  #cursor(vault: VaultConfig): ChainCursor & { frozen: boolean } {
    const [row] = this.#sql
      .exec<CursorRow>('SELECT block, hash, frozen FROM vault_cursors WHERE vault = ?', vault.id)
      .toArray()
    if (!row) return { block: vault.startBlock - 1, hash: null, frozen: false }
    return { block: row.block, hash: row.hash, frozen: row.frozen === 1 }
  }

  #move(vault: VaultConfig, { block, hash }: ChainCursor, frozen: boolean): void {
    this.#sql.exec(
      'INSERT OR REPLACE INTO vault_cursors VALUES (?, ?, ?, ?)',
      vault.id,
      block,
      hash,
      frozen ? 1 : 0,
    )
  }
}

async function atMost(limitMs: number, work: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const limit = new Promise<void>((resolve) => (timer = setTimeout(resolve, limitMs)))
  await Promise.race([work, limit])
  clearTimeout(timer)
}
