import type { Mutant } from './mutants.ts'

const BOOK = 'durable-objects/lootbox/opening-store.ts'
const DAY = 'durable-objects/lootbox-day.ts'
const JUDGE = 'src/payment/judge.ts'
const OPENING = 'durable-objects/payment/opening.ts'
const SPINS = 'durable-objects/lootbox-day/spins.ts'

export const LOOTBOX_MUTANTS: Mutant[] = [
  {
    name: 'a payment opens the lootbox for any caller',
    edits: [
      [
        OPENING,
        "if (owner) return owner === wallet ? this.#opening.shown() : paymentMismatch('wrong_sender')",
        'if (owner) return this.#opening.shown()',
      ],
    ],
    within: 200,
  },
  {
    name: 'a payment of less than the price opens',
    edits: [[JUDGE, "  if (valueWei < expected.valueWei) return 'underpaid'\n", '']],
    within: 500,
  },
  {
    name: 'a failed payment opens',
    edits: [[JUDGE, "if (!mined.isSuccess) return { kind: 'mismatch', reason: 'failed' }", '']],
    within: 300,
  },
  {
    name: 'a payment opens before it is confirmed',
    edits: [[JUDGE, 'if (confirmations < required) return', 'if (confirmations < 1) return']],
    within: 2_000,
    theme: 'payments are opened at once, and vanish',
  },
  {
    name: 'the order for a prize is sent only once',
    edits: [
      [
        BOOK,
        "      this.#kernel.outbox.add({ kind: 'prize', payload: JSON.stringify(order) }, now)\n",
        '      void this.deliver.prize(JSON.stringify(order)).catch(() => {})\n',
      ],
    ],
    within: 2_000,
    theme: 'payments are opened while much is lost',
  },
  {
    name: 'an older report on a prize replaces a newer one',
    edits: [[BOOK, '    if (version <= row.version) return\n', '']],
    within: 500,
  },
  {
    name: 'a paid prize is not told to D1',
    edits: [
      [
        BOOK,
        "      if (isPaid) this.#kernel.outbox.cancel('prize')\n      this.#kernel.outbox.add({ kind: 'project', payload: '' }, now)\n",
        "      if (isPaid) this.#kernel.outbox.cancel('prize')\n",
      ],
    ],
    within: 300,
  },
  {
    name: "a day's seed is disclosed while its payments may still be mined",
    edits: [
      [
        'src/lootbox/disclosure.ts',
        'const DISCLOSED_AFTER_MS = 600_000',
        'const DISCLOSED_AFTER_MS = -86_400_000',
      ],
    ],
    within: 200,
  },
  {
    name: "a day's seed never reaches the log",
    edits: [
      [
        DAY,
        "    this.#kernel.outbox.add({ kind: 'log-seed', payload: '' }, this.#disclosedAt())\n",
        '',
      ],
    ],
    within: 500,
  },
  {
    name: 'a repeated claim of a spin is another one',
    edits: [
      [SPINS, '    if (same) return JSON.parse(same.spin) as TakenSpin\n', '    void same\n'],
    ],
    within: 500,
  },
  {
    name: 'a day of the advertising slot may be rented twice',
    edits: [
      ['src/history/rentals.ts', 'INSERT INTO rented_days', 'INSERT OR IGNORE INTO rented_days'],
    ],
    within: 300,
  },
  {
    name: 'what a payment has rented is not looked up after a lost answer',
    edits: [['src/history/rentals.ts', '  if (!booked) return null\n', '  return null\n']],
    within: 2_000,
    theme: 'payments are opened while much is lost',
  },
]
