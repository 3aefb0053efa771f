import { useCallback } from 'hono/jsx/dom'
import { payoutOf } from '../../money/multiplier.ts'
import { shortAmount, steadyAmount } from '../amounts.ts'
import { isShut } from '../components/closing.tsx'
import { mayStake, pressedWithoutStake } from '../double-tap.ts'
import { useMoving } from '../frames.ts'
import { FUN_WALLET } from '../fun/fun.ts'
import { isOn } from '../hotkeys.ts'
import { showHundredths } from '../locale.ts'
import { playingWallet, session, type OpenBet } from '../session.ts'
import type { BetDraft } from './draft.ts'
import { bet, cancelQueued, canCashOut, cashOut, hand, isTaken, type Result } from './hand.ts'
import { live, serverNow, shownNow } from './live.ts'
import { isBetting, multiplierNow, type TableState } from './table.ts'

export interface Face {
  kind: 'bet' | 'wait' | 'cashout' | 'queued'
  label: string
  note: string
}

const NOT_CONNECTED = 'Not connected: the press may come too late'

interface Props {
  /** The bet in the form, or the step to take first. */
  draft: BetDraft | string
  /** Autobet's version of the button; null for the player's own bet. */
  face: Face | null
}

/** The main button: it bets, waits, cashes out and shows the result. */
export function ActButton({ draft, face }: Props) {
  const read = useCallback(() => faceOf(draft), [draft])
  const own = useMoving(read)
  const { kind, label, note } = face ?? own
  const isWaiting = kind === 'wait' || (kind === 'bet' && typeof draft === 'string')
  return (
    <button
      type="submit"
      class={`act ${kind}`}
      aria-disabled={isWaiting ? 'true' : 'false'}
      aria-keyshortcuts={
        kind === 'cashout' && isOn({ stakesNothing: true }) ? 'Space C' : undefined
      }
    >
      <strong>{label}</strong>
      <small>{note}</small>
    </button>
  )
}

/** Carries out the button's current action. */
export function act(draft: BetDraft | string): void {
  if (canCashOut()) void cashOut()
  else if (isTaken()) pressedWithoutStake()
  else if (hand.value.queued) cancelQueued()
  else if (typeof draft !== 'string' && mayStake() && !isShut(live.value.table?.mode))
    void bet(draft)
}

/** Returns the current label of the main button. */
export function faceOf(draft: BetDraft | string): Face {
  const { table } = live.value
  const { pending, queued, result } = hand.value
  const openBet = session.value.me?.openBet
  if (!table) return { kind: 'wait', label: 'One moment', note: 'Joining the round' }
  if (pending?.kind === 'bet')
    return { kind: 'wait', label: 'Placing your bet', note: stakeOf(pending.draft) }
  if (pending?.kind === 'cashout') {
    if (live.value.connection === 'lost')
      return { kind: 'wait', label: 'Cashing out once connected', note: NOT_CONNECTED }
    const note =
      playingWallet() === FUN_WALLET
        ? 'Paid once the round is confirmed to have reached it'
        : 'Your payout depends on when the server receives it'
    return { kind: 'wait', label: `Cashing out at ${showHundredths(pending.shown)}`, note }
  }
  const now = serverNow()
  if (openBet) return betFace(openBet, table)
  if (queued) {
    const note = `${stakeOf(queued)}. Press to cancel`
    return { kind: 'queued', label: 'Betting next round', note }
  }
  if (isShut(table.mode)) {
    const label = table.phase === 'results' ? 'Closed' : 'Closing'
    return { kind: 'wait', label, note: result ? told(result) : 'No new bets for now' }
  }
  const label = isBetting(table, now) ? 'Bet' : 'Bet on the next round'
  if (typeof draft === 'string') return { kind: 'bet', label, note: draft }
  return {
    kind: 'bet',
    label: `${label} ${isBetting(table, now) ? stakeOf(draft) : ''}`.trim(),
    note: result ? told(result) : noteOf(draft),
  }
}

function betFace(openBet: OpenBet, table: TableState): Face {
  const { token, amountWei, roundId } = openBet
  const stake = `${shortAmount(amountWei, token)} ${token}`
  if (table.phase === 'flight' && roundId === table.roundId) {
    if (live.value.connection === 'lost')
      return {
        kind: 'cashout',
        label: 'Cash out',
        note: NOT_CONNECTED,
      }
    const multiplier = multiplierNow(table, shownNow())
    const payoutWei = payoutOf(BigInt(amountWei), multiplier)
    return {
      kind: 'cashout',
      label: `Cash out at ${showHundredths(multiplier)}`,
      note: `${steadyAmount(payoutWei, token)} ${token}`,
    }
  }
  const label = table.phase === 'betting' ? 'Your bet is in' : 'Settling your bet'
  return { kind: 'wait', label, note: stake }
}

function stakeOf({ amountWei, token }: BetDraft): string {
  return `${shortAmount(amountWei, token)} ${token}`
}

function noteOf({ autoCashout }: BetDraft): string {
  return autoCashout === null ? 'Cash out manually' : `Cashes out at ${showHundredths(autoCashout)}`
}

function told(result: Result): string {
  const { token } = result
  if (result.kind === 'won')
    return `Cashed out at ${showHundredths(result.multiplier)}: ${shortAmount(result.payoutWei, token)} ${token}`
  const stake = `${shortAmount(result.amountWei, token)} ${token}`
  return result.kind === 'lost' ? `Crashed: ${stake} lost` : `Round void: ${stake} returned`
}
