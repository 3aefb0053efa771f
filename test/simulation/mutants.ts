import type { Edit } from './world/bundle.ts'

/** A deliberate break of one rule, which the simulation must find. */
export interface Mutant {
  name: string
  edits: Edit[]
  /** It must be found within this many histories. */
  within: number
}

const ROUND = 'durable-objects/crash-round.ts'
const NOTICES = 'durable-objects/crash-round/notices.ts'
const TABLE = 'durable-objects/crash-table.ts'
const BETS = 'durable-objects/ledger/bets.ts'
const BOOKS = 'durable-objects/ledger/books.ts'
const OPEN_BETS = 'durable-objects/ledger/open-bets.ts'
const OPERATIONS = 'durable-objects/ledger/operations.ts'
const PLAYS = 'durable-objects/ledger/plays.ts'
const ALARM = 'durable-objects/kernel/alarm.ts'
const KERNEL = 'durable-objects/kernel/kernel.ts'
const OUTBOX = 'durable-objects/kernel/outbox.ts'
const CRASH_ROUTES = 'src/api/crash/routes.ts'
const GAME_ROUTES = 'src/api/games/routes.ts'
const RULE = 'src/crash/round.ts'

const crash: Mutant[] = [
  {
    name: 'a round forgets that it has said "never placed"',
    edits: [
      [ROUND, '    this.#store.bury(betId)\n', ''],
      [ROUND, '    this.#buried.add(betId)\n', ''],
    ],
    within: 500,
  },
  {
    name: 'a round remembers in memory only that it has said "never placed"',
    edits: [[ROUND, '    this.#store.bury(betId)\n', '']],
    within: 5_000,
  },
  {
    name: 'a round may accept a bet that it has refused as too late',
    edits: [
      [
        ROUND,
        "      if (placed.error.code === 'betting_closed') this.#bury(placement.betId)\n",
        '',
      ],
    ],
    within: 2_000,
  },
  {
    name: 'a ledger releases a stake because no answer came',
    edits: [
      [
        BETS,
        '      // No answer is not a refusal',
        "      this.resolve(betId, { kind: 'never_placed' })\n      // No answer is not a refusal",
      ],
    ],
    within: 20,
  },
  {
    name: 'a ledger releases a stake because the round is busy or has no answer yet',
    edits: [[BETS, "if (outcome.kind !== 'live') this", 'this']],
    within: 100,
  },
  {
    name: 'a cash-out is stored after it is paid',
    edits: [
      [
        ROUND,
        '    this.#store.cashOut(bet)\n',
        '    setTimeout(() => this.#store.cashOut(bet), 50)\n',
      ],
    ],
    within: 200,
  },
  {
    name: 'a restarted round sends no notices',
    edits: [
      [ROUND, '    this.#notices.replace(recipients.map(', '    this.#notices.replace([].map('],
    ],
    within: 200,
  },
  {
    name: 'a notice counts as sent before it is',
    edits: [
      [
        NOTICES,
        '      await inTime(this.#notify(recipient))\n      this.#waiting.delete(recipient)\n',
        '      this.#waiting.delete(recipient)\n      await inTime(this.#notify(recipient))\n',
      ],
      [
        NOTICES,
        '      this.#waiting.set(recipient, { dueAt: now + retryDelayMs(attempts), attempts })\n',
        '',
      ],
    ],
    within: 200,
  },
  {
    name: 'bets never close',
    edits: [[RULE, "    if (this.stage(now) !== 'open') {", '    if (false) {']],
    within: 100,
  },
  {
    name: 'a cash-out without a round may answer for a past one',
    edits: [[CRASH_ROUTES, '!isRefusal(result) && result.fresh)', '!isRefusal(result))']],
    within: 200,
  },
  {
    name: 'the table counts a round as swept while messages wait',
    edits: [[TABLE, 'if (left === 0) {', 'if (left >= 0) {']],
    within: 1_000,
  },
]

