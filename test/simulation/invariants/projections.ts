import { isDeepStrictEqual } from 'node:util'
import type { ExportedPlays } from '../../../durable-objects/ledger/plays.ts'
import type { StoredPlay } from '../../../src/games/play-request.ts'
import { PLAYS_OF_GAME, PLAYS_OF_WALLET } from '../../../src/history/plays.ts'
import type { Position } from '../../../src/history/positions.ts'
import { hasMoved } from '../../../src/ledger/totals.ts'
import { TOKENS } from '../../../src/money/token.ts'
import type { Row } from '../world/disk.ts'
import type { Place } from '../world/objects.ts'
import type { World } from '../world/world.ts'
import type { Ask } from './ledgers.ts'
import { payoutOf, rowsOf, storedRound } from './rounds.ts'

/** Everything that D1 holds agrees with the objects that own it, and nothing that it should show is missing. */
export async function checkProjections(world: World, ask: Ask): Promise<void> {
  if (!world.isRestoreNoticed) world.violate('nobody has noticed that D1 was restored')
  await checkPositions(world, ask)
  checkRounds(world)
  await checkFeed(world, ask)
}

async function checkPositions(world: World, ask: Ask): Promise<void> {
  for (const place of world.objects.of('Ledger')) {
    const position = (await ask(place, 'position')) as Position | null
    const sql = 'SELECT * FROM ledger_positions WHERE wallet = ?'
    const rows = rowsIn(world, 'DB', sql, place.name)
    if (!(position && hasMoved(position)) && rows.length === 0) continue
    if (position && rows.length === 0 && isForgettable(world, position)) continue
    if (!position || rows.length !== TOKENS.length) {
      world.violate(`D1 has ${rows.length} rows of the position of ${place.name}`)
      continue
    }
    for (const row of rows) {
      const differing = differenceOf(position, row)
      if (differing) world.violate(`D1 has a position of ${place.name} with another ${differing}`)
    }
  }
}

/** Nothing lists a wallet that never had chips, so a restored D1 learns of it with its next entry. */
function isForgettable(world: World, { balances, hasDeposited }: Position): boolean {
  if (hasDeposited || typeof world.databases['DB']?.restoredAt !== 'number') return false
  return TOKENS.every((token) => Object.values(balances[token]).every((wei) => wei === 0n))
}

/** Returns the first column in which a row differs from its position; null if none does. */
function differenceOf(position: Position, row: Row): string | null {
  const token = TOKENS.find((each) => each === row['token'])
  if (!token) return 'token'
  const { chips, in_play: inPlay, withdrawing, quarantine, ...others } = position.balances[token]
  const { house, fees, vault, partner, faucet } = others
  const sum = (name: string) =>
    BigInt(String(row[`${name}_high`])) * 10n ** 12n + BigInt(String(row[`${name}_low`]))
  const accounts = Object.entries(JSON.parse(String(row['accounts'])) as Record<string, string>)
  const pairs: Record<string, [unknown, unknown]> = {
    version: [row['version'], position.version],
    'head hash': [row['head_hash'], position.headHash],
    accounts: [
      Object.fromEntries(accounts.map(([name, wei]) => [name, BigInt(wei)])),
      position.balances[token],
    ],
    unresolved: [row['unresolved'], Number(position.unresolved)],
    'mark of a deposit': [row['has_deposited'], Number(position.hasDeposited)],
    deposited: [row['deposited'], position.totals[token].deposited.toString()],
    withdrawn: [row['withdrawn'], position.totals[token].withdrawn.toString()],
    'next nonce': [row['next_nonce'], position.nextNonce],
    'number of open withdrawals': [row['open_withdrawals'], position.openWithdrawals],
    owed: [sum('owed'), chips + inPlay + withdrawing + quarantine],
    house: [sum('house'), house + fees],
    vault: [sum('vault'), -vault],
    partner: [sum('partner'), partner],
    faucet: [sum('faucet'), faucet],
  }
  const differing = Object.entries(pairs).find(([, [one, other]]) => !isDeepStrictEqual(one, other))
  return differing?.[0] ?? null
}

/**
 * D1 has each round that the table knows, as it ended, with its bets as the round has stored them. Once they have been
 * exported, it may lack some.
 */
