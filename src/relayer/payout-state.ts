import { invariant } from '../core/invariant.ts'
import { refuse, type Refusal } from '../core/refusal.ts'
import type { Order, OrderStep } from './payout.ts'

/**
 * `queued` needs a transaction for its step, `sent` has one, and `closed` was resolved by operators and needs no more
 * work.
 */
export type PayoutState = 'queued' | 'sent' | 'confirmed' | 'failed' | 'closed'
export type PayoutEnd = 'confirmed' | 'failed'

/** How far an order has been executed. */
export interface PayoutProgress {
  /** The step of its next transaction, or of its last one. */
  step: OrderStep
  state: PayoutState
  /** Whether an unfinished payout has failed before, so that its ledger has refunded it. Its step never changes. */
  isRefunded: boolean
  /** Whether a queued payout was confirmed and the chain dropped that. Its ledger may have booked it as paid. */
  isBooked: boolean
}

/** An event in the life of a payout. */
export type PayoutEvent =
  /** Its order was given once more. */
  | { kind: 'ordered' }
  /** A transaction for this step was signed. If nothing follows, it is out of date and must not be sent. */
  | { kind: 'signed'; step: OrderStep }
  /** The vault refuses a withdrawal's step now, so another one comes next. */
  | { kind: 'redirected'; step: 'withdraw' | 'burn' }
  /** A result is too old or refused, or a newer one replaces it. */
  | { kind: 'abandoned' }
  /** The transaction of a result that has become too old is replaced by one that does nothing. */
  | { kind: 'cancelled' }
  /** A transaction unknown to the relayer has ended it. */
  | { kind: 'ended'; as: PayoutEnd }
  /** The chain no longer has that transaction. */
  | { kind: 'dropped' }
  | Mined
  | Lost
  | Resolution

/** One of its transactions is confirmed. */
interface Mined extends Alternatives {
  kind: 'mined'
  /** The transaction's step. */
  step: OrderStep
  isSuccess: boolean
  /**
   * Whether a withdrawal failed while the chain lacked an earlier one of its player or had one with the same nonce, or
   * after the vault had accepted another relayer.
   */
  isOutOfTurn: boolean
}

/** One of its transactions is given up, because another one has used the nonce or the key is an earlier one. */
interface Lost extends Alternatives {
  kind: 'lost'
}

interface Alternatives {
  /** Whether the payout has another transaction that may be mined, awaits confirmation, or has succeeded. */
  hasAnother: boolean
}

/** Operators resolve a withdrawal. */
export interface Resolution {
  kind: 'resolved'
  as: PayoutEnd
  /** Whether their act is for a payout without a record in the ledger. */
  isUnordered: boolean
}

/** The consequences of an event. */
export interface PayoutChange {
  /** Null if the payout stays as it is. */
  next: PayoutProgress | null
  /** The report to the object that waits for the order; null without one. */
  report: 'submitted' | PayoutEnd | null
  /** The step of a payment that counts although its chips have been refunded, for operators; null without one. */
  paidAfterBurn: OrderStep | null
}

/**
 * Returns the consequences of an event for a payout; null if there are none. A cell names the next state. Sending a
 * withdrawal or prize is reported, unless it has been refunded, and so is each end, but not that operators closed it. A
 * mined transaction can be the payout's end ({@link endByTransaction}) or not. "Again" means: unless another of the
 * payout's transactions may still decide.
 *
 * |            | queued           | sent             | confirmed        | failed            | closed        |
 * | ---------- | ---------------- | ---------------- | ---------------- | ----------------- | ------------- |
 * | ordered    | –                | –                | reported again   | reported again    | –             |
 * | signed     | sent if its step | –                | –                | –                 | –             |
 * | redirected | other step (1)   | –                | –                | –                 | –             |
 * | abandoned  | failed           | –                | –                | –                 | –             |
 * | cancelled  | step `cancel`    | step `cancel`    | step `cancel`    | –                 | –             |
 * | ended      | confirmed/failed | –                | –                | –                 | –             |
 * | dropped    | –                | –                | queued           | queued            | –             |
 * | mined: end | confirmed/failed | confirmed/failed | confirmed/failed | alert if paid     | alert if paid |
 * | mined: not | queued again     | queued again     | queued again     | queued if burn(2) | –             |
 * | lost       | queued again (3) | queued again (3) | queued again (3) | again if burn (2) | –             |
 * | resolved   | closed           | refused          | closed or – (4)  | closed if paid    | closed        |
 *
 * 1. A payout that has been refunded keeps its step: it is never paid again.
 * 2. A payment refunded because its nonce was burned: until the burn is made again, the payment could still be made,
 *    and its unused nonce would block the player's later ones.
 * 3. The house's own orders fail, because nothing waits for them.
 * 4. {@link refusalToResolve} says when it is refused. Closed if it was paid after its refund: a restored ledger must
 *    not take that end for final.
 *
 * @throws if the event can't happen to an order of this kind, or a resolution is refused
 */
