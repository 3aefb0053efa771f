import type { z } from 'zod'
import type { CashoutAnswer } from '../../api/crash/answers-schema.ts'
import type { DisclosedBet } from '../../crash/disclosure.ts'
import { isGain, toHundredths, toMultiplier, type Hundredths } from '../../money/multiplier.ts'
import { FUN, type Unit } from '../../money/token.ts'
import { exactAmount, shortAmount } from '../amounts.ts'
import { announce } from '../announce.ts'
import { fail, get, isFailure, post, repeated, wrong, type Failure, type Problem } from '../api.ts'
import { chime } from '../chime.ts'
import { pressedWithoutStake } from '../double-tap.ts'
import { keep, keepMore, kept, kindFor } from '../keepsakes.ts'
import { interruption } from '../limits/interruption.ts'
import { showHundredths } from '../locale.ts'
import { ASK_AGAIN_MS, pause } from '../pause.ts'
import { takeReceipt } from '../receipts.ts'
import { playingWallet, readMe, session, tookMe, type Me, type OpenBet } from '../session.ts'
import { Store } from '../store.ts'
import { localTime } from './clock.ts'
import { automaticTarget, inRound, refusalOf, type BetDraft } from './draft.ts'
import { live, serverNow, take } from './live.ts'
import { isBetting, multiplierNow, termsOf, type TableState } from './table.ts'

export type Result = { roundId: number; token: Unit; amountWei: string } & (
  | { kind: 'won'; multiplier: Hundredths; payoutWei: string }
  | { kind: 'lost' | 'voided' }
)

interface Queued extends BetDraft {
  roundId: number
  /** As in {@link termsOf}, when it was queued. */
  terms: string
  /** When it was queued, in unix milliseconds. */
  at: number
}

type Pending =
  | { kind: 'bet'; draft: BetDraft; roundId: number }
  | { kind: 'cashout'; shown: Hundredths }

/** The player's part in the game, beyond the service's own data. */
interface Hand {
  /** The unanswered request; a cash-out with the multiplier shown at the time. */
  pending: Pending | null
  /** A bet for the next round. */
  queued: Queued | null
  /** How the last bet ended. */
  result: Result | null
  problem: Problem | null
}

export const hand = new Store<Hand>({ pending: null, queued: null, result: null, problem: null })

/** A bet without a known result. */
let staked: OpenBet | null = null
/** The round of a bet that may not stand, because no answer came. */
let unheard: number | null = null
/** Whose hand it is. */
let owner: string | undefined
let isSettling = false
/** Whether the player's state had an open bet when it was last looked at. */
let wasOpen = false
/** The round that the table was in when the result was first shown: a page that was away learns of it later. */
let shownIn = 0

/** Failures after which a bet may stand all the same. */
const UNCERTAIN: Problem['code'][] = ['unreachable', 'internal', 'rate_limited']
/** Failures of a cash-out that the round never saw, or whose answer was lost. */
const UNHEARD: Problem['code'][] = ['unreachable', 'rate_limited']
const WATCH_MS = 400
/** The next round opens sooner, however long a flight lasts. A page that comes back later was asleep. */
const QUEUED_MS = 300_000

/**
 * Whether a bet is being placed, is open, or is being cashed out or settled. Until it has ended, no other is possible.
 */
export function isTaken(): boolean {
  return Boolean(hand.value.pending ?? session.value.me?.openBet)
}

/**
 * Returns the action of the form's main button: `act` on the player's own bet, or start or stop autobet. A bet that it
 * can cash out or cancel comes first, whether or not autobet placed that.
 */
export function mainPress(autobet: {
  isAuto: boolean
  isRunning: boolean
}): 'act' | 'start' | 'stop' {
  if (isTaken() || hand.value.queued !== null) return 'act'
  if (autobet.isRunning) return 'stop'
  return autobet.isAuto ? 'start' : 'act'
}

/** Bets now, or in the next round if betting has closed. */
export async function bet(draft: BetDraft): Promise<void> {
  const { table } = live.value
  const { me, player } = session.value
  if (!table || !player || isTaken()) return
  if (!isBetting(table, serverNow())) {
    const refusal = refusalOf(draft, table, me)
    if (refusal) return hand.patch({ problem: refusal.error })
    announce('Your bet will be placed when the next round opens.')
    const queued = { ...draft, roundId: table.roundId + 1, terms: termsOf(table), at: Date.now() }
    return hand.patch({ queued, problem: null })
  }
  await place(draft, table)
}

