import { lootboxDay } from '../../src/calls/objects.ts'
import { invariant } from '../../src/core/invariant.ts'
import { isRefusal, type Refusal } from '../../src/core/refusal.ts'
import { dateOf } from '../../src/core/utc-day.ts'
import { GRACE_MS, isPaidBy, NO_LOOTBOX, NO_OFFER, type Offer } from '../../src/lootbox/offer.ts'
import type { OpeningAnswer } from '../../src/lootbox/opening.ts'
import { paymentMessage } from '../../src/lootbox/prizes.ts'
import { isNotFound, isPending, paymentMismatch, type Pending } from '../../src/payment/answers.ts'
import { MAX_AGE_MS, type PaymentFacts } from '../../src/payment/judge.ts'
import type { Kernel, Part } from '../kernel/kernel.ts'
import type { OpeningStore } from '../lootbox/opening-store.ts'
import type { Acceptance } from './acceptance.ts'

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

/** The offer that an accepted payment rolls for. */
interface Roll extends Pick<Offer, 'pool' | 'prizes'> {
  wallet: string
}

/** The opening of the lootbox that a payment pays for. */
export class PaidOpening implements Part {
  readonly deliver = {
    open: (payload: string) => this.#openLater(JSON.parse(payload) as Claimed),
    roll: (payload: string) => this.#roll(JSON.parse(payload) as Roll),
  }
  readonly #env: () => Env
  readonly #kernel: Kernel
  readonly #acceptance: Acceptance
  readonly #opening: OpeningStore

  constructor(env: () => Env, kernel: Kernel, acceptance: Acceptance, opening: OpeningStore) {
    this.#env = env
    this.#kernel = kernel
    this.#acceptance = acceptance
    this.#opening = opening
  }

  /**
   * Opens the lootbox with the payment, once. The prize follows from the day's seed, the payment and its
   * block. Safe to repeat: returns the same opening with its current status, whatever the chain says later.
   */
  async open(wallet: string): Promise<OpeningAnswer | Pending | Refusal> {
    const owner = this.#opening.owner()
    if (owner) return owner === wallet ? this.#opening.shown() : paymentMismatch('wrong_sender')
    const facts = await this.#acceptance.read('opening')
    if (isRefusal(facts)) return facts
    if (!facts.mined && (facts.isInBlock || this.#isClaimed())) {
      // It is or was in a block, at the price of that time, so the current price doesn't matter.
      const { confirmations: required } = this.#acceptance.chain()
      return { ok: true, status: 'pending', confirmations: 0, required }
    }
    const { pool, price, prizes } = await this.#offerFor(facts)
    if (pool === NO_OFFER.pool) return NO_LOOTBOX
    const claim = { payer: wallet, recipient: pool, valueWei: BigInt(price) }
    const roll = { wallet, pool, prizes }
    // Stored with the acceptance, because the player may not come back: a roll days later would look chosen.
    const next = { kind: 'roll', payload: JSON.stringify(roll) }
    const answer = this.#acceptance.accept('opening', facts, claim, { next })
    // An unmined payment costs its claimant nothing, so the claim isn't stored.
    if (answer && isPending(answer) && facts.mined) this.#claim(wallet)
    if (answer) return answer
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

  /** Rolls for the accepted payment, and stores the prize. Safe to repeat. */
  async #roll({ wallet, pool, prizes }: Roll): Promise<void> {
    if (this.#opening.owner()) return
    const accepted = this.#acceptance.accepted()
    invariant(accepted?.purpose === 'opening', 'only an accepted payment is rolled for')
    const { blockHash, paidAt } = accepted
    const { hash } = this.#acceptance.names()
    const dayOfBlock = lootboxDay(this.#env(), dateOf(paidAt))
    const { day, seedHash, roll } = await dayOfBlock.roll(paymentMessage(hash, blockHash))
    const source = { id: hash, wallet, txHash: hash, blockHash, pepper: null }
    this.#opening.win({ ...source, day, seedHash, roll }, prizes, pool)
    this.#kernel.outbox.cancel('roll')
  }

  /** Returns the offer the payment was made for. Prices and prizes may have changed since. */
  async #offerFor({ mined, to, valueWei }: PaymentFacts): Promise<Offer> {
    // Once stored, the block is fixed, whatever the chain says later.
    const paidAt = (this.#acceptance.accepted() ?? mined)?.paidAt ?? this.#kernel.clock.now()
    const paid = { to, valueWei, paidAt }
    const offer = await lootboxDay(this.#env(), dateOf(paidAt)).offerFor(paid)
    const dayBefore = dateOf(paidAt - GRACE_MS)
    if (isPaidBy(offer, paid) || dayBefore === dateOf(paidAt)) return offer
    // Until midnight, players are shown the previous day's offer, whose object may run another version.
    const shown = await lootboxDay(this.#env(), dayBefore).offerFor(paid)
    return isPaidBy(shown, paid) ? shown : offer
  }
}
