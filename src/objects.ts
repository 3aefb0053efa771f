import { shardOf } from './wallet-bridge/ids.ts'

/** The objects by the names of what they own. */

/** The sequence of crash rounds. */
export function crashTable(env: Env) {
  return env.CRASH_TABLE.getByName('main')
}

export function crashRound(env: Env, roundId: number) {
  return env.CRASH_ROUND.getByName(String(roundId))
}

/** Everybody who watches the table live. */
export function crashStream(env: Env) {
  return env.CRASH_STREAM.getByName('main')
}

/** @param wallet in EIP-55 form: one wallet, one name */
export function ledger(env: Env, wallet: string) {
  return env.LEDGER.getByName(wallet)
}

/** The service's signing account on a chain: one account has one sequence of nonces. */
export function relayer(env: Env, chainId: number) {
  return env.RELAYER.getByName(String(chainId))
}

/** The object that reads a vault's logs for everybody. @param vaultId chain and contract */
export function vaultWatch(env: Env, vaultId: string) {
  return env.VAULT_WATCH.getByName(vaultId)
}

/** What operators have ordered. */
export function control(env: Env) {
  return env.CONTROL.getByName('main')
}

/** The house's bankroll in a vault, and whether what it is counted from is believed. */
export function treasury(env: Env, vaultId: string) {
  return env.TREASURY.getByName(vaultId)
}

/** The job that rebuilds D1 from the objects. */
export function reprojection(env: Env) {
  return env.REPROJECTION.getByName('main')
}

/** The object that owns one of a partner's ids, or one use of its tokens. */
export function partnerIds(env: Env, partner: string, id: string) {
  return partnerIdsShard(env, partner, shardOf(id))
}

export function partnerIdsShard(env: Env, partner: string, shard: number) {
  return env.PARTNER_IDS.getByName(`${partner}:${shard}`)
}

/** What a partner may still credit today. */
export function partnerLimit(env: Env, partner: string) {
  return env.PARTNER_LIMIT.getByName(partner)
}

/** A payment on a chain, by its transaction's hash in lower case. */
export function payment(env: Env, chainId: number, hash: string) {
  return env.PAYMENT.getByName(`${chainId}:${hash}`)
}

const POST = 'post:'

/** A post that was shared for a free spin. @param name of its provider and id */
export function sharedPost(env: Env, name: string) {
  return env.SHARED_POST.getByName(POST + name)
}

/** The object that owns an opening and its prize, by its own name: a payment, or a shared post. */
export function openingOwner(env: Env, name: string) {
  return (name.startsWith(POST) ? env.SHARED_POST : env.PAYMENT).getByName(name)
}

/** The seed of a UTC day of the lootbox. @param day as YYYY-MM-DD */
export function lootboxDay(env: Env, day: string) {
  return env.LOOTBOX_DAY.getByName(day)
}

const TRIES = 3

/**
 * Makes an object call again when the platform says that may help: the object moved or was
 * restarted by a deployment. For idempotent calls only, which all calls between our objects are;
 * `call` takes a new stub each time. An overloaded object is left alone.
 */
export async function retried<T>(call: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await call()
    } catch (fault) {
      if (tries === TRIES || !mayRetry(fault)) throw fault
    }
  }
}

function mayRetry(fault: unknown): boolean {
  if (!(fault instanceof Error)) return false
  const { retryable, overloaded } = fault as { retryable?: boolean; overloaded?: boolean }
  return retryable === true && overloaded !== true
}
