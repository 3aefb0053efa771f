import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { dashboard } from '../../../ops/dashboard.ts'
import { metricsOf } from '../../../src/health/metrics.ts'
import { THRESHOLDS } from '../../../src/health/thresholds.ts'
import { LOG_EVENTS } from '../../../src/log-events.ts'
import { DRIFT_STAYS_MS } from '../../../src/reconciliation/drift.ts'
import { goodFacts } from '../health/facts.ts'

const ROOT = new URL('../../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, ROOT), 'utf8')

interface Alert {
  alert: string
  expr: string
  labels: { severity: string }
  annotations: { summary: string; runbook: string }
}

const { groups } = parse(read('ops/alerts.yml')) as { groups: { rules: Alert[] }[] }
const ALERTS = groups.flatMap(({ rules }) => rules)
const { tests } = parse(read('ops/alerts.test.yml')) as { tests: { name: string }[] }
const RUNBOOKS = readdirSync(new URL('reference/runbooks/', ROOT)).filter(
  (name) => name !== 'README.md',
)

const HEADINGS = ['Symptom', 'What it means', 'What to look at', 'What to do', "When it's resolved"]

/** Every metric that the service has. */
const METRICS = new Set(metricsOf(goodFacts()).map(({ name }) => `fairhouse_${name}`))

function metricsIn(text: string): string[] {
  return text.match(/\bfairhouse_[a-z_]+/g) ?? []
}

describe('the alerts', () => {
  it('have a runbook each, a test each, and no other runbook or test is there', () => {
    const names = ALERTS.map(({ alert }) => alert).toSorted()
    expect(new Set(names).size).toBe(names.length)
    expect(RUNBOOKS.toSorted()).toEqual(names.map((name) => `${name}.md`))
    expect([...new Set(tests.map(({ name }) => name))].toSorted()).toEqual(names)
  })

  it.each(ALERTS)('$alert names its runbook and a metric that exists', (rule) => {
    const { alert, expr, labels, annotations } = rule
    expect(annotations.runbook).toBe(`reference/runbooks/${alert}.md`)
    expect(['page', 'ticket']).toContain(labels.severity)
    if (alert !== 'ScrapeFailing') expect(metricsIn(expr)).not.toEqual([])
    for (const metric of metricsIn(expr)) expect(METRICS).toContain(metric)
  })

  it('call an order late when the health does', () => {
    const limits = ALERTS.flatMap(
      ({ expr }) => /oldest_age_seconds.* > (\d+)/.exec(expr)?.[1] ?? [],
    )
    expect(limits.map(Number)).toEqual([
      THRESHOLDS.orderLateMs / 1_000,
      THRESHOLDS.orderLateMs / 1_000,
    ])
  })

  it('report a drift when the service does', () => {
    const limits = ALERTS.flatMap(({ expr }) => /drift_age_seconds >= (\d+)/.exec(expr)?.[1] ?? [])
    expect(limits.map(Number)).toEqual([DRIFT_STAYS_MS / 1_000])
  })

  it('read each part of the health that is degraded alone', () => {
    const parts = ALERTS.flatMap(({ expr }) => /part_up\{part="(\w+)"\}/.exec(expr)?.[1] ?? [])
    expect(parts.toSorted()).toEqual([
      'bankroll',
      'beacon',
      'books',
      'chain',
      'control',
      'exports',
      'log',
      'outboxes',
      'solvency',
      'table',
    ])
  })
})

describe('the runbooks', () => {
  it.each(RUNBOOKS)('%s says what it is about, in this order', (name) => {
    const page = read(`reference/runbooks/${name}`)
    const found = [...page.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)
    expect(found).toEqual(HEADINGS)
    const summary = ALERTS.find(({ alert }) => `${alert}.md` === name)?.annotations.summary ?? '?'
    expect(page.replaceAll(/\s+/g, ' ')).toContain(summary)
  })

  it.each(RUNBOOKS)('%s names only metrics and log events that exist', (name) => {
    const page = read(`reference/runbooks/${name}`)
    for (const metric of metricsIn(page)) expect(METRICS).toContain(metric)
    const logged = [...page.matchAll(/The log: ([^.]+)/g)].flatMap(([, list = '']) => [
      ...list.matchAll(/`([a-z]+(?:_[a-z]+)+)`/g),
    ])
    for (const [, event] of logged) expect(Object.keys(LOG_EVENTS)).toContain(event)
  })

  it('are named by the catalogue of log events only if they exist', () => {
    const named = Object.values(LOG_EVENTS).flatMap(
      ({ todo }) => /runbook (\w+)/.exec(todo ?? '')?.[1] ?? [],
    )
    expect(named.length).toBeGreaterThan(5)
    for (const name of named) expect(RUNBOOKS).toContain(`${name}.md`)
  })
})

describe('the dashboard', () => {
  it('shows metrics that exist, and is what npm run dashboard writes', () => {
    expect(metricsIn(dashboard()).filter((name) => !METRICS.has(name))).toEqual([])
    expect(JSON.parse(read('ops/dashboard.json'))).toEqual(JSON.parse(dashboard()))
  })
})
