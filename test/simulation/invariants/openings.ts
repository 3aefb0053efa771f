import { createHash } from 'node:crypto'
import { DAY_MS } from '../../../src/core/utc-day.ts'
import { commits } from '../../../src/fairness/seed.ts'
import type { OpeningAnswer } from '../../../src/lootbox/opening.ts'
import { verifyOpening } from '../../../src/verify/opening.ts'
import type { SentPayment } from '../actors/openers.ts'
import type { Chain } from '../chain/chain.ts'
import { LOOTBOX } from '../chain/pool-state.ts'
import { signatureOf } from '../world/relays.ts'
import { MAX_SKEW_MS } from '../world/traits.ts'
import type { World } from '../world/world.ts'
import { rowsOf } from './rounds.ts'

type Json = Record<string, unknown>
type Shown = OpeningAnswer['open']

/** The service discloses a day's seed this long after the day. */
const DISCLOSED_AFTER_MS = 600_000

/** An opening with a payment must be of this payment, and of the wallet that made it. */
export function checkOpening(
  world: World,
  wallet: string,
  payment: SentPayment,
  answer: Json,
  told: ReadonlyMap<string, string>,
): void {
  const open = answer['open'] as Shown | undefined
  if (!open) {
    if (answer['status'] !== 'pending') world.violate('an opening was answered with nothing')
    return
  }
  if (!payment.isGood) world.violate(`the bad payment ${payment.hash} has opened the lootbox`)
  if (payment.wallet !== wallet) world.violate(`${wallet} has opened with another's payment`)
  if (open.txHash !== payment.hash)
    world.violate(`payment ${payment.hash} was answered with the opening of ${open.id}`)
  checkShown(world, open, told)
}

/** @param told the seed hashes that players have seen, by day */
export function checkSpin(
  world: World,
  wallet: string,
  answer: Json,
  told: ReadonlyMap<string, string>,
): void {
  const open = answer['open'] as Shown | undefined
  if (!open) return
  if (!open.id.startsWith(`spin:${wallet.toLowerCase()}:`))
    world.violate(`${wallet} was answered with the free spin ${open.id}`)
  checkShown(world, open, told)
}

/** An opening is always shown the same, and follows from its seed once that is disclosed. */
function checkShown(world: World, open: Shown, told: ReadonlyMap<string, string>): void {
  const { status: _status, prizeTxHash: _hash, seed, ...fixed } = open
  world.promise(`opening ${open.id}`, JSON.stringify(fixed))
  world.promise(`seed hash of ${open.day}`, open.seedHash)
  if (seed === null) return
  checkDisclosed(world, { day: open.day, seedHash: open.seedHash, seed })
  const { txHash, blockHash, acceptedAt = 0, pepper = '', pepperSource, signature } = open
  const from =
    txHash !== null && blockHash !== null
      ? { txHash, blockHash }
      : { acceptedAt, pepper, pepperSource: pepperSource!, ...(signature && { signature }) }
  const seedHash = told.get(open.day)
  const isSigned = (round: number, text: string) => text === signatureOf(round)
  const seen = seedHash ? { seedHash } : {}
  for (const { claim, holds } of verifyOpening({ ...open, from, seed }, seen, isSigned)) {
    if (!holds) world.violate(`opening ${open.id}: not true that ${claim}`)
  }
}

/** The seeds of days, as disclosed. */
export function checkDays(world: World, { days }: Json): void {
  for (const day of days as { day: string; seedHash: string; seed: string | null }[]) {
    world.promise(`seed hash of ${day.day}`, day.seedHash)
    if (day.seed !== null) checkDisclosed(world, { ...day, seed: day.seed })
  }
}

function checkDisclosed(
  world: World,
  { day, seedHash, seed }: { day: string; seedHash: string; seed: string },
): void {
  if (!commits(seedHash, seed)) world.violate(`the seed of ${day} does not match its hash`)
  if (world.scheduler.now < disclosedAt(day) - MAX_SKEW_MS)
    world.violate(`the seed of ${day} was disclosed too early`)
}

function disclosedAt(day: string): number {
  return Date.parse(day) + DAY_MS + DISCLOSED_AFTER_MS
}

/** Watches that no seed reaches the public log before its day is over. */
export class SeedWatch {
  readonly #world: World
  #version = -1

  constructor(world: World) {
    this.#world = world
  }

