import type { Mutant } from './mutants.ts'

const BANKROLL = 'src/history/bankroll.ts'
const VAULT_TRANSACTIONS = 'durable-objects/ledger/vault-transactions.ts'
const PAYER = 'durable-objects/relayer/payer.ts'
const PAYOUT = 'src/relayer/payout.ts'
const PAYOUT_STATE = 'src/relayer/payout-state.ts'
const SOLVENCY = 'durable-objects/solvency/store.ts'
const WATCH = 'durable-objects/vault-watch.ts'
const WATCHER = 'durable-objects/relayer/watcher.ts'
const WITHDRAWALS = 'durable-objects/ledger/withdrawals.ts'

const CHANGES_ITS_MIND = 'the chain changes its mind'
const KEY_LEAKS = "the relayer's key leaks, and the chain changes its mind"

export const VAULT_MUTANTS: Mutant[] = [
  {
    name: 'a withdrawal is handed to the relayer only at once',
    edits: [
      [
        WITHDRAWALS,
        "      outbox.add({ kind: 'payout', payload: JSON.stringify({ vaultId: vault.id, nonce }) }, at)\n    })",
        '    })\n    void outbox\n    void this.#send(JSON.stringify({ vaultId: vault.id, nonce })).catch(() => {})',
      ],
      [
        WITHDRAWALS,
        "    this.#kernel.outbox.addAgain({ kind: 'payout', payload }, now + RESEND_MS, now)\n",
        '    void now\n',
      ],
    ],
    within: 500,
  },
  {
    name: 'a failed report of a deposit is not repeated',
    edits: [
      [
        WATCH,
        '        this.#kernel.outbox.add(\n',
        '        void this.#deliver(JSON.stringify({ account, txHash })).catch(() => {})\n        void [',
      ],
      [WATCH, '          now,\n        )\n', '          now,\n        ]\n'],
    ],
    within: 500,
  },
  {
    name: 'a confirmed transaction that the chain drops is not sent again',
    edits: [
      [
        WATCHER,
        "    if (transaction.state !== 'open') transactions.setOpen(id)\n",
        "    if (transaction.state === 'confirmed') return\n",
      ],
    ],
    within: 500,
    theme: CHANGES_ITS_MIND,
  },
  {
    name: 'a deposit that is mined again is credited again',
    edits: [
      [VAULT_TRANSACTIONS, 'of fresh) this', 'of isOnChain ? movements : []) this'],
      [
        VAULT_TRANSACTIONS,
        'id: operationId(kind, vault.chainId, txHash, position, vault.address),',
        'id: operationId(kind, vault.chainId, txHash, position, String(at)),',
      ],
    ],
    within: 2_000,
    theme: CHANGES_ITS_MIND,
  },
  {
    name: 'a payment that the wallet refuses is not given up',
    edits: [
      [
        PAYER,
        "      this.#kernel.applyEvent(payouts.get(payout.id), { kind: 'redirected', step: 'burn' })\n      return this",
        '      return\n      return this',
      ],
    ],
    within: 1_000,
  },
  {
    name: 'a payment is decided about by nodes that differ',
    edits: [
      [PAYER, '!(await isRefused(reading, call, most))', 'false'],
      [PAYER, 'player as Address, reading.headHash)', 'player as Address)'],
    ],
    within: 2_000,
    theme: 'nodes follow branches that the others have left',
  },
  {
    name: 'a nonce of the relayer is only counted on the chain',
    edits: [[PAYER, 'await this.#nextNonce(reading)', 'sender.used']],
    within: 500,
  },
  {
    name: 'a nonce that somebody else has used is waited for',
    edits: [[WATCHER, 'if (now - since >= LOST_MS) this.#giveUp(transaction)', '']],
    within: 1_000,
  },
  {
    name: 'a payment that somebody else has made counts as failed',
    edits: [
      [PAYOUT, "BigInt(amountWei) ? 'confirmed' : null", "BigInt(amountWei) ? 'failed' : null"],
    ],
    within: 1_000,
  },
  {
    name: 'a burn that the chain has dropped is not made again',
    edits: [[PAYOUT_STATE, "state === 'failed' && step === 'burn'", 'false']],
    within: 3_000,
    theme: KEY_LEAKS,
  },
  {
    name: 'a payment that is mined before its turn is given up',
    edits: [[PAYOUT_STATE, "step === 'withdraw' && !isOutOfTurn ?", "step === 'withdraw' ?"]],
    within: 6_000,
    theme: KEY_LEAKS,
  },
  {
    name: 'the sign of a restored database is overwritten',
    edits: [
      [
        BANKROLL,
        'SELECT 1, ?1 WHERE coalesce((SELECT beat FROM heartbeat), 0) >= ?2',
        'SELECT 1, ?1 WHERE ?2 IS NOT NULL',
      ],
    ],
    within: 2_000,
    theme: 'D1 goes back, and positions are sent again',
  },
  {
    name: 'the count of debts mixes up whose leaf is where',
    edits: [
      [SOLVENCY, 'positions[index] = builder.add(leaf)', 'positions[builder.add(leaf)] = index'],
    ],
    within: 300,
  },
]
