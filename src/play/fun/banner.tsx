import { readMe, signOut } from '../session.ts'
import { refill } from './kept.ts'

/** Says on every view that fun chips are worth nothing. */
export default function Banner() {
  const more = () => {
    refill()
    void readMe()
  }
  return (
    <aside class="fun-banner" aria-label="Fun chips">
      <p>
        <strong>Fun chips</strong> are worth nothing and can’t be withdrawn.
      </p>
      <div>
        <button type="button" onClick={more}>
          Refill
        </button>
        <button type="button" onClick={() => signOut()}>
          Leave
        </button>
      </div>
    </aside>
  )
}
