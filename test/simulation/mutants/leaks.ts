import type { Mutant } from './mutants.ts'

const ROUND = 'durable-objects/crash-round.ts'
const STEP = '    const known = this.#round.bet(placement.betId)\n'

const ANSWER = '    return this.#queue.run((now) => this.#place(placement, now))\n'
const SLOWLY = '    await new Promise((end) => setTimeout(end, parseInt(mark, 16) % 40))\n'

/** Has a round do something with its seed whenever it is sent a bet. */
function leakingBy(what: string, statement: string): Mutant {
  return {
    name: `a round's seed leaves it ${what}`,
    edits: [[ROUND, STEP, `    const { seed } = this.#round.record\n    ${statement}\n${STEP}`]],
    within: 10,
    isOfTwins: true,
  }
}

/** One for each way out of a round. Only twins notice them. */
export const LEAK_MUTANTS: Mutant[] = [
  leakingBy('in a line of the log', 'console.log(seed)'),
  leakingBy(
    'in a call of another object',
    "void this.env.LEDGER.getByName('0').balance(seed).catch(() => {})",
  ),
  leakingBy(
    'in a statement of D1',
    "void this.env.HISTORY.prepare('SELECT ?').bind(seed).run().catch(() => {})",
  ),
  leakingBy('in a file of R2', "void this.env.EXPORTS.put('seed', seed).catch(() => {})"),
  leakingBy(
    'in a request to another site',
    'void fetch(`https://relay.test/${seed}`).catch(() => {})',
  ),
  {
    name: "a round's answer takes as long as its seed says",
    edits: [
      [
        ROUND,
        ANSWER,
        `    const mark = (this.#round?.record.seed ?? '').slice(0, 4)\n${SLOWLY}${ANSWER}`,
      ],
    ],
    within: 10,
    isOfTwins: true,
  },
]
