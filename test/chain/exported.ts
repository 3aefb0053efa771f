import { gunzipSync } from 'node:zlib'
import { runDurableObjectAlarm } from 'cloudflare:test'
import { env, exports } from 'cloudflare:workers'
import { exporter } from '../../src/calls/objects.ts'
import { DAY_MS, dateOf } from '../../src/core/utc-day.ts'
import type { Dataset } from '../../src/exports/manifest.ts'
import { now, setTime } from '../workers/support.ts'

/** Returns the lines of a day's exported file. */
export async function linesOf(dataset: Dataset, day: string): Promise<string[]> {
  const path = `/exports/v1/${dataset}/${day}.jsonl.gz`
  const file = await exports.default.fetch(`http://fairhouse.test${path}`)
  const text = gunzipSync(new Uint8Array(await file.arrayBuffer())).toString()
  return text.split('\n').slice(0, -1)
}

/** Passes midnight and the time until the day is exported, and exports it. */
export async function exportDay(): Promise<string> {
  await exporter(env).sweep()
  const day = dateOf(now())
  setTime(Date.parse(day) + DAY_MS + 900_000)
  for (let alarms = 0; alarms < 3; alarms++) await runDurableObjectAlarm(exporter(env))
  return day
}
