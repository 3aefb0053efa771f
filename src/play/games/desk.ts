import type { publicConfig } from '../../api/games/config.ts'
import {
  isPaidByTables,
  newestTables,
  wireParams,
  type GameName,
  type Selection,
} from '../../games/games.ts'
import type { MinesGame } from '../../games/mines/open.ts'
import type { FeedPlay, NextPlay, StoredPlay } from '../../games/play-request.ts'
import { isGain } from '../../money/multiplier.ts'
import type { Unit } from '../../money/token.ts'
import { claimsOf } from '../../receipts/claims.ts'
import type { AskedPlay, SeenPlay } from '../../verify/play.ts'
import { announce } from '../announce.ts'
import { fail, get, isFailure, post, repeated, wrong, type Failure, type Problem } from '../api.ts'
import { chime } from '../chime.ts'
import { mayStake } from '../double-tap.ts'
import { useState } from '../hooks.ts'
import { takeReceipt } from '../receipts.ts'
import {
  playingWallet,
  readMe,
  serviceKnown,
  REREAD_MS,
  session,
  signOut,
  tookMe,
  withhold,
  type Credentials,
  type Me,
} from '../session.ts'
import { Store, useStore } from '../store.ts'
import { isClientSeed, keptSeed, seeded, type SeededPlay } from './client-seed.ts'
import { differenceOf, keepAsked, keepRefusal, seenOf } from './evidence.ts'
import { sayPlay } from './words.ts'

export type ShownPlay = FeedPlay<Unit>
export type ShownGame = MinesGame<Unit>

export type PlayAnswer = StoredPlay<Unit> & {
  ok: true
  me: Pick<Me, 'chips'>
  receipt?: string
}

/** A play that the player has asked for. */
export interface PlayDraft {
  selection: Selection
  token: Unit
  amountWei: bigint
}

/** The answer of GET /api/entropy. */
export type EntropyConfig = ReturnType<typeof publicConfig> & {
  fairness?: NextPlay | null
  openGame?: ShownGame | null
}

interface Desk {
  config: EntropyConfig | null
  /** The next play's commitment and its fresh client seed; null until they are known, and while signed out. */
  next: SeededPlay | null
  /** The open game of mines. */
  game: ShownGame | null
  /** Whether a play, or a step of one, waits for its answer. */
  isPlaying: boolean
  /** The play shown in the picture. */
  shown: ShownPlay | null
  /** Settled plays whose result the picture hasn't reached yet, oldest first. */
  untold: ShownPlay[]
  /** The play whose result is shown below the picture. */
  told: ShownPlay | null
  /** The player's plays whose results have been shown, newest first. */
  plays: ShownPlay[]
  problem: Problem | null
}

export const desk = new Store<Desk>({
  config: null,
  next: null,
  game: null,
  isPlaying: false,
  shown: null,
  untold: [],
  told: null,
  plays: [],
  problem: null,
})

/** Returns the play shown in the picture, or null if it belongs to another game. */
export function useShown<G extends GameName>(game: G): Extract<ShownPlay, { game: G }> | null {
  const { shown } = useStore(desk)
  return shown?.game === game ? (shown as Extract<ShownPlay, { game: G }>) : null
}

const KEPT_PLAYS = 10
/** Longer than any animation. By then a result is shown even if its picture is gone. */
const LONGEST_PICTURE_MS = 5_000

/** Loads the games' configuration and the signed-in wallet's next play. */
export async function sitDown(): Promise<void> {
  tell()
  const isOwn = ({ wallet }: ShownPlay) => wallet === playingWallet()
  const plays = desk.value.plays.filter(isOwn)
  desk.patch({ shown: null, told: null, next: null, game: null, problem: null, plays })
  await Promise.all([readConfig(), readPlays()])
}

/** A choice of the player. Changing it clears the last result from the picture. */
export function useChoice<T>(first: T): [value: T, choose: (value: T) => void] {
  const [value, setValue] = useState(first)
  const choose = (next: T) => {
    clearPicture()
    setValue(next)
  }
  return [value, choose]
}

function clearPicture(): void {
  tell()
  desk.patch({ shown: null, told: null, problem: null })
}

/** Shows the results that the picture has reached: up to this play, or all of them without one. */
export function tell(nonce = Infinity): void {
  const reached = desk.value.untold.filter((each) => each.nonce <= nonce)
  const told = reached.at(-1)
  if (!told) return
  const untold = desk.value.untold.filter((each) => each.nonce > nonce)
  desk.patch({ untold, told, plays: newestOf(reached, desk.value.plays) })
  withhold(untold)
  announce(sayPlay(told))
  chime(isGain(told) ? 'win' : 'loss')
}

export function refuse(message: string): void {
  desk.patch({ problem: wrong(message) })
}

const STILL_LOADING = wrong('The next play is still loading. Wait a moment and try again.')

/** The data that a new play is sent with. */
export interface Deal extends NextPlay {
  clientSeed: string
}

