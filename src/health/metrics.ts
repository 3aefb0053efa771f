import { TOKENS, type PerToken, type Token } from '../money/token.ts'
import { wholeUnits } from '../money/whole-units.ts'
import type { Metric, Sample } from './exposition.ts'
import type { Facts, ProbeResult, PartnerFacts, RelayerFacts } from './facts.ts'
import { healthOf, PARTS } from './health.ts'

/**
 * Returns the metrics of all parts, for the operator. They come from the objects: nothing is counted in an isolate, so
 * that every isolate answers the same. Amounts are in whole tokens, times in unix seconds.
 */
export function metricsOf(facts: Facts): Metric[] {
  return [
    ...healthMetrics(facts),
    ...tableMetrics(facts),
    ...chainMetrics(facts),
    ...relayerMetrics(facts),
    ...bankrollMetrics(facts),
    ...reconciliationMetrics(facts),
    ...stuckMetrics(facts),
    ...controlMetrics(facts),
    ...storageMetrics(facts),
    ...proofMetrics(facts),
    ...prizeMetrics(facts),
    ...partnerMetrics(facts),
  ]
}

function healthMetrics(facts: Facts): Metric[] {
  const { parts } = healthOf(facts)
  const configured = PARTS.filter((part) => parts[part].status !== 'off')
  return [
    gauge(
      'part_up',
      'Whether a configured part is up (1) or degraded (0), as in /api/health.',
      by('part', configured, (part) => flag(parts[part].status === 'up')),
    ),
    gauge(
      'part_age_seconds',
      'The age of a part, as in /api/health.',
      by('part', configured, (part) => seconds(parts[part].ageMs)),
    ),
    gauge('read_timestamp_seconds', 'When the objects were asked.', seconds(facts.at)),
    gauge(
      'configuration_problems',
      'Problems that the latest check of the configuration against the chain found.',
      facts.configurationProblems,
    ),
  ]
}

function tableMetrics({ table }: Facts): Metric[] {
  const known = answer(table)
  return [
    counter('rounds_total', 'Rounds that have ended.', known?.rounds),
    counter(
      'rounds_voided_total',
      'Rounds without a beacon in time, whose bets were refunded.',
      known?.voided,
    ),
    gauge(
      'rounds_undelivered',
      'Ended rounds whose notices have not all been delivered.',
      known?.unswept,
    ),
    gauge(
      'table_read_timestamp_seconds',
      'When someone last looked at the table.',
      seconds(known?.lastReadAt),
    ),
  ]
}

function chainMetrics({ chain }: Facts): Metric[] {
  const known = answer(chain)
  return [
    gauge(
      'chain_checked_timestamp_seconds',
      "When the vault's logs last agreed with the contract's totals.",
      seconds(known?.checkedAt),
    ),
    gauge('chain_block', 'The newest block that was read.', known?.block),
    gauge('chain_block_timestamp_seconds', 'The timestamp of that block.', seconds(known?.blockAt)),
    gauge(
      'vault_movements_undelivered',
      'Deposits and funds that were read and have not reached their ledgers.',
      known?.untold,
    ),
  ]
}

function relayerMetrics({ relayer, at }: Facts): Metric[] {
  const known = answer(relayer)
  const seen = known?.seen
  const pool = seen?.poolWei
  const perKind = (value: (waiting: RelayerFacts['prizes']) => number) =>
    known ? by('kind', ['withdrawals', 'prizes'], (kind) => value(known[kind])) : []
  return [
    gauge(
      'orders_waiting',
      'Withdrawals and prizes without a confirmed transaction.',
      perKind(({ count }) => count),
    ),
    gauge(
      'orders_oldest_age_seconds',
      'The age of the oldest of them that does not rest because its wallet wastes gas; 0 without any.',
      perKind(({ oldestAt }) => (oldestAt === null ? 0 : (at - oldestAt) / 1_000)),
    ),
    gauge(
      'relayer_unmined_transactions',
      "The relayer's transactions that are not known to be mined.",
      known?.unmined,
    ),
    counter('relayer_nonce', "The relayer's next nonce.", known?.nextNonce),
    gauge(
      'relayer_balance_eth',
      "The relayer's balance for gas, in the chain's coin.",
      eth(seen?.balanceWei),
    ),
    gauge(
      'relayer_reserve_eth',
      'The balance below which RelayerGasLow fires, in the same coin. Payouts go on while it pays for them.',
      eth(known?.reserveWei),
    ),
    gauge(
      'gas_price_gwei',
      "The market's price of gas, which may be above the most that the relayer pays.",
      seen ? Number(seen.marketPriceWei) / 1e9 : null,
    ),
    gauge(
      'pool_balance',
      'What the prize pool has, in whole units: the chain’s coin and the reward token.',
      pool ? by('asset', ['ETH', 'REWARD'], (asset) => eth(pool[asset])) : [],
    ),
    gauge('vault_paused', 'Whether the vault is paused.', flag(seen?.isPaused)),
    gauge(
      'vault_relayer_announced',
      "Whether the vault's owner has announced another relayer, which may still take over.",
      seen ? flag(seen.nextRelayer != null) : null,
    ),
    gauge(
      'node_seen_timestamp_seconds',
      'When the node last answered the relayer.',
      seconds(seen?.at),
    ),
  ]
}

