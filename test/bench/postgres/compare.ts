import { setTimeout as sleep } from 'node:timers/promises'
import { PROJECTION_DELAY_MS } from '../../../src/ledger/capacity.ts'
import type { LoadClient, LoadRequest } from '../load.ts'
import type { Player } from '../players.ts'
import { formatColumns, median } from '../report.ts'
import { bet, fund, play, state } from '../requests.ts'
import type { Storage } from '../rows.ts'
import { servicesCpuMs } from './cpu-time.ts'

const CONNECTIONS = 16
/**
 * Enough bets for the code of all three services to be compiled. After only 500, a bet of ours took 50 % more CPU time.
 */
const WARMING_PLAYERS = 1_500
const PLAYING_PLAYERS = 2_400
const READING_PLAYERS = 1_200
const SLEEPING_PLAYERS = 600
export const COMPARED_PLAYERS =
  WARMING_PLAYERS + PLAYING_PLAYERS + READING_PLAYERS + SLEEPING_PLAYERS

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

/**
 * What the players' ledgers have done since they were last loaded into memory: a play, as between the bets of somebody
 * who stays; a read of the state, as at a first bet; or nothing, because they are not in memory.
 */
const LEDGERS = ['playing', 'read', 'asleep'] as const
type Ledgers = (typeof LEDGERS)[number]

/** A path on each service, in one turn. */
export interface Comparison {
  path: Path
  ledgers: Ledgers
  perSecond: Record<Service, number>
  /** The CPU time per request in all processes of the service, in milliseconds. */
  cpuMs: Record<Service, number>
}

/** Vars of the Worker that keep its first round open for all bets. */
export const ONE_ROUND_VARS = { CRASH_BETTING_MS: '600000' }

/** Measures the paths on all services, one after the other in short turns. */
export async function compareServices(
  client: LoadClient,
  urls: Urls,
  players: readonly Player[],
): Promise<Comparison[]> {
  const rest = [...players]
  const warming = rest.splice(0, WARMING_PLAYERS)
  const playing = rest.splice(0, PLAYING_PLAYERS)
  const reading = rest.splice(0, READING_PLAYERS)
  const sleeping = rest.splice(0, SLEEPING_PLAYERS)
  const nonces = new Map<Player, number>()
  const run = async (service: Service, requests: LoadRequest[]): Promise<number> => {
    const load = { url: urls[service], connections: CONNECTIONS, amount: requests.length, requests }
    const { failures, perSecond } = await client.run(load)
    if (Object.keys(failures).length > 0)
      throw new Error(`a request of the comparison failed: ${JSON.stringify(failures)}`)
    return perSecond
  }
  const requestOf = (path: Path, player: Player): LoadRequest => {
    if (path !== 'play') return path === 'bet' ? bet(1)(player) : state(player)
    const nonce = nonces.get(player) ?? 0
    nonces.set(player, nonce + 1)
    return play(nonce)(player)
  }
  const requestsOf = (path: Path, some: readonly Player[]) =>
    some.map((player) => requestOf(path, player))
  const startedAt = performance.now()
  const [funds, plays] = [players.map((player) => fund(player, 'ETH')), requestsOf('play', players)]
  for (const service of SERVICES)
    for (const requests of [funds, players.map(state), plays, warming.map(bet(1))])
      await run(service, requests)
  const compared: Comparison[] = []
  const measure = async (path: Path, ledgers: Ledgers, turn: number, some: readonly Player[]) => {
    const before =
      ledgers === 'asleep' ? [] : requestsOf(ledgers === 'read' ? 'state' : 'play', some)
    const requests = requestsOf(path, some)
    const perSecond: Record<Service, number> = { ours: NaN, theirs: NaN, least: NaN }
    const cpuMs = { ...perSecond }
    for (const service of ORDERS[turn % ORDERS.length] ?? SERVICES) {
      if (before.length > 0) await run(service, before)
      const usedMs = servicesCpuMs()
      perSecond[service] = await run(service, requests)
      cpuMs[service] = (servicesCpuMs() - usedMs) / requests.length
    }
    compared.push({ path, ledgers, perSecond, cpuMs })
  }
  /** Each path of a turn has other players, whom nobody has woken. */
  const ofTurn = (all: readonly Player[], turn: number) =>
    all.filter((_, index) => index % ORDERS.length === turn % ORDERS.length)
  const halfOf = (all: readonly Player[], turn: number) =>
    all.filter((_, index) => index % 2 === turn % 2)
  for (const path of ['state', 'play'] as const)
    for (let turn = 0; turn < ORDERS.length; turn++)
      await measure(path, 'playing', turn, halfOf(playing, turn))
  for (let turn = 0; turn < ORDERS.length; turn++)
    await measure('bet', 'playing', turn, ofTurn(playing, turn))
  for (let turn = 0; turn < ORDERS.length; turn++) {
    await sleep(ASLEEP_AFTER_MS)
    await measure('state', 'asleep', turn, ofTurn(sleeping, turn))
    await measure('play', 'asleep', turn, ofTurn(sleeping, turn + 1))
    await measure('bet', 'asleep', turn, ofTurn(sleeping, turn + 2))
    await measure('play', 'read', turn, ofTurn(reading, turn))
    await measure('bet', 'read', turn, ofTurn(reading, turn + 1))
  }
  const tookMs = performance.now() - startedAt
  // The first movement of a ledger is its funding.
  if (tookMs > PROJECTION_DELAY_MS)
    console.error(
      `The session took ${(tookMs / 1000).toFixed(0)} s. Its last turns include our ledgers’ updates to D1.`,
    )
  return compared
}

const TITLED = ['ours', 'PostgreSQL', 'the least']

const TITLES: Record<Ledgers, string> = {
  playing: '',
  read: ', first since its ledger woke',
  asleep: ', ledger asleep',
}

/**
 * Formats the comparisons of a storage as a table: medians, our ratios to the others with their range, and CPU times.
 */
export function formatComparisons(storage: Storage, all: readonly Comparison[]): string {
  const rows = LEDGERS.flatMap((ledgers) => PATHS.map((path) => ({ path, ledgers })))
  const lines = rows.flatMap(({ path, ledgers }) => {
    const turns = all.filter((each) => each.path === path && each.ledgers === ledgers)
    if (turns.length === 0) return []
    const ratioTo = (other: Service) => {
      const ratios = turns.map(({ perSecond }) => perSecond.ours / perSecond[other])
      const [low, high] = [Math.min(...ratios), Math.max(...ratios)]
      return [median(ratios).toFixed(2), `(${low.toFixed(2)}–${high.toFixed(2)})`]
    }
    const rateOf = (service: Service) => median(turns.map(({ perSecond }) => perSecond[service]))
    const cpuOf = (service: Service) => median(turns.map(({ cpuMs }) => cpuMs[service]))
    return [
      [
        `${path}${TITLES[ledgers]}`,
        ...SERVICES.map((service) => rateOf(service).toFixed(0)),
        ...ratioTo('theirs'),
        ...ratioTo('least'),
        ...SERVICES.map((service) => `${cpuOf(service).toFixed(2)} ms`),
      ],
    ]
  })
  const ratios = ['to PostgreSQL', '', 'to the least', '']
  const head = [...TITLED, ...ratios, ...TITLED.map((service) => `CPU: ${service}`)]
  return formatColumns([[storage, ...head], ...lines])
}
