import { refuse, type Refusal } from '../../src/core/refusal.ts'
import { operationId } from '../../src/ledger/operation.ts'
import type { Token } from '../../src/money/token.ts'
import {
  checkOpenFor,
  tokenSwitch,
  walletSwitch,
  type KnownModes,
} from '../../src/operator/modes.ts'
import type { Stake } from '../../src/protection/check.ts'
import { LazyTable } from '../kernel/lazy-table.ts'
import type { Schema } from '../kernel/migrations.ts'
import type { LedgerKernel, LedgerPart } from './kernel.ts'
import type { Limits } from './limits.ts'
import { unlessArchived } from './segments.ts'

/**
 * The acts that froze or unfroze this wallet. `id` is the act's time, which Control gives to one act only.
 * Most wallets have none, and no table.
 */
const MIGRATION = {
  id: 'freezes',
  sql: `
    CREATE TABLE freezes (
      id INTEGER PRIMARY KEY,
      act_id TEXT NOT NULL UNIQUE,
      is_frozen INTEGER NOT NULL
    ) STRICT;
  `,
}

/** A stake, play, game or debit, and the modes that its caller knows. */
interface GuardedStake extends Stake {
  /** The switch of its game or partner. */
  name: string
  modes: KnownModes
}

/** A stored act, with its time. */
type Row = { id: number; actId: string; isFrozen: number }

/** An operator's act. Acts may arrive late and repeatedly; their times tell their order. */
export interface FreezeAct {
  id: string
  /** No two acts have the same. */
  at: number
  isFrozen: boolean
}

/** An act's outcome. It changes nothing if the wallet wasn't frozen or if a newer act has arrived. */
export type FreezeOutcome = 'done' | 'not-frozen' | 'overtaken'

/** The checks of every stake, play and debit: the operator's switches and freeze, and the player's limits. */
export class Gate implements LedgerPart {
  readonly #kernel: LedgerKernel
  readonly #limits: Limits
  readonly #table: LazyTable
  /** The acts in their order; null until they are read. An operator rarely freezes a wallet more than once. */
  #acts: Row[] | null = null

  constructor(kernel: LedgerKernel, { limits }: { limits: Limits }) {
    this.#kernel = kernel
    this.#limits = limits
    this.#table = new LazyTable(kernel.storage, 'freezes', MIGRATION)
  }

  load(schema: Schema): void {
    this.#table.load(schema)
  }

  forget(): void {
    this.#table.forget()
    this.#acts = null
  }

  audit(): string | null {
    const latest = this.#read().at(-1)
    if (!latest) return null
    const isSame = unlessArchived(() => {
      const stored = this.#kernel.journal.find<boolean>(operationId('freeze', latest.actId))
      return stored?.result === (latest.isFrozen === 1)
    }, true)
    return isSame ? null : 'the freeze of the wallet is not what the journal says'
  }

  /** Refuses a stake that the operator or the player's own limits forbid. */
  refusal({ name, modes, ...stake }: GuardedStake): Refusal | null {
    return (
      checkOpenFor(modes, this.switches(name, stake.token), stake.at) ??
      this.frozen() ??
      this.#limits.refusal(stake)
    )
  }

  /** Returns the switches that a call about a token passes: its game's or partner's, the token's and the wallet's. */
  switches(name: string, token: Token): string[] {
    return [name, tokenSwitch(token), walletSwitch(this.#kernel.wallet)]
  }

  /** Returns the refusal of a wallet that an operator has frozen; null if none has. */
  frozen(): Refusal | null {
    return this.#read().at(-1)?.isFrozen === 1
      ? refuse(
          'wallet_frozen',
          'The operator has frozen this wallet: it takes no stakes, debits or withdrawals. Open bets and games end as usual. Contact the operator.',
        )
      : null
  }

  /**
   * Freezes or unfreezes the wallet by an operator's act. Also records an unfreeze of a wallet that isn't frozen, so
   * that a freeze decided before it is ignored. A repeated act gets its first answer.
   */
  set(act: FreezeAct): FreezeOutcome {
    this.#kernel.open()
    this.#table.make()
    const acts = this.#read()
    const known = acts.findIndex(({ actId }) => actId === act.id)
    const before = known === -1 ? acts.at(-1) : acts[known - 1]
    if (known === -1) {
      if (before && act.at <= before.id) return 'overtaken'
      this.#record(act)
    }
    return act.isFrozen || before?.isFrozen === 1 ? 'done' : 'not-frozen'
  }

  #record({ id: actId, at: id, isFrozen }: FreezeAct): void {
    const { clock, journal, storage } = this.#kernel
    const at = clock.now()
    this.#kernel.commit(at, () => {
      journal.record(
        { id: operationId('freeze', actId), request: isFrozen ? 'freeze' : 'unfreeze', at },
        { postings: [], result: isFrozen },
      )
      storage.sql.exec(
        'INSERT INTO freezes (id, act_id, is_frozen) VALUES (?, ?, ?)',
        id,
        actId,
        isFrozen ? 1 : 0,
      )
    })
    this.#acts = null
  }

  #read(): readonly Row[] {
    if (!this.#kernel.isOpen) return []
    this.#acts ??= this.#stored()
    return this.#acts
  }

  #stored(): Row[] {
    if (!this.#table.isMade) return []
    return this.#kernel.storage.sql
      .exec<Row>('SELECT id, act_id AS actId, is_frozen AS isFrozen FROM freezes ORDER BY id')
      .toArray()
  }
}
