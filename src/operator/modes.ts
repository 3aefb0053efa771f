import { isWithin } from '../core/age.ts'
import { refuse, type Refusal } from '../core/refusal.ts'

/** Open, taking nothing new while open bets and games finish, or closed altogether. */
export type Mode = 'open' | 'draining' | 'closed'

/** From the freest to the strictest. */
export const MODES = ['open', 'draining', 'closed'] as const satisfies Mode[]

/** The switches that aren't open, by name. All others are open. */
export type Modes = Readonly<Record<string, Exclude<Mode, 'open'>>>

/** The terms of play that operators have set, by name. Terms that aren't listed hold as configured. */
export type SetTerms = Readonly<Record<string, SetTerm>>

export type SetTerm = number | boolean | Readonly<Record<string, string>>

/** A version's modes and terms, and the time when they take effect, in unix milliseconds. */
export interface ModesChange {
  /** The version's number, from 1. */
  number: number
  takesEffectAt: number
  modes: Modes
  terms: SetTerms
}

/** The modes as a reader knows them: those in force when it read them, and those to come. */
export interface KnownModes {
  changes: readonly ModesChange[]
  /** Until when no other modes can be in force, in unix milliseconds. */
  holdsUntil: number
}

/** The switch of everything except withdrawals. */
export const EVERYTHING = 'all'
export const CRASH = 'crash'
export const LOOTBOX = 'lootbox'
export const BOXES = 'boxes'
export const WITHDRAWALS = 'withdrawals'

/** The prefixes of wallets' switches and of advertisements'. */
const WALLET = 'wallet:'
const AD = 'ad:'

/** How long a reader uses one reading before it reads again. */
export const READ_AGE_MS = 5_000

/** The least time between a change and its effect. Every reader has read the change by then. */
export const LEAD_MS = 2 * READ_AGE_MS

/** How long the last known modes hold while they can't be read again. After that, nothing new is taken. */
export const LAST_KNOWN_MS = 300_000

const NONE = {}

/** Returns the name of a token's switch. */
export function tokenSwitch(token: string): string {
  return `token:${token}`
}

/**
 * Returns the name of a wallet's switch, which stops its stakes, picks, debits, credits, rollbacks and withdrawals.
 * @param wallet in EIP-55 form
 */
export function walletSwitch(wallet: string): string {
  return WALLET + wallet
}

/** Returns whether a switch is a wallet's. */
export function isWalletSwitch(name: string): boolean {
  return name.startsWith(WALLET)
}

/** Returns the name of an advertisement's switch. While it is closed, the ad isn't shown. @param id of its rental */
export function adSwitch(id: string): string {
  return AD + id
}

/** Returns whether a switch is an advertisement's. */
export function isAdSwitch(name: string): boolean {
  return name.startsWith(AD)
}

/** Returns a change without the switches of wallets. */
export function withoutWallets(change: ModesChange): ModesChange {
  const modes = Object.entries(change.modes).filter(([name]) => !isWalletSwitch(name))
  return { ...change, modes: Object.fromEntries(modes) }
}

/** Returns the name of a partner's switch. */
export function partnerSwitch(partner: string): string {
  return `partner:${partner}`
}

/** Returns the modes that hold at a time. */
export function modesAt(changes: readonly ModesChange[], now: number): Modes {
  return changes.findLast(({ takesEffectAt }) => takesEffectAt <= now)?.modes ?? NONE
}

/** Returns the terms that operators have set and that hold at a time. */
export function termsAt(changes: readonly ModesChange[], now: number): SetTerms {
  return changes.findLast(({ takesEffectAt }) => takesEffectAt <= now)?.terms ?? NONE
}

/** Returns the strictest mode of some switches, and the first switch that has it. */
export function strictest(modes: Modes, names: readonly string[]): { mode: Mode; name: string } {
  let found: { mode: Mode; name: string } = { mode: 'open', name: names[0] ?? EVERYTHING }
  for (const name of names) {
    const mode = Object.hasOwn(modes, name) ? (modes[name] ?? 'open') : 'open'
    if (MODES.indexOf(mode) > MODES.indexOf(found.mode)) found = { mode, name }
  }
  return found
}

/** The modes of a reader that has never had an answer. */
export const NOTHING_KNOWN: KnownModes = { changes: [], holdsUntil: 0 }

/**
 * Returns the modes as a reader knows them.
 * @param readAt when the reader asked for the changes
 */
