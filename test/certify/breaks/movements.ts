import type { Break, Edit } from './break.ts'

const AMOUNT = 'src/wallet-bridge/amount.ts'
const ROUTES = 'src/api/wallet-bridge/routes.ts'
const IDS = 'src/wallet-bridge/ids.ts'
const SCHEMA = 'src/api/wallet-bridge/schema.ts'
const STATEMENT = 'src/wallet-bridge/statement.ts'
const TRANSFER = 'src/ledger/transfer.ts'
const TRANSFERS = 'durable-objects/ledger/transfers.ts'
const PARTNER_IDS = 'durable-objects/partner-ids.ts'
const LEDGER = 'durable-objects/ledger.ts'
const OBJECTS = 'src/calls/objects.ts'
const OPERATION = 'src/ledger/operation.ts'

/** Neither the owner of an id nor the ledger compares its contents. */
const ANY_CONTENTS: Edit[] = [
  [IDS, 'return isSame ? null', 'return isSame || true ? null'],
  [TRANSFERS, 'if (stored.request !== request) return', 'if (stored.request === undefined) return'],
]

const money: Break[] = [
  {
    name: 'an unknown player is an error',
    edits: [
      [
        LEDGER,
        'balances()[token].chips : 0n',
        "balances()[token].chips : (() => { throw new Error('unknown') })()",
      ],
    ],
    seenBy: ['an unknown player has a balance of 0', 'a balance needs no jti'],
  },
  {
    name: 'debits and credits are swapped',
    edits: [[SCHEMA, 'amountWei: decided }', 'amountWei: -decided }']],
    seenBy: [
      'a credit and a debit move exactly their amounts',
      'many transactions in a row add up',
      'a credit is rolled back',
    ],
  },
  {
    name: 'zero is not recorded',
    edits: [
      [
        ROUTES,
        'const request = transactionText({ token, amountWei })',
        "if (amountWei === 0n) return { ok: true, version: 1, id: '', token, beforeWei: '0', afterWei: '0' }\n  const request = transactionText({ token, amountWei })",
      ],
    ],
    seenBy: ['zero is recorded and moves nothing', 'negative zero is zero'],
  },
  {
    name: 'amounts pass through floating point',
    edits: [
      [
        AMOUNT,
        'const exactWei = decimal && toUnits(decimal, decimals)',
        'const exactWei = decimal && BigInt(Math.trunc(Number(amount) * 10 ** decimals))',
      ],
    ],
    seenBy: [
      'the smallest unit of ETH is exact',
      'an amount alone is read exactly as written',
      'as amount: more decimals than the token has is refused',
      'as amount: an exponent that leaves too many decimals is refused',
    ],
  },
  {
    name: 'balances are written with floating point',
    edits: [
      [
        'src/money/whole-units.ts',
        'return `${sign}',
        'if (fraction.length > 5) return String(Number(amountWei) / 10 ** decimals + 1e-9)\n  return `${sign}',
      ],
    ],
    seenBy: ['the smallest unit of ETH is exact', 'the smallest unit of USDG is exact'],
  },
  {
    name: 'the last unit cannot be debited',
    edits: [[TRANSFER, 'available + amountWei >= 0n', 'available + amountWei > 0n']],
    seenBy: ['the whole balance can be debited, and not a unit more'],
  },
  {
    name: 'all currencies share one balance',
    edits: [
      [
        LEDGER,
        'this.#kernel.journal.balances()[token].chips',
        "this.#kernel.journal.balances()[token && 'USDG'].chips",
      ],
    ],
    seenBy: ['each currency has its own balance'],
  },
  {
    name: 'an address is used as written',
    edits: [['src/api/http/schema.ts', '? checksumAddress(text)', '? text']],
    seenBy: ['an address in another letter case is the same player'],
  },
  {
    name: 'the statement includes refused entries',
    edits: [
      [
        STATEMENT,
        'if (entryToken !== token || isRefusal(answer)) return null',
        "if (entryToken !== token) return null\n  if (isRefusal(answer)) return { transferred: { ok: true, version: 1, id: subject, token, beforeWei: '0', afterWei: subject }, originalId: null, at, cursor: seq }",
      ],
    ],
    seenBy: ['the statement lists everything carried out, page by page'],
  },
  {
    name: 'the statement ignores its period',
    edits: [
      [TRANSFERS, 'journal.pageAt(query.from', 'journal.pageAt(0'],
      [TRANSFERS, 'if (entry.at >= query.to)', 'if (entry.at < 0)'],
    ],
    seenBy: ['the statement covers the requested time'],
  },
  {
    name: 'a page of the statement loses the entry after it',
    edits: [[TRANSFERS, '? null : seq - 1 }', '? null : seq }']],
    seenBy: ['the statement lists everything carried out, page by page'],
  },
]

