import { retried } from '../../src/calls/call.ts'
import { ledger } from '../../src/calls/objects.ts'
import { isRefusal } from '../../src/core/refusal.ts'
import type { OpenGame } from '../../src/exports/manifest.ts'
import { KEY_OF } from '../../src/exports/rows.ts'
import { activeWallets } from '../../src/history/exports.ts'
import { logFault } from '../../src/log.ts'
import type { Part } from '../kernel/kernel.ts'
import { firstRow } from '../kernel/rows.ts'
import type { ExportedPlays } from '../ledger/plays.ts'
import type { Job, Page, Source } from './source.ts'

/**
 * `exported_wallets` has the last operation of each wallet that has been exported. `owing_wallets` are asked even if D1
 * doesn't list them: they could not be asked the last time, have played in the last minutes, or have an open game.
 * `open_games` has the numbers of those games, which the day's plays lack.
 */
const TABLES = `
  CREATE TABLE exported_wallets (
    wallet TEXT PRIMARY KEY,
    seq INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE owing_wallets (wallet TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
  CREATE TABLE open_games (
    wallet TEXT PRIMARY KEY,
    nonce INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`

/** Wallets that are asked at the same time. Each answers with at most a thousand plays. */
const WALLETS = 10

type WalletPage = { wallet: string; after: number; answer: ExportedPlays | null }

/** Settled plays. Only the wallets' ledgers have them all, and each is asked for those after its cursor. */
export class Plays implements Part, Source {
  readonly migration = { id: 'exported-wallets', sql: TABLES }
  readonly dataset = 'plays'
  readonly #sql: SqlStorage
  readonly #env: Env
  readonly #object: string

  constructor(sql: SqlStorage, env: Env, object: string) {
    this.#object = object
    this.#sql = sql
    this.#env = env
  }

  /** Has some wallets asked even if D1 doesn't list them, in its caller's transaction. */
  owe(wallets: readonly string[]): void {
    this.#sql.exec(
      `INSERT INTO owing_wallets (wallet)
       SELECT value AS wallet FROM json_each(?) WHERE true ON CONFLICT DO NOTHING`,
      JSON.stringify(wallets),
    )
  }

  /** Returns the games that were open when the day's plays were read. */
  openGames(): OpenGame[] {
    return this.#sql
      .exec<{ wallet: string; nonce: number }>(
        'SELECT wallet, nonce FROM open_games ORDER BY wallet',
      )
      .toArray()
  }

  async page({ before, since }: Job, cursor: string): Promise<Page> {
    const wallets = await this.#wallets(cursor, since)
    const asked = await Promise.all(wallets.map((wallet) => this.#ask(wallet, before)))
    // A wallet's rows stay together, so the wallets after one with more plays wait for it.
    const more = asked.findIndex(({ answer }) => answer !== null && !answer.isAll)
    const taken = more === -1 ? asked : asked.slice(0, more + 1)
    const next = more === -1 ? wallets.at(-1) : (wallets[more - 1] ?? cursor)
    const isLast = more === -1 && wallets.length < WALLETS
    return {
      rows: taken.flatMap(({ wallet, answer }) =>
        (answer?.plays ?? []).map((play) => {
          const row = { wallet, ...play }
          return { key: KEY_OF.plays(row), line: JSON.stringify(row) }
        }),
      ),
      cursor: isLast ? null : (next ?? null),
      keep: () => this.#keep(taken),
    }
  }

  /** Returns the next wallets to ask, in order. */
  async #wallets(after: string, since: number): Promise<string[]> {
    const active = await activeWallets(this.#env.DB, { after, since, limit: WALLETS })
    const owing = this.#sql
      .exec<{ wallet: string }>(
        'SELECT wallet FROM owing_wallets WHERE wallet > ? ORDER BY wallet LIMIT ?',
        after,
        WALLETS,
      )
      .toArray()
      .map(({ wallet }) => wallet)
    return [...new Set([...active, ...owing])].toSorted(byCodeUnit).slice(0, WALLETS)
  }

  /** Asks a wallet's ledger. One that doesn't answer is asked again on the next day. */
  async #ask(wallet: string, before: number): Promise<WalletPage> {
    const row = firstRow(
      this.#sql.exec<{ seq: number }>('SELECT seq FROM exported_wallets WHERE wallet = ?', wallet),
    )
    const after = row?.seq ?? 0
    try {
      const answer = await retried(async () => ledger(this.#env, wallet).exportPlays(after, before))
      if (isRefusal(answer)) throw new Error(answer.error.message)
      return { wallet, after, answer }
    } catch (fault) {
      logFault('export_plays_failed', fault, { object: this.#object, wallet })
      return { wallet, after, answer: null }
    }
  }

  #keepOpen(wallet: string, nonce: number | null): void {
    if (nonce === null) this.#sql.exec('DELETE FROM open_games WHERE wallet = ?', wallet)
    else {
      this.#sql.exec(
        'INSERT OR REPLACE INTO open_games (wallet, nonce) VALUES (?, ?)',
        wallet,
        nonce,
      )
    }
  }

  #keep(asked: readonly WalletPage[]): void {
    for (const { wallet, after, answer } of asked) {
      if (!answer) {
        this.owe([wallet])
        continue
      }
      // After each stretch, so that the open game of a ledger that stops answering is named.
      this.#keepOpen(wallet, answer.openGame)
      const isDone = answer.isAll && answer.openGame === null
      if (isDone) this.#sql.exec('DELETE FROM owing_wallets WHERE wallet = ?', wallet)
      // A ledger that is still being read stays listed even if D1's list changes meanwhile, and so does an open game.
      else this.owe([wallet])
      if (answer.seq === after) continue
      this.#sql.exec(
        `INSERT INTO exported_wallets (wallet, seq) VALUES (?, ?)
         ON CONFLICT (wallet) DO UPDATE SET seq = excluded.seq`,
        wallet,
        answer.seq,
      )
    }
  }
}

/** Compares two texts in the database's order. */
function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}
