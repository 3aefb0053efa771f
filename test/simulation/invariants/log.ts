import { betLeaf, betsRootOf } from '../../../src/crash/bets-root.ts'
import { macOf } from '../../../src/fairness/seed.ts'
import type { World } from '../world/world.ts'
import { currentRoundId, rowsOf, storedRound } from './rounds.ts'

interface LoggedEntry {
  index: number
  kind: string
  betsRoot?: string
  betCount?: number
  seedHash?: string
  edgeBps?: number
  terms?: string
}

/** The public log has each round's plan, bets and end, in this order, and as the round itself has them. */
export function checkLog(world: World): void {
  for (let roundId = 1; roundId <= currentRoundId(world); roundId++) checkLogged(world, roundId)
}

function checkLogged(world: World, roundId: number): void {
  const entries = entriesOf(world, roundId)
  const end = isVoided(world, roundId) ? 'void' : 'end'
  const kinds = entries.map(({ kind }) => kind).join(' ')
  if (kinds !== `plan bets ${end}`) return world.violate(`the log of round ${roundId} is: ${kinds}`)
  const root = rootOf(world, roundId)
  const wrong = entries.find(({ betsRoot }) => betsRoot !== undefined && betsRoot !== root)
  if (wrong) world.violate(`the log's ${wrong.kind} of round ${roundId} has another root`)
  const plan = storedRound(world, roundId)?.plan
  const logged = entries.find(({ kind }) => kind === 'plan')
  if (plan && (plan.edgeBps !== logged?.edgeBps || plan.terms !== logged.terms))
    world.violate(`round ${roundId} was played under other terms than those in its log`)
}

/** Returns whether a round was voided, by the table if the round itself is erased. */
function isVoided(world: World, roundId: number): boolean {
  const round = storedRound(world, roundId)
  if (round) return round.status === 'voided'
  const sql = `SELECT kind FROM rounds WHERE round_id = ${roundId}`
  return rowsOf(world, 'CrashTable', 'main', sql)[0]?.['kind'] === 'voided'
}

/** Returns the root over the bets that a round has stored. */
function rootOf(world: World, roundId: number): string {
  const rows = rowsOf(
    world,
    'CrashRound',
    String(roundId),
    `SELECT bet_id AS betId, wallet, token, amount_wei AS amountWei, auto_cashout AS autoCashout,
       (SELECT seed FROM round) AS seed FROM bets ORDER BY n`,
  )
  const leaves = rows.map(({ betId, wallet, token, amountWei, autoCashout, seed }, n) =>
    betLeaf(
      {
        betId: String(betId),
        wallet: String(wallet),
        token: token === 'ETH' ? 'ETH' : 'USDG',
        amountWei: BigInt(String(amountWei)),
        autoCashout: autoCashout === null ? null : Number(autoCashout),
      },
      n,
      macOf(String(seed)),
    ),
  )
  return betsRootOf(leaves)
}

function entriesOf(world: World, roundId: number): LoggedEntry[] {
  const rows = rowsOf(
    world,
    'TransparencyLog',
    'main',
    `SELECT idx AS "index", kind, entry FROM entries
       WHERE id = '${roundId}' AND kind IN ('plan', 'bets', 'end', 'void') ORDER BY idx`,
  )
  return rows.map(({ index, kind, entry }) => ({
    ...(JSON.parse(String(entry)) as object),
    index: Number(index),
    kind: String(kind),
  }))
}
