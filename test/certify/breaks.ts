import { GROUPS } from '../../src/certify/cases.ts'

/** A text of a source file and its replacement. */
type Edit = [file: string, find: string, replace: string]

/** A deliberately broken bridge, and the cases that must detect it. */
export interface Break {
  name: string
  edits: Edit[]
  seenBy: string[]
}

function titles(...groups: string[]): string[] {
  return GROUPS.filter(({ name }) => groups.includes(name)).flatMap(({ cases }) =>
    cases.map(({ title }) => title),
  )
}

const AMOUNT = 'src/wallet-bridge/amount.ts'
const PERMISSION = 'src/ledger/permission.ts'
const DEBITS = 'durable-objects/ledger/debits.ts'
const PERMISSIONS = 'durable-objects/ledger/permissions.ts'
const ROUTES = 'src/api/wallet-bridge/routes.ts'
const IDS = 'src/wallet-bridge/ids.ts'
const SCHEMA = 'src/api/wallet-bridge/schema.ts'
const STATEMENT = 'src/wallet-bridge/statement.ts'
const TRANSFER = 'src/ledger/transfer.ts'
const TRANSFERS = 'durable-objects/ledger/transfers.ts'
const PARTNER_IDS = 'durable-objects/partner-ids.ts'
const LEDGER = 'durable-objects/ledger.ts'
const TOKEN = 'src/api/auth/partner-token.ts'
const OBJECTS = 'src/objects.ts'
const DECIMAL = 'src/money/decimal.ts'

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
        'this.#books.operations.balances()[token].chips',
        "this.#books.operations.balances()[token && 'USDG'].chips",
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
      [TRANSFERS, 'operations.firstSeqAt(query.from, query.cursor)', 'query.cursor + 1'],
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
        '{ id: transferKey(partner, id), request, at, terms }',
        '{ id: transferKey(partner, id + crypto.randomUUID()), request, at, terms }',
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
        TRANSFER,
        'return `bridge:${partner}:${id}`',
        'const kept = globalThis as { boot?: string }\n  return `bridge:${partner}:${id && `${(kept.boot ??= crypto.randomUUID())}:`}${id}`',
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
      [TRANSFER, 'return `bridge:${partner}:${id}`', 'return `bridge:${partner && id}`'],
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
        '(isTooMuch ?? prepared.refusal ?? this.#checkDebit(transaction))',
        '(isTooMuch ?? prepared.refusal ?? checkChips(token, amountWei, before))',
      ],
    ],
    seenBy: ['of ten debits at the same time with chips for four, exactly four are carried out'],
  },
]

