import { DurableObject } from 'cloudflare:workers'
import type { Hash } from 'viem'
import { noSuchSlot, rentalText, type Rental, type RentalRequest } from '../src/ad-rental/rental.ts'
import { HOURS_A_DAY, slotFrom, type AdTier } from '../src/ad-rental/slots.ts'
import { lootboxDay } from '../src/calls/objects.ts'
import { readPayment } from '../src/chain/payment.ts'
import type { ChainConfig } from '../src/config/config.ts'
import { loadConfig } from '../src/config/load.ts'
import { invariant } from '../src/core/invariant.ts'
import { isRefusal, refuse, type Refusal } from '../src/core/refusal.ts'
import { dateOf } from '../src/core/utc-day.ts'
import { bookRental, readBooking, type Booking } from '../src/history/rentals.ts'
import { CHAIN_UNREACHABLE } from '../src/ledger/refusals.ts'
import { logFault } from '../src/log.ts'
import { GRACE_MS, isPaidBy, NO_LOOTBOX, NO_OFFER, type Offer } from '../src/lootbox/offer.ts'
import type { OpeningAnswer } from '../src/lootbox/opening.ts'
import { paymentMessage } from '../src/lootbox/prizes.ts'
import {
  isNotFound,
  isPending,
  paymentMismatch,
  PAYMENT_USED,
  type Pending,
} from '../src/payment/answers.ts'
import {
  judgePayment,
  MAX_AGE_MS,
  type GoodPayment,
  type PaymentFacts,
  type ExpectedPayment,
} from '../src/payment/judge.ts'
import { Kernel } from './kernel/kernel.ts'
import type { OutboxMessage } from './kernel/outbox.ts'
import { ownerOf } from './kernel/owner.ts'
import { firstRow, hasRow } from './kernel/rows.ts'
import { OpeningStore, type PrizeUpdate } from './lootbox/opening-store.ts'

/** The payment's purpose, fixed once the payment is found valid for it. */
const TABLES = `
  CREATE TABLE payment (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    purpose TEXT NOT NULL CHECK (purpose IN ('rental', 'opening')),
    facts TEXT NOT NULL
  ) STRICT;
  CREATE TABLE rental (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    request TEXT NOT NULL,
    rental TEXT NOT NULL
  ) STRICT;
`

/** Has a row if the payment was presented for a rental in time, before it had its confirmations. */
const PRESENTED = {
  id: 'payment-presented',
  sql: 'CREATE TABLE presented (id INTEGER PRIMARY KEY CHECK (id = 1)) STRICT;',
}

type Purpose = 'rental' | 'opening'

/** The terms on which a payment was accepted for a rental. */
type RentalTerms = AdTier & { recipient: string }

/** An accepted payment. Version 0.2.0 did not keep the terms. */
type Accepted = GoodPayment & { rentalTerms?: RentalTerms | undefined }

/** What follows from an acceptance and is stored with it. */
interface Consequence {
  rentalTerms?: RentalTerms
  /** The work left if this call doesn't get to it. */
  next?: OutboxMessage
}

/** The call that accepts a payment also rolls. After this time, in milliseconds, the alarm does. */
const ROLLED_WITHIN_MS = 10_000

type Row = { purpose: Purpose; facts: string }

/** A payment that was presented before it had its confirmations. */
interface Claimed {
  wallet: string
  /** Unix milliseconds. A payment that is presented later is too old. */
  until: number
}

/** How long the alarm waits for a payment's next confirmations, in milliseconds. */
const CONFIRMED_EVERY_MS = 30_000
/** The same for a payment that the chain has dropped, which may be mined again. */
const DROPPED_EVERY_MS = 300_000

/** A payment as its payer claims it. */
type Claim = Pick<ExpectedPayment, 'payer' | 'recipient' | 'valueWei'>

/** The offer that an accepted payment rolls for. */
interface Roll extends Pick<Offer, 'pool' | 'prizes'> {
  wallet: string
}

