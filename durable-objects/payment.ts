import { DurableObject } from 'cloudflare:workers'
import type { Hash } from 'viem'
import { isSameRental, type Rental, type RentalOrder } from '../src/ad-rental/rental.ts'
import { readPayment } from '../src/chain/payment.ts'
import { loadConfig } from '../src/config.ts'
import { bookRental, findRentalPaidBy } from '../src/history/rentals.ts'
import { invariant } from '../src/invariant.ts'
import { logFault } from '../src/log.ts'
import { paymentMismatch, paymentUsed, type Pending } from '../src/payment/answers.ts'
import { judgePayment, type GoodPayment, type PaymentTerms } from '../src/payment/judge.ts'
import { isRefusal, refuse, type Refusal } from '../src/refusal.ts'
import { Clock } from './kernel/clock.ts'
import { isBlank, migrate } from './kernel/migrations.ts'

/** What the payment is for, from the moment on that it was good for it; never for anything else. */
const MIGRATION = `
  CREATE TABLE payment (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    purpose TEXT NOT NULL CHECK (purpose IN ('rental', 'opening')),
    facts TEXT NOT NULL
  ) STRICT;
`

type Purpose = 'rental' | 'opening'

type Row = { purpose: Purpose; facts: string }

/** What somebody says that they have paid. */
type Claim = Pick<PaymentTerms, 'payer' | 'recipient' | 'valueWei'>

/** The oldest that a payment may be when it is first shown. */
const MAX_AGE_MS = 86_400_000

/** One payment on a chain: that it is good, and what it is spent on, once. Named by chain and hash. */
export class Payment extends DurableObject<Env> {
  readonly #sql = this.ctx.storage.sql
  readonly #clock = new Clock()

  /**
   * Rents with the payment. Where another was first, it stays good for another date. Safe to repeat:
   * the database knows what each payment has paid for, whatever the chain says later.
   * @param days the UTC days of the rental
   */
  async rent(
    order: RentalOrder,
    days: string[],
    price: Pick<Claim, 'recipient' | 'valueWei'>,
  ): Promise<{ ok: true; rental: Rental } | Pending | Refusal> {
    const { name, hash } = this.#names()
    const isKnown = this.#row()?.purpose === 'rental'
    const paid = isKnown ? await findRentalPaidBy(this.env.DB, name) : null
    if (!paid) {
      const accepted = await this.#accept('rental', { payer: order.wallet, ...price })
      if (isRefusal(accepted) || 'status' in accepted) return accepted
    }
    const rental = paid ?? (await bookRental(this.env.DB, name, { id: hash, ...order }, days))
    if (!rental) {
      const advice = 'Somebody was first. Your payment stays good: rent another date with it.'
      return refuse('slot_taken', advice)
    }
    return isSameRental(rental, order) ? { ok: true, rental } : paymentUsed()
  }

  /** Holds a payment against what it should be, and keeps it for its purpose if it is that. */
  async #accept(purpose: Purpose, claim: Claim): Promise<GoodPayment | Pending | Refusal> {
    const known = this.#row()
    if (known && known.purpose !== purpose) return paymentUsed()
    const { chain } = loadConfig(this.env)
    invariant(chain, 'a payment is on a chain')
    const terms: PaymentTerms = {
      ...claim,
      chainId: chain.chainId,
      confirmations: chain.confirmations,
      maxAgeMs: known ? null : MAX_AGE_MS,
    }
    let facts
    try {
      facts = await readPayment(chain, this.#names().hash)
    } catch (fault) {
      logFault('a payment could not be looked at', fault)
      return refuse('chain_unavailable', 'The chain cannot be reached now; try again.')
    }
    const verdict = judgePayment(facts, terms, this.#clock.now())
    if (verdict.kind === 'mismatch') return paymentMismatch(verdict.reason)
    if (verdict.kind === 'pending') {
      const { confirmations, required } = verdict
      return { ok: true, status: 'pending', confirmations, required }
    }
    return this.#keep(purpose, verdict)
  }

  /** From here on the payment is for this. Somebody else may have come while the chain was asked. */
  #keep(purpose: Purpose, good: GoodPayment): GoodPayment | Refusal {
    migrate(this.ctx.storage, [MIGRATION])
    const row = this.#row()
    if (row) {
      return row.purpose === purpose ? (JSON.parse(row.facts) as GoodPayment) : paymentUsed()
    }
    this.#sql.exec('INSERT INTO payment VALUES (1, ?, ?)', purpose, JSON.stringify(good))
    return good
  }

  #row(): Row | null {
    if (isBlank(this.ctx.storage)) return null
    const [row] = this.#sql.exec<Row>('SELECT purpose, facts FROM payment').toArray()
    return row ?? null
  }

  #names(): { name: string; hash: Hash } {
    const { name } = this.ctx.id
    const hash = name?.split(':')[1]
    invariant(name && hash, 'a payment is addressed by its chain and hash')
    return { name, hash: hash as Hash }
  }
}
