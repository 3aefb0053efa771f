import { concatBytes } from '@noble/hashes/utils'
import { retried } from '../../src/calls/call.ts'
import { ledger } from '../../src/calls/objects.ts'
import { invariant } from '../../src/core/invariant.ts'
import {
  playerPosition,
  playerPositions,
  unlistedWallets,
  type PlayerPosition,
} from '../../src/history/positions.ts'
import { perToken, type PerToken } from '../../src/money/token.ts'
import { isDoubtful } from '../../src/solvency/age.ts'
import { packRecord } from '../../src/solvency/leaf.ts'
import { CHUNK_LEAVES, MAX_WALLETS } from '../../src/solvency/sum-tree.ts'

/** Positions read from D1 in one query. */
const PAGE = 4 * CHUNK_LEAVES
/** The most queries of one stage. The leaves of their positions take some eight seconds of CPU time. */
const MAX_PAGES = 100

/**
 * The most ledgers that one stage asks. It may already have made as many others send a position, and an invocation
 * makes at most 1,000 calls.
 */
const MAX_ASKED = 400
const ASKED_AT_ONCE = 50

/** The debts that have been read so far. */
export interface Debts {
  /** The number of wallets. */
  count: number
  /** The number of rows that have their records. */
  rows: number
  /** The partners' debits less their credits, in smallest units. */
  partner: PerToken<bigint>
  /** Where to read on: after this wallet. */
  after: string
  isComplete: boolean
}

export function noDebts(): Debts {
  return { count: 0, rows: 0, partner: perToken(() => 0n), after: '', isComplete: false }
}

/**
 * Has missing positions of some wallets sent to D1. A wallet whose ledger isn't open has none, and nothing is owed to
 * it. Returns whether that was all: one call asks some ledgers at most, and the next call continues from there.
 * @param asked wallets that earlier calls have asked, which come last; this call adds its own
 * @throws if one of them does not answer
 */
export async function sendMissing(
  env: Env,
  wallets: readonly string[],
  asked: Set<string>,
): Promise<boolean> {
  const missing = await unlistedWallets(env.DB, [...wallets])
  const next = missing
    .toSorted((a, b) => Number(asked.has(a)) - Number(asked.has(b)))
    .slice(0, MAX_ASKED)
  for (let first = 0; first < next.length; first += ASKED_AT_ONCE) {
    const some = next.slice(first, first + ASKED_AT_ONCE)
    await Promise.all(some.map((wallet) => retried(async () => ledger(env, wallet).sendPosition())))
    for (const wallet of some) asked.add(wallet)
  }
  return next.length === missing.length
}

/** The inputs of one stage of a count. */
export interface Reading {
  /** When the count began, in unix milliseconds. */
  at: number
  /** Wallets whose ledgers are asked however new their positions are. */
  recent: ReadonlySet<string>
  /** Stores the packed records of the next wallets in a row. @param firstWallet the first of them */
  save: (row: number, firstWallet: string, records: Uint8Array) => void
}

/**
 * Continues reading the debts to wallets, from D1's positions, and from the ledgers whose position may be too old: up
 * to the last wallet, or as many as one stage can read and ask.
 * @throws if one of these ledgers does not answer, because its leaf could then be older than promised
 */
export async function readDebts(
  env: Env,
  debts: Debts,
  { at, recent, save }: Reading,
): Promise<Debts> {
  const partner = { ...debts.partner }
  let { count, rows, after } = debts
  for (let pages = 0, left = MAX_ASKED; pages < MAX_PAGES && left > 0; pages++) {
    const found = await playerPositions(env.DB, after, PAGE)
    const doubtful = found.filter(
      (position) => recent.has(position.wallet) || isDoubtful(position, at),
    )
    const next = doubtful[left]
    const page = next ? found.slice(0, found.indexOf(next)) : found
    await renew(env, page, doubtful.slice(0, left))
    left -= doubtful.length
    for (let first = 0; first < page.length; first += CHUNK_LEAVES) {
      const some = page.slice(first, first + CHUNK_LEAVES)
      const records = some.map(({ wallet, standing }) => packRecord(wallet, standing))
      save(rows++, some[0]?.wallet ?? '', concatBytes(...records))
    }
    for (const position of page) {
      partner.ETH += position.partner.ETH
      partner.USDG += position.partner.USDG
    }
    count += page.length
    invariant(count <= MAX_WALLETS, `a tree has at most ${MAX_WALLETS} wallets`)
    after = page.at(-1)?.wallet ?? after
    if (!next && found.length < PAGE) return { count, rows, partner, after, isComplete: true }
  }
  return { count, rows, partner, after, isComplete: false }
}

/**
 * Replaces positions of a page with the ledgers' own, unless D1 knows a later entry: then the ledger has gone back in
 * time, and a leaf older than a receipt would leave out part of the debt to the wallet.
 */
async function renew(
  env: Env,
  page: PlayerPosition[],
  doubtful: readonly PlayerPosition[],
): Promise<void> {
  for (let first = 0; first < doubtful.length; first += ASKED_AT_ONCE) {
    const some = doubtful.slice(first, first + ASKED_AT_ONCE)
    const found = await Promise.all(
      some.map(({ wallet, standing }) =>
        retried(async () => ledger(env, wallet).position(standing.seq)),
      ),
    )
    for (const [index, position] of some.entries()) {
      const newer = found[index]
      if (newer && newer.version >= position.standing.seq)
        page[page.indexOf(position)] = playerPosition(newer)
    }
  }
}