const DOUBTS = ['behind', 'restored', 'incomplete'] as const

function bankrollMetrics({ bankroll }: Facts): Metric[] {
  const known = answer(bankroll)
  return [
    gauge('wallets', 'Ledgers with a position at the last count.', known?.wallets),
    gauge('owed', 'What players are owed at the last count.', amounts(known?.owedWei)),
    gauge('bankroll', "The house's bankroll at the last count.", amounts(known?.bankrollWei)),
    gauge(
      'house_result',
      "The house's winnings less its losses since the first bet.",
      amounts(known?.resultWei),
    ),
    gauge(
      'bankroll_counted_timestamp_seconds',
      'When the bankroll was last counted.',
      seconds(known?.countedAt),
    ),
    gauge(
      'bankroll_valid',
      'Whether the last count is still valid; otherwise no bet is accepted.',
      flag(known?.isValid),
    ),
    gauge(
      'database_doubt',
      "Why D1's positions can't be counted.",
      known ? by('doubt', DOUBTS, (doubt) => flag(known.doubt === doubt)) : [],
    ),
  ]
}

function reconciliationMetrics({ bankroll, at }: Facts): Metric[] {
  const known = answer(bankroll)?.reconciliation
  const counted = answer(bankroll)?.countedAt != null
  const since = known?.driftingSince
  return [
    gauge(
      'reconciliation_age_seconds',
      'How long ago the vault was last compared with the ledgers; +Inf if it never was, although the house was counted.',
      known ? (at - known.at) / 1_000 : counted ? '+Inf' : null,
    ),
    gauge(
      'drift',
      'What the vault has more than the ledgers say; negative if it has less.',
      amounts(known?.driftWei),
    ),
    gauge(
      'drift_age_seconds',
      'How long there has been a drift; 0 without one. Opposite drifts may add up to 0.',
      since
        ? by('token', TOKENS, (token) => (since[token] === null ? 0 : (at - since[token]) / 1_000))
        : [],
    ),
  ]
}

function stuckMetrics({ stuck, at }: Facts): Metric[] {
  const { oldestAt, byClass } = stuck
  const perClass = (field: 'objects' | 'messages') =>
    by('class', Object.keys(byClass), (name) => byClass[name]?.[field] ?? null)
  return [
    gauge('stuck_objects', 'Objects with messages that failed five times.', perClass('objects')),
    gauge('stuck_messages', 'Messages that failed five times or more.', perClass('messages')),
    gauge(
      'stuck_oldest_age_seconds',
      'How long the first object has had such messages; 0 without any.',
      oldestAt === null ? 0 : (at - oldestAt) / 1_000,
    ),
  ]
}

function controlMetrics({ control }: Facts): Metric[] {
  return [
    gauge(
      'wallets_closed',
      'Wallets that operators have closed, or the service because a ledger went back in time.',
      answer(control)?.closedWallets,
    ),
  ]
}

function storageMetrics(facts: Facts): Metric[] {
  const { table, chain, relayer, bankroll, control, log, exports, books, partners } = facts
  const found = {
    CrashTable: table,
    VaultWatch: chain,
    Relayer: relayer,
    Treasury: bankroll,
    Control: control,
    TransparencyLog: log,
    Exporter: exports,
    Daybook: books,
  }
  const sizes = Object.entries(found).map(([name, one]) => ({
    labels: { class: name },
    value: answer<{ databaseBytes?: number }>(one)?.databaseBytes ?? null,
  }))
  const idsOf = Object.entries(partners).map(([partner, one]) => ({
    labels: { class: 'PartnerIds', partner },
    value: answer(one)?.idsBytes ?? null,
  }))
  return [
    gauge('database_bytes', "The size of an object's database, of at most 10 GB.", [
      ...sizes,
      ...idsOf,
    ]),
  ]
}

