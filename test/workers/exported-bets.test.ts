import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { crashRound, exporter } from '../../src/calls/objects.ts'
import { rowsOf, ring, ringInVain, passDay, history } from './exported-days.ts'
import { get, now, useStories } from './support.ts'

useStories()

describe('the bets in the history', () => {
  async function roundsOfBets(): Promise<number[]> {
    const { results } = await env.HISTORY.prepare(
      'SELECT round_id AS id FROM crash_bets ORDER BY round_id',
    ).all<{ id: number }>()
    return results.map(({ id }) => id)
  }

  it('go once they are exported, and the rounds stay', async () => {
    await history()
    passDay()
    expect(await roundsOfBets()).toEqual([1, 1, 2, 2])
    await ring()
    expect(await roundsOfBets()).toEqual([])
    expect((await get('/api/crash/verify-seeds?roundId=1')).status).toBe(200)
    expect((await get('/api/crash?action=round&roundId=1')).body.bets.length).toBe(2)
  })

  it('stay with a late round until a later day has it', async () => {
    await history()
    await env.HISTORY.exec('DELETE FROM crash_rounds WHERE round_id = 1')
    passDay()
    await ringInVain()
    expect(await roundsOfBets()).toEqual([1, 1])
    await crashRound(env, 1).sendToHistory()
    const next = passDay()
    await ring()
    expect(await roundsOfBets()).toEqual([])
    expect((await rowsOf('bets', next)).map(({ roundId }) => roundId)).toEqual([1, 1])
  })

  it('go with the next day if an export has them and they are written again', async () => {
    await history()
    passDay()
    await ring()
    await crashRound(env, 1).sendToHistory()
    expect(await roundsOfBets()).toEqual([1, 1])
    passDay()
    await ring()
    expect(await roundsOfBets()).toEqual([])
  })

  it('go in pieces, with a pause after each', async () => {
    await history()
    const first = `SELECT 1, 'made-up-' || value, value, value, 'ETH', '1', null, 1, null, null, '0'`
    await env.HISTORY.exec(
      `WITH RECURSIVE numbers(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM numbers LIMIT 5000)
       INSERT INTO crash_bets ${first} FROM numbers`.replaceAll('\n', ' '),
    )
    await exporter(env).closeDay()
    await exporter(env).sweep()
    await runDurableObjectAlarm(exporter(env))
    expect((await roundsOfBets()).length).toBe(4)
    await runInDurableObject(exporter(env), async (_, { storage }) => {
      expect(await storage.getAlarm()).toBe(now() + 1_000)
    })
    await runDurableObjectAlarm(exporter(env))
    expect(await roundsOfBets()).toEqual([])
  })

  it('delay no export while they cannot be deleted', async () => {
    await history()
    const day = passDay()
    await env.HISTORY.exec(
      `CREATE TRIGGER locked BEFORE DELETE ON crash_bets BEGIN SELECT RAISE(FAIL, 'locked'); END`,
    )
    vi.spyOn(console, 'error').mockImplementation(() => {})
    await exporter(env).sweep()
    await runDurableObjectAlarm(exporter(env)).catch(() => {})
    expect((await rowsOf('bets', day)).length).toBe(4)
    await env.HISTORY.exec('DROP TRIGGER locked')
    await ring()
    expect(await roundsOfBets()).toEqual([])
  })
})
