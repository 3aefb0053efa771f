// Makes exports by the real rules, for tests of the audit. Nothing in them is random.
import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { bls12_381 } from '@noble/curves/bls12-381'
import { sha256 } from '@noble/hashes/sha2'
import { checksumAddress } from 'viem'
import { tierOfBox } from '../../src/box-nft/tier.ts'
import { DAY_MS, dateOf } from '../../src/core/utc-day.ts'
import { planRound, type CrashRules } from '../../src/crash/plan.ts'
import { Round } from '../../src/crash/round.ts'
import {
  DATASETS,
  fileName,
  manifestName,
  manifestText,
  type Dataset,
  type OpenGame,
} from '../../src/exports/manifest.ts'
import {
  betRow,
  boxRow,
  KEY_OF,
  roundRow,
  type BetRow,
  type BoxRow,
  type PlayRow,
  type RoundRow,
} from '../../src/exports/rows.ts'
import { beaconRandomness } from '../../src/fairness/drand.ts'
import { commitmentOf } from '../../src/fairness/seed.ts'
import { newestTables, type Selection } from '../../src/games/games.ts'
import { settle } from '../../src/games/play.ts'
import { termsEntry } from '../../src/receipts/log-entries.ts'
import { termsOfPlay } from '../../src/receipts/terms.ts'
import type { LogEntry } from '../../src/transparency/entry.ts'
import { termsSummary } from '../../src/transparency/terms.ts'

/** The first day of every made export. */
const FIRST_DAY = Date.parse('2026-11-01')

/** A key whose signatures are made quickly. It is no secret. */
const KEY = 5n
export const TEST_KEY = bls12_381.G2.ProjectivePoint.BASE.multiply(KEY).toHex()

const LIMITS = {
  min: '1',
  max: '1000000',
  maxPayout: '1000000000',
  maxRoundPayout: '5000000000',
}
const RULES: Omit<CrashRules, 'pepper'> = {
  bettingMs: 8_000,
  resultsMs: 4_000,
  edgeBps: 100,
  minForcedMultiplier: 200,
  limits: { ETH: LIMITS, USDG: LIMITS },
}

const BOX_CONTRACT = { chainId: 31_337, contract: walletOf(0) }

/** The log's entries of the terms of play, by the source of peppers. */
export const TERMS: Record<CrashRules['pepper'], LogEntry> = {
  committed: termsOf('committed'),
  'drand-quicknet': termsOf('drand-quicknet'),
}

function termsOf(pepper: CrashRules['pepper']): LogEntry {
  const terms = termsOfPlay({
    crash: { ...RULES, pepper },
    entropy: { edgeBps: 100, limits: RULES.limits },
    bankroll: { payoutBps: 100, roundBps: 250 },
    depositFeeBps: 0,
    boxes: { ...BOX_CONTRACT, award: walletOf(1), labels: [] },
    lootbox: null,
    chain: null,
    autoplay: true,
    funChips: true,
    minPlayMs: 0,
  })
  return termsEntry(terms, termsSummary(terms).hash, FIRST_DAY)
}

/** The rows of one day. */
export interface DayRows {
  day: string
  rounds: RoundRow[]
  bets: BetRow[]
  plays: PlayRow[]
  boxes: BoxRow[]
  openGames?: OpenGame[]
}

export interface ExportSize {
  days: number
  /** In all days together. */
  rounds: number
  betsARound: number
  plays: number
  wallets: number
  /** A day's, all of one batch. */
  boxesADay: number
  pepper: CrashRules['pepper']
}

/** Returns 32 bytes in hex that follow from a text. */
function secretOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function walletOf(number: number): string {
  return checksumAddress(`0x${secretOf(`wallet ${number}`).slice(0, 40)}`)
}

/** Returns a number from 0 to 1 that follows from a text. */
function chance(text: string): number {
  return parseInt(secretOf(text).slice(0, 12), 16) / 2 ** 48
}

