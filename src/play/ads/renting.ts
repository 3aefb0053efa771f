import type { Rental } from '../../ad-rental/rental.ts'
import { announce } from '../announce.ts'
import { isFailure, post, type Problem } from '../api.ts'
import { pause } from '../pause.ts'
import { session } from '../session.ts'
import { Store } from '../store.ts'
import { Unfinished } from '../unfinished.ts'
import { pay } from '../wallet/send.ts'
import { walletFailure } from '../wallet/wallet.ts'
import { readAds, type Tier } from './terms.ts'

/** What is to be shown, and when. */
export interface Order {
  /** The first UTC day, as YYYY-MM-DD. */
  date: string
  hours: number
  title: string
  imageUrl: string
  linkUrl: string
}

/** A payment that has not got its days. */
export interface Payment {
  txHash: string
  /** What it was made for; null of one that was made elsewhere. */
  order: Order | null
}

interface State {
  wallet: string | null
  step: 'idle' | 'wallet' | 'waiting' | 'rented'
  payment: Payment | null
  rental: Rental | null
  problem: Problem | null
}

interface Pending {
  status: 'pending'
}

const IDLE: State = { wallet: null, step: 'idle', payment: null, rental: null, problem: null }

const ASK_AGAIN_MS = 1_000
/** So long a payment may be unknown to the service's node. */
const PATIENCE_MS = 120_000

/** These say nothing of the order: it is asked again. */
const PASSING: readonly Problem['code'][] = [
  ...(['unreachable', 'internal', 'rate_limited', 'upstream_failed', 'chain_unavailable'] as const),
]

const paid = new Unfinished<Payment>('ad-payment')

export const renting = new Store<State>(IDLE)

export function isBusy({ step }: State): boolean {
  return step === 'wallet' || step === 'waiting'
}

/** Pays what the tier costs, unless there is a payment already, and rents. */
export async function rentSlot(order: Order, tier: Tier, protocolWallet: string): Promise<void> {
  const owner = session.value.credentials?.wallet
  const { payment } = renting.value
  if (owner === undefined || isBusy(renting.value)) return
  if (payment) return follow(owner, payment.txHash, order)
  renting.set({ ...IDLE, wallet: owner, step: 'wallet' })
  try {
    const txHash = await pay(protocolWallet, BigInt(tier.eth))
    keepPayment(owner, { txHash, order })
    await follow(owner, txHash, order)
  } catch (fault) {
    renting.patch({ step: 'idle', problem: walletFailure(fault).error })
  }
}

/** Takes a payment to rent with: one that was made outside this page. */
export function usePayment(txHash: string): void {
  const owner = session.value.credentials?.wallet
  if (owner !== undefined && !isBusy(renting.value)) keepPayment(owner, { txHash, order: null })
}

/** Goes on with what a page before this one has paid. */
export async function resumeRenting(): Promise<void> {
  const owner = session.value.credentials?.wallet
  if (renting.value.wallet !== owner) renting.set(IDLE)
  const payment = owner === undefined ? null : paid.read(owner)
  if (!owner || !payment || isBusy(renting.value)) return
  renting.patch({ wallet: owner, payment })
  if (payment.order) await follow(owner, payment.txHash, payment.order)
}

function keepPayment(owner: string, payment: Payment): void {
  paid.write(owner, payment)
  renting.patch({ wallet: owner, payment, rental: null, problem: null })
}

async function follow(owner: string, txHash: string, order: Order): Promise<void> {
  const until = Date.now() + PATIENCE_MS
  keepPayment(owner, { txHash, order })
  renting.patch({ step: 'waiting' })
  for (;;) {
    const { credentials } = session.value
    if (credentials?.wallet !== owner) return renting.set(IDLE)
    const body = { ...credentials, action: 'rent', txHash, ...order }
    const answer = await post<{ rental: Rental } | Pending>('/api/ad-rental', body)
    if (isFailure(answer)) {
      const { error } = answer
      const isComing = isUnknown(error) && Date.now() < until
      if (!isComing) renting.patch({ problem: error })
      if (!isComing && !PASSING.includes(error.code)) return stop(owner, error)
    } else if ('rental' in answer) return rented(owner, answer.rental)
    await pause(ASK_AGAIN_MS)
  }
}

/** The payment stays for another date, or for a better order; one that was spent is of no more use. */
function stop(owner: string, { code }: Problem): void {
  const payment = code === 'payment_used' ? null : renting.value.payment
  // Asked for again when the player does, not by itself after a reload.
  paid.write(owner, payment && { ...payment, order: null })
  renting.patch({ step: 'idle', payment })
  void readAds()
}

function rented(owner: string, rental: Rental): void {
  paid.write(owner, null)
  renting.patch({ step: 'rented', payment: null, rental, problem: null })
  announce('The slot is yours.')
  void readAds()
}

/** The service's node may hear of a payment later than the wallet's. */
function isUnknown({ code, details }: Problem): boolean {
  const reason = details && !Array.isArray(details) ? details['reason'] : null
  return code === 'payment_mismatch' && reason === 'not_found'
}
