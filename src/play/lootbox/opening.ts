import { dateOf, dayAfter } from '../../core/utc-day.ts'
import type { OpeningAnswer } from '../../lootbox/opening.ts'
import { spinDay, spinId, type AwaitedSpin } from '../../lootbox/spin.ts'
import type { Pending } from '../../payment/answers.ts'
import type { SeenSpin } from '../../verify/opening.ts'
import { announce } from '../announce.ts'
import { fail, isFailure, post, type Failure } from '../api.ts'
import { assetAmount } from '../assets.ts'
import {
  IDLE,
  isBusy,
  isUnknownPayment,
  Job,
  judge,
  judgePaidWork,
  type PollResult,
  type JobState,
  type Tickets,
} from '../job.ts'
import { keep, keepNewest } from '../keepsakes.ts'
import { protecting, readProtection } from '../limits/limits.ts'
import { EXCLUDED } from '../plain-words.ts'
import { session, signedInWallet } from '../session.ts'
import { Store } from '../store.ts'
import { pay } from '../wallet/send.ts'
import { WalletError } from '../wallet/wallet.ts'
import { giveUp, paid, unawaited, unopened } from './paid.ts'
import { decimalsOf, lootbox, readLootbox, type Prize, type LootboxAnswer } from './terms.ts'

export type Open = OpeningAnswer['open']

/** An opening, or the thing that it waits for: confirmations of its payment, or the pepper of a spin. */
type News = Open | (Partial<Pending & AwaitedSpin> & { status: 'pending' })

export type State<Ticket = unknown> = JobState<Ticket, News>

interface Payment {
  txHash: string
}

type ShownDay = Pick<LootboxAnswer, 'day' | 'seedHash' | 'nextSeedHash' | 'spin' | 'openings'>

interface Post {
  postUrl: string
  /** When the spin was first requested, by this device's clock; null if the service said that it was taken earlier. */
  seenAt: number | null
  /** The hashes shown when the spin was requested: an answer may arrive after midnight, when other hashes are shown. */
  shown: ShownDay | null
  /** The evidence of the first answer about the spin; absent before it. */
  seen?: SeenSpin
}

/** The paid opening. */
export const opening = new Store<State<Payment>>(IDLE)
/** The free spin. */
export const spinning = new Store<State<Post>>(IDLE)

const KEPT_PAYMENTS = 5

const payments: Tickets<Payment> = {
  read(owner) {
    const ignored = unawaited(owner)
    const txHash = unopened(owner).findLast((kept) => !ignored.includes(kept))
    return txHash === undefined ? null : { txHash }
  },
  write(owner, { txHash }) {
    const others = unopened(owner).filter((other) => other !== txHash)
    paid.write(owner, { txHashes: [...others, txHash].slice(-KEPT_PAYMENTS) })
  },
  drop(owner, { txHash }) {
    paid.write(owner, { txHashes: unopened(owner).filter((other) => other !== txHash) })
  },
}

const openingJob = jobOf(opening, askToOpen, payments)
const spinJob = jobOf(spinning, askToSpin)

function jobOf<Ticket extends object>(
  store: Store<State<Ticket>>,
  ask: (ticket: Ticket) => Promise<PollResult<News, Ticket>>,
  tickets?: Tickets<Ticket>,
): Job<Ticket, News> {
  return new Job(store, {
    player: signedInWallet,
    ...(tickets && { tickets }),
    steps: [{ name: 'waiting', ask }],
    judge: judgePaidWork,
    ended: sayWon,
    async after(ticket) {
      const asked = await ask(ticket)
      if (isFailure(asked) || asked.news?.status !== 'paid') return { ...asked, isDone: false }
      void readLootbox()
      return asked
    },
  })
}

export function openOf({ news }: Pick<State, 'news'>): Open | null {
  return news && news.status !== 'pending' ? news : null
}

/** Returns whether a spin of this day (YYYY-MM-DD) may be taken: none is in progress, and none of the day is shown. */
export function maySpin(state: State, day: string): boolean {
  return state.step === 'idle' || (state.step === 'done' && openOf(state)?.day !== day)
}

/** Returns the last payment if the service has waited for it in vain; null otherwise. */
export function missingPayment({ step, problem, ticket }: State<Payment>): Payment | null {
  return step === 'idle' && problem && isUnknownPayment(problem) ? ticket : null
}

/**
 * Pays the price and opens with that payment, or with an earlier one that has turned up meanwhile. Waits for one that
 * has not, and pays again only once the page says that it is missing.
 */
export function payAndOpen(terms: LootboxAnswer): Promise<void> {
  const hasAgreed = missingPayment(opening.value) !== null
  return openingJob.start(async (owner, checkWanted) => {
    const unknown: string[] = []
    for (const txHash of unopened(owner)) {
      const asked = await askToOpen({ txHash })
      if (!isFailure(asked)) return { txHash }
      // Such a failure says nothing about the payment, which may still open a lootbox.
      if (judge(asked.error) === 'retry') return asked
      if (isUnknownPayment(asked.error)) unknown.push(txHash)
    }
    const ignored = unawaited(owner)
    const missing = unknown.findLast((txHash) => !ignored.includes(txHash))
    if (missing !== undefined && !hasAgreed) return { txHash: missing }
    // A payment on chain is always honoured, so a player who is excluded, on whatever device, is stopped before it.
    const unread = await readProtection()
    if (unread) return unread
    if (protecting.value.protection?.excluded) throw new WalletError(EXCLUDED)
    const current = await ofToday(terms)
    // Another player must not pay for this one's request.
    checkWanted()
    const askedAt = Date.now()
    const txHash = await pay(current.pool, BigInt(current.price), checkWanted)
    giveUp(owner, unknown)
    const paidWithin: [number, number] = [askedAt, Date.now()]
    keep('commitments', txHash, { ...shownIn(current, current.prizes), paidWithin })
    return { txHash }
  })
}

