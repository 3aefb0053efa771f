import type { Rental, RentalRequest } from '../../ad-rental/rental.ts'
import { announce } from '../announce.ts'
import { isFailure, post, type Problem } from '../api.ts'
import {
  IDLE,
  isBusy,
  Job,
  judgePaidWork,
  type PollResult,
  type JobState,
  type Verdict,
} from '../job.ts'
import { session, signedInWallet } from '../session.ts'
import { Store } from '../store.ts'
import { pay } from '../wallet/send.ts'
import { WalletError } from '../wallet/wallet.ts'
import { payments } from './paid.ts'
import { ads, freeDates, readAds, type Tier } from './terms.ts'

/** The ad to show, and when. */
export type RentalDraft = Omit<RentalRequest, 'wallet'>

/** A payment that has not rented anything yet. */
export interface Payment {
  txHash: string
  /** The draft that it was made for; null if it was made elsewhere or its draft was refused. */
  order: RentalDraft | null
  /** The payment that it was entered instead of, which may only be slow. */
  insteadOf?: string
}

export const renting = new Store<JobState<Payment, Rental>>(IDLE)

export const rentalJob = new Job<Payment, Rental>(renting, {
  player: signedInWallet,
  tickets: payments,
  mayResume: ({ order }) => order !== null,
  steps: [{ name: 'waiting', ask: askToRent }],
  judge: judgeRental,
  ended: ({ owner, step, ticket }) => {
    void readAds()
    if (step === 'done') announce('The slot is yours.')
    // Only the player sends a refused draft again; a reload does not.
    else if (owner !== null && ticket) payments.write(owner, { ...ticket, order: null })
  },
})

/** Returns the payment that the next rental is made with. */
export function unspentPayment({ step, ticket }: JobState<Payment, Rental>): Payment | null {
  return step === 'done' ? null : ticket
}

/** Pays for the tier if it is still offered so, unless there is a payment already, and rents. */
export async function rentSlot(
  draft: RentalDraft,
  tier: Tier,
  protocolWallet: string,
): Promise<void> {
  if (isBusy(renting.value)) return
  const payment = unspentPayment(renting.value)
  if (payment) return rentalJob.follow({ ...payment, order: draft })
  return rentalJob.start(async (_owner, checkWanted) => {
    // The service refuses a payment of an outdated price, and only the operator can refund it.
    await readAds()
    checkWanted()
    const { terms, problem } = ads.value
    const isOffered =
      !problem &&
      terms?.protocolWallet === protocolWallet &&
      terms.tiers.some(({ hours, eth }) => hours === tier.hours && eth === tier.eth) &&
      freeDates(terms, tier).includes(draft.date)
    if (!isOffered)
      throw new WalletError(
        problem?.message ?? 'The price or the free days have changed. Press again.',
      )
    return { txHash: await pay(protocolWallet, BigInt(tier.eth), checkWanted), order: draft }
  })
}

/** Takes a payment made outside this page. */
export function usePayment(txHash: string): void {
  const owner = signedInWallet()
  if (owner === undefined || isBusy(renting.value)) return
  const kept = unspentPayment(renting.value)
  const insteadOf = kept?.insteadOf ?? kept?.txHash
  payments.write(owner, { txHash, order: null, ...(insteadOf !== undefined && { insteadOf }) })
  void rentalJob.resume()
}

/** Returns whether the service has refused the payment, which may be for a reason that never passes. */
export function isRefused({ problem }: JobState<Payment, Rental>): boolean {
  return problem?.code === 'payment_mismatch'
}

/**
 * Forgets a refused payment, so that the next rental needs a new one. If the player had entered it in place of an
 * earlier payment, returns to that one.
 */
export function forgetPayment(): void {
  const { owner, ticket } = renting.value
  if (owner === null || !ticket) return
  // It has been stored without its draft since it was refused.
  payments.drop(owner, { ...ticket, order: null })
  renting.set(IDLE)
  if (ticket.insteadOf !== undefined) usePayment(ticket.insteadOf)
}

/** Rents with a payment, or with the one that it was entered instead of if it is no payment that can be used. */
async function askToRent({
  txHash,
  order: draft,
  insteadOf,
}: Payment): Promise<PollResult<Rental>> {
  const asked = await rentWith(txHash, draft)
  const isUseless = isFailure(asked) && asked.error.code.startsWith('payment_')
  return isUseless && insteadOf !== undefined ? rentWith(insteadOf, draft) : asked
}

async function rentWith(txHash: string, draft: Payment['order']): Promise<PollResult<Rental>> {
  const body = { ...session.value.credentials, action: 'rent', txHash, ...draft }
  const answer = await post<{ rental: Rental } | { status: 'pending' }>('/api/ad-rental', body)
  if (isFailure(answer)) return answer
  return 'rental' in answer ? { isDone: true, news: answer.rental } : { isDone: false }
}

/** A payment stays valid for another day or a corrected draft, unless it was spent. */
function judgeRental(problem: Problem, waitedMs: number): Verdict {
  const verdict = judgePaidWork(problem, waitedMs)
  return verdict === 'drop' && problem.code !== 'payment_used' ? 'stop' : verdict
}
