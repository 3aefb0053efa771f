import { beaconRandomness } from '../../../src/fairness/drand.ts'
import type { PepperSource } from '../../../src/fairness/pepper.ts'
import { HOUSE } from '../../../src/ledger/accounts.ts'
import { TOKENS } from '../../../src/money/token.ts'
import { STRANGER } from '../wallets.ts'
import { signatureOf } from '../world/relays.ts'
import type { World } from '../world/world.ts'
import { auditLedgers, type Ask, type JournalWatch, type SoundAudit } from './ledgers.ts'
import { checkLog } from './log.ts'
import { writtenOffWei } from './missing-deposits.ts'
import { paidAfterBurnWei } from './paid-after-burn.ts'
import { checkProjections } from './projections.ts'
import { checkExposure, checkRoom } from './room.ts'
import { currentRoundId, endOf, payoutOf, rowsOf, storedRound, type StoredRound } from './rounds.ts'

/**
 * What must hold once the faults have ended and everything has had its time.
 * @returns the books of the players
 */
export async function checkAtRest(
  world: World,
  journals: JournalWatch,
  ask: Ask,
): Promise<ReadonlyMap<string, SoundAudit>> {
  const audits = await auditLedgers(world, ask)
  // It has no chips, and asked for none.
  audits.delete(STRANGER)
  for (const [wallet, audit] of audits) checkLedgerAtRest(world, wallet, audit)
  checkConservation(world, audits)
  checkPlays(world)
  checkLog(world)
  await checkProjections(world, ask)
  for (let roundId = 1; roundId <= currentRoundId(world); roundId++)
    checkRound(world, journals, roundId)
  return audits
}

function checkLedgerAtRest(world: World, wallet: string, { balances }: SoundAudit): void {
  for (const token of TOKENS) {
    const inPlay = balances[token]['in_play']
    if (inPlay !== '0') world.violate(`${wallet} still has ${inPlay} ${token} in play`)
  }
}

/** Chips come from the faucet only; the house has won what players have lost, and nothing else. */
function checkConservation(world: World, audits: Map<string, SoundAudit>): void {
  for (const token of TOKENS) {
    let [fromFaucet, held] = [0n, 0n]
    for (const { balances } of audits.values()) {
      for (const [account, amount] of Object.entries(balances[token])) {
        if (account === 'faucet') fromFaucet -= BigInt(amount)
        else held += BigInt(amount)
      }
    }
    if (fromFaucet !== held) world.violate(`${fromFaucet} ${token} came in, but ${held} is there`)
    const players = [...audits.keys()].filter((wallet) => wallet !== HOUSE)
    const expected = world.chain ? 0n : BigInt(FUNDED[token]) * BigInt(players.length)
    if (fromFaucet !== expected)
      world.violate(`the faucet gave ${fromFaucet} ${token}, but was asked for ${expected}`)
    const house = sumOf(audits, token, 'house')
    const lost = writtenOffWei(world, token) + paidAfterBurnWei(world, token)
    const won = crashResult(world, token) + playsResult(world, token) - lost
    if (house !== won && hasAllPlays(world))
      world.violate(`the house has ${house} ${token}, but has won ${won}`)
  }
}

/** The chips that each player takes from the faucet. */
export const FUNDED = { USDG: '1000000000', ETH: '500000000000000000' } as const

function sumOf(audits: Map<string, SoundAudit>, token: 'ETH' | 'USDG', account: string): bigint {
  return [...audits].reduce(
    (sum, [wallet, { balances }]) =>
      wallet === HOUSE ? sum : sum + BigInt(balances[token][account] ?? 0),
    0n,
  )
}

/** Returns what the house has won in all ended rounds, by the rounds themselves. */
function crashResult(world: World, token: string): bigint {
  let result = 0n
  for (let roundId = 1; roundId <= currentRoundId(world); roundId++) {
    const round = storedRound(world, roundId)
    if (round?.status !== 'crashed') continue
    for (const bet of round.bets) {
      if (bet.token === token) result += BigInt(bet.amountWei) - payoutOf(bet)
    }
  }
  return result
}

/** No play pays more than the published limit. Each request for a play leads to one play at most: each has a client seed of its own. */
function checkPlays(world: World): void {
  const plays = playsOf(world)
  for (const { wallet, nonce, token, payout } of plays) {
    const most = BigInt(world.limits.ENTROPY_LIMITS[token]?.maxPayout ?? 0)
    if (BigInt(payout) > most)
      world.violate(`play ${nonce} of ${wallet} has paid more than ${most}`)
  }
  const seeds = plays.map(({ wallet, clientSeed }) => `${wallet} ${clientSeed}`)
  const repeated = seeds.find((seed, index) => seeds.indexOf(seed) !== index)
  if (repeated !== undefined) world.violate(`two plays came from one request: ${repeated}`)
}

interface FedPlay {
  wallet: string
  game: string
  nonce: number
  clientSeed: string
  token: string
  amount: string
  payout: string
}

/** Returns the plays in the feed. */
function playsOf(world: World): FedPlay[] {
  const rows = world.databases['HISTORY']?.disk.exec('SELECT play FROM recent_plays', []).rows ?? []
  return rows.map(({ play }) => JSON.parse(String(play)) as FedPlay)
}

/** The most plays of a game that the feed keeps, and the most that a ledger sends. */
const FED = 100

