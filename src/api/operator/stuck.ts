import { retried } from '../../calls/call.ts'
import { control, health, ledger, relayer, vaultWatch } from '../../calls/objects.ts'
import { loadConfig } from '../../config/load.ts'
import { isRefusal } from '../../core/refusal.ts'
import type { StuckObject } from '../../health/facts.ts'
import { HOUSE } from '../../ledger/accounts.ts'
import { LOG_EVENTS } from '../../log-events.ts'
import type { LogEventName } from '../../log.ts'
import type { ActRecord } from '../../operator/approval.ts'
import type { UnpaidOrder, UnpaidOrders } from '../../relayer/unpaid.ts'
import type { MissingSince } from '../../vault/events.ts'
import type { StuckMoney } from './answers.ts'

/** An order that is neither paid nor explained after this is stuck. */
const LATE_MS = 600_000

/** The most accounts listed because the chain has dropped a credited deposit. */
const MAX_LISTED = 20
/** The most pages that are read: they also list accounts whose losses operators have written off. */
const MAX_PAGES = 20

/** The events after which only operators can say how a withdrawal ended. */
const NEEDS_DECISION: readonly (LogEventName<'error'> | null)[] = [
  'nonce_paid_otherwise',
  'nonce_use_unknown',
]

/** Returns all money that does not move, the oldest first. */
export async function stuckMoney(env: Env, now: number): Promise<StuckMoney[]> {
  const { vault } = loadConfig(env)
  const [unpaid, missing, freezes, closed, objects] = await Promise.all([
    vault && retried(async () => relayer(env, vault.chainId).unpaid()),
    vault ? missingSince(env, vault.id) : [],
    retried(async () => control(env).freezes()),
    retried(async () => control(env).closedWallets()),
    retried(async () => health(env).stuck()),
  ])
  return [
    ...(unpaid?.orders.map((order) => ofOrder(order, unpaid, now)) ?? []),
    ...missing.map(ofMissing),
    ...freezes.map(ofFreeze),
    ...closed.map(ofClosed),
    ...objects.map(ofMessages),
  ].toSorted((a, b) => a.since - b.since)
}

/** Returns the accounts that wait for dropped deposits, the oldest first. */
async function missingSince(env: Env, vaultId: string): Promise<MissingSince[]> {
  const waiting: MissingSince[] = []
  let after: MissingSince | undefined
  for (let page = 0; page < MAX_PAGES && waiting.length < MAX_LISTED; page++) {
    const dropped = await retried(async () => vaultWatch(env, vaultId).missing(after))
    const found = await Promise.all(
      dropped.map(async (each) => ((await isWaiting(env, each.account)) ? [each] : [])),
    )
    waiting.push(...found.flat())
    after = dropped.at(-1)
    if (!after) break
  }
  return waiting
}

/** Returns whether a ledger waits for deposits that the chain has dropped: nobody has written them off. */
async function isWaiting(env: Env, account: string): Promise<boolean> {
  const found = await retried(async () => ledger(env, account).inspect(null))
  return found !== null && (isRefusal(found) || found.missingDeposits > 0)
}

function ofOrder(
  { order, step, state, orderedAt, cause, isResting }: UnpaidOrder,
  { areWithdrawalsClosed }: Pick<UnpaidOrders, 'areWithdrawalsClosed'>,
  now: number,
): StuckMoney {
  const isPrize = order.kind === 'prize'
  const wallet = isPrize ? order.to : order.player
  const isClosed = areWithdrawalsClosed && !isPrize && state === 'queued'
  const target = isPrize ? '' : `${wallet}:${order.nonce}`
  return {
    kind: order.kind,
    name: isPrize ? order.prizeId : target,
    wallet,
    asset: isPrize ? order.asset : order.token,
    amountWei: order.amountWei,
    since: orderedAt,
    isStuck:
      isClosed ||
      (state === 'queued' && cause !== null) ||
      (!isResting && now - orderedAt > LATE_MS),
    ...(isClosed
      ? CLOSED
      : isResting
        ? RESTING
        : state === 'sent'
          ? sent(step)
          : queued(cause, target)),
  }
}

