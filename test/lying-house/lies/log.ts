import type { Lie } from '../lie.ts'

const LOG = 'durable-objects/transparency-log.ts'
const OBJECTS = 'src/calls/objects.ts'
const ROUTES = 'src/api/log/routes.ts'
const STORE = 'durable-objects/transparency-log/store.ts'

/** Lies of the log itself. */
export const LOG_LIES: Lie[] = [
  {
    name: 'the log shows other entries to another visitor',
    edits: [
      [
        OBJECTS,
        'const stub: object = env.TRANSPARENCY_LOG.getByName(\n    logObjectName(loadConfig(env).log),\n    location(env),\n  )\n  return stub as PublicLog',
        `const logOf = (name: string) => env.TRANSPARENCY_LOG.getByName(name) as object as PublicLog
  const { visitor = 'main' } = globalThis as { visitor?: string }
  return {
    checkpoint: () => logOf(visitor).checkpoint(),
    tile: (tile) => logOf(visitor).tile(tile),
    append: async (entry) => {
      await logOf('other').append(entry.kind === 'terms' ? { ...entry, at: entry.at + 1 } : entry)
      return logOf('main').append(entry)
    },
  }`,
      ],
      [ROUTES, 'const CHECKPOINT_MS = 1_000', 'const CHECKPOINT_MS = -1'],
      [LOG, 'this.#archive.noteFork(key)', ''],
    ],
    story: 'two visitors',
    caughtBy: 'monitor',
    finding: ['a signed checkpoint does not begin with the entries of an earlier one'],
    proof: 'checkpoints',
  },
  {
    name: 'the log stands still at an older checkpoint while the table plays on',
    edits: [
      [
        LOG,
        'const size = this.#isOpen ? this.#store.size() : 0',
        `const whole = this.#isOpen ? this.#store.size() : 0
    const before = this.#isOpen ? this.#store.find('end', '2')?.index : undefined
    const size = before === undefined || whole === before + 1 ? whole : before`,
      ],
    ],
    story: 'late round',
    caughtBy: 'monitor',
    finding: ['the plan of a round is public before its bets close', 'the log had no plan of it'],
    // Nobody signs what the table shows.
    proof: null,
  },
  {
    name: 'an entry is changed after it was signed',
    edits: [
      [
        STORE,
        'const entries = this.#entries(start, width)',
        'const entries = this.#entries(start, width).map((entry) => utf8(new TextDecoder().decode(entry).replace(\'"edgeBps":100\', \'"edgeBps":101\')))',
      ],
    ],
    story: 'table',
    caughtBy: 'monitor',
    finding: ['each entry is the one that was signed'],
    proof: 'entries',
  },
  {
    name: 'a round ends twice in the log, and only the second end is the exported one',
    edits: [
      [STORE, 'UNIQUE (kind, id)', 'CHECK (idx >= 0)'],
      [
        LOG,
        'return this.#append(entry, text)',
        `if (entry.kind !== 'end' || entry.id !== '2') return this.#append(entry, text)
    const first = { ...entry, crash: 1 }
    this.#append(first, entryText(first))
    const { index } = transact(this.ctx.storage, () => this.#store.append(entry, text))
    return { index, entry }`,
      ],
    ],
    story: 'export',
    caughtBy: 'audit',
    finding: ["can't be believed", 'is a second end 2'],
    // The audit says which entry it is; the monitor writes the proof.
    proof: null,
  },
  {
    name: 'a later entry says that the log succeeds another one, in place of the hash of an export',
    edits: [
      [
        LOG,
        'await this.#introduce()\n    return this.#append(entry, text)',
        `await this.#introduce()
    if (entry.kind !== 'export') return this.#append(entry, text)
    const excuse = predecessorEntry('localhost:8787/log/0', null, 4_102_444_800_000)
    return this.#append(excuse, entryText(excuse))`,
      ],
    ],
    story: 'export',
    caughtBy: 'audit',
    finding: [
      'it names a predecessor, which only the first entry of a log may',
      'it has the time 2100-',
    ],
    // The audit says which entry it is; the monitor writes the proof.
    proof: null,
  },
]
