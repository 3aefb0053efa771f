import { invariant } from '../core/invariant.ts'
import { PLAYERS_OWN, type Account, type Balances, type Posting } from '../ledger/accounts.ts'
import type { JournalEntry } from '../ledger/journal.ts'
import { partsOfId } from '../ledger/operation.ts'
import type { Totals } from '../ledger/totals.ts'
import { TOKENS, type Token } from '../money/token.ts'

/** A movement between two accounts of the house's books: one is debited and the other credited by the same amount. */
export interface DaybookLine {
  /** A token, or the asset of a prize. */
  asset: string
  debit: string
  credit: string
  /** In the asset's smallest unit, above zero. */
  amountWei: bigint
}

/**
 * The accounts of the house's books. A player's accounts keep the names of their ledger, after `players:`. Debits of
 * `vault` are the amounts that came in; credits of the others are amounts that the house owes, owns or has earned.
 */
export const FEES = 'fees'
export const PRIZES = 'prizes'
export const GAS = 'gas'
/** The pool that pays prizes. */
const POOL = 'pool'
/** The account that pays for gas. */
const RELAYER = 'relayer'
/** The house's own deposits into the vault, less its withdrawals. */
const FUNDS = 'funds'
/** The house's losses: deposits that were written off, and withdrawals that an operators' act ended. */
export const LOSSES = 'losses'
/** The movements of restored ledgers for the house: see {@link linesOf}. */
export const RESTORED_HOUSE = 'restored:house'
const RESTORED_PARTNER = 'restored:partner'
/** The winnings of open games of mines so far. They come back when the games end. */
const OPEN_GAMES = 'open-games'
const PLAYERS = 'players:'
export const WAGERS = 'wagers:'
export const PAYOUTS = 'payouts:'
export const PARTNER = 'partner:'

const CRASH = 'crash'

/** The parts of a journal's entry that its lines follow from. */
type Movement = Pick<JournalEntry, 'operationId' | 'request' | 'postings'>

/**
 * Returns the lines of an operation: one for each posting. A restored ledger's movements for the house and for partners
 * have accounts of their own, because one entry has the sum of all games and of all partners.
 */
export function linesOf(movement: Movement): DaybookLine[] {
  const { kind, names } = partsOfId(movement.operationId)
  return movement.postings.map((posting) => {
    const name = (account: Account, side: 'debit' | 'credit') => {
      if (account === 'house') return houseAccount(kind, movement, posting, side)
      if (account === 'partner') return kind === 'restored' ? RESTORED_PARTNER : PARTNER + names[0]
      return PLAYERS_OWN.includes(account) ? PLAYERS + account : account
    }
    return {
      asset: posting.token,
      debit: name(posting.from, 'debit'),
      credit: name(posting.to, 'credit'),
      amountWei: BigInt(posting.amountWei),
    }
  })
}

/** Returns the account that a ledger calls the house's: it depends on the kind of operation, as its id begins. */
function houseAccount(
  kind: string,
  { request }: Movement,
  { from, to }: Posting,
  side: 'debit' | 'credit',
): string {
  switch (kind) {
    case 'settle':
      return (side === 'credit' ? WAGERS : PAYOUTS) + CRASH
    case 'entropy': {
      if (from === 'in_play' || to === 'in_play') return OPEN_GAMES
      const [game] = JSON.parse(request) as [string]
      return (side === 'credit' ? WAGERS : PAYOUTS) + game
    }
    case 'pick':
      return OPEN_GAMES
    case 'funded':
    case 'house-withdrawn':
      return FUNDS
    case 'restored':
      return RESTORED_HOUSE
    default:
      return LOSSES
  }
}

/** Returns the line of a prize that was won: the house owes it from then on. */
export function prizeLine(asset: string, amountWei: bigint): DaybookLine {
  return { asset, debit: PRIZES, credit: POOL, amountWei }
}

/** Returns the line of gas, in the chain's native coin. */
export function gasLine(amountWei: bigint): DaybookLine {
  return { asset: 'ETH', debit: GAS, credit: RELAYER, amountWei }
}

/** Adds up the lines with the same asset and accounts, in a stable order. */
export function summed(lines: Iterable<DaybookLine>): DaybookLine[] {
  const sums = new Map<string, DaybookLine>()
  for (const line of lines) {
    const key = JSON.stringify([line.asset, line.debit, line.credit])
    const sum = sums.get(key)
    sums.set(key, { ...line, amountWei: (sum?.amountWei ?? 0n) + line.amountWei })
  }
  return [...sums].toSorted(([a], [b]) => (a < b ? -1 : Number(a > b))).map(([, line]) => line)
}

/** Returns each account's credits less its debits. All of them sum to zero. */
export function balancesOf(lines: readonly DaybookLine[], asset: string): Map<string, bigint> {
  const balances = new Map<string, bigint>()
  const add = (account: string, amountWei: bigint) =>
    balances.set(account, (balances.get(account) ?? 0n) + amountWei)
  for (const line of lines) {
    if (line.asset !== asset) continue
    add(line.debit, -line.amountWei)
    add(line.credit, line.amountWei)
  }
  const sum = [...balances.values()].reduce((total, balance) => total + balance, 0n)
  invariant(sum === 0n, `the books of ${asset} sum to ${sum}`)
  return balances
}

/** The state of a journal after an entry. */
type Amounts = { balances: Balances; totals: Totals }

/**
 * Compares lines with the state of a ledger's journal before and after the entries that they are from.
 * @returns the first difference, or null
 */
export function differenceOfLines(
  lines: readonly DaybookLine[],
  before: Amounts,
  after: Amounts,
): string | null {
  for (const token of TOKENS) {
    const moved = movedIn(lines, token)
    for (const [account, amountWei] of Object.entries(moved.accounts)) {
      const name = account as Account
      if (after.balances[token][name] - before.balances[token][name] !== amountWei) {
        return `${account} of ${token}`
      }
    }
    for (const total of ['wagered', 'returned'] as const) {
      if (after.totals[token][total] - before.totals[token][total] !== moved[total]) {
        return `${total} of ${token}`
      }
    }
  }
  return null
}

/** Returns the movements of a token by some lines, by the accounts of a ledger. */
function movedIn(lines: readonly DaybookLine[], token: Token) {
  const accounts: Record<Account, bigint> = {
    chips: 0n,
    in_play: 0n,
    withdrawing: 0n,
    quarantine: 0n,
    house: 0n,
    vault: 0n,
    partner: 0n,
    fees: 0n,
    faucet: 0n,
  }
  let [wagered, returned] = [0n, 0n]
  for (const [account, balance] of balancesOf(lines, token)) {
    if (account.startsWith(WAGERS)) wagered += balance
    if (account.startsWith(PAYOUTS)) returned -= balance
    accounts[ledgerAccount(account)] += balance
  }
  return { accounts, wagered, returned }
}

function ledgerAccount(account: string): Account {
  if (account.startsWith(PLAYERS)) return account.slice(PLAYERS.length) as Account
  if (account.startsWith(PARTNER) || account === RESTORED_PARTNER) return 'partner'
  return account === 'vault' || account === FEES || account === 'faucet' ? account : 'house'
}