/** One payment on a chain: checks it and spends it once. Named by chain and hash. */
export class Payment extends DurableObject<Env> {
  readonly #sql = this.ctx.storage.sql
  readonly #kernel = new Kernel(this.ctx, ownerOf('Payment', this.ctx, this.env))
  readonly #opening = new OpeningStore(this.ctx, this.env, this.#kernel)

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    const payment = {
      migration: { id: 'payment', sql: TABLES },
      deliver: {
        open: (payload: string) => this.#openLater(JSON.parse(payload) as Claimed),
        roll: (payload: string) => this.#roll(JSON.parse(payload) as Roll),
      },
    }
    this.#kernel.assemble([payment, this.#kernel.outbox, this.#opening, { migration: PRESENTED }])
  }

  /**
   * Opens the lootbox with the payment, once. The prize follows from the day's seed, the payment and its
   * block. Safe to repeat: returns the same opening with its current status, whatever the chain says later.
   */
  async open(wallet: string): Promise<OpeningAnswer | Pending | Refusal> {
    const owner = this.#opening.owner()
    if (owner) return owner === wallet ? this.#opening.shown() : paymentMismatch('wrong_sender')
    const facts = await this.#read('opening')
    if (isRefusal(facts)) return facts
    if (!facts.mined && (facts.isInBlock || this.#isClaimed())) {
      // It is or was in a block, at the price of that time, so the current price doesn't matter.
      const { confirmations: required } = this.#chain()
      return { ok: true, status: 'pending', confirmations: 0, required }
    }
    const { pool, price, prizes } = await this.#offerFor(facts)
    if (pool === NO_OFFER.pool) return NO_LOOTBOX
    const claim = { payer: wallet, recipient: pool, valueWei: BigInt(price) }
    const roll = { wallet, pool, prizes }
    // Stored with the acceptance, because the player may not come back: a roll days later would look chosen.
    const next = { kind: 'roll', payload: JSON.stringify(roll) }
    const accepted = this.#accept('opening', facts, claim, { next })
    if (isRefusal(accepted)) return accepted
    if (isPending(accepted)) {
      // An unmined payment costs its claimant nothing, so the claim isn't stored.
      if (facts.mined) this.#claim(wallet)
      return accepted
    }
    await this.#roll(roll)
    return this.#opening.shown()
  }

  /** Has the alarm open with the payment once it is confirmed: its payer may not come back. */
  #claim(wallet: string): void {
    if (this.#isClaimed()) return
    this.#kernel.open()
    this.#wait({ wallet, until: this.#kernel.clock.now() + MAX_AGE_MS }, CONFIRMED_EVERY_MS)
    this.#kernel.wake()
  }

  #isClaimed(): boolean {
    return this.#kernel.isOpen && this.#kernel.outbox.has('open')
  }

  #wait(claimed: Claimed, forMs: number): void {
    const message = { kind: 'open', payload: JSON.stringify(claimed) }
    this.#kernel.transact(() => {
      this.#kernel.outbox.cancel('open')
      this.#kernel.outbox.add(message, this.#kernel.clock.now() + forMs)
    })
  }

  /** Opens with a claimed payment, or keeps waiting until it is too old. */
  async #openLater(claimed: Claimed): Promise<void> {
    if (this.#kernel.clock.now() > claimed.until) return
    const answer = await this.open(claimed.wallet)
    const isDropped = isRefusal(answer) && isNotFound(answer)
    // A site that has switched the lootbox off may switch it on again.
    const waits = ['chain_unavailable', 'not_configured']
    const isUndecided = isRefusal(answer) && waits.includes(answer.error.code)
    if (isDropped) this.#wait(claimed, DROPPED_EVERY_MS)
    else if (isUndecided || isPending(answer)) this.#wait(claimed, CONFIRMED_EVERY_MS)
  }

  /** Rolls for the accepted payment, and stores what it wins. Safe to repeat. */
  async #roll({ wallet, pool, prizes }: Roll): Promise<void> {
    if (this.#opening.owner()) return
    const row = this.#row()
    invariant(row?.purpose === 'opening', 'only an accepted payment is rolled for')
    const { blockHash, paidAt } = JSON.parse(row.facts) as GoodPayment
    const { hash } = this.#names()
    const dayOfBlock = lootboxDay(this.env, dateOf(paidAt))
    const { day, seedHash, roll } = await dayOfBlock.roll(paymentMessage(hash, blockHash))
    const source = { id: hash, wallet, txHash: hash, blockHash, pepper: null }
    this.#opening.win({ ...source, day, seedHash, roll }, prizes, pool)
    this.#kernel.outbox.cancel('roll')
  }

  /** Accepts the relayer's report on the prize. Safe to repeat; the newest report counts. */
  async prizeProgress(update: PrizeUpdate): Promise<void> {
    this.#opening.progress(update)
  }

  /** Writes the opening, if any, to the history again. */
  async sendToHistory(): Promise<void> {
    await this.#opening.sendToHistory()
  }

  override async alarm(info?: AlarmInvocationInfo): Promise<void> {
    await this.#kernel.run(info)
  }

  /**
   * Rents with the payment. If the date has been taken, the payment stays good for another. Safe to repeat:
   * a repeated call gets the first answer, whatever the chain or the prices are by then.
   * @param tier the current price of these hours; null if they are not for rent
   */
  async rent(
    request: RentalRequest,
    tier: AdTier | null,
    recipient: string,
  ): Promise<{ ok: true; rental: Rental } | Pending | Refusal> {
    const text = rentalText(request)
    const { name, hash } = this.#names()
    const known = this.#rental() ?? (await this.#bookedBefore(name))
    if (known) return known.request === text ? { ok: true, rental: known.rental } : PAYMENT_USED
    // What was accepted stays good for these hours, whatever they cost by now.
    const terms = this.#acceptedFor(request.hours) ?? (tier && { ...tier, recipient })
    if (!terms) return noSuchSlot('hours', "must be a tier's hours")
    const facts = await this.#read('rental')
    if (isRefusal(facts)) return facts
    const { priceWei, days: length, label } = terms
    const valueWei = BigInt(priceWei)
    const claim = { payer: request.wallet, recipient: terms.recipient, valueWei }
    // An acceptance keeps the price for other dates, so an impossible date must not lead to one.
    const slot = slotFrom(request.date, length, this.#kernel.clock.now())
    if (!slot) return noSuchSlot('date', 'all days must be among availableSlots')
    const accepted = this.#accept('rental', facts, claim, { rentalTerms: terms })
    if (isRefusal(accepted) || isPending(accepted)) return accepted
    const { wallet, title, imageUrl, linkUrl } = request
    const { startsAt, endsAt, days } = slot
    const wanted: Rental = {
      id: hash,
      wallet,
      startsAt,
      endsAt,
      label,
      title,
      imageUrl,
      linkUrl,
    }
    const booked = await bookRental(this.env.DB, name, { rental: wanted, request: text, days })
    if (!booked) {
      const advice =
        'This date has just been taken. Your payment is still valid: use it to rent another date.'
      return refuse('slot_taken', advice)
    }
    this.#keepRental(booked)
    return booked.request === text ? { ok: true, rental: booked.rental } : PAYMENT_USED
  }

  /** Returns what the payment has booked if the database's answer was lost then. */
  async #bookedBefore(payment: string): Promise<Booking | null> {
    if (this.#row()?.purpose !== 'rental') return null
    const booked = await readBooking(this.env.DB, payment)
    if (booked) this.#keepRental(booked)
    return booked
  }

  /** Keeps a rental that the database has already: from here on this object has it too, even if rows are lost. */
  #keepRental({ request, rental }: Booking): void {
    this.#sql.exec(
      'INSERT OR IGNORE INTO rental (id, request, rental) VALUES (1, ?, ?)',
      request,
      JSON.stringify(rental),
    )
  }

  #rental(): Booking | null {
    if (!this.#kernel.isOpen) return null
    const row = firstRow(
      this.#sql.exec<{ request: string; rental: string }>('SELECT request, rental FROM rental'),
    )
    return row ? { request: row.request, rental: JSON.parse(row.rental) as Rental } : null
  }

  /** Reads the payment from the chain, unless it is spent on something else. */
  async #read(purpose: Purpose): Promise<PaymentFacts | Refusal> {
    const known = this.#row()
    if (known && known.purpose !== purpose) return PAYMENT_USED
    try {
      const facts = await readPayment(this.#chain(), this.#names().hash)
      return facts ?? paymentMismatch('not_found')
    } catch (fault) {
      logFault('payment_read_failed', fault, { object: this.#kernel.owner.object })
      return CHAIN_UNREACHABLE
    }
  }

  /** Returns the offer the payment was made for. Prices and prizes may have changed since. */
  async #offerFor({ mined, to, valueWei }: PaymentFacts): Promise<Offer> {
    // Once stored, the block is fixed, whatever the chain says later.
    const row = this.#row()
    const kept = row && (JSON.parse(row.facts) as GoodPayment)
    const paidAt = (kept ?? mined)?.paidAt ?? this.#kernel.clock.now()
    const paid = { to, valueWei, paidAt }
    const offer = await lootboxDay(this.env, dateOf(paidAt)).offerFor(paid)
    const dayBefore = dateOf(paidAt - GRACE_MS)
    if (isPaidBy(offer, paid) || dayBefore === dateOf(paidAt)) return offer
    // Until midnight the offer of that day is shown, whose object may run another version.
    const shown = await lootboxDay(this.env, dayBefore).offerFor(paid)
    return isPaidBy(shown, paid) ? shown : offer
  }

  /** Checks the payment and, if it is valid, stores it for its purpose. */
  #accept(
    purpose: Purpose,
    facts: PaymentFacts,
    claim: Claim,
    consequence: Consequence,
  ): GoodPayment | Pending | Refusal {
    const { chainId, confirmations } = this.#chain()
    const isInTime = this.#row() !== null || (purpose === 'rental' && this.#wasPresented())
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

  #notePresented(): void {
    this.#kernel.open()
    this.#sql.exec('INSERT OR IGNORE INTO presented (id) VALUES (1)')
  }

  #wasPresented(): boolean {
    return this.#kernel.isOpen && hasRow(this.#sql.exec('SELECT 1 FROM presented'))
  }

  /** Returns the terms on which the payment was accepted for a rental of some hours; null if it was not. */
  #acceptedFor(hours: number): RentalTerms | null {
    const row = this.#row()
    if (row?.purpose !== 'rental') return null
    const { rentalTerms } = JSON.parse(row.facts) as Accepted
    return rentalTerms && rentalTerms.days * HOURS_A_DAY === hours ? rentalTerms : null
  }

  /** Fixes the payment's purpose. Another call may have done so while the chain was read. */
  #keep(
    purpose: Purpose,
    good: GoodPayment,
    { rentalTerms, next }: Consequence,
  ): GoodPayment | Refusal {
    this.#kernel.open()
    const row = this.#row()
    if (row) {
      return row.purpose === purpose ? (JSON.parse(row.facts) as GoodPayment) : PAYMENT_USED
    }
    this.#kernel.transact(() => {
      this.#sql.exec(
        'INSERT INTO payment (id, purpose, facts) VALUES (1, ?, ?)',
        purpose,
        JSON.stringify({ ...good, rentalTerms } satisfies Accepted),
      )
      if (next) this.#kernel.outbox.add(next, this.#kernel.clock.now() + ROLLED_WITHIN_MS)
    })
    this.#kernel.wake()
    return good
  }

  #row(): Row | null {
    if (!this.#kernel.isOpen) return null
    return firstRow(this.#sql.exec<Row>('SELECT purpose, facts FROM payment'))
  }

  #chain(): ChainConfig {
    const { chain } = loadConfig(this.env)
    invariant(chain, 'a payment requires a configured chain')
    return chain
  }

  #names(): { name: string; hash: Hash } {
    const { name } = this.ctx.id
    const hash = name?.split(':')[1]
    invariant(name && hash, 'a payment is named by its chain and hash')
    return { name, hash: hash as Hash }
  }
}
