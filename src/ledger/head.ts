import { bytesToHex, bytesToUtf8, hexToBytes } from '@noble/hashes/utils'
import { invariant } from '../core/invariant.ts'
import { utf8 } from '../core/utf8.ts'
import type { Hundredths } from '../money/multiplier.ts'
import { TOKENS, type Token } from '../money/token.ts'
import { ACCOUNTS, emptyBalances, type Balances } from './accounts.ts'
import { PackedReader, pushBytes, pushNumber, pushSigned } from './packing.ts'
import {
  pushProtectionCounters,
  readProtectionCounters,
  type ProtectionCounters,
} from './protection-counters.ts'
import { emptyTotals, TOTALS, type Totals } from './totals.ts'

/** A bet whose stake is held until its round reports how it ended. */
export interface HeldBet {
  roundId: number
  /** The number of the wallet's earlier bets in the round, which were all refused. */
  attempt: number
  token: Token
  amountWei: bigint
  autoCashout: Hundredths | null
  /** The multiplier at which the round pays it automatically; null if only the player cashes it out. */
  target: Hundredths | null
  placedAt: number
  /** Until then the round may still be asked to accept the bet, so it isn't asked how the bet ended. */
  closesAt: number
}

/** A game of mines that its player has not ended: its current payout is held in play. */
export interface HeldGame {
  /** Its number among the wallet's plays. */
  nonce: number
  /** In hex. Kept secret until the game ends. */
  seed: string
  /** The commitment of the play after it, in hex. */
  nextSeedHash: string
  clientSeed: string
  token: Token
  /** The stake. */
  amountWei: bigint
  /** The number of mines. */
  mines: number
  /** The pick that ends the game. */
  maxPicks: number
  /** The safe tiles, in the order picked. */
  picked: readonly number[]
  edgeBps: number
  /** The version of the pay tables when it opened. */
  tables: number
  /** The hash of the terms of play that it began with, in hex. */
  terms: string
  openedAt: number
}

/** The state of a journal after an entry. It has the seed of the next play, so it never leaves its object. */
export interface Head {
  balances: Balances
  totals: Totals
  /** The number and the seed of the next play, in hex; null before the first play. */
  nextPlay: { nonce: number; seed: string } | null
  /** The latest crash round that the wallet has tried to bet in, and how often; 0 before the first. */
  lastRoundId: number
  attempts: number
  /** The open bets, oldest first: one at a time unless a round does not answer. */
  openBets: readonly HeldBet[]
  /** Null unless a game of mines is open. It has its seed. */
  openGame: HeldGame | null
  /** The counters of the player's limits; null until they first ask for protection. */
  guarded: ProtectionCounters | null
}

export const EMPTY_HEAD: Head = {
  balances: emptyBalances(),
  totals: emptyTotals(),
  nextPlay: null,
  lastRoundId: 0,
  attempts: 0,
  openBets: [],
  openGame: null,
  guarded: null,
}

/** Returns the stakes in a token that are not decided, in smallest units. */
export function openStakes(
  { openBets, openGame }: Pick<Head, 'openBets' | 'openGame'>,
  token: Token,
): bigint {
  return [...openBets, ...(openGame ? [openGame] : [])]
    .filter((stake) => stake.token === token)
    .reduce((total, { amountWei }) => total + amountWei, 0n)
}

/** The first byte. A different layout, such as one with another account or token, has a different number. */
const LAYOUT = 5
const HASH_BYTES = 32

/** The number of amounts that {@link amountsOf} returns. */
const AMOUNTS = ACCOUNTS.length + TOTALS.length
invariant(AMOUNTS < 31, 'the bits of the amounts fit a number')

/**
 * Packs a head into bytes: for each token which amounts are not zero, as bits in the order of {@link amountsOf}, and
 * those amounts; then the latest round, the attempts in it, twice the number of open bets plus the number of open
 * games, those bets and that game, the next play's nonce plus one, or zero, and its seed; and for a player with limits
 * their counters.
 */
export function packHead(head: Head): Uint8Array {
  const { nextPlay, lastRoundId, attempts, openBets, openGame, guarded } = head
  const bytes = [LAYOUT]
  for (const token of TOKENS) {
    const amounts = amountsOf(head, token)
    const bits = amounts.reduce(
      (all, amount, index) => (amount === 0n ? all : all | (1 << index)),
      0,
    )
    pushNumber(bytes, BigInt(bits))
    for (const amount of amounts) if (amount !== 0n) pushSigned(bytes, amount)
  }
  pushNumber(bytes, BigInt(lastRoundId))
  pushNumber(bytes, BigInt(attempts))
  pushNumber(bytes, BigInt(2 * openBets.length + (openGame ? 1 : 0)))
  for (const bet of openBets) {
    const { roundId, attempt, token, autoCashout, target, placedAt, closesAt } = bet
    for (const number of [roundId, attempt, TOKENS.indexOf(token), placedAt, closesAt]) {
      pushNumber(bytes, BigInt(number))
    }
    for (const multiplier of [autoCashout, target]) pushNumber(bytes, BigInt(multiplier ?? 0))
    pushNumber(bytes, bet.amountWei)
  }
  if (openGame) pushGame(bytes, openGame)
  pushNumber(bytes, nextPlay ? BigInt(nextPlay.nonce) + 1n : 0n)
  if (nextPlay) bytes.push(...hexToBytes(nextPlay.seed))
  if (guarded) pushProtectionCounters(bytes, guarded)
  return Uint8Array.from(bytes)
}

