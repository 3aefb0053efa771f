import type { Mutant } from './mutants.ts'

const ROUND = 'durable-objects/crash-round.ts'
const RECIPIENTS = 'durable-objects/crash-round/recipients.ts'
const NOTICES = 'durable-objects/crash-round/notices.ts'
const TABLE = 'durable-objects/crash-table.ts'
const BETS = 'durable-objects/ledger/bets.ts'
const CRASH_ROUTES = 'src/api/crash/routes.ts'
const RULE = 'src/crash/round.ts'

const ASKED_FIRST = 'bets arrive after their stakes were asked about'
const OTHER_CLOCK = 'rounds move to another clock as they close'

export const CRASH_MUTANTS: Mutant[] = [
  {
    name: 'a restart forgets that bets have closed',
    edits: [[ROUND, 'if (closed || ended) this', 'if (ended) this']],
    within: 6_000,
    theme: OTHER_CLOCK,
  },
  {
    name: 'the log has the end of a round before the root over its bets',
    edits: [[RECIPIENTS, 'this.#log([PLAN, BETS], (round)', 'this.#log([], (round)']],
    within: 200,
  },
  {
    name: 'a round forgets that it has said "never placed"',
    edits: [[ROUND, '      this.#buried.add(this.#store.bury(betId))\n', '']],
    within: 3_000,
    theme: ASKED_FIRST,
  },
  {
    name: 'a round remembers in memory only that it has said "never placed"',
    edits: [[ROUND, 'this.#buried.add(this.#store.bury(betId))', 'this.#buried.add(betId)']],
    within: 5_000,
    theme: ASKED_FIRST,
  },
  {
    name: 'a ledger releases a stake because no answer came',
    edits: [
      [
        BETS,
        '      // No answer is not a refusal',
        "      this.settle(betId, { kind: 'never_placed' })\n      // No answer is not a refusal",
      ],
    ],
    within: 300,
  },
  {
    name: 'a ledger releases a stake because the round is busy or has no answer yet',
    edits: [[BETS, "if (outcome.kind !== 'live') this", 'this']],
    within: 300,
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
    edits: [[ROUND, 'replace(pending ?? this.#recipients.allOf(round))', 'replace(pending ?? [])']],
    within: 200,
  },
  {
    name: 'a notice counts as sent before it is',
    edits: [
      [
        NOTICES,
        '      await answerWithin(DELIVERY_MS, this.#notify(recipient))\n      this.#waiting.delete(recipient)\n',
        '      this.#waiting.delete(recipient)\n      await answerWithin(DELIVERY_MS, this.#notify(recipient))\n',
      ],
      [NOTICES, '      this.#waiting.set(recipient, { dueAt: now + delayMs, attempts })\n', ''],
    ],
    within: 200,
  },
  {
    name: 'bets never close',
    edits: [[RULE, "    if (this.stage(now) !== 'open') return BETTING_CLOSED\n", '']],
    within: 300,
  },
  {
    name: 'a cash-out without a round may answer for a past one',
    edits: [[CRASH_ROUTES, '!isRefusal(result) && result.fresh)', '!isRefusal(result))']],
    within: 2_000,
  },
  {
    name: 'the table counts a round as swept while messages wait',
    edits: [[TABLE, 'if (left === 0 && waiting', 'if (left >= 0 && waiting']],
    within: 1_000,
    theme: 'nobody wakes a round',
  },
  {
    name: 'a beacon is not verified',
    edits: [
      [
        'src/calls/beacon.ts',
        'if (signature !== null && isSignedBeacon(round, signature)) return signature',
        'if (signature !== null) return signature',
      ],
    ],
    within: 500,
  },
]
