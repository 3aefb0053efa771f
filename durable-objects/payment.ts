import { DurableObject } from 'cloudflare:workers'
import { sha256 } from '@noble/hashes/sha2'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils'
import type { Hash } from 'viem'
import { noSuchSlot, rentalText, type Rental, type RentalOrder } from '../src/ad-rental/rental.ts'
import { slotFrom, type AdTier } from '../src/ad-rental/slots.ts'
import { readPayment } from '../src/chain/payment.ts'
import { loadConfig } from '../src/config.ts'
import { saveOpening } from '../src/history/openings.ts'
import { bookRental } from '../src/history/rentals.ts'
import { invariant } from '../src/invariant.ts'
import type { LootboxConfig } from '../src/lootbox/config.ts'
import {
  shownOpening,
  type Opening,
  type OpeningAnswer,
  type PrizeStatus,
} from '../src/lootbox/opening.ts'
import { paymentMessage, tierOfRoll } from '../src/lootbox/prizes.ts'
import { lootboxDay, relayer } from '../src/objects.ts'
import type { PrizeOrder } from '../src/relayer/prize.ts'
import { logFault } from '../src/log.ts'
import { paymentMismatch, paymentUsed, type Pending } from '../src/payment/answers.ts'
import { judgePayment, type GoodPayment, type PaymentTerms } from '../src/payment/judge.ts'
import { isRefusal, refuse, type Refusal } from '../src/refusal.ts'
import { DAY_MS, dateOf } from '../src/utc-day.ts'
import { Alarm } from './kernel/alarm.ts'
import { Clock } from './kernel/clock.ts'
import { isBlank, migrate } from './kernel/migrations.ts'
import { Outbox, OUTBOX_MIGRATION, type OutboxMessage } from './kernel/outbox.ts'
import { transact } from './kernel/transact.ts'

/** What the payment is for, from the moment on that it was good for it; never for anything else. */
const MIGRATION = `
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
  CREATE TABLE opening (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    opening TEXT NOT NULL,
    prize_id TEXT NOT NULL,
    is_paid INTEGER NOT NULL,
    prize_tx_hash TEXT,
    version INTEGER NOT NULL
  ) STRICT;
`
const MIGRATIONS = [MIGRATION, OUTBOX_MIGRATION]

type Purpose = 'rental' | 'opening'

type Row = { purpose: Purpose; facts: string }

type OpeningRow = {
  opening: string
  prize_id: string
  is_paid: number
  prize_tx_hash: string | null
  version: number
}

/** What somebody says that they have paid. */
type Claim = Pick<PaymentTerms, 'payer' | 'recipient' | 'valueWei'>

/** The oldest that a payment may be when it is first shown. */
const MAX_AGE_MS = DAY_MS

/** One payment on a chain: that it is good, and what it is spent on, once. Named by chain and hash. */
export class Payment extends DurableObject<Env> {
  readonly #sql = this.ctx.storage.sql
  readonly #clock = new Clock()
  readonly #alarm = new Alarm(this.ctx.storage)
  readonly #outbox = new Outbox(this.ctx.storage.sql, (message) => this.#deliver(message))

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    void ctx.blockConcurrencyWhile(() => this.#alarm.load())
  }

  /**
   * Opens the lootbox with the payment, once: what it wins follows from the day's seed, the payment and
   * its block. Safe to repeat: the same opening with its present status, whatever the chain says later.
   */
  async open(wallet: string): Promise<OpeningAnswer | Pending | Refusal> {
    const known = this.#opening()
    if (known)
      return known.opening.wallet === wallet ? this.#shown() : paymentMismatch('wrong_sender')
    const { lootbox } = loadConfig(this.env)
    invariant(lootbox, 'who opens a lootbox has one')
    const price = { recipient: lootbox.pool, valueWei: BigInt(lootbox.price) }
    const accepted = await this.#accept('opening', { payer: wallet, ...price })
    if (isRefusal(accepted) || 'status' in accepted) return accepted
    const { blockHash, paidAt } = accepted
    const { hash } = this.#names()
    const day = dateOf(paidAt)
    const rolled = await lootboxDay(this.env, day).roll(paymentMessage(hash, blockHash))
    if (!this.#opening()) this.#win(wallet, { ...rolled, txHash: hash, blockHash }, lootbox)
    return this.#shown()
  }

  /** Takes the relayer's word on the prize. Safe to repeat; the newest counts. */
  async prizeProgress(update: {
    isPaid: boolean
    txHash: string | null
    version: number
  }): Promise<void> {
    const row = this.#opening()
    invariant(row, 'a prize is that of an opening')
    if (update.version <= row.version) return
    const { isPaid, txHash, version } = update
    const now = this.#clock.now()
    transact(this.ctx.storage, () => {
      this.#sql.exec(
        'UPDATE opening SET is_paid = ?, prize_tx_hash = coalesce(?, prize_tx_hash), version = ?',
        ...[isPaid ? 1 : 0, txHash, version],
      )
      this.#outbox.add({ kind: 'project', payload: '' }, now)
    })
    this.#alarm.wakeBy(now, now)
  }