const rollbacks: Break[] = [
  {
    name: 'a rollback is not remembered',
    edits: [[TRANSFERS, 'return rows.toArray().length > 0', 'return rows.toArray().length > 1']],
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
        "const kept = globalThis as { booted?: number }\n    if ((kept.booted ??= this.#books.clock.now()) - Number(this.#sql.exec('SELECT min(at) AS at FROM journal_1').one()['at'] ?? 0) > 0) return false\n    const rows = this.#sql.exec(",
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
        'const known = (this.#isUndone(transaction.partner, transaction.id) ? rolledBack(transaction.id) : this.#known(transaction, request)) ??',
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
      [TRANSFERS, 'if (!refusal) follow(at)', 'if (!refusal && amountWei !== 0n) follow(at)'],
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
    edits: [[TRANSFERS, 'if (!refusal) follow(at)', 'follow(at)']],
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

const input: Break[] = [
  {
    name: 'refusals have status 200',
    edits: [['src/api/http/answer.ts', 'STATUS[code]', '200 + 0 * STATUS[code]']],
    seenBy: [
      ...titles('Input', 'Token', 'Amounts').filter((title) => /(is|are) refused$/.test(title)),
      'a token in the query is not read',
    ],
  },
  {
    name: 'exponents of numbers are not read',
    edits: [[DECIMAL, '(?:[eE]([+-]?\\d+))?$/', '(?:[e]([-]?\\d+))?$/']],
    seenBy: ['exponents are read exactly'],
  },
  {
    name: 'some valid ids are refused',
    edits: [[SCHEMA, '/^[\\x20-\\x7e]{1,128}$/', '/^[\\x21-\\x7e]{1,128}$/']],
    seenBy: ['an id of 128 printable characters is accepted'],
  },
  {
    name: 'any text is accepted as an id',
    edits: [[SCHEMA, '/^[\\x20-\\x7e]{1,128}$/', '/^[^]*$/']],
    seenBy: titles('Input')
      .filter((title) => title.startsWith('an id ') || title.startsWith('an empty id'))
      .filter((title) => !title.endsWith('accepted')),
  },
  {
    name: 'the last of two duplicate keys counts',
    edits: [['src/core/json.ts', 'members === countColons(text) ? value : undefined', 'value']],
    seenBy: ['the same key twice is refused'],
  },
  {
    name: 'address checksums are not checked',
    edits: [['src/api/http/schema.ts', '{ strict: !isOneCase }', '{ strict: false && isOneCase }']],
    seenBy: ['an address with a wrong checksum is refused'],
  },
  {
    name: 'an invalid call uses up its id',
    edits: [
      [
        ROUTES,
        '?? validate(TransactionBody, body)\n',
        "?? validate(TransactionBody, body)\n  if (isRefusal(parsed)) await partnerIds(env, partner.id, String(body['partnerTransactionId'])).original(String(body['partnerTransactionId']))\n",
      ],
    ],
    seenBy: ['an invalid call leaves its id free'],
  },
]

const tokens: Break[] = [
  {
    name: 'signatures are not checked',
    edits: [[TOKEN, 'if (await isSignedBy(key, token)) return true', 'if (key) return true']],
    seenBy: [
      'a token signed with another secret is refused',
      'a token signed with an empty secret is refused',
      'a token with alg RS256 is refused',
      'a token with alg HS512 is refused',
      'a token with an unknown kid is refused',
      'a token without a signature is refused',
      "one partner's key does not sign for another",
      'a token with any one character changed is refused',
    ],
  },
  {
    name: 'several encodings of a signature are accepted',
    edits: [[TOKEN, '[AEIMQUYcgkosw048]$/', '[\\w-]=?$/']],
    seenBy: ['another encoding of the signature is refused'],
  },
  {
    name: "a token's lifetime has no limit",
    edits: [[TOKEN, 'exp <= iat || exp - iat > MAX_LIFETIME_S', 'exp !== exp']],
    seenBy: [
      'a token with a lifetime of 31 seconds is refused',
      'a token with a lifetime of a day is refused',
      'a token that expires before it is issued is refused',
    ],
  },
  {
    name: 'a token never expires',
    edits: [[TOKEN, 'if (exp <= nowS)', 'if (exp <= 0)']],
    seenBy: ['an expired token is refused'],
  },
  {
    name: 'the clock tolerance is too large',
    edits: [
      [TOKEN, 'if (exp <= nowS)', 'if (exp + 4 <= nowS)'],
      [TOKEN, 'const MAX_AHEAD_S = 5', 'const MAX_AHEAD_S = 55'],
    ],
    seenBy: [
      'a token issued ten seconds ahead is refused',
      'a token that expired two seconds ago is refused',
    ],
  },
  {
    name: 'a jti is valid for every path',
    edits: [[ROUTES, '`${request.method} ${pathname}${search}\\n`', '`${request.method}\\n`']],
    seenBy: ['a jti is not accepted for another path with the same body'],
  },
  {
    name: 'reading takes no jti',
    edits: [[ROUTES, 'if (claims.jti === undefined) return caller', 'if (claims) return caller']],
    seenBy: ['a jti used to read is not accepted to move money'],
  },
  {
    name: 'a token may come from the future',
    edits: [[TOKEN, 'Math.max(iat, nbf ?? iat) >', 'Math.max(nbf ?? 0) >']],
    seenBy: ['a token issued in the future is refused'],
  },
  {
    name: 'a token is accepted for any audience',
    edits: [[TOKEN, 'aud: z.literal(AUDIENCE)', 'aud: z.any().optional()']],
    seenBy: ['a token for another audience is refused', 'a token without aud is refused'],
  },
  {
    name: 'a jti is accepted for any call',
    edits: [
      [IDS, 'keptHash === null || keptHash === use.callHash', 'keptHash === null || use.callHash'],
    ],
    seenBy: [
      'a jti is not accepted for another body',
      'a jti is not accepted for another path',
      'a call refused for its token leaves its id free',
    ],
  },
  {
    name: 'a jti is refused for a repeat of the same call',
    edits: [[IDS, 'keptHash === null || keptHash === use.callHash', 'keptHash === null']],
    seenBy: ['a jti is accepted again for the same call'],
  },
  {
    name: 'the id is claimed before the token is checked',
    edits: [
      [
        PARTNER_IDS,
        'return refusal ?? (claim && this.#claim(claim, use))',
        'return (claim && this.#claim(claim, use)) ?? refusal',
      ],
      [
        ROUTES,
        '(await retried(async () => partnerIds(env, partner, use.jti).claim(use, null))) ??\n    retried(async () => partnerIds(env, partner, claim.id).claim(null, claim))',
        '(await retried(async () => partnerIds(env, partner, claim.id).claim(null, claim))) ??\n    retried(async () => partnerIds(env, partner, use.jti).claim(use, null))',
      ],
    ],
    seenBy: ['a call refused for its token leaves its id free'],
  },
  {
    name: 'every call needs a jti',
    edits: [[TOKEN, 'jti: z.string().min(8).max(64).optional()', 'jti: z.string().min(8).max(64)']],
    seenBy: ['a balance needs no jti'],
  },
  {
    name: 'only the first key is valid',
    edits: [
      [
        'src/config/load.ts',
        'keys: Object.entries(keys[id] ?? {}).map(',
        'keys: Object.entries(keys[id] ?? {}).slice(0, 1).map(',
      ],
    ],
    seenBy: ['the next key is already valid'],
  },
]

const permissions: Break[] = [
  {
    name: 'permissions are not checked',
    edits: [[PERMISSION, 'if (!terms.needsPermission ||', 'if (terms ||']],
    seenBy: [
      'a debit without a permission is refused, and can be repeated once it is granted',
      'a debit without a permission is refused even without chips',
      'an expired permission permits nothing',
      'a revoked permission permits nothing, and its grant cannot be repeated',
      'a permission for one token permits no other',
    ],
  },
  {
    name: 'a debit without a permission is refused permanently',
    edits: [
      [
        TRANSFERS,
        '?? this.#bar(transaction, isUndone)\n',
        '?? null\n    const barred = this.#bar(transaction, isUndone)\n    if (!known && barred) return this.#record(transaction, request, amountWei, () => barred, () => {})\n',
      ],
    ],
    seenBy: ['a debit without a permission is refused, and can be repeated once it is granted'],
  },
  {
    name: 'credits need a permission',
    edits: [
      [
        TRANSFERS,
        'if (amountWei >= 0n) return checkNotClosed(modes, [name, tokenSwitch(token)], at)',
        '',
      ],
    ],
    seenBy: ['credits, zero and rollbacks need no permission'],
  },
  {
    name: 'the daily limit of a permission is ignored',
    edits: [[PERMISSION, '&& amountWei > leftToday)', '&& amountWei < 0n)']],
    seenBy: [
      'a debit above the permitted amount stays refused',
      'of ten debits at the same time with permission for four, exactly four are carried out',
      'a rollback restores what its debit used of the permission, once',
    ],
  },
  {
    name: 'debits do not count against a permission',
    edits: [[DEBITS, '{ amountWei, exemptWei: 0n }', '{ amountWei, exemptWei: amountWei }']],
    seenBy: [
      'debits up to the permitted amount are carried out, and shown as used',
      'a debit above the permitted amount stays refused',
    ],
  },
  {
    name: "a rollback does not restore the permission's allowance",
    edits: [[TRANSFERS, 'if (original && returnedWei > 0n)', 'if (original && returnedWei < 0n)']],
    seenBy: ['a rollback restores what its debit used of the permission, once'],
  },
  {
    name: 'a permission never expires',
    edits: [[PERMISSION, 'now < permit.expiresAt * 1000', 'permit.expiresAt > 0']],
    seenBy: ['an expired permission permits nothing'],
  },
  {
    name: 'a revoked permission stays valid',
    edits: [
      [
        PERMISSIONS,
        "['revoke'], { max: null, expiresAt: null }",
        "['revoke'], { max: '1000000000', expiresAt: 99_999_999_999 }",
      ],
    ],
    seenBy: ['a revoked permission permits nothing, and its grant cannot be repeated'],
  },
  {
    name: 'a grant is accepted with any nonce',
    edits: [[PERMISSION, 'if (nonce !== expected)', 'if (nonce < 0)']],
    seenBy: [
      'a permission is granted only with the nonce shown',
      'a revoked permission permits nothing, and its grant cannot be repeated',
    ],
  },
  {
    name: 'a revocation does not change the nonce',
    edits: [
      [PERMISSIONS, 'nonce + 1, max', 'max === null ? nonce : nonce + 1, max'],
      [PERMISSIONS, '`permission:${partner}', '`permission:${at}:${partner}'],
    ],
    seenBy: ['a permission is granted only with the nonce shown'],
  },
  {
    name: 'anyone can sign a permission',
    edits: [
      [
        PERMISSION,
        'if (isSigned === false) {',
        'if (isSigned === false) return null\n  if (isSigned === undefined) {',
      ],
    ],
    seenBy: ["a permission not signed by its player's wallet is refused"],
  },
  {
    name: 'a permission is valid for every token',
    edits: [
      [
        PERMISSIONS,
        `expiresAt FROM permissions
         WHERE partner = ? AND token = ?`,
        `expiresAt FROM permissions
         WHERE partner = ? AND (token = ?) IS NOT NULL`,
      ],
    ],
    seenBy: ['a permission for one token permits no other'],
  },
]

const amounts: Break[] = [
  {
    name: 'amountWei is ignored',
    edits: [
      [
        SCHEMA,
        'amount: amount?.source, amountWei }',
        'amount: amount?.source, amountWei: undefined }',
      ],
    ],
    seenBy: [
      'amountWei alone decides',
      'amountWei decides beside an amount with floating noise',
      'the same amount in either field is the same transaction',
      'unknown keys are ignored',
    ],
  },
  {
    name: 'amount and amountWei may contradict each other',
    edits: [[AMOUNT, 'if (decimal && agreeTo(', 'if (decimal !== null || agreeTo(']],
    seenBy: titles('Amounts')
      .filter((title) => title.startsWith('amount and amountWei that disagree'))
      .filter((title) => !title.includes('is text')),
  },
  {
    name: 'amount and amountWei must be equal',
    edits: [[AMOUNT, 'const AGREEING_DIGITS = 12', 'const AGREEING_DIGITS = 40']],
    seenBy: ['amountWei decides beside an amount with floating noise'],
  },
  {
    name: 'amountWei accepts anything that BigInt does',
    edits: [['src/money/amount.ts', '/^(0|-?[1-9][0-9]{0,77})$/', '/^[^]*$/']],
    seenBy: titles('Amounts')
      .filter((title) => title.startsWith('as amountWei'))
      .filter((title) => !/a number|null/.test(title)),
  },
  {
    name: 'misspelled names are ignored',
    edits: [
      [
        'src/api/http/schema.ts',
        'if (details.length === 0) return null',
        'if (details) return null',
      ],
    ],
    seenBy: [
      ...titles('Amounts').filter((title) => title.startsWith('a misspelt name')),
      'misspelt names in a permission are refused',
    ],
  },
  {
    name: 'an unknown key is refused',
    edits: [
      [SCHEMA, 'const TransactionFields = z.object(', 'const TransactionFields = z.strictObject('],
    ],
    seenBy: ['unknown keys are ignored'],
  },
  {
    name: "a partner's hourly debits have no limit",
    edits: [[PERMISSION, 'return amountWei > leftThisHour', 'return amountWei < 0n']],
    seenBy: ['a debit above the hourly limit stays refused'],
  },
]

export const BREAKS: Break[] = [
  ...money,
  ...idempotency,
  ...rollbacks,
  ...input,
  ...tokens,
  ...permissions,
  ...amounts,
]
