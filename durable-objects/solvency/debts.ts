import { concatBytes } from '@noble/hashes/utils'
import { invariant } from '../../src/core/invariant.ts'
import {
  playerPosition,
  playerPositions,
  unlistedWallets,
  type PlayerPosition,
} from '../../src/history/positions.ts'
import { logFault } from '../../src/log.ts'
import { perToken, type PerToken } from '../../src/money/token.ts'
import { ledger, retried } from '../../src/objects.ts'
import { isDoubtful } from '../../src/solvency/age.ts'
import { packRecord, RECORD_BYTES } from '../../src/solvency/leaf.ts'
import { CHUNK_LEAVES, MOST_WALLETS } from '../../src/solvency/sum-tree.ts'

/** Positions read from D1 in one query. */
const PAGE = 4 * CHUNK_LEAVES

/** The most ledgers that are asked for one tree, and at a time. */
const MOST_ASKED = 500
const ASKED_AT_ONCE = 50

/** All debts at a time. */
export interface Debts {
  /** The players' packed records, in the order of D1. */
  records: Uint8Array
  /** The first wallet of each chunk of records. */
  firstWallets: string[]
  count: number
  /** The partners' debits less their credits, in smallest units. */
  partner: PerToken<bigint>
}

/**
 * Has missing positions of some wallets sent to D1. A wallet without books has none, and nothing is owed to it.
 * Returns whether that was all: one call asks 500 ledgers at most, and the next call goes on from there.
 * @throws if one of them does not answer
 */
export async function sendMissing(env: Env, wallets: readonly string[]): Promise<boolean> {
  const missing = await unlistedWallets(env.DB, [...wallets])
  const asked = missing.slice(0, MOST_ASKED)
  for (let first = 0; first < asked.length; first += ASKED_AT_ONCE) {
    const some = asked.slice(first, first + ASKED_AT_ONCE)
    await Promise.all(some.map((wallet) => retried(async () => ledger(env, wallet).sendPosition())))
  }
  return asked.length === missing.length
}

/**
 * Reads what every wallet is owed, from D1's positions, and from the ledgers whose position may be too old.
 * @param recent wallets whose ledgers are asked however new their positions are
 * @throws if one of these ledgers does not answer, because its leaf could then be older than promised
 */
export async function readDebts(env: Env, at: number, recent: ReadonlySet<string>): Promise<Debts> {
  const pages: Uint8Array[] = []
  const firstWallets: string[] = []
  const partner = perToken(() => 0n)
  let [count, asked]: [number, number] = [0, 0]
  for (let after: string | null = null; ;) {
    const page: PlayerPosition[] = await playerPositions(env.DB, after, PAGE)
    const doubtful = page.filter(
      (position) => recent.has(position.wallet) || isDoubtful(position, at),
    )
    if (doubtful.length > 0) asked += await renew(env, page, doubtful.slice(0, MOST_ASKED - asked))
    for (const position of page) {
      if (count % CHUNK_LEAVES === 0) firstWallets.push(position.wallet)
      partner.ETH += position.partner.ETH
      partner.USDG += position.partner.USDG
      count++
    }
    pages.push(concatBytes(...page.map(({ wallet, standing }) => packRecord(wallet, standing))))
    invariant(count <= MOST_WALLETS, `a tree has at most ${MOST_WALLETS} wallets`)
    after = page.at(-1)?.wallet ?? null
    if (page.length < PAGE) break
  }
  if (asked >= MOST_ASKED) {
    logFault('solvency_asks_limited', new Error('too many positions may be old'), { asked })
  }
  const records = concatBytes(...pages)
  invariant(records.length === count * RECORD_BYTES, 'every wallet has a record')
  return { records, firstWallets, count, partner }
}

/** Replaces positions of a page by what their ledgers say. Returns how many were asked. */
async function renew(
  env: Env,
  page: PlayerPosition[],
  doubtful: readonly PlayerPosition[],
): Promise<number> {
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
  return doubtful.length
}
