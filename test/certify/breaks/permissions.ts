import type { Break } from './break.ts'

const PERMISSION = 'src/ledger/permission.ts'
const DEBITS = 'durable-objects/ledger/debits.ts'
const PERMISSIONS = 'durable-objects/ledger/permissions.ts'
const TRANSFERS = 'durable-objects/ledger/transfers.ts'

export const PERMISSION_BREAKS: Break[] = [
  {
    name: 'permissions are not checked',
    edits: [[PERMISSION, 'if (!limits.needsPermission || (permit', 'if (limits || (permit']],
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
        'this.#known(transaction, request) ?? this.#bar(transaction, isUndone)\n    if (known)',
        'this.#known(transaction, request)\n    const barred = this.#bar(transaction, isUndone)\n    if (!known && barred) return this.#record(transaction, { request, at: this.#kernel.clock.now(), refusal: barred, amountWei }, () => {})\n    if (known)',
      ],
    ],
    seenBy: ['a debit without a permission is refused, and can be repeated once it is granted'],
  },
  {
    name: 'credits need a permission',
    edits: [
      [
        TRANSFERS,
        'if (amountWei >= 0n) return checkNotClosed(modes, this.#gate.switches(name, token), at)',
        '',
      ],
    ],
    seenBy: ['credits, zero and rollbacks need no permission'],
  },
  {
    name: 'the daily limit of a permission is ignored',
    edits: [[PERMISSION, 'if (amountWei <= leftWei) return null', 'if (amountWei) return null']],
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
    edits: [[TRANSFERS, 'if (returnedWei > 0n)', 'if (returnedWei > 10n ** 60n)']],
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
        'const revoked = { nonce: nonce + 1, maxPerDayWei: null, expiresAt: null }',
        "const revoked = { nonce: nonce + 1, maxPerDayWei: '1000000000', expiresAt: 99_999_999_999 }",
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
      [PERMISSIONS, 'const revoked = { nonce: nonce + 1,', 'const revoked = { nonce,'],
      [
        PERMISSIONS,
        "operationId('permission', partner, token, nonce)",
        "operationId('permission', partner, token, at)",
      ],
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
        '${COLUMNS} FROM permissions WHERE partner = ? AND token = ?',
        '${COLUMNS} FROM permissions WHERE partner = ? AND (token = ?) IS NOT NULL',
      ],
    ],
    seenBy: ['a permission for one token permits no other'],
  },
]