/** Bets in this round only. The same bet sent again in its round is the same bet. */
export async function place(
  draft: BetDraft,
  table: TableState,
): Promise<{ me: Me; receipt?: string } | Failure> {
  const { seenAt } = live.value
  const { me, player } = session.value
  if (!player) return fail('auth_required', 'Sign in first.')
  const refusal = refusalOf(draft, table, me)
  if (refusal) {
    hand.patch({ queued: null, problem: refusal.error })
    return refusal
  }
  const { roundId } = table
  const pending: Pending = { kind: 'bet', draft, roundId }
  hand.set({ pending, queued: null, result: null, problem: null })
  const { token, amountWei, autoCashout } = draft
  const sent = {
    roundId,
    token,
    amountWei: amountWei.toString(),
    autoCashout: autoCashout === null ? null : toMultiplier(autoCashout),
  }
  const body = { action: 'bet', ...sent, ...player }
  const { seedHash, pepperSource, betsCloseAt, edgeBps } = table
  const { bounds, maxPayout, maxRoundPayout, minForcedMultiplier, bankroll } = table.config
  const shownLimits = { bounds, maxPayout, maxRoundPayout, minForcedMultiplier, bankroll }
  const shown = { seedHash, pepperSource, betsCloseAt, edgeBps, shownLimits, seenAt }
  // Before the call: a bet whose answer is lost or a refusal may stand.
  keep(kindFor('rounds', token === FUN), String(roundId), shown)
  const answer = await repeated(() => post<{ me: Me; receipt?: string }>('/api/crash', body))
  const isUnseen = hand.value.pending === pending
  // It may have ended while its answer was lost. A repeated answer shows no open bet then.
  const mayHaveEnded = isFailure(answer)
    ? UNCERTAIN.includes(answer.error.code)
    : answer.me.openBet === null
  if (isUnseen && mayHaveEnded && player.wallet === playingWallet()) {
    staked = { ...sent, placedAt: Date.now() }
    unheard = isFailure(answer) ? roundId : null
  }
  if (isFailure(answer)) {
    if (isUnseen) hand.patch({ pending: null, problem: inRound(answer.error, draft, table) })
    await readMe()
    return answer
  }
  // Only now: a bet that was refused here may have been placed on another device.
  if (token !== FUN) {
    const { wallet } = player
    const placed = { wallet, token, amountWei: sent.amountWei, autoCashout: sent.autoCashout }
    keepMore('rounds', String(roundId), { bet: placed })
  }
  const facts = { kind: 'bet', ...sent, seedHash, pepperSource }
  takeReceipt(player.wallet, `bet/${roundId}`, answer.receipt, facts)
  if (isUnseen) {
    tookMe(player.wallet, answer.me)
    hand.patch({ pending: null })
  } else {
    // A late answer may be older than a cash-out.
    await readMe()
  }
  if (session.value.me?.openBet?.roundId !== roundId) return answer
  chime('placed')
  announce(`Bet placed: ${exactAmount(amountWei, token)} ${token}.`)
  return answer
}

export function cancelQueued(): void {
  pressedWithoutStake()
  hand.patch({ queued: null })
  announce('Bet cancelled.')
}

/** Whether there is a bet to cash out now. */
export function canCashOut(): boolean {
  const openBet = session.value.me?.openBet
  return Boolean(openBet && isFlying(openBet)) && hand.value.pending === null
}

/** Cashes the open bet out. While it gets no answer, or too many calls arrive, it asks again during the flight. */
export async function cashOut(): Promise<void> {
  const { table } = live.value
  const wallet = playingWallet()
  const openBet = session.value.me?.openBet
  if (!table || !openBet || !canCashOut()) return
  pressedWithoutStake()
  const shown = multiplierNow(table, serverNow())
  hand.patch({ pending: { kind: 'cashout', shown }, problem: null })
  const asked = askForPayout(openBet)
  // After the call: every millisecond counts.
  keepMore(kindFor('rounds', openBet.token === FUN), String(openBet.roundId), {
    hasCashedOut: true,
  })
  let answer = await asked
  const mayAskAgain = () => wallet === playingWallet() && isFlying(openBet)
  while (isFailure(answer) && UNHEARD.includes(answer.error.code) && mayAskAgain()) {
    await pause(ASK_AGAIN_MS)
    if (mayAskAgain()) answer = await askForPayout(openBet)
  }
  hand.patch({ pending: null })
  if (!isFailure(answer)) return
  hand.patch({ problem: answer.error })
  await readMe()
}

