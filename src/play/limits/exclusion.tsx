import { DAY_MS } from '../../core/utc-day.ts'
import { Modal } from '../components/modal.tsx'
import { Refusal } from '../components/refusal.tsx'
import { Select } from '../components/select.tsx'
import { Time } from '../components/time.tsx'
import { useState } from '../hooks.ts'
import { useStore } from '../store.ts'
import { timeOf } from '../times.ts'
import { changeProtection, protecting } from './limits.ts'
import { type Protection } from './words.ts'

const UNTIL_ASKED = 'null'

/** How long an exclusion can last, in days. */
const TERMS = {
  'A day': '1',
  'A week': '7',
  'A month': '30',
  'Six months': '183',
  'A year': '365',
  'Five years': '1825',
  'Until I ask for its end': UNTIL_ASKED,
}

/** Lets a player exclude themselves, after they have confirmed it. */
export function Exclusion({ protection }: { protection: Protection }) {
  const [days, setDays] = useState(TERMS['A day'])
  const [isAsking, setIsAsking] = useState(false)
  const { isChanging, problem, problemOf } = useStore(protecting)
  const exclude = () => {
    setIsAsking(false)
    const fields = { days: days === UNTIL_ASKED ? null : Number(days) }
    void changeProtection('exclude', fields, 'exclusion', 'You are excluded from play.')
  }
  return (
    <div class="stack">
      {protection.excluded && <Excluded protection={protection} />}
      <p>
        You can’t bet, play, open lootboxes or buy boxes while you are excluded, here or at our
        partners. Open bets still settle, and you can withdraw at any time.
      </p>
      <Select label="For how long" options={TERMS} value={days} onChoose={setDays} />
      <button
        type="button"
        class="wide"
        aria-disabled={isChanging ? 'true' : 'false'}
        onClick={() => !isChanging && setIsAsking(true)}
      >
        Exclude me…
      </button>
      <Refusal problem={problemOf === 'exclusion' ? problem : null} token="ETH" />
      {isAsking && (
        <Modal title="Exclude yourself from play?" onClose={() => setIsAsking(false)}>
          <p>{consequenceOf(days)} Nobody can shorten it, not even our support.</p>
          <div class="row">
            <button type="button" onClick={() => setIsAsking(false)}>
              Cancel
            </button>
            <button type="button" class="primary" onClick={exclude}>
              Yes, exclude me
            </button>
          </div>
        </Modal>
      )}
    </div>
  )
}

function Excluded({ protection: { excludedUntil } }: { protection: Protection }) {
  if (excludedUntil !== null) {
    return (
      <p class="bad">
        You are excluded from play until <Time at={excludedUntil} />.
      </p>
    )
  }
  const end = () =>
    void changeProtection(
      'remove',
      { kind: 'exclusion' },
      'exclusion',
      'The exclusion ends in 7 days.',
    )
  return (
    <>
      <p class="bad">You are excluded from play until 7 days after you ask to end it.</p>
      <button type="button" onClick={end}>
        End the exclusion in 7 days
      </button>
    </>
  )
}

function consequenceOf(days: string): string {
  if (days === UNTIL_ASKED) return 'It lasts until 7 days after you ask to end it.'
  return `It lasts until ${timeOf(Date.now() + Number(days) * DAY_MS)}.`
}
