import { setTimeout as sleep } from 'node:timers/promises'
import { Child } from './child.ts'
import type { LoadClient, LoadRequest } from './load.ts'
import type { Player } from './players.ts'
import { median } from './report.ts'
import type { Runtime } from './runtime.ts'
import type { CrashReceipts, ViewersOrder } from './viewers-process.ts'

/** Results of live updates, measured with a number of sockets on short rounds. */
export interface StreamFigures {
  sockets: number
  /** Crashes that reached every socket while there were no other requests. */
  crashes: number
  /** Medians of the time from a crash to its receipt by the first and by the last socket, in milliseconds. */
  firstMs: number
  lastMs: number
  /** Median of the time between the two. */
  spreadMs: number
  /** Median of the messages to all sockets in the flush that reports a crash. */
  flushPerSecond: number
  /** Whole states per second, with and without the sockets. */
  statesPerSecond: number
  statesPerSecondAlone: number
}

const RESULTS_MS = 1_000

/** Half of the rounds crash at take-off, so there are many in a minute. */
export const STREAM_VARS = {
  CRASH_BETTING_MS: '1000',
  CRASH_RESULTS_MS: String(RESULTS_MS),
  CRASH_EDGE_BPS: '5000',
}

const WATCHING_MS = 40_000
const RUNS = 5
const READS = 3_000
const CONNECTIONS = 16

/** Measures the live stream on a Worker that runs with {@link STREAM_VARS}. */
export async function measureStream(
  client: LoadClient,
  { worker }: Runtime,
  players: readonly Player[],
  sockets: number,
): Promise<StreamFigures> {
  const requests = players.map(({ wallet, authSig }) => ({
    path: `/api/crash?wallet=${wallet}&authSig=${authSig}`,
  }))
  const readStates = () => statesPerSecond(client, worker, requests)
  await readStates()
  const before = await readStates()
  const viewers = new Child('viewers-process.ts')
  try {
    const url = new URL('/api/crash/stream', worker.replace('http', 'ws')).href
    const ask = <Answer>(order: ViewersOrder) => viewers.ask<Answer>(order)
    const watch: ViewersOrder = { order: 'watch', url, sockets, resultsMs: RESULTS_MS }
    await ask(watch)
    await sleep(WATCHING_MS)
    const crashes = await ask<CrashReceipts[]>({ order: 'leave' })
    await ask(watch)
    const during = await readStates()
    await ask({ order: 'leave' })
    const after = await readStates()
    const complete = crashes.filter((crash) => crash.sockets === sockets)
    const spreads = complete.map(({ firstMs, lastMs }) => lastMs - firstMs)
    return {
      sockets,
      crashes: complete.length,
      firstMs: median(complete.map(({ firstMs }) => firstMs)),
      lastMs: median(complete.map(({ lastMs }) => lastMs)),
      spreadMs: median(spreads),
      flushPerSecond: (sockets / median(spreads)) * 1_000,
      statesPerSecond: during,
      statesPerSecondAlone: (before + after) / 2,
    }
  } finally {
    viewers.close()
  }
}

export function formatStream(figures: StreamFigures): string {
  const { sockets, crashes, firstMs, lastMs, spreadMs, flushPerSecond } = figures
  const { statesPerSecond: during, statesPerSecondAlone: alone } = figures
  const latency = [
    `Live updates to ${sockets} sockets, medians of ${crashes} crashes that reached all of them:`,
    `from the crash to the first ${firstMs.toFixed(1)} ms, to the last ${lastMs.toFixed(1)} ms;`,
    `${spreadMs.toFixed(1)} ms between them, ${flushPerSecond.toFixed(0)} messages a second.`,
  ]
  return [
    ...(crashes > 0 ? latency : [`No crash came while ${sockets} sockets watched: run it again.`]),
    `Whole states a second: ${during.toFixed(0)} beside them, ${(during / alone).toFixed(3)} of without.`,
  ].join('\n')
}

/** Returns the median of several runs. */
async function statesPerSecond(
  client: LoadClient,
  url: string,
  requests: LoadRequest[],
): Promise<number> {
  const rates: number[] = []
  for (let run = 0; run < RUNS; run++) {
    const load = { url, connections: CONNECTIONS, amount: READS, requests }
    const { perSecond, failures } = await client.run(load)
    if (Object.keys(failures).length > 0)
      throw new Error(`a read beside the stream failed: ${JSON.stringify(failures)}`)
    rates.push(perSecond)
  }
  return median(rates)
}
