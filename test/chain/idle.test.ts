import { env } from 'cloudflare:workers'
import { expect, it, onTestFinished } from 'vitest'
import COSTS_MD from '../../reference/costs.md?raw'
import { loadConfig } from '../../src/config/load.ts'
import { MINUTE_MS } from '../../src/core/utc-day.ts'
import { sweep } from '../../src/sweep.ts'
import { priceOfMillion } from '../bench/prices.ts'
import { costsOf } from '../workers/costs.ts'
import { d1RowsWritten } from '../workers/row-counts.ts'
import { pass } from '../workers/support.ts'
import { useLootbox } from './lootbox.ts'
import { countCalls, depositor, fundHouse, useChain } from './support.ts'

useChain()
useLootbox()

/** Runs the cron trigger each minute of an hour. */
async function hour(): Promise<void> {
  for (let minute = 0; minute < 60; minute++) {
    pass(MINUTE_MS)
    await sweep(env)
  }
}

/** The chain of these stories has no boxes. */
function withoutBoxes(): void {
  const config = loadConfig(env)
  const { boxes } = config
  config.boxes = null
  onTestFinished(() => void (config.boxes = boxes))
}

it('an hour in which nobody comes costs as much as reference/costs.md says', async () => {
  withoutBoxes()
  await fundHouse('USDG', 1_000_000_000n)
  await depositor(0)
  // What is made once, and the wallet's update to D1.
  await hour()
  const nodeCalls = countCalls()
  let d1Rows = 0
  const { rows, calls } = await costsOf(async () => {
    d1Rows = await d1RowsWritten(hour)
  })
  const dayDollars = (24 * priceOfMillion({ rows: rows + d1Rows, calls })) / 1e6
  const cells = [rows, calls, d1Rows, nodeCalls(), `$${dayDollars.toFixed(3)}`]
  const [, documented = ''] = /^\| each minute's run +\|(.*)\|$/m.exec(COSTS_MD) ?? []
  expect(documented.split('|').map((cell) => cell.trim())).toEqual(cells.map(String))
})
