import { runDurableObjectAlarm } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach, expect, vi } from 'vitest'
import { reprojection } from '../../src/calls/objects.ts'
import { MINUTE_MS } from '../../src/core/utc-day.ts'
import { Relayer } from '../../src/worker.ts'
import { pass, Player, ringLedger } from '../workers/support.ts'
import { fundHouse, sweepMinutes as minutes } from './support.ts'

export const owner = new Player(8)
export const FUNDED = 1_000_000_000n
export const DEPOSIT = 1_000_000_000n

/** Waits until every log is settled and every position has been sent. */
export async function settle(...players: Player[]): Promise<void> {
  pass(5 * MINUTE_MS)
  for (const player of players) await ringLedger(player)
  await minutes(1)
  pass(31 * MINUTE_MS)
  await minutes(2)
}

/** Runs the job that rebuilds D1 to its end. */
export async function rebuild(): Promise<void> {
  const job = reprojection(env)
  for (let alarms = 0; (await job.progress()).finishedAt === null; alarms++) {
    expect(alarms).toBeLessThan(1_000)
    await runDurableObjectAlarm(job)
    pass(1_000)
  }
}

/** Returns the answer to the owner and the number of results sent to the vault. */
export async function topUp(): Promise<{ status: number; code?: string; recorded: number }> {
  const record = vi.spyOn(Relayer.prototype, 'record')
  const { status, body } = await owner.act('house-topup')
  const recorded = record.mock.calls.length
  record.mockRestore()
  return { status, code: body.error?.code, recorded }
}

export const COUNTED = { status: 200, code: undefined, recorded: 2 }
export const CLOSED = { status: 503, code: 'closed', recorded: 0 }

/** Has the house's funds counted before each test of a file. */
export function useCountedHouse(): void {
  beforeEach(async () => {
    await fundHouse('USDG', FUNDED)
    expect(await topUp()).toEqual(COUNTED)
  })
}
