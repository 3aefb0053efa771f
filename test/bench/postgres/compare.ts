import { setTimeout as sleep } from 'node:timers/promises'
import type { LoadClient, LoadRequest } from '../load.ts'
import type { Player } from '../players.ts'
import { formatColumns, median } from '../report.ts'
import { bet, fund, play, state } from '../requests.ts'
import { STORAGES, type Storage } from '../rows.ts'

const CONNECTIONS = 16
const WARMING_PLAYERS = 500
const AWAKE_PLAYERS = 1_800
const ASLEEP_PLAYERS = 600
export const COMPARED_PLAYERS = WARMING_PLAYERS + AWAKE_PLAYERS + ASLEEP_PLAYERS

/** An object leaves the memory 10 s after its last call. */
const ASLEEP_AFTER_MS = 12_000

const SERVICES = ['ours', 'theirs', 'least'] as const
type Service = (typeof SERVICES)[number]

/** Each service follows each other one as often, because it finds the machine as that one has left it. */
const ORDERS: readonly (readonly Service[])[] = [
  ['ours', 'theirs', 'least'],
  ['least', 'theirs', 'ours'],
  ['theirs', 'ours', 'least'],
  ['least', 'ours', 'theirs'],
  ['theirs', 'least', 'ours'],
  ['ours', 'least', 'theirs'],
]

const PATHS = ['bet', 'play', 'state'] as const
type Path = (typeof PATHS)[number]

/** The addresses of our Worker, of the service that uses PostgreSQL, and of the Worker that does the least. */
export type Urls = Record<Service, string>

/** A path's requests a second on each service, in one turn. */
export interface Comparison {
  path: Path
  storage: Storage
  /** Whether the players' ledgers were in memory. */
  isAwake: boolean
  perSecond: Record<Service, number>
}

/** Vars of the Worker that keep its first round open for all bets. */
export const ONE_ROUND_VARS = { CRASH_BETTING_MS: '600000' }

/**
 * Measures the paths on all services, one after the other in short turns. The players have just read their states, as the page
 * does, or have called nobody for 12 s. Bets come last: ledgers look after open ones a minute later.
 */
export async function compareServices(
  client: LoadClient,
  urls: Urls,
  players: readonly Player[],
  storage: Storage,
): Promise<Comparison[]> {
  const warming = players.slice(0, WARMING_PLAYERS)
  const awake = players.slice(WARMING_PLAYERS, WARMING_PLAYERS + AWAKE_PLAYERS)
  const asleep = players.slice(WARMING_PLAYERS + AWAKE_PLAYERS)
  const nonces = new Map<Player, number>()
  const run = async (service: Service, requests: LoadRequest[]): Promise<number> => {
    const load = { url: urls[service], connections: CONNECTIONS, amount: requests.length, requests }
    const { failures, perSecond } = await client.run(load)
    if (Object.keys(failures).length > 0)
      throw new Error(`a request of the comparison failed: ${JSON.stringify(failures)}`)
    return perSecond
  }
  for (const service of SERVICES) {
    const funds = players.map((player) => fund(player, 'ETH'))
    for (const requests of [funds, players.map(state), players.map(play(0)), warming.map(bet(1))])
      await run(service, requests)
  }
  const compared: Comparison[] = []
  const measure = async (path: Path, turn: number, some: readonly Player[], isAwake: boolean) => {
    const requests = some.map((player) => {
      if (path !== 'play') return path === 'bet' ? bet(1)(player) : state(player)
      const nonce = (nonces.get(player) ?? 0) + 1
      nonces.set(player, nonce)
      return play(nonce)(player)
    })
    const perSecond: Record<Service, number> = { ours: NaN, theirs: NaN, least: NaN }
    for (const service of ORDERS[turn % ORDERS.length] ?? SERVICES) {
      if (isAwake) await run(service, some.map(state))
      perSecond[service] = await run(service, requests)
    }
    compared.push({ path, storage, isAwake, perSecond })
  }
  const ofTurn = (all: readonly Player[], turn: number) =>
    all.filter((_, index) => index % ORDERS.length === turn % ORDERS.length)
  for (const path of ['state', 'play'] as const)
    for (let turn = 0; turn < ORDERS.length; turn++) await measure(path, turn, awake, true)
  for (let turn = 0; turn < ORDERS.length; turn++) {
    await sleep(ASLEEP_AFTER_MS)
    // Each of them has other players, whom nobody has woken.
    await measure('state', turn, ofTurn(asleep, turn), false)
    await measure('play', turn, ofTurn(asleep, turn + 1), false)
    await measure('bet', turn, ofTurn(asleep, turn + 2), false)
  }
  for (let turn = 0; turn < ORDERS.length; turn++)
    await measure('bet', turn, ofTurn(awake, turn), true)
  return compared
}

/** Formats the comparisons of each storage as a table: medians, and our ratios to the others with their range. */
export function formatComparisons(all: readonly Comparison[]): string {
  const rows = [true, false].flatMap((isAwake) => PATHS.map((path) => ({ path, isAwake })))
  return STORAGES.map((storage) => {
    const lines = rows.map(({ path, isAwake }) => {
      const rates = all
        .filter((each) => each.path === path && each.isAwake === isAwake)
        .filter((each) => each.storage === storage)
        .map(({ perSecond }) => perSecond)
      const ratioTo = (other: Service) => {
        const ratios = rates.map((perSecond) => perSecond.ours / perSecond[other])
        const [low, high] = [Math.min(...ratios), Math.max(...ratios)]
        return [median(ratios).toFixed(2), `(${low.toFixed(2)}–${high.toFixed(2)})`]
      }
      const medians = SERVICES.map((service) => median(rates.map((each) => each[service])))
      return [
        ...[isAwake ? path : `${path}, asleep`, ...medians.map((rate) => rate.toFixed(0))],
        ...[...ratioTo('theirs'), ...ratioTo('least')],
      ]
    })
    const head = ['ours', 'PostgreSQL', 'the least', 'to PostgreSQL', '', 'to the least', '']
    return formatColumns([[storage, ...head], ...lines])
  }).join('\n\n')
}