function checkRounds(world: World): void {
  const known = rowsOf(world, 'CrashTable', 'main', 'SELECT round_id AS id, result FROM rounds')
  for (const { id, result } of known) {
    const roundId = Number(id)
    const sql = 'SELECT result, plan FROM crash_rounds WHERE round_id = ?'
    const [row] = rowsIn(world, 'HISTORY', sql, roundId)
    if (row?.['result'] !== result) world.violate(`D1 does not have round ${roundId} as it ended`)
    const bets = storedBets(world, roundId)
    const plan = bets.length > 0 ? storedRound(world, roundId)?.plan : null
    if (row && !isDeepStrictEqual(JSON.parse(String(row['plan'])), plan))
      world.violate(`D1 has round ${roundId} with another plan`)
    const listed = rowsIn(
      world,
      'HISTORY',
      'SELECT * FROM crash_bets WHERE round_id = ? ORDER BY n',
      roundId,
    )
    const expected = isExported(world, roundId)
      ? bets.filter((bet) => listed.some(({ wallet }) => wallet === bet['wallet']))
      : bets
    if (!isDeepStrictEqual(listed, expected))
      world.violate(`D1 has other bets of round ${roundId} than the round itself`)
  }
  const last = Math.max(0, ...known.map(({ id }) => Number(id)))
  const unknown = rowsIn(
    world,
    'HISTORY',
    'SELECT round_id FROM crash_rounds WHERE round_id > ?',
    last,
  )
  if (unknown.length > 0)
    world.violate(`D1 has rounds after ${last}, which the table does not know`)
}

/** Returns whether the bets of a round are in the files of a closed day. */
function isExported(world: World, roundId: number): boolean {
  const [progress] = rowsOf(world, 'Exporter', 'main', 'SELECT rounds_after FROM progress')
  const missing = rowsOf(world, 'Exporter', 'main', 'SELECT round_id FROM missing_rounds')
  if (missing.some((row) => Number(row['round_id']) === roundId)) return false
  return roundId <= Number(progress?.['rounds_after'] ?? 0)
}

/** Returns the bets of an ended round as D1 should have them. */
function storedBets(world: World, roundId: number): Row[] {
  const round = storedRound(world, roundId)
  if (!round) return []
  const rows = rowsOf(
    world,
    'CrashRound',
    String(roundId),
    `SELECT wallet, n, bet_id, token, amount_wei, auto_cashout AS auto_cashout_hundredths, placed_at,
       cashout AS cashout_hundredths, cashed_out_at FROM bets ORDER BY n`,
  )
  return rows.map((row, index) => {
    const bet = round.bets.find(({ betId }) => betId === row['bet_id'])
    const isVoid = round.status === 'voided'
    const payout = isVoid ? row['amount_wei'] : bet && payoutOf(bet).toString()
    return { round_id: roundId, ...row, n: index, payout_wei: payout ?? null }
  })
}

/** The feed has the newest plays of each game that their ledgers keep, and none that differs from its ledger's. */
async function checkFeed(world: World, ask: Ask): Promise<void> {
  const fed = rowsIn(world, 'HISTORY', 'SELECT * FROM recent_plays')
  const listed = new Map(
    fed.map((row) => [`${String(row['wallet'])}:${String(row['nonce'])}`, row]),
  )
  for (const place of world.objects.of('Ledger')) {
    const plays = await playsOf(ask, place)
    const keptFrom = Math.max(0, ...plays.map(({ nonce }) => nonce)) + 1 - PLAYS_OF_WALLET
    for (const play of plays) {
      const { nonce, game, settledAt } = play
      const id = `${place.name}:${nonce}`
      const row = listed.get(id)
      listed.delete(id)
      const own = { game, settled_at: settledAt, play: { wallet: place.name, ...play } }
      if (row && !isDeepStrictEqual(shownPlay(row), own))
        world.violate(`D1 has another play ${id} than its ledger`)
      const isNewer = (other: Row) =>
        other['game'] === game && Number(other['settled_at']) > settledAt
      if (!row && nonce >= keptFrom && fed.filter(isNewer).length < PLAYS_OF_GAME)
        world.violate(`D1 lacks the play ${id} of ${game}`)
    }
  }
  for (const id of listed.keys())
    world.violate(`D1 has the play ${id}, which its ledger does not have`)
}

function shownPlay({ game, settled_at, play }: Row): object {
  return { game, settled_at, play: JSON.parse(String(play)) as object }
}

/** Returns all plays that a ledger has settled, as the feed shows them. */
async function playsOf(ask: Ask, place: Place): Promise<StoredPlay[]> {
  const plays: StoredPlay[] = []
  for (let after = 0; ;) {
    const stretch = (await ask(place, 'exportPlays', [after, Infinity])) as ExportedPlays | null
    if (!stretch) return plays
    plays.push(...stretch.plays.map(({ terms: _terms, ...play }) => play))
    if (stretch.isAll) return plays
    after = stretch.seq
  }
}

function rowsIn(world: World, database: string, sql: string, ...bindings: unknown[]): Row[] {
  return world.databases[database]?.disk.exec(sql, bindings).rows ?? []
}
