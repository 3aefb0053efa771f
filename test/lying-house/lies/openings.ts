import type { Lie } from '../lie.ts'

const PAID_OPENING = 'durable-objects/payment/opening.ts'
const SHARED_POST = 'durable-objects/shared-post.ts'

const AUDITED = { story: 'lootbox', caughtBy: 'audit', proof: 'manifest' } as const

/**
 * Lies about openings: the house knows the seeds of all days, and takes the one that suits it. A past one is public.
 */
export const OPENING_LIES: Lie[] = [
  {
    ...AUDITED,
    name: 'a lootbox is opened with the seed of a day before the payment',
    edits: [
      [
        PAID_OPENING,
        'lootboxDay(this.#env(), dateOf(paidAt))\n    const { day,',
        'lootboxDay(this.#env(), dateOf(paidAt - 3 * 86_400_000))\n    const { day,',
      ],
    ],
    finding: ['a payment of 2027-01-12, the day of its seed, could be opened at 2027-01-15T'],
  },
  {
    ...AUDITED,
    story: 'lootbox day',
    name: 'a lootbox is opened with a block that the house has made up to choose the roll',
    edits: [
      [
        PAID_OPENING,
        'const { blockHash, paidAt } = accepted',
        'const { paidAt } = accepted; const blockHash = `0x${"0d".repeat(32)}`',
      ],
    ],
    finding: ['this does not hold: its block is the one in which the chain has the payment, 0x'],
  },
  {
    ...AUDITED,
    name: 'a free spin is rolled with the seed of the day before',
    edits: [
      [
        SHARED_POST,
        'lootboxDay(this.env, day).roll(spinMessage(id, pepper.pepper)),',
        'lootboxDay(this.env, dateOf(Date.parse(day) - 1)).roll(spinMessage(id, pepper.pepper)),',
      ],
      [
        SHARED_POST,
        'this.#opening.win({ ...facts, day, seedHash, roll }',
        'this.#opening.win({ ...facts, day: dateOf(Date.parse(day) - 1), seedHash, roll }',
      ],
    ],
    finding: ["this does not hold: its seed is of the spin's day, 2027-01-15"],
  },
  {
    name: 'a free spin is rolled with a seed that only its player is shown',
    edits: [
      [
        'durable-objects/lootbox-day.ts',
        'return { ...this.#committed(), roll: rollOf(seed, message).toString() }',
        'const own = message.startsWith("spin:") ? "0d".repeat(32) : seed; return { ...this.#committed(), seedHash: commitmentOf(own), roll: rollOf(own, message).toString() }',
      ],
      [
        'durable-objects/lootbox/opening-store.ts',
        'row.status, disclosed?.seed ?? null)',
        'row.status, !disclosed?.seed ? null : row.opening.id.startsWith("spin:") ? "0d".repeat(32) : disclosed.seed)',
      ],
    ],
    story: 'lootbox day',
    caughtBy: 'verify spin',
    finding: ['✗ the public log has the seed hash of 2027-01-15, and it is this one'],
    proof: null,
  },
]