/** Returns the number and the seeds of the next play; null, with the reason shown, if there are none yet. */
export function deal(): Deal | null {
  const { next } = desk.value
  if (!next) {
    desk.patch({ problem: STILL_LOADING })
    void readConfig()
    return null
  }
  const { nonce, seedHash, freshSeed } = next
  const clientSeed = keptSeed.value ?? freshSeed
  if (isClientSeed(clientSeed)) return { nonce, seedHash, clientSeed }
  refuse('Use 1 to 64 letters (A to Z), digits or punctuation marks for the client seed.')
  return null
}

/** Plays once. Does nothing while another play is in progress, or for the second tap of a double tap. */
export async function play(draft: PlayDraft): Promise<void> {
  const dealt = desk.value.isPlaying || !mayStake() ? null : deal()
  if (dealt) await playDealt(draft, dealt)
}

/**
 * Makes a play under a commitment, or asks for it again, and shows the outcome.
 * @returns null if another play is in progress, or the player has left meanwhile
 */
export async function playDealt(
  { selection, token, amountWei }: PlayDraft,
  dealt: Deal,
): Promise<PlayAnswer | Failure | null> {
  const { game } = selection
  const { config } = desk.value
  if (config && isPaidByTables(game) && config.tables !== newestTables()) {
    desk.patch({ problem: OTHER_TABLES.error })
    void readConfig()
    return OTHER_TABLES
  }
  const stake = { token, amountWei: amountWei.toString() }
  const draft = { game, params: wireParams(selection), ...stake }
  const sent = await begin<PlayAnswer>(dealt, 'play', draft)
  if (!sent) return null
  const { wallet, answer, seen } = sent
  if (!isFailure(answer)) return (await take(wallet, dealt.nonce, answer, seen)) ?? answer
  await wasRefused(answer)
  return answer
}

/** The page shows its own pay tables, so it must not agree to others, as while a new version is deployed. */
const OTHER_TABLES = fail(
  'terms_changed',
  'The service uses different pay tables from this page. Reload the page, or try again in a few minutes.',
)

export interface SentPlay<T> {
  wallet: string
  answer: T | Failure
}

/** Keeps a new play's request as evidence, and sends it. @returns as {@link send}, with the evidence */
export async function begin<T extends object>(
  { nonce, seedHash, clientSeed }: Deal,
  action: 'play' | 'mines-open',
  draft: Pick<AskedPlay, 'game' | 'params' | 'token' | 'amountWei' | 'maxPicks'>,
): Promise<(SentPlay<T> & { seen: SeenPlay }) | null> {
  const { config, isPlaying } = desk.value
  const { player } = session.value
  if (isPlaying || !player || !config) return null
  const { edgeBps, tables, terms } = config
  const request = { ...draft, clientSeed, edgeBps, tables }
  // Before the call: the house may settle a play whose answer is lost or a refusal.
  const seen = keepAsked(player.wallet, { nonce, seedHash }, request)
  const body = { action, ...draft, clientSeed, nonce, terms: terms.hash }
  const sent = await send<T>(body, (answer) => {
    if (isFailure(answer)) keepRefusal(player.wallet, nonce, request, answer)
  })
  return sent && { ...sent, seen }
}

/**
 * Sends a play or a step of one, and repeats it once if no answer arrives.
 * @param answered is called with the answer, even if the player has left meanwhile
 * @returns null if another one is in progress, or the player has left meanwhile
 */
export async function send<T extends object>(
  body: object,
  answered: (answer: T | Failure) => void = () => {},
): Promise<SentPlay<T> | null> {
  const { player } = session.value
  if (desk.value.isPlaying || !player) return null
  desk.patch({ isPlaying: true, problem: null })
  const answer = await repeated(() => post<T>('/api/entropy', { ...body, ...player }))
  answered(answer)
  desk.patch({ isPlaying: false })
  const { wallet } = player
  return isStillHere(player) ? { wallet, answer } : null
}

function isStillHere({ wallet }: Credentials): boolean {
  return wallet === playingWallet()
}

/**
 * Shows a settled play, and the chips after it.
 * @param nonce the number of the play that was requested
 * @param signed the facts in its receipt
 * @returns how it differs from the request; null if it doesn't
 */
export async function take(
  wallet: string,
  nonce: number,
  { ok: _ok, me, receipt, ...stored }: PlayAnswer,
  seen = seenOf(wallet, nonce),
  signed: object = claimsOf(stored),
): Promise<Failure | null> {
  const settled = { wallet, ...stored }
  takeReceipt(wallet, `play/${nonce}`, receipt, { ...signed })
  showSettled(settled)
  followCommitment({ nonce: stored.nonce + 1, seedHash: stored.nextSeedHash })
  const difference = differenceOf(settled, nonce, seen)
  if (difference) desk.patch({ problem: difference.error })
  await showChips(wallet, me)
  return difference
}

