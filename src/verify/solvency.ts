import { canonicalJson } from '../core/canonical-json.ts'
import { isoTime, MINUTE_MS } from '../core/utc-day.ts'
import type { Check } from '../fairness/check.ts'
import { parseAmount } from '../money/amount.ts'
import { TOKENS, type PerToken, type Token } from '../money/token.ts'
import { COUNT_OLD_MS, EPOCH_MS, isNextEpoch, MAX_COUNT_MS } from '../solvency/age.ts'
import { climbProof } from '../solvency/proof.ts'
import {
  debtsOf,
  LEAF_AGE_MS,
  ratioOf,
  type CountedVault,
  type SolvencyProof,
  type Statement,
} from '../solvency/statement.ts'
import { powerOfTwo } from '../solvency/tree.ts'
import type { LogEntry } from '../transparency/entry.ts'
import { outOfOrder } from './journal-order.ts'

type Leaf = SolvencyProof['leaf']

/** A wallet and its own proof; null if the service has none, because the wallet isn't in the tree. */
export interface ProvenWallet {
  wallet: string
  proof: SolvencyProof | null
}

/** The public log's entry on an epoch. */
export interface LoggedStatement {
  /** The epoch's entry; null if the log has none. */
  entry: LogEntry | null
  /** Until when an honest house may not have logged the epoch, in unix milliseconds; null if it has, or must have. */
  awaitedUntil: number | null
  /** The newest epoch in the log; null if it has none. */
  newest: number | null
  /** Whether the log has earlier epochs, but not the one before. */
  isPreviousMissing: boolean
  /** When the debts were counted before, in unix milliseconds; null if that is not to be compared. */
  previousAt: number | null
  /** How the log contradicts its own signature; null if it doesn't. */
  fault: string | null
}

/** An entry of the wallet's journal that a receipt shows. A receipt's `iat` is in whole seconds. */
export interface ShownEntry {
  seq: number
  /** When it was made at the latest, in unix milliseconds. */
  at: number
  /** When it was made at the earliest; absent if only the time is known at which its receipt was there. */
  from?: number
  /** The debt to the wallet after it, in smallest units; absent if its receipt doesn't say. */
  owed?: PerToken<string>
}

/** The knowledge of the player or of anybody else from other sources. */
export interface KnownOfSolvency {
  receipts?: readonly ShownEntry[]
  /** The time by a clock that receipts can be held against, in unix milliseconds. It may be slow, as a device's. */
  clockAt?: number
  /** The wallet's secret as the service showed it before. */
  walletSalt?: string
  /**
   * From a node of the player's choice: which contract was read on which chain, its holdings after the published block,
   * the block's hash, when it was made, and when the block {@link CONFIRMED_BLOCKS} after it was made (null without
   * one). Both times are in unix milliseconds.
   */
  chain?: {
    contract: CountedVault
    holdings: PerToken<string>
    blockHash: string
    madeAt: number
    confirmedAt: number | null
  }
  /** When the service showed the statement as its newest one, by the reader's clock in unix milliseconds. */
  askedAt?: number
  /** The public log, which everybody sees. */
  logged?: LoggedStatement
}

/**
 * A count is of the newest block with enough confirmations. A house may wait for this many on a chain that rarely makes
 * blocks, and for more if they come within an hour.
 */
export const CONFIRMED_BLOCKS = 64

/**
 * A house reads the newest confirmed block right after the count begins. The times of blocks may be ahead of its clock
 * by this much, in milliseconds: a local chain dates each block a second after the last.
 */
const BLOCK_AHEAD_SKEW_MS = 5 * MINUTE_MS

/**
 * Checks the claims of an epoch's statement: that the wallet's chips are in the published sums, that its leaf is as new
 * as promised, and that the vault covers all debts. The debts to others can't be seen: each of them checks their own
 * leaf.
 */
export function verifySolvency(
  statement: Statement,
  proven: ProvenWallet | null,
  known: KnownOfSolvency = {},
): Check[] {
  return [
    ...(known.askedAt === undefined ? [] : [checkAge(statement, known.askedAt)]),
    ...(proven ? checkWallet(statement, proven, known) : []),
    ...checkDates(statement, known),
    ...checkOrder(known),
    ...TOKENS.flatMap((token) => checkHoldings(statement, token)),
    ...(known.chain ? checkChain(statement, known.chain) : []),
    ...(known.logged ? checkLogged(statement, known.logged, known.askedAt !== undefined) : []),
  ]
}

/** A house that stops counting, or dates a count back, would hide its newer debts. */
function checkAge({ at }: Statement, askedAt: number): Check {
  const claim = `the debts were counted at ${isoTime(at)}, within two hours of ${isoTime(askedAt)} by your clock`
  return { claim, holds: Math.abs(askedAt - at) <= COUNT_OLD_MS }
}

