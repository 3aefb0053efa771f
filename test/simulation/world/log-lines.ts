import { CHAIN } from '../chain/addresses.ts'
import { INJECTED_MESSAGES } from './faults.ts'
import { Instance } from './instance.ts'
import type { World } from './world.ts'

/** A drift is reported once it has lasted this long. A day that passes at once makes every earlier drift that old. */
const DRIFT_MS = 600_000

/** Log lines that follow from faults of the world. */
const EXPECTED = [
  /the log of the (plan|bets) comes first/,
  // A round that was played before, on its last attempt before it is discarded. A round that stays is a problem.
  /"message":"the log has another plan of this round","object":"CrashRound \d+","kind":"round"/,
  // Another call's network failure, which must not be repeated.
  /"message":"a call after a commit failed"/,
  /"event":"boxes_read_failed","message":"the node does not have (batch|kind) /,
  // A bet that was settled and archived while its ledger asked about it. Ten minutes pass before that in production.
  /"event":"bet_outcome_unknown","message":"segment \d+ is in the archive"/,
  // A repeated cash-out of long ago while the archive is down.
  /"message":"This needs older entries of the wallet/,
  // A database that has failed, or was restored: a day's books wait until it has every position.
  /"event":"daybook_delayed","message":"some ledgers may not have sent their positions"/,
  // A node that does not answer, that is behind, or whose chain has changed.
  /"message":"(HTTP request failed\.|The request took too long to respond\.|The operation timed out\.|Missing or invalid parameters\.[^"]*)"/,
  /"event":"(reconciliation|sweep)_failed","message":"block \d+ was replaced"/,
  /"event":"sweep_failed","message":"Block at number \\"\d+\\" could not be found\./,
  /"event":"(vault_block_reorganised|settled_block_reorganised|vault_logs_incomplete|credited_deposit_missing|act_delayed|modes_read_failed|relayer_transaction_reorganised|relayer_nonce_lost|relayer_nonce_missing|payout_end_dropped|earlier_withdrawal_missing|nonce_use_unknown|transaction_broadcast_failed|prize_not_payable|payment_read_failed|bankroll_not_counted)"/,
]

/** Returns whether an error that the service logs follows from faults of the world. */
export function isExplained(world: World, line: string): boolean {
  const { boxes, chain, databases, scheduler } = world
  const host = scheduler.current
  // An instance whose successor has taken over finds what that one has archived.
  const isOld = host instanceof Instance && host.isOld
  return (
    EXPECTED.some((pattern) => pattern.test(line)) ||
    INJECTED_MESSAGES.some((known) => line.includes(known)) ||
    (typeof databases['DB']?.restoredAt === 'number' && line.includes('"database_restored"')) ||
    (boxes?.werePermuted === true &&
      /the pepper of batch \d matches its hash|BOX_PEPPERS has no pepper with the hash/.test(
        line,
      )) ||
    (chain?.wasPaused === true && line.includes('"withdrawal_not_payable"')) ||
    tellsOfGone(chain, line) ||
    tellsOfRevived(chain, line) ||
    tellsOfPause(world, line) ||
    (paysAgainLate(chain) &&
      /"vault_drift_stays".*"amountWei":"\d|"withdrawals_paused"/.test(line)) ||
    (isOld && /"log_forked"|"log_copy_failed","message":"the log was restored/.test(line))
  )
}

/** Returns whether a line tells of a count or a drift during which a time has passed at once. */
function tellsOfPause({ resumedAt, scheduler }: World, line: string): boolean {
  const [, beganAt] = /"solvency_count_given_up".*"beganAt":(\d+)/.exec(line) ?? []
  if (beganAt !== undefined) return Number(beganAt) < resumedAt
  const isNew = resumedAt > 0 && scheduler.now - resumedAt < DRIFT_MS
  return isNew && /"(vault_drift_stays|withdrawals_paused)"/.test(line)
}

/** Returns whether a line follows from deposits that the chain has dropped permanently. */
function tellsOfGone(chain: World['chain'], line: string): boolean {
  return (chain?.gone ?? []).some(
    ({ from, call }) =>
      call.kind === 'deposit' &&
      line.includes(`"token":"${call.token === CHAIN.eth ? 'ETH' : 'USDG'}"`) &&
      (line.includes('"withdrawals_paused"') ||
        (line.includes('"vault_drift_stays"') && line.includes(`"place":"${from}"`))),
  )
}

/** Returns whether a line follows from a payment whose confirmed burn the chain has dropped. */
function tellsOfRevived(chain: World['chain'], line: string): boolean {
  return (chain?.revived ?? []).some(({ player, nonce, token }) => {
    if (line.includes('"payout_paid_after_burn"')) return line.includes(`:${player}:${nonce}"`)
    // The relayer tells the ledger the final outcome on the chain, and the ledger keeps its refund.
    if (line.includes('"ended_withdrawal_contradicted"'))
      return line.includes(`"Ledger ${player}"`) && line.includes(`"nonce":${nonce}}`)
    if (!line.includes(`"token":"${token}"`)) return false
    return (
      line.includes('"withdrawals_paused"') ||
      (line.includes('"vault_drift_stays"') && line.includes(`"place":"${player}"`))
    )
  })
}

/**
 * Returns whether payments may have to be made again long after the chain has dropped them: the relayer learns that
 * a third party has used a nonce of its own only after two minutes without a restart.
 */
function paysAgainLate(chain: World['chain']): boolean {
  const isDropped = chain?.alerts.some((line) => line.includes('"relayer_transaction_reorganised"'))
  return chain?.isKeyLeaked === true && isDropped === true
}
