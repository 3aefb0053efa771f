import { error, info, type LogEventMeaning } from './core/log-event-meaning.ts'

const RETRIED = 'Nothing, unless it recurs: the service retries.'
const NODE = 'If it recurs, see the runbook ChainUnread.'
const ROUND = ['object', 'roundId'] as const
const PERMISSION = ['object', 'wallet', 'partner', 'token', 'nonce'] as const
const REFUSED = ['object', 'wallet', 'partner', 'token', 'amountWei', 'code'] as const

/** Every event that the service logs, by its name. A test compares this list with the code. */
export const LOG_EVENTS = {
  access_keys_read_failed: error(
    'The keys of Cloudflare Access could not be read, so an operator’s call was refused.',
    'If it recurs, compare `ACCESS_TEAM_DOMAIN` with the domain of your team.',
    [],
  ),
  act_delayed: error('An object has not yet carried out an operators’ act.', RETRIED, [
    'object',
    'hash',
  ]),
  act_ended: info(
    'An act of operators was carried out, or was not possible: `message` says which.',
    ['object', 'hash', 'act', 'target', 'message'],
  ),
  act_signed: info('An operator proposed an act, confirmed one, or ordered one alone.', [
    'object',
    'hash',
    'act',
    'target',
    'operator',
    'role',
  ]),
  bankroll_not_counted: error(
    "The house's bankroll can't be counted from D1's positions. `doubt` and `message` say why.",
    'See the runbook BankrollInvalid. Positions are sent again automatically, within five minutes and then once an hour.',
    ['object', 'doubt'],
  ),
  bankroll_read_failed: error(
    'The treasury did not answer a caller, which uses the last known bankroll.',
    RETRIED,
    [],
  ),
  bet_outcome_unknown: error(
    'A round did not say how a bet ended. The stake stays held, and the round is asked again.',
    RETRIED,
    ROUND,
  ),
  boxes_read_failed: error("The boxes' contracts could not be read.", NODE, []),
  chain_conditions_read_failed: error('The relayer did not answer a caller.', RETRIED, []),
  chain_configuration_mismatch: error(
    'The configuration does not fit the chain. `message` says how. Logged every minute.',
    'Follow the message, as in the runbook ConfigurationWrong.',
    [],
  ),
  contract_wallet_read_failed: error("A contract wallet's signature could not be read.", NODE, []),
  control_log_unread: error(
    'Control could not compare its versions with the public log after a start. Its own versions hold.',
    RETRIED,
    ['object'],
  ),
  control_version_adopted: info(
    'Control took over a version from the public log: it was restored to an earlier time.',
    ['object', 'number'],
  ),
  credited_deposit_missing: error(
    'The chain no longer has a deposit that was credited. The wallet cannot withdraw until it is back.',
    'Wait for the chain. If it never returns, decide, and run `npm run operate -- write-off 0x…`.',
    ['object', 'txHash'],
  ),
  daybook_delayed: error(
    'A ledger did not answer for the books of a day, or D1 may lack the positions that name the ledgers. The books wait.',
    'If it recurs, see the runbook BooksLate.',
    ['object', 'day'],
  ),
  daybook_unbalanced: error(
    'A wallet’s lines don’t add up to the change of its balances: `message` names both. The books of the day are wrong.',
    'A bug: report it. When it is fixed, run `npm run operate -- reproject books:<day>`.',
    ['object', 'day'],
  ),
  database_restored: error(
    "D1's heartbeat went back: it was lost or restored. Every position is being sent again.",
    'See `reference/recovery/databases.md`: some data is not sent again.',
    ['object', 'found', 'known'],
  ),
  earlier_withdrawal_missing: error(
    'A withdrawal waits for an earlier one, whose transaction the chain has dropped.',
    'Nothing at first: the relayer sends it again.',
    ['object', 'id', 'step'],
  ),
  ended_game_not_told: error(
    'A game that ended automatically has not reached the public feed.',
    RETRIED,
    ['object'],
  ),
  ended_withdrawal_contradicted: error(
    'The relayer reported a different outcome of a withdrawal that has ended.',
    'Compare the withdrawal with the payment on the chain. If payout_paid_after_burn is logged too, do what that one says.',
    ['object', 'vaultId', 'nonce'],
  ),
  erased_round_recorded: info(
    'The table recorded a round that it once had, after it was restored to an earlier time.',
    ROUND,
  ),
  export_boxes_failed: error('The export of a day leaves its boxes to a later day.', NODE, [
    'object',
  ]),
  export_delayed: error(
    'D1 lacks rows of the day being exported: `message` says which. Their file is started again once they are back.',
    'See the runbook ExportLate.',
    ['object', 'day'],
  ),
  export_openings_not_marked: info(
    'D1 did not record which openings are exported: `message` says why. The export goes on without, and tries again on the next day.',
    ['object', 'message'],
  ),
  export_plays_failed: error(
    "The export of a day leaves a wallet's plays to a later day.",
    RETRIED,
    ['object', 'wallet'],
  ),
  export_segment_skipped: error(
    'The export leaves out a wallet’s plays in a segment: `ARCHIVE` has no file of it, or a different one, and a week has passed.',
    'See `reference/recovery/buckets.md`.',
    ['object', 'wallet', 'segment'],
  ),
  feed_write_failed: error(
    'Plays did not reach the public feed. Their ledgers send them again.',
    'If it recurs, see the runbook OutboxesStuck.',
    ['plays'],
  ),
  heartbeat_write_failed: error(
    '`DB` accepts no writes. After ten minutes the bankroll is no longer counted.',
    'See the runbook BankrollInvalid.',
    ['object'],
  ),
  history_read_failed: error(
    'A list or an ended round could not be read from `HISTORY`. The round is then read from the table.',
    RETRIED,
    ['list'],
  ),
  house_count_failed: error('The node did not answer a count of the house’s funds.', NODE, []),
  journal_archive_failed: error(
    'R2 does not store old entries of a wallet. They stay in its ledger.',
    'Check R2’s status. Nothing is lost.',
    ['object', 'wallet', 'segment'],
  ),
  journal_archive_unavailable: error(
    'R2 does not return old entries of a wallet. Calls that need them are refused.',
    'Check R2’s status and the bucket’s lock.',
    ['object', 'wallet', 'segment'],
  ),
  journal_unsound: error(
    'A check that an operator ordered found an error in a journal: `message` says where.',
    'See `reference/recovery/ledger.md`.',
    ['wallet', 'segment'],
  ),
  journals_read: info('An operator read entries of all journals. Logged for each page.', [
    'operator',
  ]),
  ledger_restored: info(
    'A ledger that had lost its latest entries resumed. `kept`, `known` and `goesOn` are numbers of entries.',
    ['object', 'wallet', 'kept', 'known', 'goesOn'],
  ),
  ledger_standing_unknown: error(
    'A ledger to be restored did not report its latest entry. D1’s position is used instead.',
    'See `reference/recovery/ledger.md`.',
    ['object', 'wallet'],
  ),
  ledger_went_back: error(
    'A ledger’s latest entry is older than the one in D1: the ledger was restored. Its wallet is being closed.',
    'Follow `reference/recovery/ledger.md`.',
    ['object'],
  ),
  limits_changed: info('A player changed a limit or an exclusion.', ['object', 'wallet', 'change']),
  log_anchor_failed: error(
    'The archive did not accept the latest checkpoint of the public log.',
    'If it recurs, see the runbook LogDegraded.',
    ['object', 'size'],
  ),
  log_archive_unavailable: error(
    'A tile of the public log could not be read from R2; the log’s object answers instead.',
    RETRIED,
    [],
  ),
  log_copy_failed: error(
    'The archive did not accept tiles or a checkpoint of the public log, or did not answer.',
    'If it recurs, see the runbook LogDegraded.',
    ['object'],
  ),
  log_forked: error(
    'The public log was restored to an earlier time or has another key. It appends nothing.',
    'See the runbook LogForked.',
    ['object', 'key', 'size'],
  ),
  modes_read_failed: error(
    '`Control` did not answer with the modes. The last known ones hold for five minutes; then nothing is staked.',
    'If it recurs, see the runbook ControlSilent.',
    ['object?'],
  ),
  movement: info(
    'One entry of a wallet’s journal: its number, operation, postings and hash. `LOG_MOVEMENTS` switches these lines off.',
    ['object', 'seq', 'operation', 'at', 'hash', 'postings'],
  ),
  nonce_paid_otherwise: error(
    'The vault paid something else with the nonce of a withdrawal.',
    "Someone has the relayer's key: follow `reference/recovery/relayer-key.md`. Then run `npm run operate -- confirm-withdrawal 0x…:NONCE` or `release-withdrawal`.",
    ['object', 'id', 'step'],
  ),
  nonce_use_unknown: error(
    'The nonce of a withdrawal is used, and the vault’s logs don’t show how.',
    "Look up the player's nonce on the chain. The node may have omitted a log.",
    ['object', 'id', 'step'],
  ),
  outbox_message_stuck: error(
    '`object` has failed to deliver a message five times or more. It is kept and retried.',
    'See the runbook OutboxesStuck.',
    ['object', 'kind', 'id', 'attempts'],
  ),
  partner_credit_refused: info("A partner's credit was refused. `code` says why.", REFUSED),
  partner_debit_refused: info("A partner's debit was refused. `code` says why.", REFUSED),
  payment_read_failed: error('A payment could not be read from the chain.', NODE, ['object']),
  payout_end_dropped: error(
    'The chain dropped a payment or burn that a transaction unknown to the relayer had made. The relayer makes it again, unless the chain has another in its place.',
    'If nobody else should have the key of the relayer, find out who has it. If it recurs, raise CHAIN_CONFIRMATIONS.',
    ['object', 'id', 'step'],
  ),
  payout_failed: error('An order of the relayer failed, and waits behind the others.', RETRIED, [
    'object',
    'id',
  ]),
  payout_paid_after_burn: error(
    'A withdrawal was paid after its chips had come back: a reorganisation went deeper than the confirmations.',
    'Compare with the chain. After half an hour, two operators book it for the house: `npm run operate -- confirm-withdrawal 0x…:NONCE`. Settle it with the player, and raise CHAIN_CONFIRMATIONS. If relayer_nonce_lost is logged too, follow `reference/recovery/relayer-key.md`.',
    ['object', 'id', 'step'],
  ),
  payout_vault_not_configured: error(
    'An order is for another vault or chain than the configured one. It waits.',
    'Finish the withdrawals of a vault, and the prizes of a chain, before you configure another one.',
    ['object', 'id', 'step'],
  ),
  permission_granted: info('A player permitted a partner to debit.', [
    ...PERMISSION,
    'maxPerDayWei',
    'expiresAt',
  ]),
  permission_revoked: info("A player revoked a partner's permission.", PERMISSION),
  player_inspected: info('An operator inspected a wallet’s ledger.', ['operator', 'wallet']),
  position_send_failed: error(
    'A wallet has no position in D1, or one that differs from the chain, and its ledger did not answer.',
    RETRIED,
    ['object', 'partner?', 'account?'],
  ),
  preview_read_failed: error(
    'The preview of a link could not be read. It shows the site instead.',
    RETRIED,
    [],
  ),
  prize_price_read_failed: error('The feed of a prize has no price. The page shows none.', NODE, [
    'asset',
  ]),
  prize_not_payable: error(
    'The pool refuses to pay a prize. It stays owed until it is paid.',
    'See the runbook PrizesLate: fund the pool, or wait for the exchange.',
    ['object', 'id', 'step'],
  ),
  receipt_not_signed: error(
    "`RECEIPT_KEYS` can't sign, so players get no receipts.",
    'Set it again: `npm run --silent receipt-key`.',
    [],
  ),
  reconciliation_failed: error(
    'The vault could not be compared with the ledgers. The next minute tries again.',
    NODE,
    ['object'],
  ),
  relayer_look_failed: error('The relayer could not read the chain.', NODE, ['object']),
  relayer_needs_funding: error(
    "The relayer can't pay for this transaction, which waits until it has more ETH or its other transactions are mined.",
    'See the runbook RelayerGasLow.',
    ['object', 'id', 'step'],
  ),
  relayer_nonce_lost: error(
    'A nonce of the relayer was used by another transaction, or belongs to an earlier key.',
    'Once after a change of keys: nothing. Otherwise find out who has the key.',
    ['object', 'nonce'],
  ),
  relayer_nonce_missing: error(
    "The chain has lacked a transaction with one of the relayer's nonces for two minutes. It is sent again, or an empty one in its place.",
    'If it recurs, raise CHAIN_CONFIRMATIONS, and compare the answers of your nodes to eth_getTransactionCount.',
    ['object', 'nonce'],
  ),
  relayer_transaction_reorganised: error(
    'The chain dropped a confirmed transaction of the relayer. It is sent again.',
    'If it recurs, raise CHAIN_CONFIRMATIONS.',
    ['object', 'nonce'],
  ),
  request_failed: error(
    'A call failed because of an internal error. `requestId` is in the answer’s `x-request-id`.',
    'Look for lines of the same time. A fault that recurs is a bug: report it.',
    ['requestId'],
  ),
  result_refused: error("The vault refused a report of the house's winnings.", 'Run the doctor.', [
    'object',
    'id',
    'step',
  ]),
  round_end_recalled: info(
    'A round took its end from the history or the public log, after it was restored to an earlier time.',
    ROUND,
  ),
  round_history_read_failed: error(
    'A round could not ask the history whether it was played before.',
    RETRIED,
    ROUND,
  ),
  round_sweep_failed: error('A round did not answer the cron trigger.', RETRIED, ROUND),
  rpc_call_failed: error('A call of the RPC proxy failed because of an internal error.', RETRIED, [
    'requestId',
  ]),
  rpc_upstream_failed: error(
    'A node of the RPC proxy does not answer, or is on another chain. `upstream` is its place in RPC_UPSTREAMS.',
    'If it recurs, replace the node.',
    ['chainId', 'upstream'],
  ),
  settled_block_reorganised: error(
    'The hash of a block that was read half an hour ago has changed. All logs are read again.',
    'Look at the chain and the node. Pause the vault if the chain itself has reorganised.',
    ['object', 'block'],
  ),
  solvency_count_given_up: error(
    'The count of all debts took too long. The next hour has another.',
    'See the runbook SolvencyOld.',
    ['object', 'beganAt'],
  ),
  solvency_nearly_full: error(
    'The count of all debts has passed half of its limit of 4,194,304 wallets. Above the limit, no count is made.',
    'Check whether the wallets are dust. Raise the limit in the code before it is reached: see decision 33.',
    ['object', 'leaves'],
  ),
  solvency_not_logged: error('The count of debts is not logged yet.', RETRIED, ['object', 'epoch']),
  stream_not_told: error(
    'The table could not report its new mode to the live stream. Viewers see it with the next round.',
    RETRIED,
    ['object'],
  ),
  stream_report_failed: error('A round could not report to the live stream.', RETRIED, ['object']),
  stream_round_read_failed: error('The live stream could not read the round.', RETRIED, ROUND),
  stream_table_read_failed: error('The live stream could not read the table.', RETRIED, ['object']),
  sweep_failed: error('A task of the cron trigger failed. `part` names it.', RETRIED, ['part']),
  terms_not_logged: error('The terms of play did not reach the public log.', RETRIED, ['object?']),
  transaction_broadcast_failed: error(
    'The node did not accept a transaction. It is sent again.',
    NODE,
    ['object', 'id'],
  ),
  vault_block_reorganised: error(
    'The chain replaced blocks. Their logs are read again.',
    'Nothing.',
    ['object', 'block'],
  ),
  vault_drift_stays: error(
    'The vault and the ledgers have differed for ten minutes or more: `place` says where, `amountWei` by how much. Logged every minute.',
    'See the runbook VaultDrift.',
    ['object', 'token', 'place', 'amountWei'],
  ),
  vault_logs_incomplete: error(
    'A node omitted logs or made some up: they and the contract’s totals differ. They are read again.',
    'If it recurs, use a better node.',
    ['object', 'block'],
  ),
  vault_read_failed: error('The vault’s logs could not be read.', 'See the runbook ChainUnread.', [
    'object',
  ]),
  vault_relayer_differs: error(
    "The vault's relayer is not the account of RELAYER_PRIVATE_KEY. Withdrawals wait.",
    'Finish the change of keys: see "Change of keys" in `reference/operate.md`. If you began none, follow `reference/recovery/owner-key.md`.',
    ['object', 'id', 'step'],
  ),
  vault_watch_failed: error('The vault watch did not answer a caller.', RETRIED, []),
  withdrawal_not_payable: error(
    'The vault is paused or the token is stopped. The withdrawal waits until it can be paid.',
    'Unpause the vault if you paused it. See the runbook WithdrawalsLate.',
    ['object', 'id', 'step'],
  ),
  withdrawals_paused: error(
    'Withdrawals were paused, because the vault and the ledgers have differed for ten minutes, or their difference has grown.',
    'See the runbook VaultDrift.',
    ['object', 'token', 'since', 'amountWei'],
  ),
} as const satisfies Record<string, LogEventMeaning>
