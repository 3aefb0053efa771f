import { isRefusal, refuse, type Refusal } from '../../src/core/refusal.ts'
import {
  isOver,
  resolutionId,
  type Resolution,
  type WithdrawalStatus,
} from '../../src/ledger/withdrawal.ts'
import { retried } from '../../src/objects.ts'
import type { Archive } from './archive.ts'
import type { Books } from './books.ts'
import { relayerOf, type Withdrawals } from './withdrawals.ts'

/** The operators' acts on withdrawals of one wallet. Each is decided once, because its calls may arrive late. */
export class Resolutions {
  readonly #books: Books
  readonly #archive: Archive
  readonly #withdrawals: Withdrawals
  /** The acts being decided. Simultaneous calls share the answer. */
  readonly #underWay = new Map<string, Promise<Refusal | null>>()

  constructor(books: Books, parts: { archive: Archive; withdrawals: Withdrawals }) {
    this.#books = books
    this.#archive = parts.archive
    this.#withdrawals = parts.withdrawals
  }

  /**
   * Ends a withdrawal if the chain's logs don't show how it ended. The relayer stops first. A repeated act gets its
   * first answer, even if it would be decided otherwise now.
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
    const underWay = this.#underWay.get(id) ?? this.#decide(act)
    this.#underWay.set(id, underWay)
    return underWay.finally(() => this.#underWay.delete(id))
  }

  async #decide(act: Resolution): Promise<Refusal | null> {
    this.#books.open()
    const stored = await this.#archive.needing(() => this.#stored(act))
    if (stored) return stored.refusal
    const closed = this.#obstacle(act) ?? (await this.#closePayout(act))
    if (isRefusal(closed)) return this.#refuse(act, closed)
    // It may have ended during the call to the relayer.
    const ended = this.#obstacle(act)
    if (ended) return this.#refuse(act, ended)
    this.#withdrawals.end(act, closed.paid)
    return null
  }

  /** Returns an act's answer; null before it is decided. */
  #stored(act: Resolution): { refusal: Refusal | null } | null {
    const { operations } = this.#books
    const found = operations.find<WithdrawalStatus | Refusal>(resolutionId(act))
    return found && { refusal: typeof found.result === 'string' ? null : found.result }
  }

  /** Returns why there is nothing to end; null if the withdrawal is in progress. */
  #obstacle({ vaultId, nonce }: Resolution): Refusal | null {
    const found = this.#withdrawals.find(vaultId, nonce)
    if (!found) return refuse('not_found', `This wallet has no withdrawal with the nonce ${nonce}.`)
    if (!isOver(found.status)) return null
    return refuse('idempotency_conflict', `This withdrawal has already ended: ${found.status}.`)
  }

  #closePayout({ vaultId, nonce, outcome, actId }: Resolution) {
    const order = this.#withdrawals.order(vaultId, nonce)
    const { env } = this.#books
    return retried(async () => relayerOf(env, vaultId).closePayout(order, outcome, actId))
  }

  #refuse(act: Resolution, { ok, error }: Refusal): Refusal {
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
