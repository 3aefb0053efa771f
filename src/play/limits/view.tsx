import { SignInPanel } from '../account.tsx'
import { Panel } from '../components/panel.tsx'
import { Refusal } from '../components/refusal.tsx'
import { Select } from '../components/select.tsx'
import { Time } from '../components/time.tsx'
import { useEffect } from '../hooks.ts'
import { repeatedly } from '../pause.ts'
import { session } from '../session.ts'
import { useStore } from '../store.ts'
import { Exclusion } from './exclusion.tsx'
import { LimitForm } from './limit-form.tsx'
import { changeProtection, keyOf, leftOf, protecting, readProtection } from './limits.ts'
import { REVIEW_OPTIONS } from './review.ts'
import { useReview } from './use-review.ts'
import { amountOf, nameOf, valueOf, type Limit, type Protection } from './words.ts'

const READ_EVERY_MS = 5_000

const OFF = 'null'

/** How often a player can be reminded, in minutes. */
const CHECKS = {
  Never: OFF,
  'Every 15 minutes': '15',
  'Every 30 minutes': '30',
  'Every hour': '60',
}

export default function Limits() {
  const owner = useStore(session).credentials?.wallet
  const { protection, problem, problemOf } = useStore(protecting)
  useEffect(() => {
    if (owner === undefined) return
    return repeatedly(readProtection, READ_EVERY_MS)
  }, [owner])
  return (
    <div class="prizes">
      <h1>Limits</h1>
      <p class="lead">
        Decide beforehand how much you can lose, bet or deposit, and how long you play. Limits hold
        in every game here and at our partners. They never hold back a payout or a withdrawal.
      </p>
      {owner === undefined ? (
        <SignInPanel toSee="limits" />
      ) : (
        <>
          <Refusal problem={problemOf === 'limits' ? problem : null} token="ETH" />
          {protection ? <Panels protection={protection} /> : <p class="loading">Loading…</p>}
        </>
      )}
    </div>
  )
}

function Panels({ protection }: { protection: Protection }) {
  return (
    <div class="panels">
      <Panel title="Your limits">
        {protection.limits.length === 0 && <p class="empty">You have set no limits.</p>}
        <ul class="limits">
          {protection.limits.map((limit) => (
            <Shown key={`${limit.kind} ${limit.window} ${limit.token}`} limit={limit} />
          ))}
        </ul>
      </Panel>
      <Panel title="Set a limit">
        <LimitForm first="deposit" />
      </Panel>
      <Panel title="Reality check">
        <RealityCheck protection={protection} />
      </Panel>
      <Panel title="Account review">
        <AccountReview />
      </Panel>
      <Panel title="Exclude yourself">
        <Exclusion protection={protection} />
      </Panel>
    </div>
  )
}

/** Shows a limit, the amounts used and left, and a waiting change. */
function Shown({ limit }: { limit: Limit }) {
  const name = limit.token === null ? nameOf(limit) : `${nameOf(limit)} in ${limit.token}`
  const [most, left] = [BigInt(limit.amountWei ?? limit.minutes ?? 0), leftOf(limit)]
  const usedPercent = most === 0n ? 100 : Number(((most - left) * 100n) / most)
  const remove = () =>
    void changeProtection('remove', keyOf(limit), 'limits', 'It can be removed in 24 hours.')
  return (
    <li>
      <h3>{name}</h3>
      <div class="meter" aria-hidden="true">
        <span style={{ width: `${usedPercent}%` }} />
      </div>
      <p>
        {amountOf(limit, left)} left of {amountOf(limit, most)}
      </p>
      {limit.pending ? (
        <Pending limit={limit} pending={limit.pending} />
      ) : (
        <button type="button" class="small" aria-label={`Remove: ${name}`} onClick={remove}>
          Remove
        </button>
      )}
    </li>
  )
}

function Pending({ limit, pending }: { limit: Limit; pending: NonNullable<Limit['pending']> }) {
  const value = valueOf(limit, pending)
  const change = value === null ? 'Its removal' : `A limit of ${value}`
  if (Date.now() < pending.from) {
    return (
      <p class="muted">
        {change} can be confirmed from <Time at={pending.from} />.
      </p>
    )
  }
  return (
    <>
      <p class="muted">{change} waits for you to confirm it.</p>
      <button
        type="button"
        class="small"
        onClick={() => void changeProtection('confirm', keyOf(limit), 'limits', 'Confirmed.')}
      >
        {value === null ? 'Confirm the removal' : `Confirm ${value}`}
      </button>
    </>
  )
}

function RealityCheck({ protection }: { protection: Protection }) {
  const { realityCheckMinutes, session: played } = protection
  const { problem, problemOf } = useStore(protecting)
  const choose = (value: string) => {
    const fields = { minutes: value === OFF ? null : Number(value) }
    void changeProtection('reality-check', fields, 'check', 'Reality check saved.')
  }
  return (
    <div class="stack">
      <p>We can interrupt your play regularly and show how long you’ve played.</p>
      <Select
        label="Remind me"
        options={CHECKS}
        value={String(realityCheckMinutes)}
        onChoose={choose}
      />
      {played.startedAt !== null && (
        <p class="muted">
          You have been playing since <Time at={played.startedAt} />.
        </p>
      )}
      <Refusal problem={problemOf === 'check' ? problem : null} token="ETH" />
    </div>
  )
}

function AccountReview() {
  const reviewing = useReview()
  if (!reviewing) return null
  const { review, change } = reviewing
  return (
    <div class="stack">
      <p>
        We remind you to review what you have deposited, won and lost, and your limits. This browser
        keeps your choice.
      </p>
      <Select
        label="Remind me"
        options={REVIEW_OPTIONS}
        value={String(review.everyDays)}
        onChoose={(days) => change({ everyDays: Number(days) })}
      />
      <p class="muted">
        Your last review: <Time at={review.at} />.
      </p>
    </div>
  )
}
