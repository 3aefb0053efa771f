import { payments } from './ads/paid.ts'
import { unopened } from './lootbox/paid.ts'

/** Asks for a wallet's paid purchases, whatever view is shown: the service learns of a payment when it is asked. */
export async function resumePaid(owner: string | undefined): Promise<void> {
  if (owner === undefined) return
  const isOpening = unopened(owner).length > 0
  const isRenting = payments.read(owner) !== null
  await Promise.all([
    isOpening && import('./lootbox/opening.ts').then(({ resumeOpening }) => resumeOpening()),
    isRenting && import('./ads/renting.ts').then(({ rentalJob }) => rentalJob.resume()),
  ])
}
