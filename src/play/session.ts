import type { z } from 'zod'
import type { MessageAnswer } from '../api/auth/answers-schema.ts'
import type { DevAccount } from '../api/dev/players.ts'
import type { Me } from '../ledger/me.ts'
import type { PerToken, Token } from '../money/token.ts'
import { fail, get, isFailure, type Failure, type Problem } from './api.ts'
import type { TableState } from './crash/table.ts'
import { readKept, writeKept } from './storage.ts'
import { Store } from './store.ts'
import { injectedProvider, injectedWallet } from './wallet/injected.ts'
import { WalletError, walletFailure, type Wallet, type WalletKind } from './wallet/wallet.ts'

/** Proves the wallet to the service. The signature is valid until the end of tomorrow. */
export interface Credentials {
  /** In EIP-55 form. */
  wallet: string
  authSig: string
}

interface Kept extends Credentials {
  kind: WalletKind
  /** Unix milliseconds. */
  expiresAt: number
}

interface Session {
  credentials: Credentials | null
  /** Null until it has been read. */
  me: Me | null
  /** Payouts in the chips of `me` that no picture has shown yet, in smallest units. */
  withheldWei: PerToken<bigint>
  isSigningIn: boolean
  problem: Problem | null
  /** The wallets of local play; empty elsewhere, null until the local service has answered. */
  developmentPlayers: DevAccount[] | null
}

const KEY = 'fairhouse.session'

/** Only a site on this machine has development wallets to wait for. */
const isLocal = /^(localhost|127\.0\.0\.1|\[::1\])$/.test(location.hostname)

const found = readKept<Kept>(KEY)
let kept = found && found.expiresAt > Date.now() ? found : null
let openWallet: Wallet | null = null
/** Numbers reads and actions, so that an outdated `me` never replaces a later one. */
let moments = 0
/** The number of the `me` that is shown. */
let shownOf = 0

export const session = new Store<Session>({
  credentials: kept,
  me: null,
  withheldWei: { ETH: 0n, USDG: 0n },
  isSigningIn: false,
  problem: null,
  developmentPlayers: isLocal ? null : [],
})

/** Returns the wallet that is signed in, in EIP-55 form. */
export function signedInWallet(): string | undefined {
  return session.value.credentials?.wallet
}

/** Reads the player's state and, in local play, the development wallets. */
export async function startSession(): Promise<void> {
  await Promise.all([kept && readMe(), isLocal && readDevelopmentPlayers()])
}

async function readDevelopmentPlayers(): Promise<void> {
  const answer = await get<{ players: DevAccount[] }>('/api/dev/players')
  session.patch({ developmentPlayers: isFailure(answer) ? [] : answer.players })
}

/** Signs in with one signature, which is valid until the end of tomorrow. */
export async function signIn(kind: WalletKind, player?: DevAccount): Promise<void> {
  session.patch({ isSigningIn: true, problem: null })
  const signed = await connectAndSign(kind, player)
  if (isFailure(signed)) {
    session.patch({ isSigningIn: false, problem: signed.error })
    return
  }
  keep(signed)
  session.patch({ credentials: signed, me: null, isSigningIn: false })
  await readMe()
}

export function signOut(problem: Problem | null = null): void {
  keep(null)
  openWallet = null
  shownOf = ++moments
  session.patch({ credentials: null, me: null, problem })
}

/** Returns the wallet itself, to sign or send something. */
export async function wallet(): Promise<Wallet> {
  if (!kept) throw new WalletError('Sign in first.')
  openWallet ??= await connect(kept.kind)
  if (openWallet.address.toLowerCase() === kept.wallet.toLowerCase()) return openWallet
  openWallet = null
  throw new WalletError(`Switch to ${kept.wallet} in your wallet, or sign in again.`)
}

/** Reads and shows the state of the player, with that of the table; null if the player has left meanwhile. */
export async function readMe(): Promise<(TableState & { me: Me }) | Failure | null> {
  const { credentials } = session.value
  if (!credentials) return null
  const moment = ++moments
  const { wallet: address, authSig } = credentials
  const state = await get<TableState & { me: Me }>('/api/crash', { wallet: address, authSig })
  if (session.value.credentials !== credentials) return null
  if (isFailure(state)) {
    if (state.error.code === 'auth_invalid') signOut(state.error)
  } else if (moment > shownOf) {
    shownOf = moment
    session.patch({ me: state.me })
  }
  return state
}

/** Reads the player's state. A player who has signed out meanwhile is a failure. */
export async function requireMe(): Promise<Me | Failure> {
  const state = await readMe()
  if (!state) return fail('auth_required', 'Sign in first.')
  return isFailure(state) ? state : state.me
}

/** Shows the state in the answer to a player's action, unless the player has left meanwhile. */
export function tookMe(player: string, me: Me): void {
  if (session.value.credentials?.wallet !== player) return
  shownOf = ++moments
  session.patch({ me })
}

/** Withholds these payouts from the chips that are shown. */
export function withhold(plays: readonly { token: Token; payout: string }[]): void {
  const withheldWei = { ETH: 0n, USDG: 0n }
  for (const { token, payout } of plays) withheldWei[token] += BigInt(payout)
  session.patch({ withheldWei })
}

async function connectAndSign(kind: WalletKind, player?: DevAccount): Promise<Kept | Failure> {
  try {
    const connected = await connect(kind, player)
    const asked = await get<z.infer<typeof MessageAnswer>>('/api/auth/message', {
      wallet: connected.address,
    })
    if (isFailure(asked)) return asked
    openWallet = connected
    const authSig = await connected.signMessage(asked.message)
    // The message's second line is the address in EIP-55 form, which not every wallet returns.
    const address = asked.message.split('\n')[1] ?? connected.address
    return { wallet: address, authSig, kind, expiresAt: asked.expiresAt }
  } catch (fault) {
    return walletFailure(fault)
  }
}

async function connect(kind: WalletKind, player?: DevAccount): Promise<Wallet> {
  if (kind === 'injected') {
    const provider = injectedProvider()
    if (!provider)
      throw new WalletError('No wallet found in this browser. Install one and try again.')
    return injectedWallet(provider)
  }
  const players = session.value.developmentPlayers ?? []
  const account = player ?? players.find(({ address }) => address === kept?.wallet) ?? players[0]
  if (!account) throw new WalletError('Development wallets aren’t available here.')
  const { developmentWallet } = await import('./wallet/development.ts')
  return developmentWallet(account)
}

function keep(value: Kept | null): void {
  kept = value
  writeKept(KEY, value)
}
