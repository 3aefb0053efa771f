import type { z } from 'zod'
import type { AvailabilityAnswer } from '../../api/ad-rental/answers-schema.ts'
import { get, isFailure, type Problem } from '../api.ts'
import { Store } from '../store.ts'

/** The answer of GET /api/ad-rental. */
export type AdAvailability = z.infer<typeof AvailabilityAnswer>
export type Tier = AdAvailability['tiers'][number]

export const ads = new Store<{ terms: AdAvailability | null; problem: Problem | null }>({
  terms: null,
  problem: null,
})

export async function readAds(): Promise<void> {
  const terms = await get<AdAvailability>('/api/ad-rental')
  if (isFailure(terms)) ads.patch({ problem: terms.error })
  else ads.set({ terms, problem: null })
}

/** Returns the days on which a rental of this tier can start. */
export function freeDates({ availableSlots }: AdAvailability, { days }: Tier): string[] {
  return availableSlots
    .filter((_, index) => {
      const wanted = availableSlots.slice(index, index + days)
      return wanted.length === days && wanted.every(({ available }) => available)
    })
    .map(({ date }) => date)
}
