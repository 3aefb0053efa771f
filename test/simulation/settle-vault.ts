import { MINUTE_MS } from '../../src/core/utc-day.ts'
import type { Caretaker } from './actors/caretakers.ts'
import type { Chain } from './chain/chain.ts'
import { checkPaidAfterBurn, paidAfterBurn } from './invariants/paid-after-burn.ts'
import type { World } from './world/world.ts'

/** Runs the simulation for a time, or until a condition holds. */
export type Run = (forMs: number, isOver?: () => boolean) => Promise<void>

interface Runner {
  run: Run
  /** Runs it until some work is done, which must be within a time. */
  within: (what: string, forMs: number, work: Promise<void>) => Promise<unknown>
}

/** A lasting drift is reported after ten minutes. */
const DRIFT_MS = 12 * MINUTE_MS
/** What is on the chain is settled once the vault watch never reads its block again, after half an hour. */
const SETTLED_MS = 30 * MINUTE_MS
/** How long the service has before that time and after it. */
const BEFORE_MS = 3 * MINUTE_MS
const AFTER_MS = 3 * MINUTE_MS
const ORDERS_MS = 4 * MINUTE_MS

/** Runs the world until books and vault agree, with the operators doing what the runbooks say. */
export async function settleVault(
  world: World,
  chain: Chain,
  caretaker: Caretaker,
  { run, within }: Runner,
): Promise<void> {
  const { gone, isKeyLeaked, revived } = chain
  // What the service does in half an hour without news, it does at the end of each history.
  const settle = async () => {
    await run(BEFORE_MS)
    world.pass('half an hour', SETTLED_MS)
    await run(AFTER_MS)
  }
  const mayPause = isKeyLeaked || revived.length > 0
  if (mayPause || gone.length > 0) await run(DRIFT_MS)
  const unbooked = paidAfterBurn(world, chain)
  checkPaidAfterBurn(world, chain, unbooked)
  if (unbooked.length > 0) {
    await settle()
    await within('booking payments', ORDERS_MS, caretaker.bookForHouse(unbooked))
  }
  if (!mayPause) return
  await within('opening withdrawals', ORDERS_MS, caretaker.endPause())
  await settle()
}
