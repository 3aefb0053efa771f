import type { z } from 'zod'
import type { MessageAnswer } from '../api/auth/answers-schema.ts'
import type { DevAccount } from '../api/dev/players.ts'
import { isOwnMachine } from '../core/own-machine.ts'
import type { Me as LedgerMe, OpenBet as LedgerBet } from '../ledger/me.ts'
import type { PerToken, Unit } from '../money/token.ts'
import type { NextRelayer } from '../vault/table-config.ts'
import { fail, get, isFailure, wrong, type Failure, type Problem } from './api.ts'
import type { TableState } from './crash/table.ts'
import { FUN_WALLET, keepPlaysForFun, playsForFun } from './fun/fun.ts'
import { forgetEarlierService } from './local-service.ts'
import { readKept, writeKept } from './storage.ts'
import { Store } from './store.ts'
import { injectedWallet } from './wallet/injected.ts'
import {
  findWallet,
  rememberWallet,
  watchWallets,
  type InstalledWallet,
} from './wallet/installed.ts'
import {
  WalletError,
  walletFailure,
  type Provider,
  type Wallet,
  type WalletKind,
} from './wallet/wallet.ts'

/** Proves the wallet to the service. The signature is valid until the end of tomorrow. */
export interface Credentials {
  /** In EIP-55 form. */
  wallet: string
  authSig: string
}

/** Plays with fun chips. Calls with it never leave the browser: see `api.ts`. */
const FUN_PLAYER: Credentials = { wallet: FUN_WALLET, authSig: '' }

/** A player's chips, in smallest units. Only this browser has fun chips. */
type Chips = PerToken<string> & { FUN?: string }

export type OpenBet = Omit<LedgerBet, 'token'> & { token: Unit }

/** A player's own state. */
export type Me = Omit<LedgerMe, 'chips' | 'openBet'> & { chips: Chips; openBet: OpenBet | null }

interface StoredSession extends Credentials {
  kind: WalletKind
  /** Identifies an injected wallet; null if it doesn't announce itself. */
  rdns?: string | null
  /** Unix milliseconds. */
  expiresAt: number
}

interface Session {
  /** Of the wallet that is signed in. */
  credentials: Credentials | null
  /** Whose chips the games are played with: those of the wallet, or fun chips. */
  player: Credentials | null
  /** Null until it has been read. */
  me: Me | null
  /** Payouts in the chips of `me` that no picture has shown yet, in smallest units. */
  withheldWei: Record<Unit, bigint>
  /** The relayer that the vault's owner had announced when `me` was read; null without one. */
  nextRelayer: NextRelayer | null
  isSigningIn: boolean
  problem: Problem | null
  /** The wallets of local play; empty elsewhere, null until the local service has answered. */
  developmentPlayers: DevAccount[] | null
}

/** A player's credentials. */
export type Source =
  | { kind: 'injected'; wallet: InstalledWallet }
  /** The first development player, unless another is named. */
  | { kind: 'development'; player?: DevAccount }

const KEY = 'fairhouse.session'

/** Longer than it takes from a bet to the highest crash point that is likely. */
const LONGEST_ROUND_MS = 300_000

/** Required state of a player that can't be read is read again, each time after twice as long. */
export const REREAD_MS = { first: 1_000, last: 8_000 }

/** Only a site on this machine has development wallets to wait for. */
const isLocal = isOwnMachine(location.hostname)

const found = readKept<StoredSession>(KEY)
let kept = found && found.expiresAt > Date.now() ? found : null
let openWallet: Wallet | null = null
/** Numbers reads and actions, so that an outdated `me` never replaces a later one. */
let moments = 0
/** The number of the `me` that is shown. */
let shownOf = 0

/** Numbers attempts to sign in, so that an answer to one that was given up changes nothing. */
let attempts = 0

let rereading: ReturnType<typeof setTimeout> | undefined
let rereadMs = REREAD_MS.first

/** Reads which service answers on this machine. */
let localService = Promise.resolve()

const signedIn = kept && credentialsOf(kept)

export const session = new Store<Session>({
  credentials: signedIn,
  player: signedIn ?? (playsForFun() ? FUN_PLAYER : null),
  me: null,
  withheldWei: { ETH: 0n, USDG: 0n, FUN: 0n },
  nextRelayer: null,
  isSigningIn: false,
  problem: null,
  developmentPlayers: isLocal ? null : [],
})

