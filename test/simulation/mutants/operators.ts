import type { Mutant } from './mutants.ts'

const CONTROL = 'durable-objects/control.ts'
const BOOKED = 'durable-objects/ledger/daybook-lines.ts'
const CLOSER = 'durable-objects/relayer/closer.ts'
const GATE = 'durable-objects/ledger/gate.ts'
const MODES = 'src/operator/modes.ts'
const PAYOUT_STATE = 'src/relayer/payout-state.ts'
const REPROJECTION = 'durable-objects/reprojection.ts'

const HEARD = 'operators order, and every router hears of it'
const DISAGREED = 'operators order, and clocks disagree'
const LOST = 'operators order while much is lost'
const HISTORY_LOST = 'the history goes back, and everything is sent again'
const UNREPORTED = 'operators end withdrawals whose reports are lost'

export const OPERATOR_MUTANTS: Mutant[] = [
  {
    name: 'a ledger does not look whether it is frozen',
    edits: [[GATE, '    return this.#read().at(-1)?.isFrozen === 1\n', '    return false\n']],
    within: 200,
  },
  {
    name: 'an old order to freeze replaces a newer one',
    edits: [[GATE, "      if (before && act.at <= before.id) return 'overtaken'\n", '']],
    within: 2_000,
    theme: HEARD,
  },
  {
    name: 'a ledger takes a stake however old its modes are',
    edits: [[MODES, 'return now < known.holdsUntil ? null : MODES_UNKNOWN', 'return null']],
    within: 30_000,
    theme: HEARD,
  },
  {
    name: 'a switch that drains takes stakes',
    edits: [
      [
        MODES,
        "if (mode !== 'open') return notOpen(name, mode)",
        "if (mode === 'closed') return notOpen(name, mode)",
      ],
    ],
    within: 2_000,
    theme: HEARD,
  },
  {
    name: 'a reader whose clock is behind is not told what holds until a change',
    edits: [[CONTROL, 'this.#kernel.clock.now() - LEAD_MS', 'this.#kernel.clock.now()']],
    within: 5_000,
    theme: DISAGREED,
  },
  {
    name: 'an order that was delayed replaces a newer one',
    edits: [[CONTROL, 'this.#acts.delayedBefore(hash)', '[] as never[]']],
    within: 3_000,
    theme: LOST,
  },
  {
    name: 'an order to send everything again is covered by a job under way',
    edits: [['durable-objects/control/reproject.ts', '.start(scope, at)', '.start(scope)']],
    within: 6_000,
    theme: HISTORY_LOST,
  },
  {
    name: 'the cursor of a list moves before its page is read',
    edits: [
      [
        REPROJECTION,
        '    const { messages, next } = await this.#page(stage, job)\n',
        "    this.#sql.exec(`UPDATE job SET stage = stage + 1, after = ''`)\n    const { messages, next } = await this.#page(stage, job)\n",
      ],
    ],
    within: 6_000,
    theme: HISTORY_LOST,
  },
  {
    name: 'the books of a day have what was booked after it',
    edits: [[BOOKED, 'page.filter(({ at }) => at < to)', 'page']],
    within: 500,
  },
  {
    name: 'a withdrawal is released while its transaction is under way',
    edits: [
      [CLOSER, '(await usedNonces(vault, player, confirmed)) <= order.nonce', 'confirmed < 0'],
      [PAYOUT_STATE, "if (state === 'sent') {", "if (state === 'sent' && as === null) {"],
    ],
    within: 4_000,
    theme: UNREPORTED,
  },
]