/** Whether the table shows the flight of a bet. */
function isFlying(openBet: OpenBet): boolean {
  const { table } = live.value
  return table?.phase === 'flight' && openBet.roundId === table.roundId
}

/** Keeps the hand in step with the table and the player's state. */
export function playAlong(): () => void {
  const follow = () => void step()
  const ends = [live.subscribe(follow), session.subscribe(follow)]
  const watching = setInterval(() => {
    // A bet whose end is unknown is asked about again.
    if (staked) follow()
    void watchTarget()
  }, WATCH_MS)
  return () => {
    for (const end of ends) end()
    clearInterval(watching)
    // A player who comes back to a later round doesn't expect the old bet.
    hand.patch({ queued: null })
  }
}

async function step(): Promise<void> {
  const { table } = live.value
  const { me } = session.value
  if (playingWallet() !== owner) {
    // A bet queued by one wallet must not be placed by another.
    owner = playingWallet()
    staked = null
    hand.patch({ queued: null, result: null, problem: null })
  }
  if (!table) return
  if (me?.openBet) [staked, unheard] = [me.openBet, null]
  // A press meant for the bet that has just ended must not place another.
  else if (wasOpen) pressedWithoutStake()
  wasOpen = Boolean(me?.openBet)
  const { pending, result } = hand.value
  // The bet stands although its answer is late or lost. It must be possible to cash it out.
  if (pending?.kind === 'bet' && pending.roundId === me?.openBet?.roundId)
    hand.patch({ pending: null })
  if (staked) keepClose(staked, table)
  // The result stays until the next flight.
  if (result && table.phase === 'flight' && shownIn < table.roundId) hand.patch({ result: null })
  if (staked && isOver(staked, table, me)) await settle(staked)
  const { queued } = hand.value
  if (!queued) return
  if (isMissed(queued, table)) dropQueued('Your bet missed its round, so it was not placed.')
  else if (interruption.value || table.roundId !== queued.roundId) return
  else if (termsOf(table) !== queued.terms)
    dropQueued('The terms of play have changed, so your bet was not placed.')
  else if (isBetting(table, serverNow())) await bet(queued)
}

/** Returns whether the round that a bet was queued for has come and gone, or the player has. */
function isMissed({ roundId, at }: Queued, table: TableState): boolean {
  const hasClosed = table.roundId === roundId && table.phase !== 'betting'
  return hasClosed || table.roundId > roundId || Date.now() - at > QUEUED_MS
}

function dropQueued(message: string): void {
  hand.patch({ queued: null, problem: wrong(message) })
  announce(message)
}

/** Keeps the commitments that fix the bets of the player's round, before its outcome is known. */
function keepClose(
  { roundId, token }: OpenBet,
  { roundId: shown, betsRoot, betCount }: TableState,
) {
  if (shown !== roundId || betsRoot === null || betCount === null) return
  const [kind, id] = [kindFor('rounds', token === FUN), String(roundId)] as const
  if (kept(kind, id)?.betsRoot === undefined) keepMore(kind, id, { betsRoot, betCount })
}

function isOver({ roundId }: OpenBet, table: TableState, me: Me | null): boolean {
  return me?.openBet === null || roundId < table.roundId || table.phase === 'results'
}

/** Finds out how a bet ended. Without an answer it stays undecided, and is asked about again. */
async function settle(ended: OpenBet): Promise<void> {
  if (isSettling || hand.value.pending) return
  isSettling = true
  if (!(await showOutcome(ended))) await pause(ASK_AGAIN_MS)
  isSettling = false
}

