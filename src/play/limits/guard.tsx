import { useRef } from 'hono/jsx/dom'
import { MINUTE_MS } from '../../core/utc-day.ts'
import { counted } from '../../core/words.ts'
import { TOKENS } from '../../money/token.ts'
import { RelayerNotice } from '../cashier/relayer-notice.tsx'
import { Modal } from '../components/modal.tsx'
import { Money } from '../components/money.tsx'
import { keepExclusion } from '../fun/fun.ts'
import { useEffect, useIsGone, useState } from '../hooks.ts'
import { session } from '../session.ts'
import { useStore } from '../store.ts'
import { timeOf } from '../times.ts'
import { automatic, interruption } from './interruption.ts'
import { leftOf, protecting, readProtection } from './limits.ts'
import { ReviewNotice } from './review-notice.tsx'
import { amountOf, nameOf, type Limit, type Protection } from './words.ts'

/** The least time between two reads while the player's chips change. */
const READ_EVERY_MS = 5_000

/**
 * Shows a signed-in player, on every view, the rest of their limits and how long they have played, and warns of an
 * announced relayer.
 */
export default function Guard() {
  const { credentials, me } = useStore(session)
  const { protection } = useStore(protecting)
  const owner = credentials?.wallet
  const hasLimits = (protection?.limits.length ?? 0) > 0
  const chips = me && TOKENS.map((token) => me.chips[token]).join(' ')
  const readAt = useRef(Date.now())
  useEffect(() => void readProtection(), [owner])
  useEffect(() => {
    if (protection) keepExclusion(protection.excluded, protection.excludedUntil)
  }, [protection])
  useEffect(() => {
    if (!hasLimits) return
    const read = () => {
      readAt.current = Date.now()
      void readProtection()
    }
    const reading = setTimeout(read, (readAt.current ?? 0) + READ_EVERY_MS - Date.now())
    return () => clearTimeout(reading)
  }, [hasLimits, chips])
  if (owner === undefined) return null
  if (!protection) return <RelayerNotice />
  return (
    <>
      <RelayerNotice />
      <Notice protection={protection} />
      <ReviewNotice />
      <RealityCheck
        key={`${owner} ${protection.realityCheckMinutes}`}
        everyMinutes={protection.realityCheckMinutes}
      />
    </>
  )
}

/** Shows an exclusion, or limits that are nearly used up, before they refuse a stake. */
function Notice({ protection: { excluded, excludedUntil, limits } }: { protection: Protection }) {
  const low = limits.filter((limit) => limit.kind !== 'deposit' && isLow(limit))
  if (!excluded && low.length === 0) return null
  return (
    <aside class="limit-notice" aria-label="Your limits">
      {excluded && (
        <p>
          {excludedUntil === null
            ? 'You have excluded yourself from play.'
            : `You have excluded yourself from play until ${timeOf(excludedUntil)}.`}
        </p>
      )}
      {!excluded &&
        low.map((limit) => (
          <p key={`${limit.kind} ${limit.window} ${limit.token}`}>
            {nameOf(limit)}: {amountOf(limit, leftOf(limit))} left.
          </p>
        ))}
      <a href="#/limits">Limits</a>
    </aside>
  )
}

/** Whether at most a fifth of a limit is left. */
function isLow(limit: Limit): boolean {
  return leftOf(limit) * 5n <= BigInt(limit.amountWei ?? limit.minutes ?? 0)
}

/** Interrupts the player at intervals of playing, until they answer. A bet in flight can be cashed out first. */
function RealityCheck({ everyMinutes }: { everyMinutes: number | null }) {
  const [isShown, setIsShown] = useState(false)
  const [checks, setChecks] = useState(0)
  const { protection } = useStore(protecting)
  const isInRound = Boolean(useStore(session).me?.openBet)
  const isGone = useIsGone()
  const show = (isNow: boolean) => {
    // At once: a hidden page draws nothing, and so has no effects.
    interruption.set(isNow)
    setIsShown(isNow)
  }
  useEffect(() => {
    if (everyMinutes === null || isShown) return
    const startedAt = protecting.value.protection?.session.startedAt ?? null
    const check = async () => {
      await readProtection()
      if (isGone.current) return
      show(isPlaying())
      // The next check is due whether or not this one is shown.
      setChecks(checks + 1)
    }
    const checking = setTimeout(() => void check(), dueInMs(startedAt, everyMinutes * MINUTE_MS))
    return () => clearTimeout(checking)
  }, [everyMinutes, isShown, checks, protection?.session.startedAt])
  useEffect(() => () => interruption.set(false), [])
  const played = protection?.session
  if (!isShown || isInRound || !played || played.startedAt === null) return null
  const minutes = Math.floor((Date.now() - played.startedAt) / MINUTE_MS)
  const leave = () => {
    for (const each of automatic) each.stop()
    show(false)
    location.hash = '#/limits'
  }
  return (
    <Modal title="Reality check" onClose={() => show(false)}>
      {/* Has the focus, so that a key meant for the game neither answers nor leaves. */}
      <p tabindex={-1} autofocus>
        You have been playing for {counted(minutes, 'minute')}.
      </p>
      <dl class="played">
        {TOKENS.filter((token) => played.wagered[token] !== '0').map((token) => (
          <div key={token}>
            <dt>You have bet</dt>
            <dd>
              <Money amountWei={played.wagered[token]} token={token} />
            </dd>
            <dt>{isLoss(played.net[token]) ? 'You have lost' : 'You have won'}</dt>
            <dd>
              <Money amountWei={sizeOf(played.net[token])} token={token} />
            </dd>
          </div>
        ))}
      </dl>
      <div class="row">
        <button type="button" onClick={leave}>
          Stop and see my limits
        </button>
        <button type="button" class="primary" onClick={() => show(false)}>
          Keep playing
        </button>
      </div>
    </Modal>
  )
}

function isLoss(net: string): boolean {
  return net.startsWith('-')
}

function sizeOf(net: string): string {
  return net.replace('-', '')
}

function isPlaying(): boolean {
  return (protecting.value.protection?.session.startedAt ?? null) !== null
}

/** Returns the time to the next check: a multiple of the interval after the session began. */
function dueInMs(startedAt: number | null, everyMs: number): number {
  const playedMs = startedAt === null ? 0 : Math.max(0, Date.now() - startedAt)
  return everyMs - (playedMs % everyMs)
}
