import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import type { AuditedLog } from '../../../../src/cli/audit/log.ts'
import type { AuditReport } from '../../../../src/cli/audit/report.ts'
import { runAudit } from '../../../../src/cli/audit/run.ts'
import { exportSource, type ExportSource } from '../../../../src/cli/audit/source.ts'
import type { ReadPayment } from '../../../../src/cli/verify/payments.ts'
import { TEST_KEY, writeDay, type DayRows } from '../../../audit/export.ts'
import { HERE } from './here.ts'

/** The folder with the exports of the current test. */
export let folder: string

/** Gives each test of a file a folder of its own. */
export function useFolder(): void {
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'export-'))
  })
  afterEach(() => {
    rmSync(folder, { recursive: true })
  })
}

export function write(days: readonly DayRows[]): void {
  for (const day of days) writeDay(folder, day)
}

export function manifestHash(day: string): string {
  const bytes = readFileSync(join(folder, 'manifest', `${day}.json`))
  return createHash('sha256').update(bytes).digest('hex')
}

/** Returns the export of a site that lists these days. */
export function siteOf(days: readonly DayRows[]): ExportSource {
  const listed = days.map(({ day }) => ({ day, sha256: manifestHash(day) }))
  return { ...exportSource(folder), days: async () => listed }
}

export async function audit(
  range: {
    from?: string
    to?: string
    log?: AuditedLog
    needsBeacon?: boolean
    readPayment?: ReadPayment
  } = {},
): Promise<AuditReport> {
  const options = {
    from: range.from ?? null,
    to: range.to ?? null,
    readLog: async () => range.log ?? null,
    needsBeacon: range.needsBeacon ?? false,
    readPayment: range.readPayment ?? null,
    workers: HERE,
  }
  return runAudit(exportSource(folder), { ...options, publicKey: TEST_KEY })
}

/** Returns the findings of an audit, a line each. */
export const linesOf = ({ findings }: Pick<AuditReport, 'findings'>) =>
  findings.map(({ where, problem }) => `${where}: ${problem}`)