/** Returns whether the feed still has every play. */
function hasAllPlays(world: World): boolean {
  const plays = playsOf(world)
  const games = plays.map(({ game }) => game)
  const isFull = (game: string) => games.filter((other) => other === game).length >= FED
  return plays.every(({ nonce }) => nonce < FED) && !games.some(isFull)
}

/** Returns what the house has won in all plays, by the feed in D1. */
function playsResult(world: World, token: string): bigint {
  return playsOf(world)
    .filter((play) => play.token === token)
    .reduce((sum, { amount, payout }) => sum + BigInt(amount) - BigInt(payout), 0n)
}

/** The table keeps at least this many rounds. */
const LISTED = 10

/** A round ends in its time, is in D1 with its bets, and has paid no more than it published. */
function checkRound(world: World, journals: JournalWatch, roundId: number): void {
  const round = storedRound(world, roundId)
  if (!round || isOpenAgain(world, round)) {
    // Rounds without bets are erased once D1 has them. The newest may never have been opened.
    if (roundId < currentRoundId(world)) checkHistory(world, roundId, 0)
    return
  }
  if (round.status === 'live') return world.violate(`round ${roundId} has not ended`)
  checkBeacon(world, roundId)
  const { limits, betsCloseAt, minForcedMultiplier } = round.plan
  for (const { betId, wallet, placedAt } of round.bets) {
    const end = journals.settlementOf(wallet, betId)
    if (end !== JSON.stringify(endOf(round, betId)))
      world.violate(`bet ${betId} is in its round, but its ledger ended it as ${end}`)
    if (placedAt >= betsCloseAt) world.violate(`bet ${betId} was accepted after bets had closed`)
    if (round.buried.includes(betId)) world.violate(`bet ${betId} was accepted after its burial`)
  }
  for (const token of TOKENS) {
    checkRoom(world, round, token)
    checkExposure(world, round, token)
    const bets = round.bets.filter((bet) => bet.token === token)
    const payouts = bets.map(payoutOf)
    const { maxPayout = '0', maxRoundPayout = '0' } = limits[token] ?? {}
    const published = world.limits.CRASH_LIMITS[token]
    if (
      BigInt(maxPayout) > BigInt(published?.maxPayout ?? 0) ||
      BigInt(maxRoundPayout) > BigInt(published?.maxRoundPayout ?? 0)
    )
      world.violate(`round ${roundId} has higher limits of ${token} than are published`)
    const stakedWei = bets.reduce((sum, { amountWei }) => sum + BigInt(amountWei), 0n)
    if (stakedWei * BigInt(minForcedMultiplier) > BigInt(maxRoundPayout) * 100n)
      world.violate(`round ${roundId} may cash out ${stakedWei} ${token} below its promise`)
    if (payouts.some((payout) => payout > BigInt(maxPayout)))
      world.violate(`round ${roundId} pays a bet more than ${maxPayout} ${token}`)
    if (payouts.reduce((a, b) => a + b, 0n) > BigInt(maxRoundPayout))
      world.violate(`round ${roundId} pays more than ${maxRoundPayout} ${token}`)
  }
  checkHistory(world, roundId, round.bets.length)
  const known = rowsOf(
    world,
    'CrashTable',
    'main',
    `SELECT 1 FROM rounds WHERE round_id = ${roundId} AND result IS NOT NULL`,
  )
  const isListed = roundId > currentRoundId(world) - LISTED
  if (isListed && known.length === 0)
    world.violate(`the table does not know how round ${roundId} ended`)
}

/** A round's pepper from the public beacon is the one that its plan names. */
function checkBeacon(world: World, roundId: number): void {
  const [row] = rowsOf(world, 'CrashRound', String(roundId), 'SELECT plan, pepper FROM round')
  if (!world.traits.hasBeacons || typeof row?.['pepper'] !== 'string') return
  const { pepperSource } = JSON.parse(String(row['plan'])) as { pepperSource: PepperSource }
  const round = pepperSource.kind === 'drand-quicknet' ? pepperSource.round : 0
  if (beaconRandomness(signatureOf(round)) !== row['pepper'])
    world.violate(`the pepper of round ${roundId} is not that of beacon ${round}`)
}

/**
 * Returns whether an empty round that has ended and was erased is open again, with another seed. A late request may do
 * that. If the round's alarm is lost too, nobody discards it.
 */
function isOpenAgain(world: World, { status, bets, plan }: StoredRound): boolean {
  const ended = historicRound(world, plan.roundId)
  const isOther = ended !== null && ended.seedHash !== plan.seedHash
  return status === 'live' && bets.length === 0 && isOther && ended.bets === 0
}

function checkHistory(world: World, roundId: number, bets: number): void {
  if (historicRound(world, roundId)?.bets !== bets)
    world.violate(`D1 does not have round ${roundId} with its ${bets} bets`)
}

/** Returns the number of a round's bets and its seed hash in D1, or null if D1 does not have the round. */
function historicRound(world: World, roundId: number): { bets: number; seedHash: string } | null {
  const sql = 'SELECT bet_count, result FROM crash_rounds WHERE round_id = ?'
  const [row] = world.databases['HISTORY']?.disk.exec(sql, [roundId]).rows ?? []
  if (!row) return null
  const { seedHash } = JSON.parse(String(row['result'])) as { seedHash: string }
  return { bets: Number(row['bet_count']), seedHash }
}
