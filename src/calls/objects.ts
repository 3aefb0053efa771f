import type { LogConfig } from '../config/config.ts'
import { loadConfig } from '../config/load.ts'
import type { LogFacts } from '../health/facts.ts'
import type { ModesChange } from '../operator/modes.ts'
import type { LogEntry, LoggedEntry, LogKind } from '../transparency/entry.ts'
import type { Tile } from '../transparency/tiles.ts'
import { shardOf } from '../wallet-bridge/ids.ts'
import { answerWithin, retried } from './call.ts'

// Each function looks up the Durable Object that owns a thing, by that thing's name.

/** How long {@link readModes} waits. Calls that don't need an answer, such as withdrawals, continue without it. */
const READ_MODES_MS = 2_000

/**
 * Returns where an object that all players share is created, if the operator says so. An object that exists stays
 * where it is. Those of one wallet, partner or payment are created near their first caller.
 */
function location(env: Env): DurableObjectNamespaceGetDurableObjectOptions {
  const hint = loadConfig(env).location
  return hint === null ? {} : { locationHint: hint }
}

/** The sequence of crash rounds. */
export function crashTable(env: Env) {
  return env.CRASH_TABLE.getByName('main', location(env))
}

export function crashRound(env: Env, roundId: number) {
  return env.CRASH_ROUND.getByName(String(roundId), location(env))
}

/** The live stream's viewers. */
export function crashStream(env: Env) {
  return env.CRASH_STREAM.getByName('main', location(env))
}

/** A wallet's ledger. @param wallet in EIP-55 form, so that each wallet has exactly one name */
export function ledger(env: Env, wallet: string) {
  return env.LEDGER.getByName(wallet)
}

/** The service's signing account on a chain. Each account has a single sequence of nonces. */
export function relayer(env: Env, chainId: number) {
  return env.RELAYER.getByName(String(chainId), location(env))
}

/** The only reader of a vault's events. @param vaultId chain and contract */
export function vaultWatch(env: Env, vaultId: string) {
  return env.VAULT_WATCH.getByName(vaultId, location(env))
}

/** The operators' acts. */
export function control(env: Env) {
  return env.CONTROL.getByName('main', location(env))
}

/** Reads the modes in force and all later changes. @throws if that takes longer than two seconds */
export function readModes(env: Env): Promise<ModesChange[]> {
  return answerWithin(
    READ_MODES_MS,
    retried(async () => control(env).modes()),
  )
}

/** The house's bankroll in a vault, and whether the data it is counted from can be trusted. */
export function treasury(env: Env, vaultId: string) {
  return env.TREASURY.getByName(vaultId, location(env))
}

/** The tree of all debts to players. */
export function solvency(env: Env) {
  return env.SOLVENCY.getByName('main', location(env))
}

/** The job that rebuilds D1 from the objects. */
export function reprojection(env: Env) {
  return env.REPROJECTION.getByName('main', location(env))
}

/** The export of the history, day by day. */
export function exporter(env: Env) {
  return env.EXPORTER.getByName('main', location(env))
}

/** The house's books, day by day. */
export function daybook(env: Env) {
  return env.DAYBOOK.getByName('main', location(env))
}

/** The service's own state. */
export function health(env: Env) {
  return env.HEALTH.getByName('main', location(env))
}

/** The owner of a partner's transaction id, or of one use of a partner token. */
export function partnerIds(env: Env, partner: string, id: string) {
  return partnerIdsShard(env, partner, shardOf(id))
}

export function partnerIdsShard(env: Env, partner: string, shard: number) {
  return env.PARTNER_IDS.getByName(`${partner}:${shard}`)
}

/** A partner's credits, and its limits for a day and for all days. */
export function partnerLimit(env: Env, partner: string) {
  return env.PARTNER_LIMIT.getByName(partner)
}

/** A payment on a chain. @param hash of its transaction, in lower case */
export function payment(env: Env, chainId: number, hash: string) {
  return env.PAYMENT.getByName(`${chainId}:${hash}`)
}

const POST = 'post:'

/** Returns the chain of the payment whose object has a name; null for another object's name. */
export function chainOfPayment(name: string): number | null {
  return name.startsWith(POST) ? null : Number(name.split(':')[0])
}

/** A post shared for a free spin. @param name its provider and id */
export function sharedPost(env: Env, name: string) {
  return env.SHARED_POST.getByName(POST + name)
}

/** The owner of an opening and its prize. @param name that of the payment or the shared post */
export function openingOwner(env: Env, name: string) {
  return (name.startsWith(POST) ? env.SHARED_POST : env.PAYMENT).getByName(name)
}

/** The lootbox seed of one UTC day. @param day as YYYY-MM-DD */
export function lootboxDay(env: Env, day: string) {
  return env.LOOTBOX_DAY.getByName(day, location(env))
}

/** The public log. TypeScript can't follow the platform's types into an entry's fields, so they are named here. */
export interface PublicLog {
  append(entry: LogEntry): Promise<LoggedEntry>
  find(kind: LogKind, id: string): Promise<LoggedEntry | null>
  checkpoint(): Promise<string>
  tile(tile: Tile): Promise<Uint8Array | null>
  facts(): Promise<LogFacts>
}

/** The public log of the house's commitments. Call it only if a key is configured (`Config.log`). */
export function transparencyLog(env: Env): PublicLog {
  const stub: object = env.TRANSPARENCY_LOG.getByName(
    logObjectName(loadConfig(env).log),
    location(env),
  )
  return stub as PublicLog
}

/** Returns the name of a log's object. A log that succeeds another one shares nothing with it. */
export function logObjectName(log: Pick<LogConfig, 'generation'> | null): string {
  return log === null || log.generation === 1 ? 'main' : `main/${log.generation}`
}

/** Returns the generation of the log whose object has a name; the reverse of {@link logObjectName}. */
export function generationOf(objectName: string): number {
  return Number(objectName.split('/')[1] ?? 1)
}
