import type { Lie } from '../lie.ts'

const LOG = 'durable-objects/transparency-log.ts'
const OBJECTS = 'src/objects.ts'
const ROUTES = 'src/api/log/routes.ts'

/** Lies of the log itself. */
export const LOG_LIES: Lie[] = [
  {
    name: 'the log shows other entries to another visitor',
    edits: [
      [
        OBJECTS,
        'const stub: object = env.TRANSPARENCY_LOG.getByName(logObjectName(loadConfig(env).log))\n  return stub as PublicLog',
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
      [LOG, 'this.#isForked = true', 'this.#isForked = false'],
    ],
    story: 'two visitors',
    caughtBy: 'monitor',
    finding: ['a signed checkpoint does not begin with the entries of an earlier one'],
    proof: 'checkpoints',
  },
  {
    name: 'an entry is changed after it was signed',
    edits: [
      [
        'durable-objects/transparency-log/store.ts',
        'const entries = this.#entries(start, width)',
        'const entries = this.#entries(start, width).map((entry) => utf8(new TextDecoder().decode(entry).replace(\'"edgeBps":100\', \'"edgeBps":101\')))',
      ],
    ],
    story: 'table',
    caughtBy: 'monitor',
    finding: ['each entry is the one that was signed'],
    proof: 'entries',
  },
]