/** Returns the wallet that is signed in, in EIP-55 form. */
export function signedInWallet(): string | undefined {
  return session.value.credentials?.wallet
}

/** Returns who plays: the wallet that is signed in, or {@link FUN_WALLET}. */
export function playingWallet(): string | undefined {
  return session.value.player?.wallet
}

/** Returns whether the sign-in may expire while a bet that is placed now is in flight, and can't be cashed out then. */
export function isSignInEnding(now: number): boolean {
  return kept !== null && kept.expiresAt - now < LONGEST_ROUND_MS
}

/** Reads the player's state and finds the wallets to sign in with. */
export async function startSession(): Promise<void> {
  watchWallets(window)
  window.addEventListener('storage', followOtherTab)
  for (const back of ['visibilitychange', 'online']) window.addEventListener(back, lookAgain)
  if (isLocal) localService = readLocalService()
  await localService
  await readMe()
}

/** Reads data that may have changed while the tab was hidden or without a network. */
function lookAgain(): void {
  if (document.visibilityState === 'visible') void readMe()
}

/** Resolves once the evidence of an earlier service on this machine has been forgotten; elsewhere at once. */
export function serviceKnown(): Promise<void> {
  return localService
}

async function readLocalService(): Promise<void> {
  const answer = await get<{ players: DevAccount[]; logKey: string | null }>('/api/dev/players')
  if (isFailure(answer)) return session.patch({ developmentPlayers: [] })
  if (answer.logKey) forgetEarlierService(answer.logKey)
  session.patch({ developmentPlayers: answer.players })
}

/** Signs in with one signature, which is valid until the end of tomorrow. */
export async function signIn(source: Source): Promise<void> {
  const attempt = ++attempts
  session.patch({ isSigningIn: true, problem: null })
  const signed = await connectAndSign(source, attempt)
  if (!signed || attempt !== attempts) return
  if (isFailure(signed)) {
    session.patch({ isSigningIn: false, problem: signed.error })
    return
  }
  keep(signed)
  keepPlaysForFun(false)
  const credentials = credentialsOf(signed)
  session.patch({ credentials, player: credentials, me: null, isSigningIn: false })
  await readMe()
}

/** Gives up signing in, for which a wallet may never answer. */
export function cancelSignIn(): void {
  attempts++
  session.patch({ isSigningIn: false })
}

/** Signs a wallet out, or leaves play with fun chips. */
export function signOut(problem: Problem | null = null): void {
  keep(null)
  keepPlaysForFun(false)
  leave(problem)
}

function leave(problem: Problem | null): void {
  openWallet = null
  shownOf = ++moments
  cancelSignIn()
  session.patch({ credentials: null, player: null, me: null, problem })
}

/** Signs the wallet out here once another tab has signed it out or has signed in with another one. */
function followOtherTab({ key }: StorageEvent): void {
  if (!kept || (key !== KEY && key !== null)) return
  const { wallet: address } = kept
  kept = readKept<StoredSession>(KEY)
  if (kept?.wallet === address) {
    const credentials = credentialsOf(kept)
    return session.patch({ credentials, player: credentials })
  }
  kept = null
  leave(wrong('You have signed out in another tab. Sign in again to play here.'))
}

/** Plays with fun chips until a wallet signs in. */
export async function playForFun(): Promise<void> {
  keepPlaysForFun(true)
  cancelSignIn()
  session.patch({ player: FUN_PLAYER, me: null, problem: null })
  await readMe()
}

/** Returns the wallet itself, to sign or send something. */
export async function wallet(): Promise<Wallet> {
  if (!kept) throw new WalletError('Sign in first.')
  openWallet ??= await reconnect(kept)
  if (openWallet.address.toLowerCase() === kept.wallet.toLowerCase()) return openWallet
  openWallet = null
  throw new WalletError(`Switch to ${kept.wallet} in your wallet, or sign in again.`)
}

/** Returns the provider of the wallet that is signed in, without a prompt; null if it has none or is gone. */
export async function walletProvider(): Promise<Provider | null> {
  if (kept?.kind !== 'injected') return null
  return openWallet?.provider ?? (await findWallet(kept.rdns ?? null))?.provider ?? null
}