function proofMetrics({ log, exports, books, solvency }: Facts): Metric[] {
  const [logged, exported, counted] = [answer(log), answer(exports), answer(books)]
  const newest = answer(solvency)?.newest
  return [
    gauge('log_entries', 'Entries of the public log.', logged?.size),
    gauge('log_archived_entries', 'Those in full tiles that the archive has.', logged?.archived),
    gauge(
      'log_forked',
      'Whether the log found that it was restored or has another key.',
      flag(logged?.isForked),
    ),
    gauge(
      'export_day_timestamp_seconds',
      'The newest exported day, at its beginning.',
      beginning(exported?.newestDay),
    ),
    gauge(
      'books_day_timestamp_seconds',
      'The newest day whose books are closed, at its beginning.',
      beginning(counted?.newestDay),
    ),
    gauge('solvency_epoch', 'The number of the newest count of all debts.', newest?.epoch),
    gauge('solvency_wallets', 'Wallets in that count, of at most 4,194,304.', newest?.leaves),
    gauge('solvency_timestamp_seconds', 'When the debts were last counted.', seconds(newest?.at)),
    gauge(
      'solvency_ratio',
      'Holdings divided by debts.',
      newest ? by('token', TOKENS, (token) => newest.ratio[token]) : [],
    ),
  ]
}

function prizeMetrics({ lootbox }: Facts): Metric[] {
  const known = answer(lootbox)
  return [
    gauge('lootbox_spins', 'Free spins taken today (UTC).', known?.spins),
    gauge('lootbox_spin_limit', 'Free spins of a day.', known?.spinDailyLimit),
  ]
}

function partnerMetrics({ partners }: Facts): Metric[] {
  const perPartner = (field: keyof PartnerFacts[Token]) =>
    Object.entries(partners).flatMap(([partner, found]) =>
      TOKENS.flatMap((token) => {
        const amountWei = answer(found)?.[token][field]
        if (amountWei === undefined) return []
        return [{ labels: { partner, token }, value: whole(amountWei, token) }]
      }),
    )
  const players = (field: 'newPlayers' | 'newPlayersPerDay') =>
    Object.entries(partners).flatMap(([partner, found]) => {
      const value = answer(found)?.[field]
      return value === undefined ? [] : [{ labels: { partner }, value }]
    })
  return [
    gauge(
      'partner_credited',
      'Credits of today (UTC), of all players of a partner.',
      perPartner('creditedWei'),
    ),
    gauge(
      'partner_debited',
      'Debits of today (UTC), as far as ledgers have reported them.',
      perPartner('debitedWei'),
    ),
    gauge(
      'partner_credit_limit',
      'The most by which credits may exceed debits in a day.',
      perPartner('limitWei'),
    ),
    gauge(
      'partner_debt',
      'What a partner owes: credits less debits of all days, and what it has been paid.',
      perPartner('debtWei'),
    ),
    gauge('partner_debt_limit', 'The most that a partner may owe.', perPartner('maxDebtWei')),
    gauge(
      'partner_new_players',
      'Players of today (UTC) whose chips first moved by a credit of the partner.',
      players('newPlayers'),
    ),
    gauge(
      'partner_new_players_limit',
      'The most new players of a partner in a day.',
      players('newPlayersPerDay'),
    ),
  ]
}

/** One value, without a label, or several samples. */
type Values = Sample['value'] | undefined | readonly Sample[]

function gauge(name: string, help: string, values: Values): Metric {
  return { name, type: 'gauge', help, samples: samplesOf(values) }
}

function counter(name: string, help: string, values: Values): Metric {
  return { name, type: 'counter', help, samples: samplesOf(values) }
}

function samplesOf(values: Values): readonly Sample[] {
  return typeof values === 'object' && values !== null ? values : [{ value: values ?? null }]
}

/** Returns a sample for each value of a label. */
function by<Value extends string>(
  label: string,
  values: readonly Value[],
  sampled: (value: Value) => Sample['value'],
): Sample[] {
  return values.map((value) => ({ labels: { [label]: value }, value: sampled(value) }))
}

function answer<T extends object>(found: ProbeResult<T> | undefined): T | null {
  return typeof found === 'object' ? found : null
}

function seconds(ms: number | null | undefined): number | null {
  return ms == null ? null : ms / 1_000
}

/** Returns when a day begins, in unix seconds. */
function beginning(day: string | null | undefined): number | null {
  return day == null ? null : Date.parse(day) / 1_000
}

function flag(value: boolean | undefined): number | null {
  return value === undefined ? null : Number(value)
}

function amounts(wei: PerToken<string> | undefined): Sample[] {
  return wei ? by('token', TOKENS, (token) => whole(wei[token], token)) : []
}

function whole(wei: string, token: Token): string {
  return wholeUnits(BigInt(wei), token)
}

function eth(wei: string | undefined): string | null {
  return wei === undefined ? null : whole(wei, 'ETH')
}