function checkWallet(
  statement: Statement,
  { wallet, proof }: ProvenWallet,
  known: KnownOfSolvency,
): Check[] {
  const { receipts = [] } = known
  const promised = receipts.filter(({ at }) => at < statement.at - LEAF_AGE_MS)
  const newest = Math.max(0, ...promised.map(({ seq }) => seq))
  if (!proof) {
    const claim = `the wallet has no leaf, and no receipt from before ${promisedSince(statement)}`
    return [
      { claim, holds: promised.length === 0 },
      // A wallet never leaves the tree, even if nothing is owed to it.
      ...(known.walletSalt === undefined
        ? []
        : [{ claim: 'the wallet has a leaf, since an earlier count had one', holds: false }]),
    ]
  }
  return [
    ...checkPath(statement, wallet, proof),
    ...(known.walletSalt === undefined
      ? []
      : [
          {
            claim: "the wallet's secret is as before",
            holds: proof.walletSalt === known.walletSalt,
          },
        ]),
    ...(promised.length === 0
      ? []
      : [
          {
            claim: `the leaf is of entry ${proof.leaf.seq}, no older than your receipt of entry ${newest}`,
            holds: proof.leaf.seq >= newest,
          },
        ]),
    ...checkLater(statement, proof.leaf, receipts),
    ...checkOwed(proof.leaf, receipts),
  ]
}

/** The number of an entry that was made after the count would free the house from every receipt. */
function checkLater({ at }: Statement, leaf: Leaf, receipts: readonly ShownEntry[]): Check[] {
  const readBy = at + MAX_COUNT_MS + CLOCK_SKEW_MS
  const later = receipts.filter(({ from }) => from !== undefined && from > readBy)
  if (later.length === 0) return []
  const oldest = Math.min(...later.map(({ seq }) => seq))
  const claim = `the leaf is of entry ${leaf.seq}, older than your receipt of entry ${oldest}, which is from after the count`
  return [{ claim, holds: leaf.seq < oldest }]
}

function checkOwed(leaf: Leaf, receipts: readonly ShownEntry[]): Check[] {
  return receipts.flatMap(({ seq, owed }) => {
    if (seq !== leaf.seq || !owed) return []
    const claim = `what you were owed after entry ${seq} is as in your receipt of it, ${owed.ETH} ETH wei and ${owed.USDG} USDG units`
    return [{ claim, holds: TOKENS.every((token) => owed[token] === leaf.owed[token]) }]
  })
}

/** Clocks may differ by this much. */
const CLOCK_SKEW_MS = 60_000

/**
 * A receipt binds only counts after its date, so the house could free itself by dating receipts ahead. The newest count
 * tells the house's own time: it is at most two hours old. A clock that can be relied on may tell a later one.
 */
function checkDates({ at }: Statement, { receipts = [], clockAt, askedAt }: KnownOfSolvency) {
  if (receipts.length === 0 || (clockAt ?? askedAt) === undefined) return []
  const counted = at + COUNT_OLD_MS
  const [until, limit] =
    clockAt === undefined || clockAt + CLOCK_SKEW_MS < counted
      ? [counted, `two hours after the newest count, ${isoTime(counted)}`]
      : [clockAt + CLOCK_SKEW_MS, `your clock, ${isoTime(clockAt)}`]
  const ahead = receipts.find((receipt) => receipt.at > until)
  const which = ahead ? `, as that of entry ${ahead.seq} is: ${isoTime(ahead.at)}` : ''
  return [{ claim: `no receipt of yours is dated later than ${limit}${which}`, holds: !ahead }]
}

/**
 * A leaf is held against receipts by their numbers, so a house could hide a debt under a number that it has not used.
 */
function checkOrder({ receipts = [] }: KnownOfSolvency): Check[] {
  const dated = receipts.flatMap(({ seq, from }) => (from === undefined ? [] : [{ seq, from }]))
  if (dated.length < 2) return []
  const [wrong] = outOfOrder(dated)
  const which = wrong
    ? `, unlike ${wrong.map(({ seq, from }) => `entry ${seq} of ${isoTime(from)}`).join(' and ')}`
    : ''
  return [
    {
      claim: `the dates of your receipts are in the order of their entries${which}`,
      holds: !wrong,
    },
  ]
}