/** Stops waiting for the wallet. A payment that it sends later still opens. */
export function cancelOpening(): void {
  openingJob.cancel()
}

/**
 * Returns terms that commit to the seed of the payment's block, which is today's or tomorrow's.
 * @throws WalletError if they can't be read, or have another price or other prizes than the player has agreed to
 */
async function ofToday(terms: LootboxAnswer): Promise<LootboxAnswer> {
  if (terms.day === dateOf(Date.now())) return terms
  await readLootbox()
  const { terms: current, problem } = lootbox.value
  if (problem || !current) throw new WalletError(problem?.message ?? 'Sign in first.')
  const agreed = ({ price, prizes }: LootboxAnswer) => JSON.stringify([price, prizes])
  if (agreed(current) !== agreed(terms))
    throw new WalletError('The price or the prizes have changed. Press again to accept them.')
  return current
}

/** Opens with a payment made outside this page, such as one that has replaced the last. */
export async function openWith(txHash: string): Promise<void> {
  if (isBusy(opening.value)) return
  const missing = missingPayment(opening.value)
  const owner = signedInWallet()
  if (owner !== undefined && missing) giveUp(owner, [missing.txHash])
  await openingJob.follow({ txHash })
}

export async function resumeOpening(): Promise<void> {
  const owner = signedInWallet()
  const ignored = owner === undefined ? [] : unawaited(owner)
  // They may have turned up, of which the service learns when it is asked.
  for (const txHash of ignored) void askToOpen({ txHash })
  await Promise.all([spinJob.resume(), openingJob.resume()])
}

/** Opens for free, for a post that contains the share code. */
export async function spin(postUrl: string): Promise<void> {
  if (isBusy(spinning.value)) return
  const { terms } = lootbox.value
  const seenAt = terms?.hasSpun === true ? null : Date.now()
  await spinJob.follow({ postUrl, seenAt, shown: terms })
}

async function askToOpen({ txHash }: Payment): Promise<PollResult<News>> {
  const wallet = signedInWallet()
  const answer = await post<OpeningAnswer | Exclude<News, Open>>('/api/lootbox', {
    action: 'open',
    wallet,
    txHash,
  })
  return askedOf(wallet, answer, txHash)
}

async function askToSpin(ticket: Post): Promise<PollResult<News, Post>> {
  const { credentials } = session.value
  const askedAt = Date.now()
  const body = { ...credentials, action: 'share-spin', postUrl: ticket.postUrl }
  const answer = await post<OpeningAnswer | Exclude<News, Open>>('/api/lootbox', body)
  // The service rightly repeats a post's first answer, and this device may not have asked for it.
  if (!ticket.seen && isEarlierSpin(answer, ticket.shown)) return ALREADY_SPUN
  const asked = askedOf(credentials?.wallet, answer)
  if (isFailure(asked) || !asked.news) return asked
  const { acceptedAt, pepperSource } = asked.news
  if (acceptedAt === undefined || !pepperSource) return asked
  const day = dateOf(acceptedAt)
  const seen = ticket.seen ?? {
    acceptedAt,
    pepperSource,
    ...(ticket.seenAt !== null && { seenAt: ticket.seenAt, askedAt, ...shownPepper(day) }),
  }
  // The id of an opening counts, whatever day an answer before it has claimed.
  const id = 'id' in asked.news ? asked.news.id : spinId(credentials?.wallet ?? '', day)
  keep('spins', id, seen)
  const { shown } = ticket
  if (shown && ticket.seenAt !== null && isCommitted(shown, day)) {
    keep('commitments', id, shownIn(shown, shown.spin.prizes))
  }
  return { ...asked, ticket: { ...ticket, seen } }
}

const ALREADY_SPUN = fail('spin_used', 'This post has earned its spin already. Share a new post.')

/** Returns whether an answer is a spin of another day that was listed before the call, so it wasn't made up for it. */
function isEarlierSpin(answer: object, shown: ShownDay | null): boolean {
  if (!shown || !('open' in answer)) return false
  const { id } = answer.open as Open
  return spinDay(id) !== shown.day && (shown.openings ?? []).some((listed) => listed.id === id)
}

/** Returns the hash of the pepper that was shown for a day, if one was. */
function shownPepper(day: string): Pick<SeenSpin, 'pepperHash'> {
  const { terms } = lootbox.value
  const pepperHash = terms?.day === day ? terms.spin.pepperSource.pepperHash : undefined
  return pepperHash === undefined ? {} : { pepperHash }
}

/** Whether the shown hashes commit to the seed of a day: to its own day's and the next one's. */
function isCommitted({ day: shown }: ShownDay, day: string): boolean {
  return day === shown || day === dayAfter(shown)
}

function shownIn({ seedHash, nextSeedHash }: ShownDay, prizes: Prize[]) {
  return { seedHashes: [seedHash, nextSeedHash], prizes }
}

/** @param id the requested opening; by default the one that the answer names */
function askedOf(
  wallet = '',
  answer: OpeningAnswer | Exclude<News, Open> | Failure,
  id?: string,
): PollResult<News> {
  if (isFailure(answer)) return answer
  if (!('open' in answer)) return { isDone: false, news: answer }
  const { open } = answer
  keepNewest('openings', id ?? open.id, { wallet, open })
  return { isDone: true, news: open }
}

function sayWon(state: State): void {
  const open = openOf(state)
  if (!open) return
  const { terms } = lootbox.value
  const decimals = terms ? decimalsOf(terms, open.asset) : undefined
  announce(`${open.label}: you won ${assetAmount(open.prize, open.asset, decimals)}.`)
  void readLootbox()
}