/** Signs a beacon round with the tests' key. */
export function signBeacon(round: number): string {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(round))
  const hashed = bls12_381.G1.hashToCurve(sha256(bytes), {
    DST: 'BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_',
  })
  return bls12_381.G1.ProjectivePoint.fromAffine(hashed.toAffine()).multiplyUnsafe(KEY).toHex()
}

/** Plays a round to its end. */
function endedRound(roundId: number, openedAt: number, size: ExportSize): Round {
  const seed = secretOf(`seed ${roundId}`)
  const isCommitted = size.pepper === 'committed'
  const committed = secretOf(`pepper ${roundId}`)
  const plan = planRound({
    roundId,
    openedAt,
    rules: { ...RULES, pepper: size.pepper },
    terms: TERMS[size.pepper].id,
    seedHash: commitmentOf(seed),
    pepperHash: isCommitted ? commitmentOf(committed) : null,
  })
  const live = { plan, setTerms: {}, seed, status: 'live' as const, isClosed: false, endedAt: null }
  const pepper = isCommitted
    ? { pepper: committed, pepperAt: openedAt }
    : { pepper: null, pepperAt: null }
  const round = new Round({ ...live, ...pepper, signature: null }, [])
  for (let bet = 0; bet < size.betsARound; bet++) {
    const wallet = walletOf((roundId * 7 + bet) % size.wallets)
    const cashout = 101 + Math.floor(chance(`target ${roundId} ${bet}`) * 400)
    round.place(
      {
        betId: `${roundId}:${wallet}`,
        wallet,
        token: bet % 2 ? 'ETH' : 'USDG',
        amountWei: BigInt(1_000 + bet),
        autoCashout: bet % 3 === 2 ? null : cashout,
      },
      openedAt + 1 + bet,
    )
  }
  if (plan.pepperSource.kind === 'drand-quicknet') {
    const signature = signBeacon(plan.pepperSource.round)
    round.takePepper(beaconRandomness(signature), signature, plan.flightAt - 500)
  }
  round.advance(plan.flightAt)
  for (let bet = 2; bet < size.betsARound; bet += 6) {
    const at = plan.flightAt + 1_000 * bet
    round.advance(at)
    round.cashOut(walletOf((roundId * 7 + bet) % size.wallets), at)
  }
  round.advance(plan.flightAt + DAY_MS)
  return round
}

const SELECTIONS: Selection[] = [
  { game: 'limbo', params: { target: 200 } },
  { game: 'mines', params: { mines: 3, picked: [0, 7, 12] } },
  { game: 'plinko', params: { risk: 'medium', rows: 16 } },
  { game: 'keno', params: { picks: [1, 5, 9, 22, 40], risk: 'classic' } },
]

function playOf(number: number, { wallets, pepper }: ExportSize, settledAt: number): PlayRow {
  const [wallet, nonce] = [walletOf(number % wallets), Math.floor(number / wallets)]
  const seedOf = (of: number) => secretOf(`play ${wallet} ${of}`)
  const seed = seedOf(nonce)
  const clientSeed = secretOf(`client ${number}`).slice(0, 16)
  const selection = SELECTIONS[number % SELECTIONS.length] ?? SELECTIONS[0]!
  const settled = settle(
    selection,
    { token: number % 3 ? 'ETH' : 'USDG', amountWei: BigInt(10_000 + (number % 977)) },
    { seed, seedHash: commitmentOf(seed), clientSeed, nonce },
    { edgeBps: 100, tables: newestTables() },
  )
  const nextSeedHash = commitmentOf(seedOf(nonce + 1))
  return { wallet, ...settled, nextSeedHash, settledAt, terms: TERMS[pepper].id }
}

const BOX_TIERS = [
  { bps: 9_000, prize: 5n },
  { bps: 1_000, prize: 200n },
]

