import { retried } from '../../calls/call.ts'
import { ledger } from '../../calls/objects.ts'
import { isRefusal, refuse, type Refusal } from '../../core/refusal.ts'
import type { InspectedPlayer, VerifiedPlayer } from './answers.ts'

/**
 * Returns a wallet's ledger as operators see it, with a page of its journal and the player's own limits.
 * @param before only entries with lower numbers; null for the newest
 */
export async function inspectedPlayer(
  env: Env,
  wallet: string,
  before: number | null,
): Promise<InspectedPlayer | Refusal> {
  const [found, protection] = await Promise.all([
    retried(async () => ledger(env, wallet).inspect(before)),
    retried(async () => ledger(env, wallet).limits()),
  ])
  if (found === null) return NO_LEDGER
  if (isRefusal(found)) return found
  if (isRefusal(protection)) return protection
  return { ok: true, wallet, ...found, protection }
}

/** Replays the part of a wallet's journal outside the archive, and returns whether it is right. */
export async function verifiedPlayer(env: Env, wallet: string): Promise<VerifiedPlayer | Refusal> {
  const found = await retried(async () => ledger(env, wallet).inspect(1))
  if (found === null) return NO_LEDGER
  if (isRefusal(found)) return found
  const audit = await retried(async () => ledger(env, wallet).verify())
  const { entries } = found
  return audit.ok
    ? { ok: true, isRight: true, problem: null, entries, archived: audit.archived }
    : { ok: true, isRight: false, problem: audit.problem, entries, archived: null }
}

const NO_LEDGER = refuse('not_found', 'This wallet has never had chips. Check the address.')
