import { DurableObject } from 'cloudflare:workers'
import type { Rental, RentalRequest } from '../src/ad-rental/rental.ts'
import type { AdTier } from '../src/ad-rental/slots.ts'
import type { Refusal } from '../src/core/refusal.ts'
import type { OpeningAnswer } from '../src/lootbox/opening.ts'
import type { Pending } from '../src/payment/answers.ts'
import { Kernel } from './kernel/kernel.ts'
import { ownerOf } from './kernel/owner.ts'
import { OpeningStore, type PrizeUpdate } from './lootbox/opening-store.ts'
import { Acceptance } from './payment/acceptance.ts'
import { PaidOpening } from './payment/opening.ts'
import { PaidRental } from './payment/rental.ts'

/** One payment on a chain: checks it and spends it once. Named by chain and hash. */
export class Payment extends DurableObject<Env> {
  readonly #kernel = new Kernel(this.ctx, ownerOf('Payment', this.ctx, this.env))
  readonly #store = new OpeningStore(this.ctx, this.env, this.#kernel)
  readonly #acceptance = new Acceptance(this.ctx, () => this.env, this.#kernel)
  readonly #rental = new PaidRental(() => this.env, this.#kernel, this.#acceptance)
  readonly #opening = new PaidOpening(() => this.env, this.#kernel, this.#acceptance, this.#store)

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.#kernel.assemble([
      this.#acceptance,
      this.#rental,
      this.#opening,
      this.#kernel.outbox,
      this.#store,
    ])
  }

  /** Opens the lootbox with the payment, once; see {@link PaidOpening.open}. Safe to repeat. */
  async open(wallet: string): Promise<OpeningAnswer | Pending | Refusal> {
    return this.#opening.open(wallet)
  }

  /** Rents the advertising slot with the payment; see {@link PaidRental.rent}. Safe to repeat. */
  async rent(
    request: RentalRequest,
    tier: AdTier | null,
    recipient: string,
  ): Promise<{ ok: true; rental: Rental } | Pending | Refusal> {
    return this.#rental.rent(request, tier, recipient)
  }

  /** Accepts the relayer's report on the prize. Safe to repeat; the newest report counts. */
  async prizeProgress(update: PrizeUpdate): Promise<void> {
    this.#store.progress(update)
  }

  /** Writes the opening, if any, to the history again. */
  async sendToHistory(): Promise<void> {
    await this.#store.sendToHistory()
  }

  override async alarm(info?: AlarmInvocationInfo): Promise<void> {
    await this.#kernel.run(info)
  }
}
