import { concatBytes } from '@noble/hashes/utils'
import { invariant } from '../../src/core/invariant.ts'
import {
  playerPosition,
  playerPositions,
  unlistedWallets,
  type PlayerPosition,
} from '../../src/history/positions.ts'
import { perToken, type PerToken } from '../../src/money/token.ts'
import { ledger, retried } from '../../src/objects.ts'
import { isDoubtful } from '../../src/solvency/age.ts'
import { packRecord } from '../../src/solvency/leaf.ts'
import { CHUNK_LEAVES, MAX_WALLETS } from '../../src/solvency/sum-tree.ts'

/** Positions read from D1 in one query. */
const PAGE = 4 * CHUNK_LEAVES

/**
 * The most ledgers that one stage asks, after as many that it may have made send a position: an invocation makes
 * at most 1,000 calls.
 */
const MAX_ASKED = 400
const ASKED_AT_ONCE = 50

/** Some players' packed records, in the order of D1. */
export interface RecordPage {
  records: Uint8Array
  /** The wallets with which chunks of records begin. */
  firstWallets: string[]
}

/** The debts that have been read so far. */
export interface Debts {
  /** Those that the latest stage has read. */
  pages: RecordPage[]
  count: number
  /** The partners' debits less their credits, in smallest units. */
  partner: PerToken<bigint>
  /** Where to read on: after this wallet. */
  after: string
  isComplete: boolean
}

export function noDebts(): Debts {
  return { pages: [], count: 0, partner: perToken(() => 0n), after: '', isComplete: false }
}

/**
 * Has missing positions of some wallets sent to D1. A wallet without books has none, and nothing is owed to it.
 * Returns whether that was all: one call asks some ledgers at most, and the next call continues from there.
 * @throws if one of them does not answer
 */
export async function sendMissing(env: Env, wallets: readonly string[]): Promise<boolean> {
  const missing = await unlistedWallets(env.DB, [...wallets])
  const asked = missing.slice(0, MAX_ASKED)
  for (let first = 0; first < asked.length; first += ASKED_AT_ONCE) {
    const some = asked.slice(first, first + ASKED_AT_ONCE)
    await Promise.all(some.map((wallet) => retried(async () => ledger(env, wallet).sendPosition())))
  }
  return asked.length === missing.length
}

/**
 * Reads on what wallets are owed, from D1's positions, and from the ledgers whose position may be too old: to the
 * last wallet, or as many as one stage can ask for.
 * @param at when the count began
 * @param recent wallets whose ledgers are asked however new their positions are
 * @throws if one of these ledgers does not answer, because its leaf could then be older than promised
 */
export async function readDebts(
  env: Env,
  debts: Debts,
  at: number,
  recent: ReadonlySet<string>,
): Promise<Debts> {
  const pages: RecordPage[] = []
  const partner = { ...debts.partner }
  let { count, after } = debts
  for (let left = MAX_ASKED; left > 0;) {
    const found = await playerPositions(env.DB, after, PAGE)
    const doubtful = found.filter(
      (position) => recent.has(position.wallet) || isDoubtful(position, at),
    )
    const next = doubtful[left]
    const page = next ? found.slice(0, found.indexOf(next)) : found
    await renew(env, page, doubtful.slice(0, left))
    left -= doubtful.length
    pages.push(pageOf(page, count))
    for (const position of page) {
      partner.ETH += position.partner.ETH
      partner.USDG += position.partner.USDG
    }
    count += page.length
    invariant(count <= MAX_WALLETS, `a tree has at most ${MAX_WALLETS} wallets`)
    after = page.at(-1)?.wallet ?? after
    if (!next && found.length < PAGE) return { pages, count, partner, after, isComplete: true }
  }
  return { pages, count, partner, after, isComplete: false }
}

/** @param first the number of wallets before the page */
function pageOf(page: readonly PlayerPosition[], first: number): RecordPage {
  return {
    records: concatBytes(...page.map(({ wallet, standing }) => packRecord(wallet, standing))),
    firstWallets: page
      .filter((_, index) => (first + index) % CHUNK_LEAVES === 0)
      .map(({ wallet }) => wallet),
  }
}

/** Replaces positions of a page by what their ledgers say. */
async function renew(
  env: Env,
  page: PlayerPosition[],
  doubtful: readonly PlayerPosition[],
): Promise<void> {
  for (let first = 0; first < doubtful.length; first += ASKED_AT_ONCE) {
    const some = doubtful.slice(first, first + ASKED_AT_ONCE)
    const found = await Promise.all(
      some.map(({ wallet }) => retried(async () => ledger(env, wallet).position())),
    )
    for (const [index, position] of some.entries()) {
      const newer = found[index]
      if (newer) page[page.indexOf(position)] = playerPosition(newer)
    }
  }
}
