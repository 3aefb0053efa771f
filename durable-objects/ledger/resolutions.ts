import type { Address } from 'viem'
import { retried } from '../../src/calls/call.ts'
import { vaultWatch } from '../../src/calls/objects.ts'
import { isRefusal, refuse, type Refusal } from '../../src/core/refusal.ts'
import { operationId } from '../../src/ledger/operation.ts'
import {
  hasEnded,
  type Resolution,
  type UnrecordedPayout,
  type WithdrawalStatus,
} from '../../src/ledger/withdrawal.ts'
import type { Archive } from './archive.ts'
import type { LedgerKernel } from './kernel.ts'
import { relayerOf, type Withdrawals } from './withdrawals.ts'

/** The operators' acts on withdrawals of one wallet. Each is decided once, because its calls may arrive late. */
export class Resolutions {
  readonly #kernel: LedgerKernel
  readonly #archive: Archive
  readonly #withdrawals: Withdrawals
  /** The acts being decided. Simultaneous calls share the answer. */
  readonly #underWay = new Map<string, Promise<Refusal | null>>()

  constructor(kernel: LedgerKernel, parts: { archive: Archive; withdrawals: Withdrawals }) {
    this.#kernel = kernel
    this.#archive = parts.archive
    this.#withdrawals = parts.withdrawals
  }

  /**
   * Ends a withdrawal if the vault's events don't show how it ended. The relayer stops first. If they show a payment
   * that this ledger has not recorded, records it: it was signed with the relayer's key but not ordered here, or came
   * after a refund. A repeated act gets its first answer, even if it would be decided otherwise now.
   * @param actId the id of the act, which the caller has verified
   */
  carryOut(
    vaultId: string,
    nonce: number,
    outcome: Resolution['outcome'],
    actId: string,
  ): Promise<Refusal | null> {
    const act = { vaultId, nonce, outcome, actId }
    const id = idOf(act)
    const underWay = this.#underWay.get(id) ?? this.#decide(act)
    this.#underWay.set(id, underWay)
    return underWay.finally(() => this.#underWay.delete(id))
  }

  async #decide(act: Resolution): Promise<Refusal | null> {
    this.#kernel.open()
    const stored = await this.#archive.runOrThrow(() => this.#stored(act))
    if (stored) return stored.refusal
    const { vaultId, nonce } = act
    const isUnbooked = this.#withdrawals.isUnbooked(vaultId, nonce)
    const closed =
      this.#obstacle(act) ?? (await (isUnbooked ? this.#findPaid(act) : this.#closePayout(act)))
    if (isRefusal(closed)) return this.#refuse(act, closed)
    // It may have ended or begun during the calls.
    const changed = this.#obstacle(act) ?? this.#checkUnchanged(act, isUnbooked)
    if (changed) return this.#refuse(act, changed)
    if ('txHash' in closed) this.#withdrawals.bookPaid(act, closed)
    else this.#withdrawals.end(act, closed.paid)
    return null
  }

  /** Returns an act's answer; null before it is decided. */
  #stored(act: Resolution): { refusal: Refusal | null } | null {
    const { journal } = this.#kernel
    const found = journal.find<WithdrawalStatus | Refusal>(idOf(act))
    return found && { refusal: typeof found.result === 'string' ? null : found.result }
  }

  /** Returns why there is nothing to end or to book; null if there may be. */
  #obstacle({ vaultId, nonce, outcome }: Resolution): Refusal | null {
    const found = this.#withdrawals.find(vaultId, nonce)
    if (found && !hasEnded(found.status)) return null
    if (outcome === 'confirmed' && this.#withdrawals.isUnbooked(vaultId, nonce)) {
      const isAhead = nonce >= this.#withdrawals.nextNonce(vaultId)
      return isAhead && this.#withdrawals.isUnderWay(vaultId)
        ? refuse(
            'withdrawal_pending',
            'First end the earlier withdrawal of this wallet that is in progress.',
          )
        : null
    }
    if (!found) return refuse('not_found', `This wallet has no withdrawal with the nonce ${nonce}.`)
    return refuse('idempotency_conflict', `This withdrawal has already ended: ${found.status}.`)
  }

  #checkUnchanged({ vaultId, nonce }: Resolution, wasUnbooked: boolean): Refusal | null {
    if (this.#withdrawals.isUnbooked(vaultId, nonce) === wasUnbooked) return null
    return refuse(
      'idempotency_conflict',
      'The withdrawal changed in the meantime. Check its status, then try again.',
    )
  }

  #closePayout(
    { vaultId, nonce, outcome, actId }: Resolution,
    order = this.#withdrawals.order(vaultId, nonce),
  ) {
    const { env } = this.#kernel
    return retried(async () => relayerOf(env, vaultId).closePayout(order, outcome, actId))
  }

  /** Returns the payout with a nonce by the vault's settled events, after the relayer has noted the act. */
  async #findPaid(act: Resolution): Promise<Refusal | UnrecordedPayout> {
    const { vaultId, nonce } = act
    const { env, wallet } = this.#kernel
    const use = await retried(async () =>
      vaultWatch(env, vaultId).nonceUse(wallet as Address, nonce),
    )
    if (!use?.token || use.amountWei === null) {
      return refuse(
        'not_found',
        `Neither the ledger nor the vault's events have a payout with nonce ${nonce} for this wallet.`,
      )
    }
    if (!use.isSettled) {
      return refuse(
        'withdrawal_pending',
        "The chain may still change the vault's payment. Order this again in half an hour.",
      )
    }
    const paid = { token: use.token, amountWei: use.amountWei.toString() }
    const order = { vaultId, player: wallet, ...paid, nonce, signature: '', isSmall: false }
    const closed = await this.#closePayout(act, { kind: 'withdrawal', ...order })
    const { txHash, nextNonce } = use
    return isRefusal(closed) ? closed : { ...paid, txHash, nextNonce }
  }

  #refuse(act: Resolution, { ok, error }: Refusal): Refusal {
    const at = this.#kernel.clock.now()
    const request = JSON.stringify([act.outcome, null])
    return this.#kernel.commit(at, () =>
      this.#kernel.journal.record(
        { id: idOf(act), request, at },
        { postings: [], result: { ok, error } },
      ),
    )
  }
}

/** Returns the id of an act's entry, which ends the withdrawal or says why it does not. */
function idOf({ vaultId, nonce, actId }: Resolution): string {
  return operationId('resolve', vaultId, nonce, actId)
}
