import { isRefusal, refuse, type Refusal } from '../../src/core/refusal.ts'
import { isOver, resolutionId, type Resolution } from '../../src/ledger/withdrawal.ts'
import { retried } from '../../src/objects.ts'
import type { Books } from './books.ts'
import { relayerOf, type Withdrawals } from './withdrawals.ts'

/** The vault owner's acts on withdrawals of one wallet. Each is decided once, because its calls may arrive late. */
export class Resolutions {
  readonly #books: Books
  readonly #withdrawals: Withdrawals
  /** The acts being carried out. Simultaneous calls share the answer. */
  readonly #underWay = new Map<string, Promise<Refusal | null>>()

  constructor(books: Books, { withdrawals }: { withdrawals: Withdrawals }) {
    this.#books = books
    this.#withdrawals = withdrawals
  }

  /**
   * Ends a withdrawal if the chain's logs don't show how it ended. The relayer stops first. A repeated act gets its
   * first answer, even if it would no longer be refused.
   * @param actId the id of the act, which the caller has verified
   */
  carryOut(
    vaultId: string,
    nonce: number,
    outcome: Resolution['outcome'],
    actId: string,
  ): Promise<Refusal | null> {
    const act = { vaultId, nonce, outcome, actId }
    const id = resolutionId(act)
    const underWay = this.#underWay.get(id) ?? this.#carryOut(act)
    this.#underWay.set(id, underWay)
    return underWay.finally(() => this.#underWay.delete(id))
  }

  async #carryOut(act: Resolution): Promise<Refusal | null> {
    const { vaultId, nonce, outcome, actId } = act
    const decided = this.#decided(act)
    if (decided !== 'open') return decided
    const order = this.#withdrawals.order(vaultId, nonce)
    const closed = await retried(async () =>
      relayerOf(this.#books.env, vaultId).closePayout(order, outcome, actId),
    )
    // It may have ended during the call to the relayer.
    const now = this.#decided(act)
    if (now !== 'open') return now
    if (isRefusal(closed)) return this.#refused(act, closed)
    this.#withdrawals.end(act, closed.paid)
    return null
  }

  /** Returns null if the same act has ended a withdrawal, or a refusal if it ended otherwise or the act was refused. */
  #decided(act: Resolution): Refusal | null | 'open' {
    const { vaultId, nonce, outcome, actId } = act
    const found = this.#books.isOpen ? this.#withdrawals.find(vaultId, nonce) : null
    if (!found) return refuse('not_found', `This wallet has no withdrawal with the nonce ${nonce}.`)
    const { status, resolvedBy } = found
    if (resolvedBy === actId && status === outcome) return null
    if (isOver(status)) {
      return refuse('idempotency_conflict', `This withdrawal has already ended: ${status}.`)
    }
    return this.#books.operations.find<Refusal>(resolutionId(act))?.result ?? 'open'
  }

  #refused(act: Resolution, { ok, error }: Refusal): Refusal {
    const at = this.#books.clock.now()
    const request = JSON.stringify([act.outcome, null])
    return this.#books.commit(at, () =>
      this.#books.operations.record(
        { id: resolutionId(act), request, at },
        { postings: [], result: { ok, error } },
      ),
    )
  }
}