/** Reverses {@link packHead}. @throws InvariantError if the bytes are not a packed head */
export function unpackHead(bytes: Uint8Array): Head {
  const reader = new PackedReader(bytes)
  invariant(reader.byte() === LAYOUT, `a head begins with ${LAYOUT}`)
  const [balances, totals] = [emptyBalances(), emptyTotals()]
  for (const token of TOKENS) {
    const bits = reader.number()
    invariant(bits >> BigInt(AMOUNTS) === 0n, 'a head has known amounts only')
    const amounts = Array.from({ length: AMOUNTS }, (_, index) =>
      (bits >> BigInt(index)) & 1n ? reader.signed() : 0n,
    )
    for (const [index, account] of ACCOUNTS.entries()) {
      balances[token][account] = amounts[index] ?? 0n
    }
    totals[token] = totalsOf(amounts.slice(ACCOUNTS.length), balances[token])
  }
  const [lastRoundId, attempts] = [Number(reader.number()), Number(reader.number())]
  const open = Number(reader.number())
  const openBets = Array.from({ length: Math.floor(open / 2) }, () => readBet(reader))
  const openGame = open % 2 === 1 ? readGame(reader) : null
  const played = reader.number()
  const nextPlay =
    played === 0n ? null : { nonce: Number(played) - 1, seed: bytesToHex(reader.bytes(HASH_BYTES)) }
  const guarded = reader.isAtEnd ? null : readProtectionCounters(reader)
  invariant(reader.isAtEnd, 'a head is no longer than it says')
  return { balances, totals, nextPlay, lastRoundId, attempts, openBets, openGame, guarded }
}

/**
 * Returns the amounts of a token as they are packed: the accounts, then the totals. Two of the totals usually follow
 * from the others and the accounts, so only their differences are packed: zero, mostly.
 */
function amountsOf({ balances, totals }: Head, token: Token): bigint[] {
  const { wagered, returned, deposited, withdrawn, bets, debited } = totals[token]
  const { house, outside } = counterpartiesOf(balances[token])
  return [
    ...ACCOUNTS.map((account) => balances[token][account]),
    wagered,
    returned - wagered + house,
    deposited,
    withdrawn - deposited - outside,
    bets,
    debited,
  ]
}

/** Reverses {@link amountsOf}. */
function totalsOf(
  [
    wagered = 0n,
    winnings = 0n,
    deposited = 0n,
    net = 0n,
    bets = 0n,
    debited = 0n,
  ]: readonly bigint[],
  accounts: Balances[Token],
): Totals[Token] {
  const { house, outside } = counterpartiesOf(accounts)
  const [returned, withdrawn] = [winnings + wagered - house, net + deposited + outside]
  return { wagered, returned, deposited, withdrawn, bets, debited }
}

/** Returns a player's losses to the house, and withdrawals less deposits. */
function counterpartiesOf({ house, vault, faucet }: Balances[Token]) {
  return { house, outside: vault + faucet }
}

function readBet(reader: PackedReader): HeldBet {
  const number = () => Number(reader.number())
  const [roundId, attempt, token] = [number(), number(), TOKENS[number()]]
  invariant(token, 'a bet has a known token')
  const [placedAt, closesAt] = [number(), number()]
  const [autoCashout, target] = [number() || null, number() || null]
  const amountWei = reader.number()
  return { roundId, attempt, token, amountWei, autoCashout, target, placedAt, closesAt }
}

function pushGame(bytes: number[], game: HeldGame): void {
  const { nonce, token, mines, maxPicks, edgeBps, tables, openedAt, picked } = game
  const numbers = [nonce, TOKENS.indexOf(token), mines, maxPicks, edgeBps, tables, openedAt]
  for (const number of numbers) pushNumber(bytes, BigInt(number))
  pushNumber(bytes, game.amountWei)
  pushBytes(bytes, picked)
  pushBytes(bytes, utf8(game.clientSeed))
  for (const hash of [game.seed, game.nextSeedHash, game.terms]) bytes.push(...hexToBytes(hash))
}

function readGame(reader: PackedReader): HeldGame {
  const number = () => Number(reader.number())
  const [nonce, token, mines, maxPicks] = [number(), TOKENS[number()], number(), number()]
  invariant(token, 'a game has a known token')
  const [edgeBps, tables, openedAt] = [number(), number(), number()]
  const amountWei = reader.number()
  const picked = [...reader.bytes(number())]
  const clientSeed = bytesToUtf8(reader.bytes(number()))
  const hash = () => bytesToHex(reader.bytes(HASH_BYTES))
  const [seed, nextSeedHash, terms] = [hash(), hash(), hash()]
  const stake = { token, amountWei, clientSeed, edgeBps, tables, terms }
  return { nonce, seed, nextSeedHash, ...stake, mines, maxPicks, picked, openedAt }
}