/** The boxes of the batch that ended on a day. Every third one was never opened. */
function boxesOf(dayNumber: number, count: number): BoxRow[] {
  const pepper = secretOf(`box pepper ${dayNumber}`)
  return Array.from({ length: count }, (_, index) => {
    const n = dayNumber * count + index
    const boxId = BigInt(`0x${secretOf(`box ${n}`)}`)
    const tier = tierOfBox(boxId, pepper, BOX_TIERS)
    const prize = (BOX_TIERS[tier]?.prize ?? 0n).toString()
    const place = (block: number) => ({ block, txHash: `0x${secretOf(`transaction ${block}`)}` })
    const box = {
      boxId: boxId.toString(),
      n,
      wallet: walletOf(n),
      kind: 0,
      batch: dayNumber + 1,
      pepperHash: commitmentOf(pepper),
      pepper,
      bought: place(10 + n),
      opened: n % 3 === 2 ? null : { ...place(20 + n), tier, prize },
      endedAt: FIRST_DAY + dayNumber * DAY_MS,
    }
    return boxRow(BOX_CONTRACT, box, BOX_TIERS)
  })
}

/** Makes the days of an honest export, one by one. */
export function* honestDays(size: ExportSize): Generator<DayRows> {
  let [roundId, play] = [1, 0]
  for (let number = 0; number < size.days; number++) {
    const startsAt = FIRST_DAY + number * DAY_MS
    const boxes = boxesOf(number, size.boxesADay)
    const rows: DayRows = { day: dateOf(startsAt), rounds: [], bets: [], plays: [], boxes }
    const lastRound = Math.round(((number + 1) * size.rounds) / size.days)
    let openedAt = startsAt
    for (; roundId <= lastRound; roundId++) {
      const round = endedRound(roundId, openedAt, size)
      const result = round.result()!
      const { plan } = round.record
      const { betsRoot } = round.fixedBets
      const { kind, seed } = result
      rows.rounds.push(roundRow({ result, plan, betsRoot }))
      const bets = round.bets.map((bet, n) => {
        const payoutWei = bet.cashout === null ? 0n : (bet.amountWei * BigInt(bet.cashout)) / 100n
        const { amountWei } = bet
        const stored = { ...bet, amountWei: amountWei.toString(), payoutWei: payoutWei.toString() }
        return betRow({ ...stored, roundId, n, kind, seed })
      })
      rows.bets.push(...bets)
      // A long flight would not fit the day; in this export the next round opens meanwhile.
      openedAt = Math.max(plan.flightAt + 4_000, openedAt + 12_000)
    }
    const lastPlay = Math.round(((number + 1) * size.plays) / size.days)
    for (; play < lastPlay; play++) {
      rows.plays.push(playOf(play, size, startsAt + (play % DAY_MS)))
    }
    yield rows
  }
}

/** Returns an honest export that is small enough for a test to change. */
export function honestExport(size: Partial<ExportSize> = {}): DayRows[] {
  const small = { days: 2, rounds: 12, betsARound: 6, plays: 48, wallets: 8, boxesADay: 0 }
  return [...honestDays({ ...small, pepper: 'committed', ...size })]
}

const KEY_OF_ROW: Record<Dataset, (row: never) => string> = KEY_OF

/** Writes a day of an export. */
export function writeDay(folder: string, rows: DayRows): void {
  const { day, openGames = [] } = rows
  const files = DATASETS.map((dataset) => {
    const ofDataset: readonly object[] =
      dataset in rows ? rows[dataset as keyof Omit<DayRows, 'day' | 'openGames'>] : []
    const text = ofDataset.map((row) => `${JSON.stringify(row)}\n`).join('')
    const bytes = gzipSync(text)
    const name = fileName(dataset, day)
    write(join(folder, name), bytes)
    const keyOf = (row: object | undefined) => (row ? KEY_OF_ROW[dataset](row as never) : null)
    return {
      name,
      rows: ofDataset.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      first: keyOf(ofDataset.at(0)),
      last: keyOf(ofDataset.at(-1)),
    }
  })
  write(join(folder, manifestName(day)), manifestText({ day, files, openGames }))
}

function write(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}
