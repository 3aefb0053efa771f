import type { OpeningAnswer } from '../../lootbox/opening.ts'
import { announce } from '../announce.ts'
import { assetAmount } from '../assets.ts'
import { isFailure, post, type Failure, type Problem } from '../api.ts'
import { keep, keepNewest } from '../keepsakes.ts'
import { pause } from '../pause.ts'
import { session } from '../session.ts'
import { Store } from '../store.ts'
import { Unfinished } from '../unfinished.ts'
import { pay } from '../wallet/send.ts'
import { walletFailure } from '../wallet/wallet.ts'
import { decimalsOf, lootbox, readLootbox, type Terms } from './terms.ts'

export type Open = OpeningAnswer['open']

/** A payment that is not confirmed yet, or a spin whose pepper is awaited. */
interface Waiting {
  status: 'pending'
  confirmations?: number
  required?: number
}

export interface State {
  wallet: string | null
  step: 'idle' | 'wallet' | 'waiting' | 'opened'
  waiting: Waiting | null
  open: Open | null
  problem: Problem | null
}

const IDLE: State = { wallet: null, step: 'idle', waiting: null, open: null, problem: null }

/** The paid opening under way, or the last one. */
export const opening = new Store<State>(IDLE)
/** The free one. */
export const spinning = new Store<State>(IDLE)

const ASK_AGAIN_MS = 1_000
/** So long a payment may be unknown to the service's node. */
const PATIENCE_MS = 120_000

/** These say nothing of what was asked: it is asked again. */
const PASSING: readonly Problem['code'][] = [
  ...(['unreachable', 'internal', 'rate_limited', 'upstream_failed', 'chain_unavailable'] as const),
]

/** Payments that nothing has been opened with yet, the newest last. */
const paid = new Unfinished<{ txHashes: string[] }>('lootbox-payments')
const KEPT_PAYMENTS = 5

const unopened = (owner: string) => paid.read(owner)?.txHashes ?? []

export function isBusy({ step }: State): boolean {
  return step === 'wallet' || step === 'waiting'
}

/** Pays the price, and opens with that payment; with an earlier one, where that has turned up meanwhile. */
export async function payAndOpen({ pool, price }: Terms): Promise<void> {
  const owner = session.value.credentials?.wallet
  if (owner === undefined || isBusy(opening.value)) return
  opening.set({ ...IDLE, wallet: owner, step: 'wallet' })
  for (const txHash of unopened(owner)) {
    const answer = await askToOpen(owner, txHash)
    // Who plays by now has not asked for this.
    if (session.value.credentials?.wallet !== owner) return
    if (!isFailure(answer)) return openWith(owner, txHash)
  }
  let txHash: string
  try {
    txHash = await pay(pool, BigInt(price))
  } catch (fault) {
    return opening.patch({ step: 'idle', problem: walletFailure(fault).error })
  }
  await openWith(owner, txHash)
}

/** Opens with a payment that was made: now, before a reload, or outside this page. */
export async function openWith(owner: string, txHash: string): Promise<void> {
  const others = () => unopened(owner).filter((other) => other !== txHash)
  paid.write(owner, { txHashes: [...others(), txHash].slice(-KEPT_PAYMENTS) })
  const isSpent = await follow(opening, owner, () => askToOpen(owner, txHash))
  if (isSpent) paid.write(owner, others().length > 0 ? { txHashes: others() } : null)
}

function askToOpen(wallet: string, txHash: string): Promise<OpeningAnswer | Waiting | Failure> {
  return post('/api/lootbox', { action: 'open', wallet, txHash })
}

/** Goes on with what a page before this one has paid. */
export async function resumeOpening(): Promise<void> {
  const owner = session.value.credentials?.wallet
  for (const store of [opening, spinning]) if (store.value.wallet !== owner) store.set(IDLE)
  const newest = owner === undefined ? undefined : unopened(owner).at(-1)
  if (owner && newest && !isBusy(opening.value)) await openWith(owner, newest)
}

/** Spins for free, for a post that carries the share code. */
export async function spin(postUrl: string): Promise<void> {
  const { credentials } = session.value
  if (!credentials || isBusy(spinning.value)) return
  const body = { ...credentials, action: 'share-spin', postUrl }
  // A spin that was taken before this one was asked for says nothing about this clock.
  const seenAt = lootbox.value.terms?.hasSpun === false ? Date.now() : null
  await follow(spinning, credentials.wallet, async () => {
    const answer = await post<OpeningAnswer | Waiting>('/api/lootbox', body)
    if (seenAt !== null && !isFailure(answer) && 'open' in answer) {
      keep('spins', answer.open.id, { seenAt })
    }
    return answer
  })
}

/**
 * Asks until there is an opening, and has its prize followed from there.
 * @returns whether asking again is of no use
 */
async function follow(
  store: Store<State>,
  owner: string,
  ask: () => Promise<OpeningAnswer | Waiting | Failure>,
): Promise<boolean> {
  const until = Date.now() + PATIENCE_MS
  store.set({ ...IDLE, wallet: owner, step: 'waiting' })
  while (store.value.wallet === owner) {
    const answer = await ask()
    if (isFailure(answer)) {
      const { error } = answer
      const isComing = isUnknown(error) && Date.now() < until
      if (!isComing) store.patch({ problem: error })
      if (!isComing && !PASSING.includes(error.code)) {
        store.patch({ step: 'idle' })
        return !isUnknown(error)
      }
    } else if ('open' in answer) {
      show(store, owner, answer.open)
      void followPrize(store, owner, answer.open, ask)
      return true
    } else store.patch({ waiting: answer, problem: null })
    await pause(ASK_AGAIN_MS)
  }
  return false
}

/** Until it is paid, or another opening takes the stage: the house pays it all the same. */
async function followPrize(
  store: Store<State>,
  owner: string,
  { id, status }: Open,
  ask: () => Promise<OpeningAnswer | Waiting | Failure>,
): Promise<void> {
  let isPaid = status === 'paid'
  while (!isPaid && store.value.open?.id === id) {
    await pause(ASK_AGAIN_MS)
    const answer = await ask()
    if (isFailure(answer) || !('open' in answer) || store.value.open?.id !== id) continue
    show(store, owner, answer.open)
    isPaid = answer.open.status === 'paid'
  }
  void readLootbox()
}

function show(store: Store<State>, owner: string, open: Open): void {
  keepNewest('openings', open.id, { wallet: owner, open })
  const isNew = store.value.open?.id !== open.id
  store.patch({ step: 'opened', open, problem: null })
  if (!isNew) return
  const { terms } = lootbox.value
  const decimals = terms ? decimalsOf(terms, open.asset) : undefined
  announce(`${open.label}: you won ${assetAmount(open.prize, open.asset, decimals)}.`)
  void readLootbox()
}

/** The service's node may hear of a payment later than the wallet's. */
function isUnknown({ code, details }: Problem): boolean {
  const reason = details && !Array.isArray(details) ? details['reason'] : null
  return code === 'payment_mismatch' && reason === 'not_found'
}
