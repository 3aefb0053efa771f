import { env } from 'cloudflare:workers'
import { expect } from 'vitest'
import { HOUR_MS, MINUTE_MS } from '../../src/core/utc-day.ts'
import type { SolvencyProof, Statement } from '../../src/solvency/statement.ts'
import { sweep } from '../../src/sweep.ts'
import { verifySolvency, type KnownOfSolvency } from '../../src/verify/solvency.ts'
import { get, pass, ringLedger, type Answer, type Player } from '../workers/support.ts'

export const DEPOSIT = 1_000_000_000n

/** Reads the newest count with a player's own proof. */
export async function read(player: Player): Promise<Answer> {
  const query = new URLSearchParams({ wallet: player.wallet, authSig: await player.authSig() })
  return get(`/api/solvency?${query.toString()}`)
}

/** The claims that don't hold for a player. */
export async function failing(player: Player, known: KnownOfSolvency = {}): Promise<string[]> {
  const { status, body } = await read(player)
  expect(status).toBe(200)
  const { proof, ...statement } = body as Statement & { proof: SolvencyProof | null }
  return verifySolvency(statement, { wallet: player.wallet, proof }, known)
    .filter(({ holds }) => !holds)
    .map(({ claim }) => claim)
}

/** Has the players' ledgers send their positions, as they do within five minutes. */
export async function settle(...players: Player[]): Promise<void> {
  pass(5 * MINUTE_MS)
  for (const player of players) await ringLedger(player)
}

/** Counts as the cron handler does in the next hour. */
export async function count(): Promise<Statement> {
  pass(HOUR_MS)
  await sweep(env)
  return (await get('/api/solvency')).body
}

const POSITION = `INSERT OR REPLACE INTO ledger_positions (wallet, token, version, head_hash, accounts, unresolved,
    has_deposited, deposited, withdrawn, next_nonce, open_withdrawals, updated_at, owed_high, owed_low,
    house_high, house_low,
    vault_high, vault_low, partner_high, partner_low, faucet_high, faucet_low)`
const NOTHING_OWED = `'', '{}', 0, 0, '0', '0', 0, 0, ?2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0`

/** Gives D1 the position of a wallet that was sent at the beginning of time. */
export async function listWallet(wallet: string): Promise<void> {
  await env.DB.prepare(
    `${POSITION} SELECT ?1, value, 1, ${NOTHING_OWED} FROM json_each('["ETH", "USDG"]')`,
  )
    .bind(wallet, 0)
    .run()
}

/**
 * Gives D1 the positions of wallets whose chips have moved, with addresses before the players'.
 * @param sentAt when they were sent, in unix milliseconds
 */
export async function listWallets(wallets: number, sentAt = 0): Promise<void> {
  await env.DB.prepare(
    `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?1)
     ${POSITION}
     SELECT '0x' || printf('%040d', n), value, n, ${NOTHING_OWED}
     FROM numbers, json_each('["ETH", "USDG"]')`,
  )
    .bind(wallets, sentAt)
    .run()
}
