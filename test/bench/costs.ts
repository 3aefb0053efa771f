import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Costs } from '../workers/costs.ts'
import { priceOfMillion } from './prices.ts'
import { formatColumns } from './report.ts'

/** Vitest's report: what each test left for the benchmark. */
interface Report {
  success: boolean
  testResults: { assertionResults: { meta: { costs?: Record<string, Costs> } }[] }[]
}

/** What each path costs, as a table. `test/workers/costs.test.ts` counts it, in the runtime. */
export function costsTable(root: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'fairhouse-costs-'))
  try {
    const file = join(folder, 'report.json')
    const vitest = join(root, 'node_modules/vitest/vitest.mjs')
    const test = ['--project', 'workers', 'test/workers/costs.test.ts']
    const output = ['--reporter=json', `--outputFile=${file}`]
    spawnSync(process.execPath, [vitest, 'run', ...test, ...output], { cwd: root, stdio: 'ignore' })
    const report = JSON.parse(readFileSync(file, 'utf8')) as Report
    return report.success ? tableOf(report) : `${tableOf(report)}\n\n${DIFFERS}`
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const DIFFERS = 'These are not the figures of reference/costs.md: test/workers/costs.test.ts fails.'

function tableOf({ testResults: files }: Report): string {
  const costs = files.flatMap(({ assertionResults: tests }) =>
    tests.flatMap(({ meta }) => Object.entries(meta.costs ?? {})),
  )
  return formatColumns([
    ['', 'rows', 'calls', 'statements', 'bytes', 'a million, rows and calls'],
    ...costs.map(([path, { rows, calls, statements, bytes }]) => [
      path,
      ...[rows, calls, statements, bytes].map(String),
      `$${priceOfMillion({ rows, calls }).toFixed(2)}`,
    ]),
  ])
}
