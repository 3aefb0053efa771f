import { HOUSE } from '../../../src/ledger/accounts.ts'
import type { Order, PartnerClient } from '../actors/partners.ts'
import type { World } from '../world/world.ts'
import type { SoundAudit } from './ledgers.ts'
import { hasMissing } from './missing-deposits.ts'

/** The limits of the simulated partner, in smallest units of USDG. Low, so that they matter. */
export const PARTNER_LIMITS = {
  creditWei: 80_000_000n,
  netCreditPerDayWei: 400_000_000n,
  debitPerHourWei: 500_000_000n,
  /** Of a partner whose debits need permission. */
  debtWei: 300_000_000n,
}

/** What must hold once a partner has had an answer to each of its orders. */
export async function checkPartner(
  world: World,
  partner: PartnerClient,
  audits: ReadonlyMap<string, SoundAudit>,
  ask: <T>(what: string, work: Promise<T>) => Promise<T | null>,
): Promise<void> {
  const { orders } = partner
  for (const order of orders) checkOrder(world, order, orders)
  for (const [wallet, { balances }] of audits) {
    if (wallet === HOUSE) continue
    const ofWallet = orders.filter((order) => order.wallet === wallet)
    const movedWei = total(ofWallet)
    const booked = -BigInt(balances.USDG['partner'] ?? 0)
    if (movedWei !== booked)
      world.violate(
        `the partner was answered ${movedWei} for ${wallet}, whose books have ${booked}`,
      )
    const debits = ofWallet.filter((order) => movedBy(order) < 0n && order.amountWei !== null)
    const undone = ofWallet.filter((order) => movedBy(order) > 0n && order.amountWei === null)
    const netDebitWei = -total(debits) - total(undone)
    if (world.isOneDay && netDebitWei > PARTNER_LIMITS.debitPerHourWei)
      world.violate(`the partner has debited ${netDebitWei} from ${wallet} within an hour`)
    const entries = await ask(`the statement of ${wallet}`, partner.statement(wallet))
    const told = entries?.map((entry) => String(entry['partnerTransactionId'])).toSorted()
    const known = ofWallet.filter(isDone).map(({ id }) => id)
    if (JSON.stringify(told) !== JSON.stringify(known.toSorted()))
      world.violate(
        `the statement of ${wallet} has ${String(told)}, but ${String(known)} were done`,
      )
  }
  if (world.isOneDay && total(orders) > PARTNER_LIMITS.netCreditPerDayWei)
    world.violate(`the partner has credited ${total(orders)} in a day`)
  const isLimited = world.traits.needsConsent && world.programs.length === 1
  if (isLimited && total(orders) > PARTNER_LIMITS.debtWei)
    world.violate(`the partner owes ${total(orders)}`)
}

function checkOrder(world: World, order: Order, orders: readonly Order[]): void {
  const { id, amountWei, answer, originalId, wallet } = order
  if (!answer && order.isBarred) return
  // What lacks chips waits for the player's deposit.
  if (!answer && order.openCode === 'chain_unavailable' && hasMissing(world, wallet)) return
  if (!answer) return world.violate(`the partner's order ${id} was never decided`)
  const movedWei = movedBy(order)
  if (amountWei !== null) {
    if (answer.status === 200 && movedWei !== amountWei)
      world.violate(`order ${id} moved ${movedWei} instead of ${amountWei}`)
    if (movedWei > PARTNER_LIMITS.creditWei)
      world.violate(`order ${id} credits more than the limit of one transaction`)
    return
  }
  const original = orders.find((other) => other.id === originalId)
  const rollbacks = orders.filter((other) => other.originalId === originalId && isDone(other))
  if (!original || original.amountWei === null || original.wallet !== order.wallet) {
    if (movedWei !== 0n) world.violate(`rollback ${id} moved ${movedWei} of nothing`)
    return
  }
  const undoneWei = total(rollbacks)
  if (rollbacks.length > 0 && undoneWei !== -movedBy(original))
    world.violate(`${originalId} moved ${movedBy(original)}, but its rollbacks moved ${undoneWei}`)
}

function isDone({ answer }: Order): boolean {
  return answer?.status === 200
}

/** Returns what an order has moved by its answer, in smallest units. */
function movedBy({ answer }: Order): bigint {
  if (answer?.status !== 200) return 0n
  const { balanceWei, balanceBeforeWei } = answer.json
  return BigInt(String(balanceWei)) - BigInt(String(balanceBeforeWei))
}

function total(orders: readonly Order[]): bigint {
  return orders.reduce((sum, order) => sum + movedBy(order), 0n)
}