  override async alarm(info?: AlarmInvocationInfo): Promise<void> {
    await this.#alarm.run(info, this.#clock.now(), async () => {
      const now = this.#clock.now()
      await this.#outbox.drain(now)
      return this.#outbox.nextDueAt(now)
    })
  }

  /**
   * Rents with the payment. Where another was first, it stays good for another date. Safe to repeat:
   * the same call is answered as the first was, whatever the chain or the prices say by then.
   * @param tier what so many hours cost now; null where they are not for rent
   */
  async rent(
    order: RentalOrder,
    tier: AdTier | null,
    recipient: string,
  ): Promise<{ ok: true; rental: Rental } | Pending | Refusal> {
    const request = rentalText(order)
    const known = this.#rental()
    if (known) return known.request === request ? { ok: true, rental: known.rental } : paymentUsed()
    if (!tier) return noSuchSlot('hours', 'must be those of a tier')
    const price = { recipient, valueWei: BigInt(tier.priceWei) }
    const accepted = await this.#accept('rental', { payer: order.wallet, ...price })
    if (isRefusal(accepted) || 'status' in accepted) return accepted
    const slot = slotFrom(order.date, tier.days, this.#clock.now())
    if (!slot) return noSuchSlot('date', 'all days must be among availableSlots')
    const { name, hash } = this.#names()
    const { wallet, title, imageUrl, linkUrl } = order
    const { startsAt, endsAt, days } = slot
    const wanted: Rental = {
      ...{ id: hash, wallet, startsAt, endsAt, label: tier.label, title, imageUrl, linkUrl },
    }
    const booked = await bookRental(this.env.DB, name, { rental: wanted, request, days })
    if (!booked) {
      const advice = 'Somebody was first. Your payment stays good: rent another date with it.'
      return refuse('slot_taken', advice)
    }
    // The database knows already; from here on this does too, whatever becomes of its rows.
    this.#sql.exec(
      'INSERT OR IGNORE INTO rental VALUES (1, ?, ?)',
      booked.request,
      JSON.stringify(booked.rental),
    )
    return booked.request === request ? { ok: true, rental: booked.rental } : paymentUsed()
  }

  /** Writes what was won, with the order for its prize and the news of it. */
  #win(
    wallet: string,
    rolled: { day: string; seedHash: string; roll: string; txHash: string; blockHash: string },
    { pool, prizes }: LootboxConfig,
  ): void {
    const tier = tierOfRoll(BigInt(rolled.roll), prizes)
    const won = prizes[tier]
    invariant(won, 'every roll has a tier')
    const { label, asset, amountWei: prize } = won
    const { name } = this.#names()
    const { day, seedHash, roll, txHash, blockHash } = rolled
    const now = this.#clock.now()
    const opening: Opening = {
      id: txHash,
      ...{ wallet, txHash, blockHash, day, seedHash, roll, tier, label, prize, asset },
      odds: prizes.map(({ bps }) => bps),
      openedAt: now,
    }
    const prizeId: PrizeOrder['prizeId'] = `0x${bytesToHex(sha256(utf8ToBytes(name)))}`
    const order: PrizeOrder = { prizeId, pool, to: wallet, asset, amountWei: prize, opening: name }
    transact(this.ctx.storage, () => {
      this.#sql.exec(
        'INSERT INTO opening VALUES (1, ?, ?, 0, NULL, 0)',
        JSON.stringify(opening),
        prizeId,
      )
      this.#outbox.add({ kind: 'prize', payload: JSON.stringify(order) }, now)
      this.#outbox.add({ kind: 'project', payload: '' }, now)
    })
    this.#alarm.wakeBy(now, now)
  }

  async #deliver({ kind, payload }: OutboxMessage): Promise<void> {
    if (kind === 'prize') {
      const { chainId } = loadConfig(this.env)
      return relayer(this.env, chainId).payPrize(JSON.parse(payload) as PrizeOrder)
    }
    const row = this.#opening()
    invariant(row, 'only openings are projected')
    await saveOpening(this.env.DB, row.opening, row.status)
  }

  /** The opening as it is answered; with the day's seed once that is over. */
  async #shown(): Promise<OpeningAnswer> {
    const row = this.#opening()
    invariant(row, 'what is shown is there')
    const disclosed = await lootboxDay(this.env, row.opening.day).disclosure()
    return shownOpening(row.opening, row.status, disclosed?.seed ?? null)
  }

  #rental(): { request: string; rental: Rental } | null {
    if (isBlank(this.ctx.storage)) return null
    const [row] = this.#sql
      .exec<{ request: string; rental: string }>('SELECT request, rental FROM rental')
      .toArray()
    return row ? { request: row.request, rental: JSON.parse(row.rental) as Rental } : null
  }

  #opening(): { opening: Opening; status: PrizeStatus; version: number } | null {
    if (isBlank(this.ctx.storage)) return null
    const [row] = this.#sql.exec<OpeningRow>('SELECT * FROM opening').toArray()
    if (!row) return null
    return {
      opening: JSON.parse(row.opening) as Opening,
      status: { isPaid: row.is_paid === 1, txHash: row.prize_tx_hash },
      version: row.version,
    }
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
    migrate(this.ctx.storage, MIGRATIONS)
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
