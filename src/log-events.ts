/** The meaning of an event in the log, and what to do about it. */
interface LogEventMeaning {
  level: 'info' | 'error'
  means: string
  /** Null for what only informs. */
  todo: string | null
}

const RETRIED = 'Nothing, unless it recurs: it is tried again.'
const NODE = 'If it recurs, see the runbook ChainUnread.'

/** Every event that the service logs, by its name. A test holds this list against the code. */
export const LOG_EVENTS = {
  access_keys_read_failed: error(
    'The keys of Cloudflare Access could not be read, so an operator’s call was refused.',
    'If it recurs, compare `ACCESS_TEAM_DOMAIN` with the domain of your team.',
  ),
  act_delayed: error('An act of operators waits for the object it is for.', RETRIED),
  act_ended: info(
    'An act of operators was carried out, or was not possible: `message` says which.',
  ),
  act_signed: info('An operator proposed an act, confirmed one, or ordered one alone.'),
  bankroll_not_counted: error(
    "The house's bankroll can't be counted from D1's positions. `doubt` and `message` say why.",
    'See the runbook BankrollInvalid. Positions are sent again automatically, at most once an hour.',
  ),
  bankroll_read_failed: error(
    'The treasury did not answer a caller, which uses the last known bankroll.',
    RETRIED,
  ),
  bet_outcome_unknown: error(
    'A round did not say how a bet ended. The stake stays held, and the round is asked again.',
    RETRIED,
  ),
  boxes_read_failed: error("The boxes' contracts could not be read.", NODE),
  chain_conditions_read_failed: error('The relayer did not answer a caller.', RETRIED),
  chain_configuration_mismatch: error(
    'The configuration does not fit the chain. `message` says how. Logged every minute.',
    'Follow the message.',
  ),
  contract_wallet_read_failed: error('The signature of a contract wallet could not be read.', NODE),
  control_log_unread: error(
    'Control could not compare its versions with the public log after a start. Its own versions hold.',
    RETRIED,
  ),
  control_version_adopted: info(
    'Control took over a version from the public log: it was restored to an earlier time.',
  ),
  credited_deposit_missing: error(
    'The chain no longer has a deposit that was credited. The wallet cannot withdraw until it is back.',
    'Wait for the chain. If it never returns, decide, and run `npm run operate -- write-off 0x…`.',
  ),
  daybook_delayed: error(
    'A ledger did not answer for the books of a day, which wait for it.',
    'If it recurs, look up why that ledger fails.',
  ),
  daybook_unbalanced: error(
    'The lines of a wallet are not what its journal amounts to: `message` names both. The books of the day are wrong.',
    'A bug: report it. When it is fixed, run `npm run operate -- reproject books:<day>`.',
  ),
  database_restored: error(
    "D1's heartbeat went back: it was lost or restored. Every position is being sent again.",
    'See "Recovery" in the README: some data is not sent again.',
  ),
  ended_game_not_told: error(
    'A game that ended automatically did not reach the public feed.',
    RETRIED,
  ),
  ended_withdrawal_contradicted: error(
    'The relayer reported another end of a withdrawal that has ended.',
    'Compare the withdrawal with the payment on the chain.',
  ),
  erased_round_recorded: info(
    'The table recorded a round that it once had, after it was restored to an earlier time.',
  ),
  export_boxes_failed: error('The export of a day leaves its boxes to a later day.', NODE),
  export_plays_failed: error(
    "The export of a day leaves a wallet's plays to a later day.",
    RETRIED,
  ),
  feed_write_failed: error(
    'Plays did not reach the public feed. Their ledgers send them again.',
    'If it recurs, see the runbook OutboxesStuck.',
  ),
  heartbeat_write_failed: error(
    '`DB` accepts no writes. After ten minutes the bankroll is no longer counted.',
    'See the runbook BankrollInvalid.',
  ),
  history_read_failed: error('A list could not be read from `HISTORY`.', RETRIED),
  house_count_failed: error('The node did not answer a count of the house’s funds.', NODE),
  journal_archive_failed: error(
    'R2 does not store old entries of a wallet. They stay in its ledger.',
    'Look at the state of R2. Nothing is lost.',
  ),
  journal_unsound: error(
    'A journal did not verify, when an operator asked for it: `message` says what is wrong.',
    'See `reference/recovery/ledger.md`.',
  ),
  journal_archive_unavailable: error(
    'R2 does not return old entries of a wallet. Calls that need them are refused.',
    'Look at the state of R2, and at the lock of the bucket.',
  ),
  ledger_restored: info(
    'A ledger that had lost its latest entries goes on. `kept`, `known` and `goesOn` are numbers of entries.',
  ),
  ledger_standing_unknown: error(
    'A ledger that is to be restored does not say how far it was. D1’s position counts instead.',
    'See `reference/recovery/ledger.md`.',
  ),
  ledger_went_back: error(
    'D1 has heard of a later entry than the latest of a ledger, which must have been restored. Its wallet is being closed.',
    'Follow `reference/recovery/ledger.md`.',
  ),
  limits_changed: info('A player changed a limit or an exclusion.'),
  log_anchor_failed: error(
    'The archive did not take the latest checkpoint of the public log.',
    'If it recurs, see the runbook LogDegraded.',
  ),
  log_archive_unavailable: error(
    'A tile of the public log could not be read from R2; the log’s object answers instead.',
    RETRIED,
  ),
  log_copy_failed: error(
    'The archive did not take tiles of the public log.',
    'If it recurs, see the runbook LogDegraded.',
  ),
  log_forked: error(
    'The public log was restored to an earlier time or has another key. It appends nothing.',
    'See the runbook LogForked.',
  ),
  modes_read_failed: error(
    '`Control` did not answer with the modes. The last known ones hold: in the router for five minutes.',
    RETRIED,
  ),
  movement: info(
    'One entry of a wallet’s journal: its number, operation, postings and hash. `LOG_MOVEMENTS` switches these lines off.',
  ),
  earlier_withdrawal_missing: error(
    'A withdrawal waits for an earlier one, whose transaction the chain has dropped.',
    'Nothing at first: the relayer sends it again.',
  ),
  nonce_paid_otherwise: error(
    'The vault paid something else with the nonce of a withdrawal.',
    "Find out who has the relayer's key. Then run `npm run operate -- confirm-withdrawal 0x…:NONCE` or `release-withdrawal`.",
  ),
  nonce_use_unknown: error(
    'The nonce of a withdrawal is used, and the vault’s logs don’t show how.',
    "Look up the player's nonce on the chain. The node may have omitted a log.",
  ),
  outbox_message_stuck: error(
    '`object` has failed to deliver a message five times or more. It is kept and retried.',
    'See the runbook OutboxesStuck.',
  ),
  partner_debit_refused: info("A partner's debit was refused. `code` says why."),
  payment_read_failed: error('A payment could not be read from the chain.', NODE),
  payout_failed: error('An order of the relayer failed, and waits behind the others.', RETRIED),
  payout_paid_after_burn: error(
    'A withdrawal was paid after its chips had come back: a reorganisation went deeper than the confirmations.',
    'Compare with the chain, and settle it with the player. Raise CHAIN_CONFIRMATIONS.',
  ),
  payout_vault_not_configured: error(
    'An order is for another vault than the configured one. It waits.',
    'Finish the withdrawals of a vault before you configure another one.',
  ),
  permission_granted: info('A player permitted a partner to debit.'),
  permission_revoked: info("A player revoked a partner's permission."),
  position_send_failed: error(
    'A wallet has no position in D1, or one that differs from the chain, and its ledger did not answer.',
    RETRIED,
  ),
  preview_read_failed: error(
    'The preview of a link could not be read. It shows the site instead.',
    RETRIED,
  ),
  prize_price_read_failed: error('The feed of a prize has no price. The page shows none.', NODE),
  prize_not_payable: error(
    'The pool refuses to pay a prize. It stays owed until it is paid.',
    'See the runbook PrizesLate: fund the pool, or wait for the exchange.',
  ),
  receipt_not_signed: error(
    "`RECEIPT_KEYS` can't sign, so players get no receipts.",
    'Set it again: `npm run receipt-key`.',
  ),
  reconciliation_failed: error(
    'The vault could not be compared with the ledgers. The next minute tries again.',
    NODE,
  ),
  relayer_look_failed: error('The relayer could not read the chain.', NODE),
  relayer_needs_funding: error(
    'The relayer has less than its reserve, and sends nothing.',
    'See the runbook RelayerGasLow.',
  ),
  relayer_nonce_lost: error(
    'A nonce of the relayer was used by another transaction, or belongs to an earlier key.',
    'Once after a change of keys: nothing. Otherwise find out who has the key.',
  ),
  relayer_transaction_reorganized: error(
    'The chain dropped a confirmed transaction of the relayer. It is sent again.',
    'If it recurs, raise CHAIN_CONFIRMATIONS.',
  ),
  request_failed: error(
    'A call failed by a fault of ours. `requestId` is in the answer’s `x-request-id`.',
    'Look for lines of the same time. A fault that recurs is a bug: report it.',
  ),
  result_refused: error("The vault refused a report of the house's winnings.", 'Run the doctor.'),
  round_history_read_failed: error(
    'A round could not ask the history whether it was played before.',
    RETRIED,
  ),
  round_sweep_failed: error('A round did not answer the cron trigger.', RETRIED),
  rpc_call_failed: error('A call of the RPC proxy failed by a fault of ours.', RETRIED),
  rpc_upstream_failed: error(
    'A node of the RPC proxy does not answer, or is on another chain. `upstream` is its place in RPC_UPSTREAMS.',
    'If it recurs, replace the node.',
  ),
  settled_block_reorganized: error(
    'A block of half an hour ago has another hash. All logs are read again.',
    'Look at the chain and the node. Pause the vault if the chain itself has reorganised.',
  ),
  solvency_count_given_up: error(
    'The count of all debts took too long. The next hour has another.',
    'See the runbook SolvencyOld.',
  ),
  solvency_not_logged: error('The count of all debts is not in the public log yet.', RETRIED),
  stream_not_told: error(
    'The table could not report its new mode to the live stream. Viewers see it with the next round.',
    RETRIED,
  ),
  stream_report_failed: error('A round could not report to the live stream.', RETRIED),
  stream_round_read_failed: error('The live stream could not read the round.', RETRIED),
  stream_table_read_failed: error('The live stream could not read the table.', RETRIED),
  sweep_failed: error('A part of the work of each minute failed. `part` names it.', RETRIED),
  terms_not_logged: error('The terms of play did not reach the public log.', RETRIED),
  transaction_broadcast_failed: error(
    'The node did not take a transaction. It is sent again.',
    NODE,
  ),
  vault_block_reorganized: error(
    'The chain replaced blocks. Their logs are read again.',
    'Nothing.',
  ),
  vault_drift_stays: error(
    'The vault and the ledgers have differed for ten minutes or more: `place` says where, `amountWei` by how much. Logged every minute.',
    'See the runbook VaultDrift.',
  ),
  vault_logs_incomplete: error(
    'A node omitted logs. They are read again.',
    'If it recurs, use a better node.',
  ),
  vault_read_failed: error('The vault’s logs could not be read.', 'See the runbook ChainUnread.'),
  vault_relayer_differs: error(
    "The vault's relayer is not the account of RELAYER_PRIVATE_KEY. Withdrawals wait.",
    'Finish the change of keys: see "Change of keys" in the README.',
  ),
  vault_watch_failed: error('The vault watch did not answer a caller.', RETRIED),
  withdrawal_not_payable: error(
    'The vault is paused or the token is stopped. The withdrawal waits until it can be paid.',
    'Unpause the vault if you paused it. See the runbook WithdrawalsLate.',
  ),
  withdrawals_paused: error(
    'Withdrawals were paused, because the vault and the ledgers have differed for ten minutes or have come to differ more.',
    'See the runbook VaultDrift.',
  ),
} as const satisfies Record<string, LogEventMeaning>

type Events = typeof LOG_EVENTS
/** The events of one level. */
export type LogEventName<Level extends LogEventMeaning['level']> = {
  [Name in keyof Events]: Events[Name]['level'] extends Level ? Name : never
}[keyof Events]

function info(means: string) {
  return { level: 'info', means, todo: null } as const
}

function error(means: string, todo: string) {
  return { level: 'error', means, todo } as const
}
