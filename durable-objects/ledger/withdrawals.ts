import type { VaultConfig } from '../../src/config.ts'
import { invariant } from '../../src/invariant.ts'
import {
  checkWithdrawal,
  isOver,
  statusPostings,
  wrongNonce,
  type Progress,
  type Withdrawal,
  type WithdrawalRequest,
  type WithdrawalStatus,
} from '../../src/ledger/withdrawal.ts'
import type { Token } from '../../src/money/token.ts'
import { relayer } from '../../src/objects.ts'
import type { Refusal } from '../../src/refusal.ts'
import type { PayoutOrder } from '../../src/relayer/payout.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Books } from './books.ts'

export const WITHDRAWALS_MIGRATION = `
  CREATE TABLE withdrawals (
    vault TEXT NOT NULL,
    nonce INTEGER NOT NULL,
    token TEXT NOT NULL,
    amount_wei TEXT NOT NULL,
    signature TEXT NOT NULL,
    status TEXT NOT NULL,
    tx_hash TEXT,
    changes INTEGER NOT NULL,
    PRIMARY KEY (vault, nonce)
  ) STRICT;
`

type Row = {
  nonce: number
  token: string
  amount_wei: string
  signature: string
  status: string
  tx_hash: string | null
  changes: number
}

/** The withdrawals of one wallet: chips set aside until the chain has paid them or never will. */
export class Withdrawals {
  readonly #sql: SqlStorage
  readonly #env: Env
  readonly #books: Books
  readonly #clock: Clock
  readonly #wallet: () => string

  constructor(
    sql: SqlStorage,
    parts: { env: Env; books: Books; clock: Clock; wallet: () => string },
  ) {
    this.#sql = sql
    this.#env = parts.env
    this.#books = parts.books
    this.#clock = parts.clock
    this.#wallet = parts.wallet
  }

  /** The nonce of the next withdrawal from a vault. */
  nextNonce(vaultId: string): number {
    return this.#sql
      .exec<{ next: number }>(
        'SELECT coalesce(max(nonce) + 1, 0) AS next FROM withdrawals WHERE vault = ?',
        vaultId,
      )
      .one().next
  }

  /** Accepts a withdrawal, or answers how an earlier one with its nonce is doing. */
  withdraw(
    vault: VaultConfig,
    request: WithdrawalRequest,
    isFrozen: boolean,
  ): Withdrawal | Refusal {
    const next = this.nextNonce(vault.id)
    const { token, amountWei, nonce, signature } = request
    const earlier = nonce < next ? this.#find(vault.id, nonce) : null
    if (earlier) {
      const isSame = earlier.token === token && earlier.amount_wei === amountWei.toString()
      return isSame ? shown(earlier) : wrongNonce(next)
    }
    const { operations, outbox } = this.#books
    const last = next > 0 ? this.#find(vault.id, next - 1) : null
    const refusal = checkWithdrawal(request, {
      next,
      available: operations.balances()[token].chips,
      isUnderWay: last !== null && !isOver(shown(last).status),
      isFrozen,
    })
    if (refusal) return refusal
    const at = this.#clock.now()
    const amount = amountWei.toString()
    this.#books.commit(at, () => {
      operations.record(
        {
          id: `withdraw:${vault.id}:${nonce}`,
          request: JSON.stringify([token, amount, signature]),
          at,
        },
        {
          postings: [{ token, from: 'chips', to: 'withdrawing', amountWei: amount }],
          result: 'pending',
        },
      )
      this.#sql.exec(
        `INSERT INTO withdrawals (vault, nonce, token, amount_wei, signature, status, changes)
         VALUES (?, ?, ?, ?, ?, ?, 0)`,
        vault.id,
        nonce,
        token,
        amount,
        signature,
        'pending',
      )
      outbox.add({ kind: 'payout', payload: JSON.stringify({ vaultId: vault.id, nonce }) }, at)
    })
    return { nonce, token, amountWei: amount, status: 'pending', txHash: null }
  }

  /** Hands an accepted withdrawal to the relayer. Safe to repeat. */
  async send(payload: string): Promise<void> {
    const { vaultId, nonce } = JSON.parse(payload) as { vaultId: string; nonce: number }
    const row = this.#find(vaultId, nonce)
    invariant(row, `withdrawal ${nonce} is in the table`)
    const order: PayoutOrder = {
      vaultId,
      player: this.#wallet(),
      token: row.token as Token,
      amountWei: row.amount_wei,
      nonce,
      signature: row.signature,
    }
    await relayer(this.#env, Number(vaultId.split(':', 1)[0])).pay(order)
  }

  /** Takes the relayer's word on how a withdrawal is doing. Safe to repeat; the newest counts. */
  progress(vaultId: string, nonce: number, { status, txHash, version }: Progress): void {
    const row = this.#find(vaultId, nonce)
    invariant(row, `withdrawal ${nonce} is in the table`)
    if (version <= row.changes) return
    const from = shown(row).status
    invariant(from !== 'failed' || status === 'failed', 'chips that came back are not taken again')
    const at = this.#clock.now()
    const { operations } = this.#books
    this.#books.commit(at, () => {
      operations.record(
        {
          id: `withdrawal:${vaultId}:${nonce}:${version}`,
          request: JSON.stringify([status, txHash]),
          at,
        },
        {
          postings: statusPostings(
            { token: row.token as Token, amountWei: row.amount_wei },
            from,
            status,
          ),
          result: status,
        },
      )
      this.#sql.exec(
        'UPDATE withdrawals SET status = ?, tx_hash = ?, changes = ? WHERE vault = ? AND nonce = ?',
        status,
        txHash,
        version,
        vaultId,
        nonce,
      )
    })
  }

  /** What withdrawals under way hold in a token, in smallest units. */
  heldTotal(token: Token): bigint {
    return this.#sql
      .exec<Row>('SELECT * FROM withdrawals WHERE token = ?', token)
      .toArray()
      .filter((row) => !isOver(shown(row).status))
      .reduce((total, row) => total + BigInt(row.amount_wei), 0n)
  }

  #find(vaultId: string, nonce: number): Row | null {
    const [row] = this.#sql
      .exec<Row>('SELECT * FROM withdrawals WHERE vault = ? AND nonce = ?', vaultId, nonce)
      .toArray()
    return row ?? null
  }
}

function shown(row: Row): Withdrawal {
  return {
    nonce: row.nonce,
    token: row.token as Token,
    amountWei: row.amount_wei,
    status: row.status as WithdrawalStatus,
    txHash: row.tx_hash,
  }
}
