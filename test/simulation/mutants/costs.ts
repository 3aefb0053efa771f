import type { Mutant } from './mutants.ts'

export const COST_MUTANTS: Mutant[] = [
  {
    name: 'a refused withdrawal opens the ledger of a wallet without chips',
    edits: [
      [
        'durable-objects/ledger/withdrawals.ts',
        'if (!this.#kernel.isOpen)\n      return deskRefusal() ?? refusedWithoutChips(checkWithdrawal(request, NEW_WALLET))',
        'this.#kernel.open()',
      ],
    ],
    within: 300,
  },
  {
    name: 'a refused bet opens the ledger of a wallet without chips',
    edits: [
      [
        'durable-objects/ledger/bets.ts',
        'if (!this.#kernel.isOpen) return refusedWithoutChips(checkBet(request, 0n))',
        'this.#kernel.open()',
      ],
    ],
    within: 300,
  },
  {
    name: 'a payment that the chain does not have is stored',
    edits: [
      [
        'durable-objects/payment/opening.ts',
        "    const facts = await this.#acceptance.read('opening')\n",
        "    this.#kernel.open()\n    const facts = await this.#acceptance.read('opening')\n",
      ],
    ],
    within: 500,
    theme: 'payments are opened while much is lost',
  },
  {
    name: 'the relayer never rests',
    edits: [
      [
        'durable-objects/relayer.ts',
        'return isWaiting ? now + WATCH_POLL_MS : null',
        'return now + (isWaiting ? WATCH_POLL_MS : POLL_MS)',
      ],
    ],
    within: 300,
  },
  {
    name: 'D1 is sent the position of a wallet whose chips have never moved',
    edits: [
      [
        'durable-objects/ledger/feeds.ts',
        'else if (listed || this.#hasEverMoved(position)) await savePosition',
        'else await savePosition',
      ],
    ],
    within: 300,
  },
]
