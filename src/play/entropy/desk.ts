import type { publicConfig } from '../../entropy/config.ts'
import type { Selection } from '../../entropy/play.ts'
import type { FeedPlay, NextPlay, PlayAnswer } from '../../ledger/play.ts'
import type { Token } from '../../money/token.ts'
import { announce } from '../announce.ts'
import { fail, get, isFailure, post, repeated, type Failure, type Problem } from '../api.ts'
import { keep } from '../keepsakes.ts'
import { readMe, session, signOut, tookMe } from '../session.ts'
import { Store } from '../store.ts'
import { clientSeed, isClientSeed } from './client-seed.ts'
import { sayPlay, wireParams } from './words.ts'

/** What the player wants to play. */
export interface Order {
  selection: Selection
  token: Token
  amountWei: bigint
}

/** The answer of GET /api/entropy. */
type EntropyConfig = ReturnType<typeof publicConfig> & { fairness?: NextPlay | null }

interface Desk {
  config: EntropyConfig | null
  /** What the next play is committed to; null until the service has told, or signed out. */
  next: NextPlay | null
  isPlaying: boolean
  /** The play that the picture shows. */
  shown: FeedPlay | null
  /** The player's own, the newest first. */
  plays: FeedPlay[]
  problem: Problem | null
}

export const desk = new Store<Desk>({
  config: null,
  next: null,
  isPlaying: false,
  shown: null,
  plays: [],
  problem: null,
})

const KEPT_PLAYS = 10

/** Sits down at the games: what holds for everybody, and for the wallet that is signed in. */
export async function sitDown(): Promise<void> {
  const { credentials } = session.value
  const isOwn = ({ wallet }: FeedPlay) => wallet === credentials?.wallet
  desk.patch({ shown: null, next: null, problem: null, plays: desk.value.plays.filter(isOwn) })
  await Promise.all([readConfig(), readPlays()])
}

/** Takes the last result off the picture. */
export function clearPicture(): void {
  desk.patch({ shown: null, problem: null })
}

export function refuse(message: string): void {
  desk.patch({ problem: fail('invalid_request', message).error })
}

/** Plays once. While one play is on its way there is no other. */
export async function play(order: Order): Promise<void> {
  const { next, isPlaying } = desk.value
  const { credentials } = session.value
  if (isPlaying || !credentials) return
  if (!next) {
    refuse('The next play is not known yet. Wait a moment and try again.')
    void readConfig()
    return
  }
  const seed = clientSeed.value
  if (!isClientSeed(seed)) {
    refuse('Your client seed has to be 1 to 64 plain letters, digits or signs.')
    return
  }
  desk.patch({ isPlaying: true, problem: null })
  const body = {
    action: 'play',
    game: order.selection.game,
    params: wireParams(order.selection),
    token: order.token,
    amountWei: order.amountWei.toString(),
    clientSeed: seed,
    nonce: next.nonce,
    ...credentials,
  }
  const answer = await repeated(() => post<PlayAnswer>('/api/entropy', body))
  desk.patch({ isPlaying: false })
  const { wallet } = credentials
  if (wallet !== session.value.credentials?.wallet) return
  if (isFailure(answer)) {
    await wasRefused(answer)
    return
  }
  keep('plays', `${wallet}/${next.nonce}`, { seedHash: next.seedHash, clientSeed: seed })
  await take(wallet, answer)
}

async function take(wallet: string, { ok: _ok, me, ...stored }: PlayAnswer): Promise<void> {
  const settled = { wallet, ...stored }
  desk.patch({
    shown: settled,
    plays: newestOf([settled], desk.value.plays),
    next: { nonce: settled.nonce + 1, seedHash: settled.nextSeedHash },
  })
  announce(sayPlay(settled))
  if (session.value.me) tookMe(wallet, { ...session.value.me, chips: me.chips })
  else await readMe()
}

/** Says why, and learns what the page did not know. */
async function wasRefused({ error }: Failure): Promise<void> {
  desk.patch({ problem: { ...error, message: WORDS[error.code] ?? error.message } })
  if (error.code === 'unreachable') return
  if (error.code === 'auth_invalid') signOut(error)
  else await Promise.all([readConfig(), readPlays(), readMe()])
}

const PLAYED_MEANWHILE =
  'You have played meanwhile: the result is among your last plays. Press again for the next one.'

const WORDS: Partial<Record<Problem['code'], string>> = {
  unreachable: 'No answer came. Press again: the same play is never charged twice.',
  nonce_mismatch: PLAYED_MEANWHILE,
  idempotency_conflict: PLAYED_MEANWHILE,
}

async function readConfig(): Promise<void> {
  const { credentials } = session.value
  // Signed, because that is what commits the house to a wallet's first play.
  const signed = credentials && { wallet: credentials.wallet, authSig: credentials.authSig }
  const config = await get<EntropyConfig>('/api/entropy', signed ?? {})
  if (isFailure(config)) {
    const isOurs = credentials === session.value.credentials
    if (config.error.code === 'auth_invalid' && isOurs) signOut(config.error)
    else desk.patch({ problem: config.error })
    return
  }
  desk.patch({ config })
  const { fairness } = config
  const { next } = desk.value
  if (credentials?.wallet !== session.value.credentials?.wallet || !fairness) return
  // An answer that was under way while a play was settled is out of date.
  if (!next || fairness.nonce >= next.nonce) desk.patch({ next: fairness })
}

async function readPlays(): Promise<void> {
  const wallet = session.value.credentials?.wallet
  if (wallet === undefined) return
  const body = { action: 'recent', wallet, limit: KEPT_PLAYS }
  const answer = await post<{ recent: FeedPlay[] }>('/api/entropy', body)
  if (isFailure(answer) || wallet !== session.value.credentials?.wallet) return
  desk.patch({ plays: newestOf(desk.value.plays, answer.recent) })
}

function newestOf(some: FeedPlay[], others: FeedPlay[]): FeedPlay[] {
  const byNonce = new Map([...others, ...some].map((each) => [each.nonce, each]))
  return [...byNonce.values()].toSorted((a, b) => b.nonce - a.nonce).slice(0, KEPT_PLAYS)
}
