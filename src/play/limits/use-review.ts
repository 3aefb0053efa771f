import { useEffect } from '../hooks.ts'
import { signedInWallet } from '../session.ts'
import { useStore } from '../store.ts'
import { protecting } from './limits.ts'
import { firstReview, keepReview, reviewOf, reviews, type Review } from './review.ts'

/** Returns the signed-in player's review, with a function that changes it; null until their limits are known. */
export function useReview(): { review: Review; change: (fields: Partial<Review>) => void } | null {
  const { protection, owner } = useStore(protecting)
  useStore(reviews)
  const wallet = signedInWallet()
  const isKnown = protection !== null && wallet !== undefined && owner === wallet
  useEffect(() => {
    if (isKnown && !reviewOf(wallet)) keepReview(wallet, firstReview(protection, Date.now()))
  }, [isKnown, wallet])
  const review = isKnown ? reviewOf(wallet) : null
  if (!isKnown || !review) return null
  return { review, change: (fields) => keepReview(wallet, { ...review, ...fields }) }
}