function checkPath(statement: Statement, wallet: string, proof: SolvencyProof): Check[] {
  const { epoch, root, owed, leaves } = statement
  const climbed = climbProof(wallet, epoch, proof)
  const { leaf } = proof
  return [
    {
      claim: `the wallet's secret and epoch ${epoch} give the salt of its leaf`,
      holds: climbed?.salt === proof.salt,
    },
    {
      claim: `the leaf, with ${leaf.owed.ETH} ETH wei and ${leaf.owed.USDG} USDG units, leads to the top`,
      holds: climbed !== null && climbed.top === proof.top && climbed.size === powerOfTwo(leaves),
    },
    { claim: `the top and its sums give the root ${root}`, holds: climbed?.root === root },
    ...TOKENS.map((token) => ({
      claim: `what is owed in ${token}, ${owed[token]}, is the sum of the tree`,
      holds: climbed?.owed[token] === owed[token],
    })),
  ]
}

function checkHoldings(statement: Statement, token: Token): Check[] {
  const { vault, ratio } = statement
  const debts = debtsOf(statement, token)
  const held = parseAmount(vault.holdings[token])
  if (debts === null || held === null) {
    return [{ claim: `what is owed and held in ${token} are amounts`, holds: false }]
  }
  return [
    {
      claim: `the ratio of ${token}, ${ratio[token]}, is that of the vault's holdings to all debts`,
      holds: ratioOf(held, debts) === ratio[token],
    },
    { claim: `the vault holds all ${token} that is owed`, holds: held >= debts },
  ]
}

/**
 * Holdings of another time prove nothing: an older block may be from before some debts were paid out, and a newer one
 * has deposits that the count lacks.
 */
function checkChain(
  { at, vault, contract: counted }: Statement,
  { contract, holdings, blockHash, madeAt, confirmedAt }: NonNullable<KnownOfSolvency['chain']>,
): Check[] {
  const { chainId, address, usdg } = contract
  const named = { ETH: '', USDG: ` (${usdg})` }
  return [
    checkContract(counted, contract),
    {
      claim: `block ${vault.blockNumber} was one of the newest ${CONFIRMED_BLOCKS} within the hour before the count`,
      holds: confirmedAt === null || confirmedAt >= at - EPOCH_MS,
    },
    {
      claim: `block ${vault.blockNumber} was made at ${isoTime(madeAt)}, at most ${BLOCK_AHEAD_SKEW_MS / MINUTE_MS} minutes after the count began`,
      holds: madeAt <= at + BLOCK_AHEAD_SKEW_MS,
    },
    {
      claim: `block ${vault.blockNumber} is ${vault.blockHash} on the chain`,
      holds: blockHash === vault.blockHash,
    },
    ...TOKENS.map((token) => ({
      claim: `the vault's contract held ${vault.holdings[token]} of ${token}${named[token]} after it: ${address} on chain ${chainId}`,
      holds: holdings[token] === vault.holdings[token],
    })),
  ]
}

/** The house could name any address that holds enough, if only its answer of the moment named it. */
function checkContract(counted: CountedVault, { chainId, address, usdg }: CountedVault): Check {
  const claim = `the count is of the vault ${counted.address} with the USDG ${counted.usdg} on chain ${counted.chainId}, which was read`
  const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase()
  const holds =
    counted.chainId === chainId && isSame(counted.address, address) && isSame(counted.usdg, usdg)
  return { claim, holds }
}

/** The parts of a statement. */
const PARTS = ['at', 'root', 'owed', 'partners', 'vault', 'contract', 'leaves', 'ratio'] as const

/** @param isPresent whether the service shows the statement as its newest one: each player then sees the same */
function checkLogged(
  statement: Statement,
  { entry, awaitedUntil, newest, isPreviousMissing, previousAt, fault }: LoggedStatement,
  isPresent: boolean,
): Check[] {
  const { epoch, at } = statement
  if (fault !== null) return [{ claim: `the public log can be believed: ${fault}`, holds: false }]
  const signed = { claim: 'the public log is the signed one', holds: true }
  const found = { claim: `the public log has the statement of epoch ${epoch}`, holds: !!entry }
  if (!entry) return awaitedUntil === null ? [signed, found] : [signed]
  const others = PARTS.filter((part) => textOf(entry[part]) !== textOf(statement[part]))
  const differing = others.length === 0 ? '' : `: ${others.join(', ')}`
  return [
    signed,
    found,
    ...(isPresent
      ? [
          { claim: `it has no newer one than ${epoch}`, holds: newest === epoch },
          { claim: `it leaves none out before ${epoch}`, holds: !isPreviousMissing },
          {
            claim: 'it has no other one of the same hour',
            holds: previousAt === null || isNextEpoch(previousAt, at),
          },
        ]
      : []),
    { claim: `it says the same as the statement you see${differing}`, holds: others.length === 0 },
  ]
}

function textOf(value: unknown): string | null {
  return value === undefined ? null : canonicalJson(value)
}

function promisedSince({ at }: Statement): string {
  return new Date(at - LEAF_AGE_MS).toISOString()
}
