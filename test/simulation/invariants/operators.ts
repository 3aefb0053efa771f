import { modeSettings, type Act, type ActResult } from '../../../src/operator/act.ts'
import {
  EVERYTHING,
  LAST_KNOWN_MS,
  MODES,
  partnerSwitch,
  strictest,
  tokenSwitch,
  WITHDRAWALS,
  type Mode,
} from '../../../src/operator/modes.ts'
import { isNextVersion, type ModesVersion } from '../../../src/operator/versions.ts'
import { NEXT_DAY_MS, type World } from '../world/world.ts'
import type { Entry, EntryWatch } from './entries.ts'
import { currentRoundId, rowsOf } from './rounds.ts'

/** A withdrawal needs no recent reading of the modes, so a late request may still be one of before. */
const LATE_MS = 60_000

/** While messages to the table are lost, Control repeats them, within five minutes at last. */
const UNTOLD_MS = 300_000

/** An act as Control has it. */
export interface ActRecord {
  hash: string
  act: Act['act']
  target: string
  decidedAt: number | null
  result: ActResult | null
}

/** Holds what was accepted against what operators had ordered. */
export function checkOperators(world: World, watch: EntryWatch): void {
  if (!world.traits.hasOperators) return
  const acts = actsOf(world)
  const versions = versionsOf(world)
  checkVersions(world, acts, versions)
  for (const { hash, decidedAt, result } of acts) {
    if (decidedAt !== null && !result) world.violate(`act ${hash} was decided, but never ended`)
  }
  for (const [wallet, entries] of watch.all()) {
    for (const entry of entries) checkModes(world, wallet, entry, versions)
    checkFreezes(world, wallet, entries, acts)
  }
  checkRounds(world, versions)
}

/**
 * Each version follows from the one before, their acts were decided in that order, and the newest has what the acts
 * amount to in it.
 */
function checkVersions(
  world: World,
  acts: readonly ActRecord[],
  versions: readonly ModesVersion[],
): void {
  for (const [index, version] of versions.entries()) {
    if (!isNextVersion(versions[index - 1] ?? null, version))
      world.violate(`version ${version.number} does not follow from the one before it`)
  }
  const sql = `SELECT decided_at AS decidedAt, target FROM versions JOIN acts ON hash = act_id ORDER BY versions.number`
  const orders = rowsOf(world, 'Control', 'main', sql)
  for (const [index, { decidedAt, target }] of orders.entries()) {
    if (Number(decidedAt) < Number(orders[index - 1]?.['decidedAt'] ?? 0))
      world.violate(`the order ${String(target)} replaced a newer one`)
  }
  const modes: Record<string, Mode> = {}
  const terms: Record<string, unknown> = {}
  for (const { act, target, result } of acts) {
    if (!result?.isDone) continue
    if (act === 'mode') Object.assign(modes, Object.fromEntries(modeSettings(target)))
    if (act === 'terms') Object.assign(terms, JSON.parse(target))
  }
  const latest = versions.at(-1)
  for (const [name, mode] of Object.entries(modes)) {
    const kept = latest?.modes[name] ?? 'open'
    if (kept !== mode) world.violate(`${name} is ${kept}, but was last ordered to be ${mode}`)
  }
  for (const [name, value] of Object.entries(terms)) {
    const kept = latest?.terms[name] ?? null
    if (kept !== value)
      world.violate(
        `${name} is ${JSON.stringify(kept)}, but was last ordered to be ${String(value)}`,
      )
  }
}

/** Nothing is accepted in a mode that has been in force for longer than readers may take to know it. */
function checkModes(
  world: World,
  wallet: string,
  entry: Entry,
  versions: readonly ModesVersion[],
): void {
  const { id, at } = entry
  const rule = ruleOf(entry)
  if (!rule) return
  // Only a request that failed to read goes by an older reading. It may be on its way to the ledger for long.
  const readLateMs = world.wereModesUnread(at - LAST_KNOWN_MS, at) ? LAST_KNOWN_MS : 0
  const slackMs = world.clocksDifferMs + Math.max(readLateMs, rule.lateMs)
  const modes = inForce(versions, at - slackMs, at).map((version) => {
    return strictest(version?.modes ?? {}, rule.switches).mode
  })
  const freest = modes.reduce((one, other) => (isFreer(other, one) ? other : one))
  if (isFreer(freest, rule.refusedFrom)) return
  world.violate(
    `${wallet}: ${id} was accepted although ${rule.switches.join(' or ')} was ${freest}`,
  )
}

interface Rule {
  switches: readonly string[]
  /** The freest mode that refuses. */
  refusedFrom: Mode
  lateMs: number
}

