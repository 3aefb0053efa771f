import autocannon, { type Request } from 'autocannon'
import type { Load, LoadResult } from './load.ts'

/** The second process: it runs one load after another and does nothing else. */

/** Only ends a run that hangs: a slow disk takes a minute for what a fast one does in three seconds. */
const LONGEST_RUN_MS = 120_000
/** How often autocannon checks whether all answers have arrived; the rate does not depend on it. */
const SAMPLE_MS = 20

process.on('message', (load: Load) => {
  void run(load).then((result) => process.send?.(result))
})

async function run({ url, connections, amount, requests }: Load): Promise<LoadResult> {
  const failures: Record<string, number> = {}
  const count = (failure: string) => {
    failures[failure] = (failures[failure] ?? 0) + 1
  }
  const onResponse = (status: number, body: string) => {
    if (status !== 200) count(`${status} ${errorCode(body)}`)
  }
  const watched: Request[] = requests.map((request) => ({ ...request, onResponse }))
  let connection = 0
  const cannon = autocannon({
    url,
    connections,
    amount,
    sampleInt: SAMPLE_MS,
    timeout: LONGEST_RUN_MS / 1_000,
    setupClient: (client) => {
      // No two connections send the same request, unless all of them send the same one.
      const own = watched.filter((_, index) => index % connections === connection)
      client.setRequests(own.length > 0 ? own : watched)
      connection++
    },
  })
  const latencies: number[] = []
  let startedAt = performance.now()
  let endedAt = startedAt
  cannon.on('start', () => {
    startedAt = performance.now()
  })
  cannon.on('response', (_client, _status, _bytes, milliseconds) => {
    latencies.push(milliseconds)
    endedAt = performance.now()
  })
  const timeLimit = setTimeout(() => cannon.stop(), LONGEST_RUN_MS)
  const { errors } = await cannon
  clearTimeout(timeLimit)
  if (errors > 0) failures['connection error or timeout'] = errors
  if (latencies.length < amount) failures['no answer'] = amount - latencies.length
  latencies.sort((a, b) => a - b)
  return {
    perSecond: (latencies.length / (endedAt - startedAt)) * 1_000,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    failures,
  }
}

function quantile(sorted: number[], q: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? NaN
}

function errorCode(body: string): string {
  try {
    const { error } = JSON.parse(body) as { error: { code: string } }
    return error.code
  } catch {
    return body.slice(0, 100)
  }
}