type StuckAdvice = Pick<StuckMoney, 'cause' | 'remedy' | 'acts'>

const CLOSED: StuckAdvice = {
  cause: 'Withdrawals are not open, so no payment begins.',
  remedy: 'Open the withdrawals again once the reason for closing them has gone.',
  acts: [{ act: 'mode', target: 'withdrawals=open' }],
}

const RESTING: StuckAdvice = {
  cause:
    'Its wallet has used up its daily gas allowance, or transactions that paid it have failed and wasted gas. It is paused for up to a week.',
  remedy: 'Nothing: the relayer goes on with it by itself.',
  acts: [],
}

function sent(step: UnpaidOrder['step']): StuckAdvice {
  return {
    cause:
      step === 'burn'
        ? 'The vault refused the payment. A transaction that burns its nonce, so that the chips come back, is not confirmed yet.'
        : 'Its transaction is not confirmed yet.',
    remedy:
      'Nothing: after a minute the relayer replaces it with one that pays more for gas. If that goes on, look at the relayer’s balance and the chain.',
    acts: [],
  }
}

function queued(cause: UnpaidOrder['cause'], target: string): StuckAdvice {
  if (cause === null) {
    return {
      cause: 'It waits for its turn, or until its wallet has gas allowance again.',
      remedy: 'Nothing.',
      acts: [],
    }
  }
  const { means, todo } = LOG_EVENTS[cause]
  const needsDecision = target !== '' && NEEDS_DECISION.includes(cause)
  return {
    cause: means,
    remedy: todo,
    acts: needsDecision
      ? [
          { act: 'confirm-withdrawal', target },
          { act: 'release-withdrawal', target },
        ]
      : [],
  }
}

function ofMissing({ account, since }: MissingSince): StuckMoney {
  const isHouse = account === HOUSE
  return {
    kind: 'deposit',
    name: account,
    wallet: isHouse ? null : account,
    asset: null,
    amountWei: null,
    since,
    isStuck: true,
    cause: isHouse
      ? 'A reorganisation of the chain has dropped a transaction that moved the house’s own funds.'
      : 'A reorganisation of the chain has dropped a deposit that was credited.',
    remedy: isHouse
      ? 'Wait for the transaction to be mined again. If it never is, write it off, so that the ledgers match the vault.'
      : 'Wait for the deposit to be mined again. If it never is, write it off: the house bears the loss, and withdrawals continue.',
    acts: [{ act: 'write-off', target: account }],
  }
}

function ofFreeze({ target, reason, decidedAt }: ActRecord): StuckMoney {
  return {
    kind: 'freeze',
    name: target,
    wallet: target,
    asset: null,
    amountWei: null,
    since: decidedAt ?? 0,
    isStuck: true,
    cause: `An operator has frozen the wallet: ${reason}`,
    remedy: 'End the freeze once its reason has gone.',
    acts: [{ act: 'unfreeze', target }],
  }
}

function ofClosed({ name, act }: { name: string; act: ActRecord }): StuckMoney {
  const wallet = name.slice(name.indexOf(':') + 1)
  const who = act.approvals.length === 0 ? 'The service itself' : 'An operator'
  return {
    kind: 'closed',
    name: wallet,
    wallet,
    asset: null,
    amountWei: null,
    since: act.decidedAt ?? 0,
    isStuck: true,
    cause: `${who} has closed the wallet: ${act.reason}`,
    remedy:
      'If its ledger has gone back in time, restore it five minutes after it was closed: see reference/recovery/ledger.md. Then open the wallet.',
    acts: [
      { act: 'restore', target: wallet },
      { act: 'mode', target: `${name}=open` },
    ],
  }
}

function ofMessages({ class: kind, name, messages, since }: StuckObject): StuckMoney {
  return {
    kind: 'messages',
    name: `${kind} ${name}`,
    asset: null,
    amountWei: null,
    since,
    wallet: kind === 'Ledger' && name !== HOUSE ? name : null,
    isStuck: true,
    cause: `Messages that failed five times or more: ${messages}. They are kept and retried every five minutes.`,
    remedy:
      'See the runbook OutboxesStuck: the log names the destination that does not answer (outbox_message_stuck).',
    acts: [],
  }
}