const ledgers: Mutant[] = [
  {
    name: 'a bet may be settled twice',
    edits: [
      [BETS, '      invariant(first, `bet', '      if (false) invariant(first, `bet'],
      [
        BETS,
        '      invariant(first.kind === outcome.kind, `bet ${betId} was ${first.kind}, now ${outcome.kind}`)\n',
        "      this.#books.commit(at, () => { operations.record({ id: `again:${betId}:${at}`, request: '', at }, { postings: first && outcome.kind === 'won' ? [{ token: 'USDG', from: 'house', to: 'chips', amountWei: String(outcome.payoutWei) }] : [], result: outcome }) })\n",
      ],
    ],
    within: 50,
  },
  {
    name: 'the journal is not read again after a failed transaction',
    edits: [
      [
        OPERATIONS,
        '  forget(): void {\n    this.#latest = null',
        '  forget(): void {\n    void this.#latest',
      ],
    ],
    within: 500,
  },
  {
    name: 'the open bets are not read again after a failed transaction',
    edits: [[KERNEL, '      this.forget()\n      throw fault', '      throw fault']],
    within: 500,
  },
  {
    name: 'an open bet is deleted outside the transaction that settles it',
    edits: [
      [
        BETS,
        '      this.open.delete(betId)\n    })',
        '    })\n    setTimeout(() => this.open.delete(betId), 20)',
      ],
    ],
    within: 200,
  },
  {
    name: 'open bets are remembered instead of read',
    edits: [[OPEN_BETS, '    this.forget()\n  }\n\n  delete', '  }\n\n  delete']],
    within: 50,
  },
  {
    name: 'the message to D1 is written after the movement',
    edits: [
      [
        BOOKS,
        "        this.outbox.add({ kind: PROJECTION, payload: '' }, at + PROJECTION_DELAY_MS)\n",
        "        setTimeout(() => this.outbox.add({ kind: PROJECTION, payload: '' }, at + PROJECTION_DELAY_MS), 20)\n",
      ],
    ],
    within: 500,
  },
  {
    name: 'a message to D1 counts as delivered before it is',
    edits: [
      [
        OUTBOX,
        '      await inTime(this.#deliver(row))\n      this.#delivered.push(row.id)\n',
        '      this.#delivered.push(row.id)\n      await inTime(this.#deliver(row))\n',
      ],
    ],
    within: 1_000,
  },
  {
    name: 'the alarm is set outside the write that needs it',
    edits: [
      [
        ALARM,
        '    void this.#storage.setAlarm(dueAt)',
        '    setTimeout(() => void this.#storage.setAlarm(dueAt), 20)',
      ],
    ],
    within: 500,
  },
  {
    name: 'a movement during the sending of a position is not sent',
    edits: [[BOOKS, 'if (this.operations.latest().seq > seq) this', 'if (false) this']],
    within: 5_000,
  },
  {
    name: 'an older position replaces a newer one',
    edits: [
      [
        'src/history/positions.ts',
        'WHERE excluded.version >= ledger_positions.version',
        'WHERE true',
      ],
    ],
    within: 5_000,
  },
]

const plays: Mutant[] = [
  {
    name: 'a repeated play is another play',
    edits: [
      [PLAYS, 'if (request.nonce !== null && request.nonce < next.nonce)', 'if (false)'],
      ['src/games/placement.ts', 'if (nonce !== null && nonce !== nextNonce)', 'if (false)'],
    ],
    within: 50,
  },
  {
    name: 'a play without a number is repeated',
    edits: [
      [GAME_ROUTES, 'await (asked.nonce === null ? call() : retried(call))', 'await retried(call)'],
    ],
    within: 200,
  },
  {
    name: "the next play's seed is drawn when it is needed",
    edits: [[PLAYS, 'nextSeedHash: after.seedHash,', 'nextSeedHash: draw(nonce + 1).seedHash,']],
    within: 20,
  },
  {
    name: 'plays count as told before D1 has them',
    edits: [
      [
        PLAYS,
        '      await savePlays(',
        '      this.#told(Math.max(...plays.map(({ nonce }) => nonce)) + 1)\n      await savePlays(',
      ],
    ],
    within: 2_000,
  },
]

export const MUTANTS: readonly Mutant[] = [...crash, ...ledgers, ...plays]
