import type { LoadClient, LoadRequest } from '../load.ts'
import type { Player } from '../players.ts'
import { formatColumns, median } from '../report.ts'
import { bet, fund, play, state } from '../requests.ts'
import { STORAGES, type Storage } from '../rows.ts'

/** How often a path is measured on each service, in turn. */
const TURNS = 4
const CONNECTIONS = 16
const READS = 3_000
const WARMING_PLAYERS = 500

const PATHS = ['bet', 'play', 'state'] as const

/** A path's requests a second on both services, in one turn. */
export interface Pair {
  path: (typeof PATHS)[number]
  storage: Storage
  ours: number
  theirs: number
}

/** Vars of the Worker that keep its first round open for all bets. */
export const ONE_ROUND_VARS = { CRASH_BETTING_MS: '600000' }

/** Measures the paths on both services, ours first, one after the other in short turns. */
export async function measurePairs(
  client: LoadClient,
  urls: readonly [ours: string, theirs: string],
  players: readonly Player[],
  storage: Storage,
): Promise<Pair[]> {
  const warming = players.slice(0, WARMING_PLAYERS)
  const measured = players.slice(WARMING_PLAYERS)
  const perSecond = async (url: string, requests: LoadRequest[], amount = requests.length) => {
    const result = await client.run({ url, connections: CONNECTIONS, amount, requests })
    if (Object.keys(result.failures).length > 0)
      throw new Error(`a request of the comparison failed: ${JSON.stringify(result.failures)}`)
    return result.perSecond
  }
  for (const url of urls) {
    const funds = players.map((player) => fund(player, 'ETH'))
    for (const requests of [funds, players.map(state), players.map(play(0)), warming.map(bet(1))])
      await perSecond(url, requests)
  }
  const pairs: Pair[] = []
  const measure = async (path: Pair['path'], requests: LoadRequest[], amount?: number) => {
    // The second finds the machine as the first has left it, so they take turns at that too.
    const [ours, theirs] = urls
    const order = pairs.length % 2 === 0 ? [ours, theirs] : [theirs, ours]
    const rates = new Map<string, number>()
    for (const url of order) rates.set(url, await perSecond(url, requests, amount))
    pairs.push({ path, storage, ours: rates.get(ours) ?? NaN, theirs: rates.get(theirs) ?? NaN })
  }
  for (let turn = 0; turn < TURNS; turn++) {
    const some = measured.filter((_, index) => index % TURNS === turn)
    await measure('bet', some.map(bet(1)))
  }
  for (let turn = 0; turn < TURNS; turn++) await measure('play', measured.map(play(1 + turn)))
  for (let turn = 0; turn < TURNS; turn++) await measure('state', measured.map(state), READS)
  return pairs
}

/** Formats the pairs as a table: medians, and the ratio with its spread. */
export function formatPairs(pairs: readonly Pair[]): string {
  const head = STORAGES.flatMap((storage) => [storage, 'PostgreSQL', 'ratio', '(spread)'])
  const lines = PATHS.map((path) => [
    path,
    ...STORAGES.flatMap((storage) => {
      const some = pairs.filter((pair) => pair.path === path && pair.storage === storage)
      const ratios = some.map(({ ours, theirs }) => ours / theirs)
      return [
        median(some.map(({ ours }) => ours)).toFixed(0),
        median(some.map(({ theirs }) => theirs)).toFixed(0),
        median(ratios).toFixed(2),
        `(${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)})`,
      ]
    }),
  ])
  return formatColumns([['requests/s', ...head], ...lines])
}
