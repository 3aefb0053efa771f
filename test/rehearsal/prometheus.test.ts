import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Prometheus, SCRAPE_MS } from './prometheus.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'prometheus-'))
})
afterEach(() => rm(folder, { recursive: true }))

const LATE = 'fairhouse_part_up{part="beacon"} 0\n'

it('fires an alert whose condition has lasted', async () => {
  expect(await firingAfter(LATE, LATE, LATE, LATE)).toEqual(['BeaconLate'])
})

it('knows nothing of the last answer once a scrape was refused', async () => {
  expect(await firingAfter(LATE, null, null, null, null, null)).toEqual(['ScrapeFailing'])
})

async function firingAfter(...scrapes: (string | null)[]): Promise<string[]> {
  const prometheus = await Prometheus.start(folder, 0)
  for (const [step, scrape] of scrapes.entries()) prometheus.take(scrape, step * SCRAPE_MS)
  return prometheus.firing()
}
