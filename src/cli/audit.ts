// npm run audit -- <URL or folder>: recomputes a service's whole history on this machine, trusting nobody.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { counted } from '../core/words.ts'
import { readAuditedLog, readRequiredLog } from './audit/log.ts'
import { readAuditOptions } from './audit/options.ts'
import { readReceipts } from './audit/receipts.ts'
import { htmlReport } from './audit/report-html.ts'
import { passes, textReport, toJson, verdictOf } from './audit/report.ts'
import { runAudit } from './audit/run.ts'
import { exportSource } from './audit/source.ts'
import { needsBeacon } from './shared/local-site.ts'
import { LiveLine, runCommand, say } from './shared/terminal.ts'
import { paymentReader } from './verify/payments.ts'

void runCommand(async () => {
  const asked = readAuditOptions()
  const { source, from, to, out, receipts: file, log: site, logKey } = asked
  const receipts = file === null ? [] : await readReceipts(file, site)
  const line = new LiveLine()
  const onDay = (day: string) => line.show(`read ${day}`)
  const days = exportSource(source)
  const read = asked.isLogRequired ? readRequiredLog : readAuditedLog
  const readLog = async (newestDay: string) =>
    site === null ? null : read(site, logKey, newestDay)
  const readPayment = asked.rpc === null ? null : await paymentReader(asked.rpc)
  const options = { from, to, receipts, readLog, readPayment, onDay }
  const report = await runAudit(days, {
    ...options,
    needsBeacon: needsBeacon(source) || needsBeacon(site ?? ''),
  })
  line.print(`read ${counted(report.days.length, 'day')}`)
  const text = textReport(report)
  for (const each of text.split('\n')) say(each)
  if (out !== null) {
    await mkdir(out, { recursive: true })
    await writeFile(join(out, 'report.txt'), `${text}\n`)
    await writeFile(join(out, 'report.json'), toJson(report))
    await writeFile(join(out, 'report.html'), htmlReport(report))
  }
  const isRight = passes(report)
  const isCompared = report.logKey !== null && report.payments.uncompared === 0
  const rightColor = isCompared ? 'green' : 'yellow'
  say(verdictOf(report), isRight ? rightColor : 'red')
  return isRight ? 0 : 1
})
