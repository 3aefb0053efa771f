import type { Mutant } from './mutants.ts'

const LIMIT = 'durable-objects/partner-limit.ts'
const DEBITS = 'durable-objects/ledger/debits.ts'
const IDS = 'durable-objects/partner-ids.ts'
const TRANSFER = 'src/ledger/transfer.ts'
const TRANSFERS = 'durable-objects/ledger/transfers.ts'

export const PARTNER_MUTANTS: Mutant[] = [
  {
    name: 'an id is not looked up again after the wait for a credit',
    edits: [[TRANSFERS, '(isAsBefore ? null : this.#known(transaction, request)) ?? ', '']],
    within: 2_000,
    theme: 'credits wait while they are repeated',
  },
  {
    name: 'a rollback is not remembered',
    edits: [
      [
        TRANSFERS,
        "exec('INSERT OR IGNORE INTO undone (partner, id) VALUES (?, ?)',",
        "exec('INSERT OR IGNORE INTO undone (partner, id) SELECT ?1, ?2 WHERE false',",
      ],
    ],
    within: 300,
  },
  {
    name: 'an unknown original is not buried',
    edits: [
      [IDS, '      if (!kept) this.#sql.exec(', '      if (false) this.#sql.exec('],
      [TRANSFERS, 'let isUndone = this.isUndone(partner, id)', 'let isUndone = false'],
    ],
    within: 300,
  },
  {
    name: 'a rollback of a refused debit pays it back',
    edits: [
      [
        TRANSFER,
        'if (!original || isUndone || isRefusal(original.result)) return 0n',
        'if (!original || isUndone) return 0n',
      ],
    ],
    within: 300,
  },
  {
    name: 'a credit is made without asking the limit',
    edits: [
      [
        TRANSFERS,
        '    if (amountWei > 0n) {\n      const parts',
        '    if (amountWei < 0n && amountWei > 0n) {\n      const parts',
      ],
    ],
    within: 300,
  },
  {
    name: 'more debits of a day are reported than were made',
    edits: [[DEBITS, 'debitedWei })\n    this', 'debitedWei: debitedWei * 3n })\n    this']],
    within: 500,
  },
  {
    name: 'a partner owes more than it may in all',
    edits: [[LIMIT, 'totalLimitWei === null', 'totalLimitWei !== undefined']],
    within: 2_000,
  },
  {
    name: 'an id may stand for two orders',
    edits: [
      ['src/wallet-bridge/ids.ts', 'return isSame ? null', 'return isSame || true ? null'],
      [
        TRANSFERS,
        'if (stored.request !== request) return',
        'if (stored.request === undefined) return',
      ],
    ],
    within: 300,
  },
]