/** Shows how a bet ended. Repeats a win's cash-out, for its receipt. @returns whether the end is known */
async function showOutcome(openBet: OpenBet): Promise<boolean> {
  // The page's own state may be out of date, and a cash-out ends a bet that is still open.
  const now = await readMe()
  if (!now || isFailure(now) || now.me.openBet) return false
  const { roundId } = openBet
  // In flight only a cash-out ends a bet.
  if (roundId === now.roundId && now.phase === 'flight') {
    return roundId !== unheard && !isFailure(await askForPayout(openBet))
  }
  const wallet = playingWallet() ?? ''
  const query = { action: 'bet', wallet, roundId: String(roundId) }
  const ended = await get<DisclosedBet>('/api/crash', query)
  if (wallet !== playingWallet()) return true
  if (isFailure(ended)) {
    // A past round accepts no bet any more.
    const isMissing = ended.error.code === 'not_found' && roundId < now.roundId
    if (isMissing) unstake(openBet)
    if (isMissing && mayShowEnd(wallet)) {
      hand.patch({ problem: wrong(`Your bet did not enter round ${roundId}.`) })
    }
    return isMissing
  }
  // The bet that stands may not be this draft's: the answer was lost, or another device has bet.
  const { token, amountWei } = ended
  const own = { ...openBet, token, amountWei }
  // Only a cash-out has a receipt.
  if (ended.outcome === 'won' && !isFailure(await askForPayout(own))) return true
  unstake(own)
  if (mayShowEnd(wallet)) showEnd(own, ended)
  return true
}

/** Forgets a bet that has ended, but not a newer one that was placed meanwhile. */
function unstake({ roundId }: OpenBet): void {
  if (staked?.roundId === roundId) staked = null
}

/** Whether a wallet's ended bet may be shown: neither to another wallet nor in place of a newer bet. */
function mayShowEnd(wallet: string | undefined): boolean {
  return wallet === playingWallet() && staked === null
}

function showEnd(openBet: OpenBet, { outcome, multiplier, payout }: DisclosedBet): void {
  const { roundId, token, amountWei } = openBet
  if (outcome === 'won') return showWin(openBet, multiplier, payout)
  showResult({ kind: outcome, roundId, token, amountWei })
  const stake = `${shortAmount(amountWei, token)} ${token}`
  announce(outcome === 'lost' ? `You lost ${stake}.` : `${stake} returned.`)
  if (outcome === 'lost') chime('loss')
}

function showResult(result: Result): void {
  shownIn = live.value.table?.roundId ?? result.roundId
  const { problem } = hand.value
  const isAnswered = problem !== null && UNCERTAIN.includes(problem.code)
  hand.patch({ result, problem: isAnswered ? null : problem })
}

function showWin({ roundId, token, amountWei }: OpenBet, paidAt: number, payoutWei: string): void {
  const multiplier = toHundredths(paidAt)
  showResult({ kind: 'won', roundId, token, amountWei, multiplier, payoutWei })
  chime(isGain({ payout: payoutWei, amount: amountWei }) ? 'win' : 'loss')
  const paid = `${shortAmount(payoutWei, token)} ${token}`
  announce(`Cashed out at ${showHundredths(multiplier)}: ${paid}.`)
}

type Payout = z.infer<typeof CashoutAnswer>

/** Cashes a bet out. Repeating a cash-out returns its payout. */
async function askForPayout(openBet: OpenBet): Promise<Payout | Failure> {
  const { player } = session.value
  const { roundId } = openBet
  const body = { action: 'cashout', roundId, ...player }
  const answer = await repeated(() => post<Payout>('/api/crash', body))
  if (isFailure(answer)) return answer
  if (player?.wallet === playingWallet()) unstake(openBet)
  if (player) {
    const { multiplier, payout } = answer
    const facts = { kind: 'cashout', roundId, multiplier, payout }
    takeReceipt(player.wallet, `cashout/${roundId}`, answer.receipt, facts)
    tookMe(player.wallet, answer.me)
  }
  if (mayShowEnd(player?.wallet)) showWin(openBet, answer.multiplier, answer.payout)
  return answer
}

/** Reads the player's state once the bet must have been cashed out automatically. */
async function watchTarget(): Promise<void> {
  const { table } = live.value
  if (!table || !canCashOut() || !staked) return
  const target = automaticTarget(staked, table)
  if (target === null || multiplierNow(table, serverNow()) <= target) return
  const askedAt = localTime()
  const state = await readMe()
  if (state && !isFailure(state)) take(state, askedAt)
}