const idempotency: Break[] = [
  {
    name: 'earlier answers are not found again',
    edits: [
      [
        TRANSFERS,
        "{ id: operationId('bridge', partner, id), request, at, terms }",
        "{ id: operationId('bridge', partner, id + crypto.randomUUID()), request, at, terms }",
      ],
    ],
    seenBy: [
      'a repeated debit gets the same answer and moves nothing',
      'a repeated credit gets the same answer and moves nothing',
      'the first answer stays after the balance has changed',
      'the same amount written differently is the same transaction',
      'ten identical calls at the same time have one effect',
      'a debit is rolled back',
      'a jti is accepted again for the same call',
    ],
  },
  {
    name: 'answers are kept only in memory',
    edits: [
      [
        OPERATION,
        "return [kind, ...names].join(':')",
        "const kept = globalThis as { boot?: string }\n  const boot = kind === 'bridge' ? [(kept.boot ??= crypto.randomUUID())] : []\n  return [kind, ...names.toSpliced(1, 0, ...boot)].join(':')",
      ],
    ],
    seenBy: ['the first answer stays after a restart'],
  },
  {
    name: 'refusals are not kept',
    edits: [
      [
        TRANSFERS,
        'const beforeWei = this.#chips(token)\n',
        'if (refusal) return refusal\n    const beforeWei = this.#chips(token)\n',
      ],
    ],
    seenBy: [
      'a refusal stays, even after a top-up',
      'a spent credit is rolled back only once there are chips, under a new id',
    ],
  },
  {
    name: 'a credit has no limit',
    edits: [
      [
        TRANSFERS,
        'amountWei > limits.transactionWei ?',
        'amountWei > limits.transactionWei * 0n + 10n ** 60n ?',
      ],
      ['durable-objects/partner-limit.ts', 'if (amountWei > leftWei)', 'if (amountWei < 0n)'],
    ],
    seenBy: ['a credit above the limits stays refused'],
  },
  {
    name: 'the contents of an id are not compared',
    edits: ANY_CONTENTS,
    seenBy: [
      'another amount under the same id is a conflict',
      'another currency under the same id is a conflict',
      'another player under the same id is a conflict',
      'a rollback under the id of a transaction is a conflict, and the other way round',
      'another original under the same rollback id is a conflict',
      'zero is recorded and moves nothing',
      'the same amount in either field is the same transaction',
    ],
  },
  {
    name: 'partners share their ids',
    edits: [
      [OBJECTS, '`${partner}:${shard}`', '`${partner && shard}`'],
      [
        OPERATION,
        "return [kind, ...names].join(':')",
        "return [kind, ...(kind === 'bridge' ? names.slice(1) : names)].join(':')",
      ],
    ],
    seenBy: [
      'the same id from another partner is another transaction',
      "one partner cannot roll back another's transaction",
    ],
  },
  {
    name: 'chips are counted before concurrent calls run',
    edits: [
      [
        TRANSFERS,
        'const isDecided =',
        'const before = this.#chips(token)\n    await new Promise((resolve) => setTimeout(resolve, 20))\n    const isDecided =',
      ],
      [
        TRANSFERS,
        '(tooMuch ?? prepared.refusal ?? this.#checkDebit(transaction))',
        '(tooMuch ?? prepared.refusal ?? checkChips(token, amountWei, before))',
      ],
    ],
    seenBy: ['of ten debits at the same time with chips for four, exactly four are carried out'],
  },
]

