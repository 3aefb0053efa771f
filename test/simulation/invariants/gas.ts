import { CHAIN } from '../chain/addresses.ts'
import type { Chain } from '../chain/chain.ts'
import type { VaultPayment } from '../chain/payments.ts'
import type { SentPayment } from '../chain/sent-payments.ts'
import type { World } from '../world/world.ts'
import { rowsOf } from './rounds.ts'

/** The most gas of a withdrawal, and the margin of a gas limit over an estimate. */
const MAX_GAS = 700_000
const MARGIN = 5 / 4
/** What the withdrawals of a wallet may draw in a day. */
const GAS_A_DAY = 1_000_000
/** How long a wallet waits after its first payment that was mined in vain. The wait doubles each time. */
const FIRST_REST_MS = 60_000
const LONGEST_REST_MS = 7 * 86_400_000
/** Less than a day, because a payment is signed before a node gets it. */
const ALMOST_A_DAY_MS = 23 * 3_600_000

/**
 * However wallets waste gas, it is bounded for each payment and for each wallet, and a wallet that has wasted some
 * waits.
 */
export function checkGas(world: World, chain: Chain): void {
  const all = chain.payments.all()
  for (const { player, nonce, gasLimit } of all) {
    if (gasLimit > MAX_GAS * MARGIN)
      world.violate(`withdrawal ${nonce} of ${player} may take ${gasLimit} gas`)
  }
  for (const player of new Set(all.map((sent) => sent.player))) {
    const own = all.filter((sent) => sent.player === player)
    checkDraws(world, player, own)
    checkRests(world, chain, player, own)
  }
}

/** Returns whether a payment has to wait until its wallet may draw gas again. */
export function waitsForGas(chain: Chain, payment: VaultPayment, now: number): boolean {
  const lost = lostTransactions(chain, payment)
  // The relayer takes back what one transaction of the payment has drawn in vain.
  const isTakenBack = ({ nonce, txNonce }: SentPayment) =>
    lost.size === 1 && nonce === payment.nonce && lost.has(txNonce)
  const drawn = chain.payments
    .all()
    .filter(({ player, sentAt }) => player === payment.player && sentAt > now - ALMOST_A_DAY_MS)
    .filter((sent) => !isTakenBack(sent) && !sent.wasOutOfTurn)
  // It waits as long as it had to when it was estimated, even if its wallet's code takes less now.
  const estimate = chain.payments.highestEstimate(payment.player, payment.nonce)
  return sumOf(drawn) + estimate > GAS_A_DAY
}

/**
 * Returns whether a payment waits because earlier ones of its wallet were mined in vain: perhaps for longer than the
 * chain has been calm. The relayer says until when.
 */
export function rests(world: World, chain: Chain, { player, nonce }: VaultPayment): boolean {
  const hasWasted = chain.payments
    .all()
    .some((sent) => sent.player === player && sent.failedAt !== null)
  const sql = `SELECT due_at AS dueAt FROM payouts WHERE wallet = '${player}' AND state = 'queued'
    AND cause = 'wallet_wastes_gas' AND payout_order ->> 'nonce' = ${nonce}`
  const [row] = hasWasted ? rowsOf(world, 'Relayer', String(CHAIN.chainId), sql) : []
  const restMs = Number(row?.['dueAt'] ?? 0) - world.scheduler.now
  return restMs > 0 && restMs <= LONGEST_REST_MS
}

/** Returns whether a wallet's rest ends within a time. The relayer then goes on with its payments. */
export function someRestEnds(world: World, withinMs: number): boolean {
  const { now } = world.scheduler
  const sql = `SELECT due_at FROM payouts WHERE state = 'queued' AND cause = 'wallet_wastes_gas'
    AND due_at BETWEEN ${now - world.clocksDifferMs} AND ${now + withinMs + world.clocksDifferMs}`
  return rowsOf(world, 'Relayer', String(CHAIN.chainId), sql).length > 0
}

/** Returns the numbers of a payment's transactions that another one has cost their number. */
function lostTransactions(chain: Chain, { player, nonce }: VaultPayment): Set<number> {
  const own = chain.payments.all().filter((sent) => sent.player === player && sent.nonce === nonce)
  return new Set(own.filter((sent) => sent.wasSuperseded).map(({ txNonce }) => txNonce))
}

/**
 * A transaction has drawn nothing if another one had its number, so that it could not be mined any more, or if it was
 * not its turn.
 */
function checkDraws(world: World, player: string, own: readonly SentPayment[]): void {
  const mayDraw = own.filter(
    (sent) => !sent.wasSuperseded && !sent.wasOutOfTurn && !wasMade(sent, own),
  )
  for (const { sentAt } of mayDraw) {
    const aDay = mayDraw.filter(
      (sent) => sent.sentAt <= sentAt && sent.sentAt > sentAt - ALMOST_A_DAY_MS,
    )
    const drawn = sumOf(aDay)
    if (drawn > GAS_A_DAY) return world.violate(`${player} has drawn ${drawn} gas in a day`)
  }
}

/**
 * Whether a withdrawal was paid before by another transaction, which the chain has dropped. Its ledger may have booked
 * that.
 */
function wasMade(again: SentPayment, own: readonly SentPayment[]): boolean {
  return own
    .filter(({ nonce, sentAt }) => nonce === again.nonce && sentAt < again.sentAt)
    .filter(({ txNonce, sender }) => txNonce !== again.txNonce || sender !== again.sender)
    .some(({ hasSucceeded }) => hasSucceeded)
}

/** Returns the gas that payments draw. The attempts of one transaction draw once. */
function sumOf(payments: readonly SentPayment[]): number {
  const byTransaction = new Map(payments.map((sent) => [`${sent.txNonce} ${sent.nonce}`, sent]))
  return [...byTransaction.values()].reduce(
    (sum, { gasLimit }) => sum + Math.ceil(gasLimit / MARGIN),
    0,
  )
}

/** After each payment that was mined in vain, the wallet's next one waits, and each time for longer. */
function checkRests(world: World, chain: Chain, player: string, own: readonly SentPayment[]): void {
  const failed = chain.blocks
    .flatMap(({ mined }) => mined.map(({ tx }) => chain.payments.find(tx.hash)))
    .filter((sent) => sent?.player === player && sent.failedAt !== null)
    // If another transaction had used its nonce, the next one could be sent before the relayer knew of the failure.
    .filter((sent) => sent && !sent.hasSucceeded && !sent.wasOutOfTurn && !sent.wasLate)
  for (const [index, last] of failed.entries()) {
    if (!last || last.failedAt === null) continue
    const { nonce, failedAt } = last
    const restMs = Math.min(FIRST_REST_MS * 2 ** index, LONGEST_REST_MS)
    const restsUntil = failedAt + restMs - world.clocksDifferMs
    // One sent before it may be sent again: the chain had carried this one out first, and then dropped it.
    const wasUnderWay = ({ txNonce, sender }: SentPayment) =>
      own.some(
        (sent) => sent.txNonce === txNonce && sent.sender === sender && sent.sentAt < failedAt,
      )
    const early = own
      .filter((sent) => sent.nonce > nonce && sent.sentAt < restsUntil)
      .find((sent) => !wasUnderWay(sent) && !wasMade(sent, own))
    if (early)
      world.violate(
        `withdrawal ${early.nonce} of ${player} did not wait after one was mined in vain`,
      )
  }
}