/** Shows a settled play in the picture, which will tell its result. */
export function showSettled(settled: ShownPlay): void {
  const untold = [...desk.value.untold, settled]
  withhold(untold)
  desk.patch({ shown: settled, untold, told: null })
  setTimeout(() => tell(settled.nonce), LONGEST_PICTURE_MS)
}

/** Takes a commitment, unless the page knows one of a later play. Shows a problem if it replaces another one. */
export function followCommitment(next: NextPlay): void {
  const known = desk.value.next
  const seen = seenOf(playingWallet() ?? '', next.nonce)
  if (!known || next.nonce >= known.nonce) desk.patch({ next: seeded(next, known, seen) })
  if (desk.value.problem === STILL_LOADING) desk.patch({ problem: null })
  if (isReplaced(next, known, seen)) desk.patch({ problem: replaced(next.nonce) })
}

/** Returns whether another commitment was shown for the same play, now or before an earlier request. */
function isReplaced(
  { nonce, seedHash }: NextPlay,
  known: NextPlay | null,
  seen: SeenPlay | null,
): boolean {
  const shown = known?.nonce === nonce ? known.seedHash : seedHash
  return (seen?.seedHash ?? shown) !== seedHash
}

function replaced(nonce: number): Problem {
  const message = `The seed hash of play ${nonce} isn’t the one shown before. Its seed must not change, so don’t make this play.`
  return fail('unverified', message).error
}

/** Shows the chips in the answer to a play or a step of one. */
export async function showChips(wallet: string, { chips }: PlayAnswer['me']): Promise<void> {
  if (session.value.me) tookMe(wallet, { ...session.value.me, chips })
  else await readMe()
}

/** Shows the reason and reloads the facts that the page lacked. */
export async function wasRefused({ error }: Failure, words = WORDS): Promise<void> {
  desk.patch({ problem: { ...error, message: words[error.code] ?? error.message } })
  if (error.code === 'unreachable') return
  if (error.code === 'auth_invalid') signOut(error)
  else await Promise.all([readConfig(), readPlays(), readMe()])
}

const PLAYED_MEANWHILE =
  'You have already made this play: its result is among your last plays. Press again for the next one.'

/** Texts for the player, by the code of a refusal. */
export type Words = Partial<Record<Problem['code'], string>>

const WORDS: Words = {
  unreachable: 'The service didn’t answer. Press again: the same play is never charged twice.',
  nonce_mismatch: PLAYED_MEANWHILE,
  idempotency_conflict: PLAYED_MEANWHILE,
}

let rereading: ReturnType<typeof setTimeout> | undefined

async function readConfig(): Promise<void> {
  const { player } = session.value
  // Signed, because only a signed request commits the house to a wallet's first play.
  const signed = player && { wallet: player.wallet, authSig: player.authSig }
  const config = await get<EntropyConfig>('/api/entropy', signed ?? {})
  // The evidence of an earlier service on this machine would contradict this one’s commitment.
  await serviceKnown()
  if (isFailure(config)) {
    const isOurs = player === session.value.player
    if (config.error.code === 'auth_invalid' && isOurs) signOut(config.error)
    else desk.patch({ problem: config.error })
    clearTimeout(rereading)
    if (!desk.value.config) rereading = setTimeout(() => void readConfig(), REREAD_MS.last)
    return
  }
  desk.patch(desk.value.config ? { config } : { config, problem: null })
  const { fairness, openGame } = config
  if (player?.wallet !== playingWallet() || !fairness) return
  // An answer that was in flight while a play was settled is out of date.
  followCommitment(fairness)
  if (openGame) resume(openGame)
}

/** Takes an open game as it was read, unless the page knows more of it. */
function resume(game: ShownGame): void {
  const { shown, untold, plays, game: known } = desk.value
  const hasEnded = [shown, ...untold, ...plays].some((each) => each?.nonce === game.nonce)
  const isBehind = known?.nonce === game.nonce && known.picked.length > game.picked.length
  if (!hasEnded && !isBehind) desk.patch({ game })
}

async function readPlays(): Promise<void> {
  const wallet = playingWallet()
  if (wallet === undefined) return
  const body = { action: 'recent', wallet, limit: KEPT_PLAYS }
  const answer = await post<{ recent: ShownPlay[] }>('/api/entropy', body)
  if (isFailure(answer) || wallet !== playingWallet()) return
  const isTold = ({ nonce }: ShownPlay) => !desk.value.untold.some((each) => each.nonce === nonce)
  desk.patch({ plays: newestOf(desk.value.plays, answer.recent.filter(isTold)) })
}

function newestOf(some: ShownPlay[], others: ShownPlay[]): ShownPlay[] {
  const byNonce = new Map([...others, ...some].map((each) => [each.nonce, each]))
  return [...byNonce.values()].toSorted((a, b) => b.nonce - a.nonce).slice(0, KEPT_PLAYS)
}