const rollbacks: Break[] = [
  {
    name: 'a rollback is not remembered',
    edits: [[TRANSFERS, 'return hasRow(rows)', 'return hasRow(rows) && !id']],
    seenBy: [
      'a second rollback of the same original moves nothing',
      'ten rollbacks of one original at the same time reverse it once',
    ],
  },
  {
    name: 'a rollback is forgotten after a restart',
    edits: [
      [
        TRANSFERS,
        'const rows = this.#sql.exec(',
        "const kept = globalThis as { booted?: number }\n    if ((kept.booted ??= this.#kernel.clock.now()) - Number(this.#sql.exec('SELECT min(at) AS at FROM journal_1').one()['at'] ?? 0) > 0) return false\n    const rows = this.#sql.exec(",
      ],
    ],
    seenBy: ['a second rollback after a restart moves nothing'],
  },
  {
    name: 'the answer of a rolled-back original is forgotten',
    edits: [
      [
        TRANSFERS,
        'const known = this.#known(transaction, request) ??',
        'const known = (this.isUndone(transaction.partner, transaction.id) ? rolledBack(transaction.id) : this.#known(transaction, request)) ??',
      ],
    ],
    seenBy: [
      'an original repeated after its rollback gets its first answer, and stays rolled back',
      'the rollback of a refused debit moves nothing',
    ],
  },
  {
    name: 'a rollback before its original is not remembered',
    edits: [
      [
        PARTNER_IDS,
        'if (!kept) this.#sql.exec(`INSERT INTO ids (id, kind)',
        'if (kept && !kept) this.#sql.exec(`INSERT INTO ids (id, kind)',
      ],
      [TRANSFERS, 'if (!refusal) follow()', 'if (!refusal && amountWei !== 0n) follow()'],
    ],
    seenBy: [
      'an original that arrives after its rollback is refused',
      'a late original is refused for any player',
    ],
  },
  {
    name: "only the player's ledger remembers a rollback before its original",
    edits: [
      [
        PARTNER_IDS,
        'if (!kept) this.#sql.exec(`INSERT INTO ids (id, kind)',
        'if (kept && !kept) this.#sql.exec(`INSERT INTO ids (id, kind)',
      ],
    ],
    seenBy: ['a late original is refused for any player'],
  },
  {
    name: 'a rollback moves nothing',
    edits: [[TRANSFER, "return kind === 'transaction' ? -BigInt(amountWei) : 0n", 'return 0n']],
    seenBy: [
      'a debit is rolled back',
      'a credit is rolled back',
      'an original and its rollback at the same time cancel out',
    ],
  },
  {
    name: 'a refused debit is refunded',
    edits: [[TRANSFER, 'isUndone || isRefusal(original.result)', 'isUndone']],
    seenBy: ['the rollback of a refused debit moves nothing'],
  },
  {
    name: 'a refused rollback counts as done',
    edits: [[TRANSFERS, 'if (!refusal) follow()', 'follow()']],
    seenBy: ['a spent credit is rolled back only once there are chips, under a new id'],
  },
  {
    name: 'a rollback does not check whose original it is',
    edits: [[IDS, 'if (!original) return null', 'if (!original || original) return null']],
    seenBy: [
      "another player's transaction is not rolled back",
      'a transaction is not rolled back in another currency',
      'a rollback cannot be rolled back',
    ],
  },
]

export const MOVEMENT_BREAKS: Break[] = [...money, ...idempotency, ...rollbacks]
