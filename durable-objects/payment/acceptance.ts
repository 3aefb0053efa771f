import type { Hash } from 'viem'
import type { AdTier } from '../../src/ad-rental/slots.ts'
import { readPayment } from '../../src/chain/payment.ts'
import type { ChainConfig } from '../../src/config/config.ts'
import { loadConfig } from '../../src/config/load.ts'
import { invariant } from '../../src/core/invariant.ts'
import type { Refusal } from '../../src/core/refusal.ts'
import { CHAIN_UNREACHABLE } from '../../src/ledger/refusals.ts'
import { logFault } from '../../src/log.ts'
import { paymentMismatch, PAYMENT_USED, type Pending } from '../../src/payment/answers.ts'
import {
  judgePayment,
  MAX_AGE_MS,
  type ExpectedPayment,
  type GoodPayment,
  type PaymentFacts,
} from '../../src/payment/judge.ts'
import type { Kernel, Part } from '../kernel/kernel.ts'
import type { OutboxMessage } from '../kernel/outbox.ts'
import { firstRow, hasRow } from '../kernel/rows.ts'

/**
 * The payment's purpose, fixed once the payment is found valid for it. `presented` has a row if it was presented for a
 * rental in time, before it had its confirmations.
 */
const TABLES = `
  CREATE TABLE payment (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    purpose TEXT NOT NULL CHECK (purpose IN ('rental', 'opening')),
    facts TEXT NOT NULL
  ) STRICT;
  CREATE TABLE presented (id INTEGER PRIMARY KEY CHECK (id = 1)) STRICT;
`

type Purpose = 'rental' | 'opening'

/** The terms on which a payment was accepted for a rental. */
export type RentalTerms = AdTier & { recipient: string }

/** An accepted payment. Only a rental has terms. */
type Accepted = GoodPayment & { rentalTerms?: RentalTerms | undefined }

/** A consequence of an acceptance, stored with it. */
interface Consequence {
  rentalTerms?: RentalTerms
  /** The work left if this call doesn't get to it. */
  next?: OutboxMessage
}

/** The call that accepts a payment also rolls. After this time, in milliseconds, the alarm does. */
const ROLLED_WITHIN_MS = 10_000

/** A payment as its payer claims it. */
type Claim = Pick<ExpectedPayment, 'payer' | 'recipient' | 'valueWei'>

/** A payment's facts on the chain, and the one purpose that it was accepted for. */
export class Acceptance implements Part {
  readonly migration = { id: 'payment', sql: TABLES }
  readonly #ctx: DurableObjectState
  readonly #env: () => Env
  readonly #kernel: Kernel
  readonly #sql: SqlStorage

  constructor(ctx: DurableObjectState, env: () => Env, kernel: Kernel) {
    this.#ctx = ctx
    this.#env = env
    this.#kernel = kernel
    this.#sql = ctx.storage.sql
  }

  /** Returns the accepted payment and its purpose; null before it is accepted. */
  accepted(): (Accepted & { purpose: Purpose }) | null {
    if (!this.#kernel.isOpen) return null
    const row = firstRow(
      this.#sql.exec<{ purpose: Purpose; facts: string }>('SELECT purpose, facts FROM payment'),
    )
    return row && { ...(JSON.parse(row.facts) as Accepted), purpose: row.purpose }
  }

  /** Reads the payment from the chain, unless it is spent on something else. */
  async read(purpose: Purpose): Promise<PaymentFacts | Refusal> {
    const accepted = this.accepted()
    if (accepted && accepted.purpose !== purpose) return PAYMENT_USED
    try {
      const facts = await readPayment(this.chain(), this.names().hash)
      return facts ?? paymentMismatch('not_found')
    } catch (fault) {
      logFault('payment_read_failed', fault, { object: this.#kernel.owner.object })
      return CHAIN_UNREACHABLE
    }
  }

  /**
   * Checks the payment and, if it is valid, stores it for its purpose.
   * @returns the answer to give instead of the purchase; null once the payment is accepted
   */
  accept(
    purpose: Purpose,
    facts: PaymentFacts,
    claim: Claim,
    consequence: Consequence,
  ): Pending | Refusal | null {
    const { chainId, confirmations } = this.chain()
    const isInTime = this.accepted() !== null || (purpose === 'rental' && this.#wasPresented())
    const maxAgeMs = isInTime ? null : MAX_AGE_MS
    const expected: ExpectedPayment = { ...claim, chainId, confirmations, maxAgeMs }
    const verdict = judgePayment(facts, expected, this.#kernel.clock.now())
    if (verdict.kind === 'mismatch') return paymentMismatch(verdict.reason)
    if (verdict.kind === 'pending') {
      const { confirmations: counted, required } = verdict
      // An opening stays bound to its payment's age: the audit relies on it to tell which days' seeds are possible.
      if (facts.mined && purpose === 'rental') this.#notePresented()
      return { ok: true, status: 'pending', confirmations: counted, required }
    }
    return this.#keep(purpose, verdict, consequence)
  }

  /** Returns the configured chain. */
  chain(): ChainConfig {
    const { chain } = loadConfig(this.#env())
    invariant(chain, 'a payment requires a configured chain')
    return chain
  }

  /** Returns the object's name, and the hash of the payment's transaction. */
  names(): { name: string; hash: Hash } {
    const { name } = this.#ctx.id
    const hash = name?.split(':')[1]
    invariant(name && hash, 'a payment is named by its chain and hash')
    return { name, hash: hash as Hash }
  }

  /** Fixes the payment's purpose. Another call may have done so while the chain was read. */
  #keep(purpose: Purpose, good: GoodPayment, { rentalTerms, next }: Consequence): Refusal | null {
    this.#kernel.open()
    const accepted = this.accepted()
    if (accepted) return accepted.purpose === purpose ? null : PAYMENT_USED
    this.#kernel.transact(() => {
      this.#sql.exec(
        'INSERT INTO payment (id, purpose, facts) VALUES (1, ?, ?)',
        purpose,
        JSON.stringify({ ...good, rentalTerms } satisfies Accepted),
      )
      if (next) this.#kernel.outbox.add(next, this.#kernel.clock.now() + ROLLED_WITHIN_MS)
    })
    this.#kernel.wake()
    return null
  }

  #notePresented(): void {
    this.#kernel.open()
    this.#sql.exec('INSERT OR IGNORE INTO presented (id) VALUES (1)')
  }

  #wasPresented(): boolean {
    return this.#kernel.isOpen && hasRow(this.#sql.exec('SELECT 1 FROM presented'))
  }
}
