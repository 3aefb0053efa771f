import type { ActivityPage } from '../../../durable-objects/ledger/activities.ts'
import type { Autobettor } from '../actors/autobets.ts'
import type { World } from '../world/world.ts'
import type { Ask } from './ledgers.ts'

/** The journal has one stake for each step of automatic betting, as high as the step wanted it, and no other. */
export async function checkAutobets(
  world: World,
  tabs: readonly Autobettor[],
  ask: Ask,
): Promise<void> {
  const [first] = tabs
  if (!first) return
  const steps = tabs
    .flatMap((tab) => tab.steps)
    .map(({ kind, id, amountWei }) => `${kind} ${id}: ${amountWei}`)
  const stakes = await stakesOf(world, first.wallet, ask)
  for (const step of steps) {
    if (!stakes.includes(step)) world.violate(`the journal lacks the automatic bet ${step}`)
  }
  for (const stake of stakes) {
    if (!steps.includes(stake))
      world.violate(`the journal has ${stake}, which is no step of automatic betting`)
  }
  if (stakes.length !== steps.length)
    world.violate(`${steps.length} automatic bets have ${stakes.length} stakes`)
}

/** Returns the stakes in a wallet's journal, those in the archive included. */
async function stakesOf(world: World, wallet: string, ask: Ask): Promise<string[]> {
  const place = world.objects.find('Ledger', wallet)
  const stakes: string[] = []
  if (!place) return stakes
  for (let before: number | null = Infinity; before !== null;) {
    const query = { kind: null, before, limit: 100 }
    const page = (await ask(place, 'activity', [query])) as ActivityPage | null
    for (const { kind, nonce, roundId, amountWei, payout } of page?.entries ?? []) {
      if (payout !== null) stakes.push(`${kind} ${nonce ?? roundId}: ${amountWei}`)
    }
    before = page?.next ?? null
  }
  return stakes
}