export function knownModes(
  changes: readonly ModesChange[],
  readAt: number,
  now: number,
): KnownModes {
  const isRecent = isWithin(LEAD_MS, readAt, now)
  return { changes, holdsUntil: readAt + (isRecent ? LEAD_MS : LAST_KNOWN_MS) }
}

/**
 * Refuses anything new, such as a stake, unless all of its switches are open.
 * @param now by the clock of the object that decides
 */
export function checkOpenFor(
  known: KnownModes,
  names: readonly string[],
  now: number,
): Refusal | null {
  const { mode, name } = strictest(modesAt(known.changes, now), [...names, EVERYTHING])
  if (mode !== 'open') return notOpen(name, mode)
  return now < known.holdsUntil ? null : MODES_UNKNOWN
}

/** Refuses a pick or credit, which a draining switch allows, if one of its switches is closed. */
export function checkNotClosed(
  known: KnownModes,
  names: readonly string[],
  now: number,
): Refusal | null {
  const { mode, name } = strictest(modesAt(known.changes, now), [...names, EVERYTHING])
  return mode === 'closed' ? notOpen(name, mode) : null
}

/**
 * Refuses a new withdrawal while the operator has closed them, or the wallet. They continue while nothing is known.
 * @param wallet in EIP-55 form
 */
export function checkWithdrawals(known: KnownModes, wallet: string, now: number): Refusal | null {
  const { mode, name } = strictest(modesAt(known.changes, now), [WITHDRAWALS, walletSwitch(wallet)])
  return mode === 'open' ? null : notOpen(name, mode)
}

/**
 * Refuses a partner's transaction or rollback before its id is used, while the wallet is closed: once its ledger is
 * restored, every id that was used for it stands for a lost answer.
 * @param wallet in EIP-55 form
 */
export function checkWallet(known: KnownModes, wallet: string, now: number): Refusal | null {
  const { mode, name } = strictest(modesAt(known.changes, now), [walletSwitch(wallet)])
  return mode === 'closed' ? notOpen(name, mode) : null
}

/** Returns whether an advertisement is shown, as far as is known. @param id of its rental */
export function isAdShown(known: KnownModes, id: string, now: number): boolean {
  return strictest(modesAt(known.changes, now), [adSwitch(id)]).mode !== 'closed'
}

/** Returns whether queued withdrawals wait, too. */
export function areWithdrawalsClosed(changes: readonly ModesChange[], now: number): boolean {
  return strictest(modesAt(changes, now), [WITHDRAWALS]).mode === 'closed'
}

/** Returns the mode of a switch, or of everything if that is stricter, at a time. */
export function modeAt(changes: readonly ModesChange[], name: string, at: number): Mode {
  return strictest(modesAt(changes, at), [name, EVERYTHING]).mode
}

/** Returns the mode that holds once all announced changes have taken effect. */
export function announcedMode(changes: readonly ModesChange[], name: string): Mode {
  return modeAt(changes, name, Infinity)
}

const TITLES: Readonly<Record<string, string>> = {
  [EVERYTHING]: 'This site',
  [CRASH]: 'The crash table',
  [LOOTBOX]: 'The lootbox',
  [BOXES]: 'The sale of boxes',
}

function notOpen(name: string, mode: Mode): Refusal {
  const details = { name, mode }
  if (name === WITHDRAWALS) {
    const message = 'The operator has paused withdrawals. Your chips remain yours. Try again later.'
    return refuse('closed', message, details)
  }
  if (isWalletSwitch(name)) {
    const message =
      'The operator has closed this wallet while its ledger is being restored. Your chips remain yours. Try again later.'
    return refuse('closed', message, details)
  }
  const message =
    mode === 'draining'
      ? `${titleOf(name)} is closing and takes nothing new. Open bets and games end as usual. Try again later.`
      : `${titleOf(name)} is closed for maintenance. Try again later.`
  return refuse('closed', message, details)
}

function titleOf(name: string): string {
  const [kind, which] = name.split(':')
  if (which === undefined) return TITLES[name] ?? `The game of ${name}`
  return kind === 'token' ? `Play with ${which}` : `Play at ${which}`
}

const MODES_UNKNOWN = refuse(
  'closed',
  "The service can't check right now whether it is open, so it takes nothing new. Open bets and games end as usual. Try again in a moment.",
)
