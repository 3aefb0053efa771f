import { gunzipSync } from 'node:zlib'
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env, exports } from 'cloudflare:workers'
import { expect } from 'vitest'
import { LATE_ROUNDS_MS } from '../../durable-objects/exporter.ts'
import { flush } from '../../src/api/games/feed.ts'
import { exporter } from '../../src/calls/objects.ts'
import { DAY_MS, dateOf } from '../../src/core/utc-day.ts'
import { type Dataset, type Manifest } from '../../src/exports/manifest.ts'
import { sweep } from '../../src/sweep.ts'
import { SELECTIONS } from './plays.ts'
import {
  endRound,
  fundedPlayer,
  now,
  openRound,
  pass,
  ringLedger,
  setTime,
  type Player,
} from './support.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- rows are asserted field by field
export type Row = any

/** Fetches a published file. */
export function fetchFile(path: string, headers: Record<string, string> = {}): Promise<Response> {
  return exports.default.fetch(`http://fairhouse.test${path}`, { headers })
}

export async function manifestOf(day: string): Promise<Manifest> {
  return (await fetchFile(`/exports/v1/manifest/${day}.json`)).json()
}

export async function rowsOf(dataset: Dataset, day: string): Promise<Row[]> {
  const response = await fetchFile(`/exports/v1/${dataset}/${day}.jsonl.gz`)
  expect(response.status).toBe(200)
  const text = gunzipSync(new Uint8Array(await response.arrayBuffer())).toString()
  return text
    .split('\n')
    .slice(0, -1)
    .map((line): Row => JSON.parse(line))
}

/** Runs the exporter's alarm as often as a small day needs. */
export async function ring(): Promise<void> {
  for (let alarms = 0; alarms < 3; alarms++) {
    await exporter(env).sweep()
    await runDurableObjectAlarm(exporter(env))
  }
}

/** Runs the exporter's alarm until it waits no longer for a round that is missing between others. */
export async function ringInVain(): Promise<void> {
  for (let passedMs = 0; passedMs <= LATE_ROUNDS_MS; passedMs += 60_000) {
    // As on the platform, which takes an idle object out of the memory.
    await evictDurableObject(exporter(env))
    await ring()
    pass(60_000)
  }
}

/** Has the exporter begin again, with a day. */
export async function forgetExports(day: string): Promise<void> {
  for (const { key } of (await env.EXPORTS.list()).objects) await env.EXPORTS.delete(key)
  await runInDurableObject(exporter(env), (_, { storage }) => {
    for (const table of ['exported_days', 'exported_wallets', 'missing_rounds']) {
      storage.sql.exec(`DELETE FROM ${table}`)
    }
    storage.sql.exec('UPDATE progress SET next_day = ?, rounds_after = 0, since = 0', day)
  })
  await evictDurableObject(exporter(env))
}

export async function loseRound(roundId: number): Promise<void> {
  for (const table of ['crash_rounds', 'crash_bets']) {
    await env.HISTORY.exec(`DELETE FROM ${table} WHERE round_id = ${roundId}`)
  }
}

/** Passes the end of the day, and the time until it is exported. */
export function passDay(): string {
  const day = dateOf(now())
  setTime(Date.parse(day) + DAY_MS + 900_000)
  return day
}

/** Sends the wallets' positions, as their alarms do. */
export async function settle(players: Player[]): Promise<void> {
  await flush(env)
  pass(300_000)
  for (const player of players) await ringLedger(player)
  await sweep(env)
}

/** Two rounds with bets, and plays of every game. */
export async function history(): Promise<Player[]> {
  await exporter(env).sweep()
  const players = [await fundedPlayer(0), await fundedPlayer(1)]
  for (let round = 0; round < 2; round++) {
    const plan = await openRound({ min: 200, max: 600 })
    await players[0]?.bet('1000000', { autoCashout: 1.5 })
    await players[1]?.bet('2000000', { autoCashout: 1000 })
    await endRound(plan)
    pass(10_000)
  }
  for (const player of players) for (const selection of SELECTIONS) await player.play(selection)
  await settle(players)
  return players
}
