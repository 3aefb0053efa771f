import { max, min } from '../core/bigint.ts'
import { perToken, TOKENS, type PerToken, type Token } from '../money/token.ts'
import type { AccountEvents } from '../vault/events.ts'
import { lackOf, type AccountPosition } from './in-flight.ts'

/** The sums of all ledgers by their latest positions, in smallest units. */
export interface LedgerSums {
  /** Owed to players. */
  owedWei: bigint
  /** The house's results, fees and funds. */
  houseWei: bigint
  /** The partners' debits less their credits. */
  partnerWei: bigint
  /**
   * The amount that the faucet has taken back, less the amount that it gave: it stands in for the vault in local play.
   */
  faucetWei: bigint
  /** Net deposits into the vault. */
  vaultWei: bigint
}

/** The chain and the ledgers at one moment. */
export interface ReconciliationInput {
  /** The vault's actual balance after the block up to which its events were read. */
  held: PerToken<bigint>
  /** The vault's net deposits by all of its events. */
  net: PerToken<bigint>
  sums: PerToken<LedgerSums>
  /** The wallets that are compared one by one, and the house; each at most once. */
  accounts: readonly (AccountEvents & { position: AccountPosition | null })[]
}

/** Tokens in the vault that the chain itself says are gone. */
export const VAULT = 'vault'
/** Ledgers whose own accounts don't add up. */
export const LEDGERS = 'ledgers'
/** All wallets that are not compared one by one. */
export const OTHERS = 'others'

/** Returns whether a place is one ledger: a wallet's or the house's. */
export function isAccount(place: string): boolean {
  return place !== VAULT && place !== LEDGERS && place !== OTHERS
}

/** A difference between the chain and the ledgers that nothing in flight explains. */
export interface Drift {
  token: Token
  /** {@link VAULT}, {@link LEDGERS}, {@link OTHERS}, a wallet or the house. */
  place: string
  /** In smallest units: negative if the vault has less than the ledgers say. Never zero. */
  amountWei: bigint
}

/** How a token adds up, in smallest units: holdings = owed + partners + house + faucet + in flight + drift. */
export interface TokenReconciliation {
  /** The vault's holdings by its own totals, or its actual balance if that is less. */
  holdings: bigint
  /** Tokens in the vault that its totals don't have. Anybody can send some, and nobody can take them. */
  unbooked: bigint
  owed: bigint
  /** Owed to all partners together, less payments outside the service; negative if they owe the house. */
  partners: bigint
  house: bigint
  faucet: bigint
  /** On the chain and not yet in a position: deposits, less payouts. */
  inFlight: bigint
  drift: bigint
}

export interface ReconciliationResult {
  books: PerToken<TokenReconciliation>
  drifts: Drift[]
  /** The accounts that differ from their events, for any reason. They are compared until they agree. */
  differing: string[]
}

/**
 * Compares the vault's holdings with the ledgers, per token and place.
 * @param settledWei the payments to partners outside the service: the house made them, so the amount is the house's
 */
export function reconcile(
  reading: ReconciliationInput,
  settledWei: PerToken<bigint>,
): ReconciliationResult {
  const found = perToken((token) => reconcileToken(reading, token, settledWei[token]))
  return {
    books: perToken((token) => found[token].books),
    drifts: TOKENS.flatMap((token) => found[token].drifts),
    differing: reading.accounts
      .filter((account) => TOKENS.some((token) => unbookedOf(account, token) !== 0n))
      .map(({ wallet }) => wallet),
  }
}

/** Returns by how much an account's events exceed its position; negative if the position has more. */
function unbookedOf(
  { net, position }: ReconciliationInput['accounts'][number],
  token: Token,
): bigint {
  return net[token] - (position?.vault[token] ?? 0n)
}

function reconcileToken(
  { held, net, sums, accounts }: ReconciliationInput,
  token: Token,
  settledWei: bigint,
): { books: TokenReconciliation; drifts: Drift[] } {
  const { owedWei, houseWei, partnerWei, faucetWei, vaultWei } = sums[token]
  const holdings = min(held[token], net[token])
  const compared = accounts.map((account) => {
    const unbooked = unbookedOf(account, token)
    return { ...account, unbooked, inFlight: explained(account, token, unbooked) }
  })
  const sum = (field: 'unbooked' | 'inFlight') =>
    compared.reduce((total, account) => total + account[field], 0n)
  const places: [place: string, amountWei: bigint][] = [
    [VAULT, holdings - net[token]],
    [LEDGERS, vaultWei - owedWei - houseWei - partnerWei - faucetWei],
    [OTHERS, net[token] - vaultWei - sum('unbooked')],
    ...compared.map(({ wallet, unbooked, inFlight }): [string, bigint] => [
      wallet,
      unbooked - inFlight,
    ]),
  ]
  const inFlight = sum('inFlight')
  const books = {
    holdings,
    unbooked: held[token] - holdings,
    owed: owedWei,
    faucet: faucetWei,
    inFlight,
    partners: partnerWei - settledWei,
    house: houseWei + settledWei,
    drift: holdings - owedWei - houseWei - partnerWei - faucetWei - inFlight,
  }
  const drifts = places
    .filter(([, amountWei]) => amountWei !== 0n)
    .map(([place, amountWei]) => ({ token, place, amountWei }))
  return { books, drifts }
}

/** Returns the part of a wallet's difference that is in flight. */
function explained(
  { fresh, position }: ReconciliationInput['accounts'][number],
  token: Token,
  unbookedWei: bigint,
): bigint {
  const { least, most } = lackOf(fresh, position, token)
  return max(least, min(most, unbookedWei))
}
