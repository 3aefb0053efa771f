import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { HALF_CRASH_AT_ONCE, runCli, startService, type StartedService } from './started-service.ts'

describe('the audit of a started service', () => {
  let service: StartedService
  let folder: string

  beforeAll(async () => {
    service = await startService(HALF_CRASH_AT_ONCE)
    folder = await mkdtemp(join(tmpdir(), 'fairhouse-audit-'))
  })

  afterAll(async () => {
    await service?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  it('recomputes the day that was closed early, and writes its report', async () => {
    await runCli('play', '--url', service.baseUrl, '--rounds', '2')
    for (const game of ['mines', 'keno']) {
      await runCli('play', '--url', service.baseUrl, '--game', game)
    }
    const before = await runCli('audit', service.baseUrl)
    expect([before.exitCode, before.output]).toEqual([
      1,
      expect.stringContaining('no exported day'),
    ])
    const closed = await fetch(`${service.baseUrl}/api/dev/close-day`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    })
    const { day } = await closed.json<{ day: { day: string; sha256: string } }>()
    const { output, exitCode } = await runCli('audit', service.baseUrl, '--out', folder)
    expect(output).toContain('The audit found nothing wrong.')
    expect(output).toMatch(
      /(1 round|[2-9] rounds|[1-9]\d+ rounds), of which 0 voided; 0 beacon signatures\n {2}2 bets\n {2}2 plays of 1 wallet\n/,
    )
    expect(output).toContain(`manifest of ${day.day}: ${day.sha256}`)
    expect(exitCode).toBe(0)
    const report = JSON.parse(await readFile(join(folder, 'report.json'), 'utf8'))
    expect(report).toMatchObject({ findingCount: 0, counted: { bets: 2, plays: 2, wallets: 1 } })
    const page = await readFile(join(folder, 'report.html'), 'utf8')
    expect(page).toContain('<svg')
    expect(page).not.toMatch(/<script|src=|href=/)
  })
})
