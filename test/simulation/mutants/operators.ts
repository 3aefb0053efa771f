import type { Mutant } from './mutants.ts'

const CONTROL = 'durable-objects/control.ts'
const GATE = 'durable-objects/ledger/gate.ts'
const MODES = 'src/operator/modes.ts'

const HEARD = 'operators order, and every router hears of it'
const DISAGREED = 'operators order, and clocks disagree'
const LOST = 'operators order while much is lost'

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
    edits: [[MODES, 'return now < known.holdsUntil ? null : unknownModes()', 'return null']],
    within: 6_000,
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
    within: 2_000,
    theme: DISAGREED,
  },
  {
    name: 'an order that was delayed replaces a newer one',
    edits: [[CONTROL, 'this.#acts.delayedBefore(order.hash)', '[] as never[]']],
    within: 2_000,
    theme: LOST,
  },
]