export function nextPayout(
  payout: PayoutProgress & { order: Order },
  event: PayoutEvent,
): PayoutChange | null {
  const { order, step, state, isRefunded } = payout
  invariant(concerns(event, order), `an order of kind ${order.kind} is never ${event.kind}`)
  switch (event.kind) {
    case 'ordered': {
      const end = endOf(state)
      return end && change(payout, null, end)
    }
    case 'signed': {
      if (state !== 'queued' || event.step !== step) return null
      // A refunded withdrawal stays failed for its ledger while its nonce is burned again.
      return change(payout, become(payout, 'sent'), isRefunded ? null : 'submitted')
    }
    case 'redirected':
      return state === 'queued' ? change(payout, become(payout, 'queued', event.step)) : null
    case 'abandoned':
      return state === 'queued' ? change(payout, become(payout, 'failed')) : null
    case 'cancelled':
      if (state === 'failed' || state === 'closed') return null
      return change(payout, become(payout, state, 'cancel'))
    case 'ended': {
      if (state !== 'queued') return null
      // If the chain drops a payment or burn of somebody else, the same has to be made again.
      const made = event.as === 'confirmed' ? 'withdraw' : 'burn'
      const next = become(payout, event.as, order.kind === 'withdrawal' ? made : step)
      return change(payout, next, event.as)
    }
    case 'dropped':
      return endOf(state) && change(payout, become(payout, 'queued'))
    case 'mined':
      return afterMined(payout, event)
    case 'lost':
      return afterLost(payout, event)
    case 'resolved': {
      invariant(!refusalToResolve(payout, event), 'a refused resolution changes no payout')
      const isPaidLater = event.as === 'confirmed' && hasBeenRefunded(payout)
      if (!isPaidLater && state !== 'queued' && state !== 'closed') return null
      return change(payout, become(payout, 'closed'))
    }
  }
}

/** Returns why operators can't resolve a withdrawal as they want to; null if they can. */
export function refusalToResolve(
  payout: PayoutProgress,
  { as, isUnordered }: Resolution,
): Refusal | null {
  const { state } = payout
  if (state === 'sent') {
    return refuse(
      'withdrawal_pending',
      'A transaction of this withdrawal may still be mined; wait for it to finish.',
    )
  }
  if (state !== 'confirmed') return null
  if (as === 'failed') {
    return refuse('idempotency_conflict', 'The relayer has seen this withdrawal end: confirmed.')
  }
  if (isUnordered && !hasBeenRefunded(payout)) {
    return refuse(
      'idempotency_conflict',
      'The relayer paid this for the ledger, which has lost it. Restore the ledger.',
    )
  }
  return null
}

/** Returns how a payout has ended; null if it hasn't, or if operators have ended it. */
export function endOf(state: PayoutState): PayoutEnd | null {
  return state === 'confirmed' || state === 'failed' ? state : null
}

/** Returns whether an event can happen to an order of this kind. */
function concerns({ kind }: PayoutEvent, order: Order): boolean {
  switch (kind) {
    case 'redirected':
    case 'resolved':
      return order.kind === 'withdrawal'
    case 'abandoned':
    case 'cancelled':
      return order.kind === 'result'
    case 'ordered':
    case 'ended':
    case 'dropped':
      return isAwaited(order)
    case 'signed':
    case 'mined':
    case 'lost':
      return true
  }
}