function ruleOf({ id, request, stakedWei, debitedWei }: Entry): Rule | null {
  const ofStake = (...names: string[]): Rule => ({
    switches: [...names, tokenSwitch('USDG'), EVERYTHING],
    refusedFrom: 'draining',
    lateMs: 0,
  })
  const [kind] = id.split(':', 1)
  if (kind === 'withdraw')
    return { switches: [WITHDRAWALS], refusedFrom: 'draining', lateMs: LATE_MS }
  if (kind === 'pick') return { ...ofStake('mines'), refusedFrom: 'closed', lateMs: LATE_MS }
  if (debitedWei > 0n) return ofStake(partnerSwitch('demo'))
  if (stakedWei === 0n) return null
  if (kind === 'bet') return ofStake('crash')
  if (kind === 'mines') return ofStake('mines')
  return kind === 'entropy' ? ofStake((JSON.parse(request) as [string])[0]) : null
}

function isFreer(one: Mode, other: Mode): boolean {
  return MODES.indexOf(one) < MODES.indexOf(other)
}

/** Returns the versions that were in force during a time; undefined stands for that before the first. */
function inForce(
  versions: readonly ModesVersion[],
  from: number,
  until: number,
): (ModesVersion | undefined)[] {
  const first = versions.findLast(({ takesEffectAt }) => takesEffectAt <= from)
  const later = versions.filter(({ takesEffectAt: at }) => at > from && at <= until)
  return [first, ...later]
}

/** While a wallet is frozen, nothing of it is staked, debited or withdrawn. The newest act decides whether it is. */
function checkFreezes(
  world: World,
  wallet: string,
  entries: readonly Entry[],
  acts: readonly ActRecord[],
): void {
  let isFrozen = false
  for (const { id, result, stakedWei, debitedWei } of entries) {
    if (id.startsWith('freeze:')) isFrozen = result === 'true'
    else if (isFrozen && (stakedWei > 0n || debitedWei > 0n || id.startsWith('withdraw:')))
      world.violate(`${wallet}: ${id} was accepted while the wallet was frozen`)
  }
  const ordered = acts.filter(
    ({ act, target, result }) =>
      (act === 'freeze' || act === 'unfreeze') && target === wallet && result,
  )
  const latest = ordered.at(-1)
  if (latest && isFrozen !== (latest.act === 'freeze'))
    world.violate(`${wallet} is ${isFrozen ? '' : 'not '}frozen, against act ${latest.hash}`)
}

/**
 * A round keeps the terms under which it was opened: those in force, or those of before while the table was not told.
 */
function checkRounds(world: World, versions: readonly ModesVersion[]): void {
  for (let roundId = 1; roundId <= currentRoundId(world); roundId++) {
    const sql = 'SELECT plan, set_terms AS terms FROM round'
    const [row] = rowsOf(world, 'CrashRound', String(roundId), sql)
    if (!row) continue
    const terms = JSON.parse(String(row['terms'])) as Record<string, unknown>
    const { edgeBps, openedAt } = JSON.parse(String(row['plan'])) as Plan
    const edge = terms['crash.edgeBps']
    if (edge !== undefined && edge !== edgeBps)
      world.violate(
        `round ${roundId} has the edge ${edgeBps}, but was opened under ${JSON.stringify(edge)}`,
      )
    // A day in which nothing happened is no time in which the table could have been told.
    const untoldMs = UNTOLD_MS + world.clocksDifferMs
    const sinceNextDayMs = openedAt - world.nextDayAt
    const isNextDay = sinceNextDayMs >= -world.clocksDifferMs && sinceNextDayMs <= untoldMs
    const from = openedAt - untoldMs - (isNextDay ? NEXT_DAY_MS : 0)
    const allowed = inForce(versions, from, openedAt + world.clocksDifferMs)
    const isAllowed = allowed.some((version) => version?.terms['crash.edgeBps'] === edge)
    if (!isAllowed)
      world.violate(
        `round ${roundId} was opened under the edge ${JSON.stringify(edge)}, which was not in force`,
      )
  }
}

interface Plan {
  edgeBps: number
  openedAt: number
}

/** Returns all acts, in the order of their decisions. */
export function actsOf(world: World): ActRecord[] {
  const rows = rowsOf(
    world,
    'Control',
    'main',
    'SELECT hash, act, target, decided_at AS decidedAt, result FROM acts ORDER BY decided_at',
  )
  return rows.map(({ hash, act, target, decidedAt, result }) => ({
    hash: String(hash),
    act: act as Act['act'],
    target: String(target),
    decidedAt: decidedAt === null ? null : Number(decidedAt),
    result: typeof result === 'string' ? (JSON.parse(result) as ActResult) : null,
  }))
}

function versionsOf(world: World): ModesVersion[] {
  const rows = rowsOf(world, 'Control', 'main', 'SELECT version FROM versions ORDER BY number')
  return rows.map(({ version }) => JSON.parse(String(version)) as ModesVersion)
}
