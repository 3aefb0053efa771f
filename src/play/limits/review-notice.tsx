import { useStore } from '../store.ts'
import { protecting } from './limits.ts'
import { isDue } from './review.ts'
import { useReview } from './use-review.ts'

/** Reminds a player at intervals to look at their account and limits. */
export function ReviewNotice() {
  const { protection } = useStore(protecting)
  const reviewing = useReview()
  if (!protection || !reviewing || !isDue(reviewing.review, Date.now())) return null
  return (
    <aside class="limit-notice" aria-label="Account review">
      <p>
        It’s time to review what you have deposited, won and lost, and{' '}
        {protection.limits.length === 0
          ? 'whether you want a limit.'
          : 'whether your limits still suit you.'}
      </p>
      <a href="#/activity">Activity</a>
      <a href="#/limits">Limits</a>
      <button type="button" class="small" onClick={() => reviewing.change({ at: Date.now() })}>
        I’ve reviewed them
      </button>
    </aside>
  )
}