/**
 * Handles an ended transaction. A refused payment leaves the player's signature valid, so its nonce is burned before
 * the chips are returned, unless it was not its turn. A refused burn proves nothing: it is tried again after a check of
 * the contract's nonce. A refused result is not tried again, because the next one replaces it. A prize that could not
 * be paid stays owed.
 */
function afterMined(
  payout: PayoutProgress & { order: Order },
  { step, isSuccess, isOutOfTurn, hasAnother }: Mined,
): PayoutChange | null {
  const end = endByTransaction(step, isSuccess)
  // It has already ended by another transaction or an operators' act: see src/ledger/withdrawal.ts.
  if (payout.state === 'failed' || payout.state === 'closed') {
    if (end === 'confirmed') {
      // Chips come back only for an order that somebody waits for.
      return isAwaited(payout.order) ? { next: null, report: null, paidAfterBurn: step } : null
    }
    // The chain dropped its burn and then an earlier payment, before which the vault accepts no burn.
    const isBurnedAgain = end === null && isRefundedByBurn(payout)
    return isBurnedAgain ? change(payout, become(payout, 'queued')) : null
  }
  // If the chain drops it, the same has to be made again, even if something else was to come next.
  if (end !== null) return change(payout, become(payout, end, step), end)
  // This payout was opened again because a node lacked the transaction for a moment. Transactions made since decide.
  if (hasAnother) return null
  const next = step === 'withdraw' && !isOutOfTurn ? 'burn' : step
  return change(payout, become(payout, 'queued', next))
}

/** Returns how a confirmed transaction ends its payout; null if another one is needed. */
function endByTransaction(step: OrderStep, isSuccess: boolean): PayoutEnd | null {
  if (step === 'cancel') return 'failed'
  if (isSuccess) return step === 'burn' ? 'failed' : 'confirmed'
  return step === 'record' ? 'failed' : null
}

/** Handles a transaction that was given up. Another one is needed, or the vault's events show how the payout ended. */
function afterLost(
  payout: PayoutProgress & { order: Order },
  { hasAnother }: Lost,
): PayoutChange | null {
  const { order, state } = payout
  const hasEnded = state === 'failed' || state === 'closed'
  if (hasEnded && !isRefundedByBurn(payout)) return null
  // Transactions made since decide.
  if (hasAnother) return null
  // Also if the chain dropped it after confirmation. The house's own orders have nothing to wait for.
  return change(payout, become(payout, isAwaited(order) ? 'queued' : 'failed'))
}

/** Returns a payout in another state; with another step unless it has been refunded, because it is then never paid. */
function become(payout: PayoutProgress, state: PayoutState, step = payout.step): PayoutProgress {
  const isRefunded = hasBeenRefunded(payout)
  return {
    step: isRefunded ? payout.step : step,
    state,
    isRefunded,
    isBooked: state === 'queued' && (payout.isBooked || payout.state === 'confirmed'),
  }
}

/** Nobody waits for the house's own orders, so nothing is reported about them. */
function change(
  payout: PayoutProgress & { order: Order },
  next: PayoutProgress | null,
  report: PayoutChange['report'] = null,
): PayoutChange {
  const isPaidAfterRefund = payout.isRefunded && report === 'confirmed'
  return {
    next,
    report: isAwaited(payout.order) ? report : null,
    paidAfterBurn: isPaidAfterRefund ? payout.step : null,
  }
}

function isAwaited({ kind }: Order): boolean {
  return kind === 'withdrawal' || kind === 'prize'
}

function hasBeenRefunded({ state, isRefunded }: PayoutProgress): boolean {
  return isRefunded || state === 'failed'
}

/** Returns whether a payment has been refunded because its nonce was burned. */
function isRefundedByBurn({ state, step }: PayoutProgress): boolean {
  return state === 'failed' && step === 'burn'
}