/** Reads and shows the state of the player, with that of the table; null if the player has left meanwhile. */
export async function readMe(): Promise<(TableState & { me: Me }) | Failure | null> {
  const { player } = session.value
  if (!player) return null
  const moment = ++moments
  const { wallet: address, authSig } = player
  const state = await get<TableState & { me: Me }>('/api/crash', { wallet: address, authSig })
  const now = session.value.player
  if (now?.wallet !== address) return null
  if (isFailure(state)) {
    // Another tab may have signed in again with the same wallet.
    if (state.error.code === 'auth_invalid' && now.authSig === authSig) signOut(state.error)
    else if (!session.value.me) rereadSoon()
    return state
  }
  rereadMs = REREAD_MS.first
  if (moment > shownOf) {
    shownOf = moment
    session.patch({ me: state.me, nextRelayer: state.config?.chain?.nextRelayer ?? null })
  }
  return state
}

/** Reads the player's state again later: without it, an open bet can't be cashed out. */
function rereadSoon(): void {
  clearTimeout(rereading)
  rereading = setTimeout(() => void readMe(), rereadMs)
  rereadMs = Math.min(2 * rereadMs, REREAD_MS.last)
}

/** Reads the player's state. A player who has signed out meanwhile is a failure. */
export async function requireMe(): Promise<Me | Failure> {
  const state = await readMe()
  if (!state) return fail('auth_required', 'Sign in first.')
  return isFailure(state) ? state : state.me
}

/** Shows the state in the answer to a player's action, unless the player has left meanwhile. */
export function tookMe(player: string, me: Me): void {
  if (session.value.player?.wallet !== player) return
  shownOf = ++moments
  session.patch({ me })
}

/** Withholds these payouts from the chips that are shown. */
export function withhold(plays: readonly { token: Unit; payout: string }[]): void {
  const withheldWei = { ETH: 0n, USDG: 0n, FUN: 0n }
  for (const { token, payout } of plays) withheldWei[token] += BigInt(payout)
  session.patch({ withheldWei })
}

/** Returns null, and asks for nothing more, once the attempt has been given up. */
async function connectAndSign(
  source: Source,
  attempt: number,
): Promise<StoredSession | Failure | null> {
  try {
    const connected = await connect(source)
    const asked = await get<z.infer<typeof MessageAnswer>>('/api/auth/message', {
      wallet: connected.address,
    })
    if (isFailure(asked)) return asked
    if (attempt !== attempts) return null
    const authSig = await connected.signMessage(asked.message)
    if (attempt !== attempts) return null
    // A player who declines to sign stays signed in with the previous wallet.
    openWallet = connected
    if (source.kind === 'injected') rememberWallet(source.wallet)
    // The message's second line is the address in EIP-55 form, which not every wallet returns.
    const address = asked.message.split('\n')[1] ?? connected.address
    const rdns = source.kind === 'injected' ? source.wallet.rdns : null
    return { wallet: address, authSig, kind: source.kind, rdns, expiresAt: asked.expiresAt }
  } catch (fault) {
    return walletFailure(fault)
  }
}

async function connect(source: Source): Promise<Wallet> {
  if (source.kind === 'injected') return injectedWallet(source.wallet.provider)
  const account = source.player ?? session.value.developmentPlayers?.[0]
  if (!account) throw new WalletError('Development wallets aren’t available here.')
  const { developmentWallet } = await import('./wallet/development.ts')
  return developmentWallet(account)
}

/** Connects the wallet that is signed in, after a reload. */
async function reconnect({ kind, rdns = null, wallet: address }: StoredSession): Promise<Wallet> {
  if (kind === 'development') {
    const player = session.value.developmentPlayers?.find((each) => each.address === address)
    return connect({ kind, ...(player && { player }) })
  }
  const installed = await findWallet(rdns)
  if (installed) return connect({ kind, wallet: installed })
  throw new WalletError('The wallet you signed in with isn’t in this browser. Sign in again.')
}

/** Returns the credentials that calls carry. The service need not know which wallet it was. */
function credentialsOf({ wallet: address, authSig }: StoredSession): Credentials {
  return { wallet: address, authSig }
}

function keep(value: StoredSession | null): void {
  kept = value
  writeKept(KEY, value)
}