  check(): void {
    if (!this.#world.shareSite) return
    const disk = this.#world.objects.find('TransparencyLog', 'main')?.disk
    if (!disk || disk.version === this.#version) return
    this.#version = disk.version
    for (const { id } of loggedSeeds(this.#world)) {
      const [day = '', what] = id.split(':')
      if (what === 'seed' && this.#world.scheduler.now < disclosedAt(day) - MAX_SKEW_MS)
        this.#world.violate(`the log had the seed of ${day} too early`)
    }
  }
}

/** An opening as its object has stored it. */
interface StoredOpening {
  /** The name of its object. */
  name: string
  id: string
  wallet: string
  txHash: string | null
  asset: string
  prize: string
  isPaid: boolean
}

/** What must hold of the lootbox once the faults have ended and everything has had its time. */
export function checkLootbox(world: World, chain: Chain, payments: readonly SentPayment[]): void {
  const openings = ['Payment', 'SharedPost'].flatMap((className) => openingsOf(world, className))
  for (const opening of openings) {
    checkPrize(world, chain, opening)
    checkProjected(world, opening)
    if (opening.txHash !== null) checkPaid(world, chain, opening, payments)
  }
  const { paid } = chain.head.state.pool
  if (paid.length !== openings.length)
    world.violate(`the pool has paid ${paid.length} prizes for ${openings.length} openings`)
  const ids = openings.map(({ id }) => id)
  const twice = ids.find((id, index) => ids.indexOf(id) !== index)
  if (twice !== undefined) world.violate(`${twice} has opened the lootbox twice`)
  for (const { name } of world.objects.of('LootboxDay')) checkDay(world, name, openings)
}

/** The pool has paid an opening's prize once, to the winner. */
function checkPrize(world: World, chain: Chain, opening: StoredOpening): void {
  const { name, id, wallet, asset, prize, isPaid } = opening
  const prizeId = `0x${createHash('sha256').update(name).digest('hex')}`
  const paid = chain.head.state.pool.paid.filter((each) => each.prizeId === prizeId)
  if (!isPaid) world.violate(`the prize of ${id} is still owed`)
  const [first] = paid
  if (!first) return world.violate(`the pool has not paid the prize of ${id}`)
  if (first.to !== wallet || first.asset !== asset || first.amountWei.toString() !== prize)
    world.violate(`the pool has paid ${first.amountWei} ${first.asset} to ${first.to} for ${id}`)
}

function checkProjected(world: World, { id, isPaid }: StoredOpening): void {
  const rows = world.databases['HISTORY']?.disk.exec('SELECT is_paid FROM openings WHERE id = ?', [
    id,
  ]).rows
  if (rows?.[0]?.['is_paid'] !== Number(isPaid)) world.violate(`D1 lacks the opening ${id}`)
}

/** The chain has the payment of an opening, and it is a good one. */
function checkPaid(
  world: World,
  { blocks }: Chain,
  { id, wallet, txHash }: StoredOpening,
  payments: readonly SentPayment[],
): void {
  const sent = payments.find(({ hash }) => hash === txHash)
  if (!sent?.isGood || sent.wallet !== wallet) world.violate(`${id} opened without a payment`)
  const mined = blocks.flatMap((block) => block.mined).find(({ tx }) => tx.hash === txHash)
  if (!mined?.isSuccess) world.violate(`the payment of ${id} is not on the chain`)
  const call = mined?.tx.call
  if (call?.kind !== 'transfer' || call.to !== LOOTBOX.pool || call.amount !== LOOTBOX.priceWei)
    world.violate(`the payment of ${id} is no payment`)
}

/** The log has a day's hash and, once it is over, its seed; and each free spin of the day was one. */
function checkDay(world: World, day: string, openings: readonly StoredOpening[]): void {
  const [row] = rowsOf(world, 'LootboxDay', day, 'SELECT seed FROM day')
  const seed = row?.['seed'] as string | undefined
  if (seed === undefined) return
  const logged = loggedSeeds(world)
  const hash = logged.find(({ id }) => id === `${day}:hash`)
  const disclosed = logged.find(({ id }) => id === `${day}:seed`)
  const isOver = world.scheduler.now > disclosedAt(day) + MAX_SKEW_MS + DELIVERED_WITHIN_MS
  if (!hash?.seedHash || !commits(hash.seedHash, seed))
    world.violate(`the log lacks the seed hash of ${day}`)
  if (isOver && disclosed?.seed !== seed) world.violate(`the log lacks the seed of ${day}`)
  const spins = rowsOf(world, 'LootboxDay', day, 'SELECT wallet, author, post FROM spins')
  const won = openings.filter(({ id }) => id.endsWith(`:${day}`))
  for (const { name, wallet } of won) {
    const spin = spins.find((each) => each['post'] === name)
    if (spin?.['wallet'] !== wallet) world.violate(`${name} won without a spin of ${day}`)
  }
  for (const { wallet, post } of spins) {
    if (!won.some(({ name }) => name === post))
      world.violate(`${String(wallet)} has used its spin of ${day}, which has not opened`)
  }
}

/** A message of an object to the log takes this long at most while nothing fails. */
const DELIVERED_WITHIN_MS = 60_000

function loggedSeeds(world: World): { id: string; seed?: string; seedHash?: string }[] {
  return rowsOf(
    world,
    'TransparencyLog',
    'main',
    "SELECT id, entry FROM entries WHERE kind = 'seeds'",
  ).map(({ id, entry }) => ({ ...(JSON.parse(String(entry)) as object), id: String(id) }))
}

function openingsOf(world: World, className: string): StoredOpening[] {
  return world.objects.of(className).flatMap(({ name }) =>
    rowsOf(world, className, name, 'SELECT opening, is_paid AS isPaid FROM opening').map((row) => ({
      ...(JSON.parse(String(row['opening'])) as Omit<StoredOpening, 'name' | 'isPaid'>),
      name,
      isPaid: row['isPaid'] === 1,
    })),
  )
}
