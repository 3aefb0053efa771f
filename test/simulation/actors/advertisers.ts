import type { Hex } from 'viem'
import type { Rental } from '../../../src/ad-rental/rental.ts'
import { dateOf, DAY_MS } from '../../../src/core/utc-day.ts'
import { LOOTBOX, type Transfer } from '../chain/pool-state.ts'
import { credentialsOf } from '../wallets.ts'
import type { World } from '../world/world.ts'
import { insist, numbered, operate } from './client.ts'

const PAUSE_MS = [3_000, 20_000] as const
const MAX_TRIES = 4
/** Few enough that players want the same days. */
const WANTED_DAYS = 3
/** Few enough that there is a day for each. */
const MAX_PAYMENTS = 4
const MAX_AHEAD = 25
/** Between two tries to use a payment that is not confirmed. */
const LOOK_MS = 5_000
const MAX_LOOKS = 40
const HOURS = 24

const PAYMENTS: Record<string, Partial<Transfer>> = {
  good: {},
  'too little': { amount: LOOTBOX.adPriceWei - 1n },
  'to another address': { to: LOOTBOX.stranger },
  'that fails': { fails: true },
}

interface Order {
  title: string
  /** The UTC day, as YYYY-MM-DD. */
  date: string
}

/** A rental, and when its payment was first used, in true unix milliseconds. */
export interface ToldRental extends Rental {
  askedAt: number
}

interface AdPayment {
  hash: Hex
  sentAt: number
  isGood: boolean
  /** What was asked for with it. Only the same order is answered again with its rental. */
  orders: Order[]
  /** The order that was answered with the rental. */
  rented: Order | null
  rental: ToldRental | null
}

/** A player who rents the advertising slot, day by day. */
export class Advertiser {
  readonly #payments: AdPayment[] = []
  readonly #world: World
  readonly #wallet: string
  readonly #name: string
  readonly #next: () => string

  constructor(world: World, wallet: string, name: string) {
    this.#world = world
    this.#wallet = wallet
    this.#name = `${name} at the ads`
    this.#next = numbered(this.#name)
  }

  /** The rentals that the service has confirmed. */
  get rentals(): ToldRental[] {
    return this.#payments.flatMap(({ rental }) => rental ?? [])
  }

  async live(until: number): Promise<void> {
    const { random } = this.#world
    await operate(this.#world, this.#next, { pauseMs: PAUSE_MS, until }, async (name) => {
      // A payment that has rented a day, or failed to, may be tried for another one.
      const paid = this.#payments.length
      const isNew = paid === 0 || (paid < MAX_PAYMENTS && random.chance(`${name} pays`, 0.6))
      const payment = isNew ? this.#pay(name) : random.pick(`${name} payment`, this.#payments)
      const ahead = random.between(`${name} day`, 1, WANTED_DAYS)
      const tries = random.between(`${name} tries`, 1, MAX_TRIES)
      const again = random.chance(`${name} repeats`, 0.5) ? payment.rented : null
      await this.#rent(name, payment, again ?? this.#newOrder(name, payment, ahead), tries)
    })
  }

  /** Rents a day with every payment that the chain has. */
  async settle(): Promise<void> {
    const open = this.#payments.filter(({ isGood, rental }) => isGood && !rental)
    await Promise.all(open.map((payment) => this.#settle(payment)))
  }

  async #settle(payment: AdPayment): Promise<void> {
    const { chain, scheduler } = this.#world
    const name = `${this.#name} settles`
    const asked = [...payment.orders]
    for (let looks = 1; looks <= MAX_LOOKS && !payment.rental; looks++) {
      const earlier = looks % 2 === 0 ? asked[(looks / 2) % asked.length] : null
      const order = earlier ?? this.#newOrder(name, payment, 1 + (looks % MAX_AHEAD))
      await this.#rent(name, payment, order, 1)
      await scheduler.sleep(LOOK_MS)
    }
    const isMined = chain?.blocks.some(({ mined }) =>
      mined.some(({ tx }) => tx.hash === payment.hash),
    )
    const isTooOld = scheduler.now - this.#world.start > DAY_MS
    if (!payment.rental && isMined && !isTooOld)
      this.#world.violate(`payment ${payment.hash} rents no day`)
  }

  #pay(name: string): AdPayment {
    const { chain, random } = this.#world
    const isGood = random.chance(`${name} is good`, 0.8)
    const kind = isGood ? 'good' : random.pick(`${name} kind`, Object.keys(PAYMENTS))
    const transfer = { to: LOOTBOX.protocolWallet, amount: LOOTBOX.adPriceWei, data: '0x' as const }
    const sent = { kind: 'transfer', ...transfer, ...PAYMENTS[kind] } as const
    const hash = chain?.send(this.#wallet, sent, name) ?? '0x'
    const sentAt = this.#world.scheduler.now
    const payment: AdPayment = {
      hash,
      sentAt,
      isGood: kind === 'good',
      orders: [],
      rented: null,
      rental: null,
    }
    this.#payments.push(payment)
    return payment
  }

  #newOrder(title: string, { orders }: AdPayment, ahead: number): Order {
    const order = { title, date: dateOf(this.#world.start + ahead * DAY_MS) }
    orders.push(order)
    return order
  }

  async #rent(name: string, payment: AdPayment, wanted: Order, tries: number): Promise<void> {
    const links = { imageUrl: 'https://ads.test/i.png', linkUrl: 'https://ads.test/' }
    const order = { txHash: payment.hash, hours: HOURS, ...wanted, ...links }
    const credentials = credentialsOf(this.#wallet, this.#world.scheduler.now)
    const body = JSON.stringify({ action: 'rent', ...order, ...credentials })
    const subject = `the answer to ${JSON.stringify(order)}`
    const sent = { method: 'POST', path: '/api/ad-rental', action: 'rent', body, subject } as const
    const answer = await insist(this.#world, name, sent, tries)
    if (answer?.status !== 200) return
    const rental = answer.json['rental'] as Rental
    this.#check(payment, rental)
    payment.rented = wanted
    payment.rental = { ...rental, askedAt: payment.sentAt }
  }

  /** A payment always rents the same day, and a day is rented with one payment. */
  #check({ hash, isGood }: AdPayment, rental: Rental): void {
    const world = this.#world
    if (!isGood) world.violate(`the bad payment ${hash} has rented a day`)
    if (rental.id !== hash || rental.wallet !== this.#wallet)
      world.violate(`payment ${hash} was answered with the rental ${rental.id}`)
    world.promise(`rental ${hash}`, JSON.stringify(rental))
    // D1 alone knows which days are rented, and has forgotten some if it was restored.
    if (world.databases['DB']?.restoredAt === null)
      world.promise(`the ad of ${dateOf(rental.startsAt)}`, hash)
  }
}
