import { parse } from 'yaml'

interface Rule {
  alert: string
  expr: string
  for?: string
}

/** A comparison of a metric with a number or with another metric. */
interface Condition {
  left: Operand
  operator: '==' | '<' | '>' | '>='
  right: Operand
}

type Operand = number | { metric: string; labels: Record<string, string> }

interface Sample {
  metric: string
  labels: Record<string, string>
  value: number
}

const COMPARISON = /^(fairhouse_\w+(?:\{[^}]*\})?) (==|<|>=?) (fairhouse_\w+|\d+(?:\.\d+)?)$/
const SAMPLE = /^(\w+)(\{[^}]*\})? (\S+)$/

/** What Prometheus does with the alerts that compare: those that need a history are promtool's to test. */
export class AlertWatch {
  readonly #rules: readonly (Rule & { condition: Condition })[]
  /** Since when each condition has held, in unix milliseconds. */
  readonly #since = new Map<string, number>()

  /** @param yaml the text of ops/alerts.yml */
  constructor(yaml: string) {
    this.#rules = rulesIn(yaml).flatMap((rule) => {
      const condition = conditionOf(rule.expr)
      return condition ? [{ ...rule, condition }] : []
    })
  }

  /** Takes a scrape, and returns the alerts that fire now. */
  take(text: string, at: number): string[] {
    const samples = samplesIn(text)
    return this.#rules.flatMap(({ alert, condition, for: wait = '0m' }) => {
      if (!holds(condition, samples)) {
        this.#since.delete(alert)
        return []
      }
      const since = this.#since.get(alert) ?? at
      this.#since.set(alert, since)
      return at - since >= Number(wait.replace('m', '')) * 60_000 ? [alert] : []
    })
  }
}

export function rulesIn(yaml: string): Rule[] {
  const { groups } = parse(yaml) as { groups: { rules: Rule[] }[] }
  return groups.flatMap(({ rules }) => rules)
}

/** Returns the comparison of an expression; null if it is anything else. */
function conditionOf(expr: string): Condition | null {
  const [, left, operator, right] = COMPARISON.exec(expr) ?? []
  if (left === undefined || right === undefined) return null
  return {
    left: operandOf(left),
    operator: operator as Condition['operator'],
    right: operandOf(right),
  }
}

function operandOf(text: string): Operand {
  if (/^\d/.test(text)) return Number(text)
  const [metric = '', labels = ''] = text.split('{')
  return { metric, labels: labelsIn(labels) }
}

function samplesIn(text: string): Sample[] {
  return text.split('\n').flatMap((line) => {
    const [, metric, labels = '', value] = SAMPLE.exec(line) ?? []
    return metric === undefined ? [] : [{ metric, labels: labelsIn(labels), value: Number(value) }]
  })
}

function labelsIn(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]),
  )
}

/** Whether it holds for any sample on the left. A missing sample holds for nothing, as in Prometheus. */
function holds({ left, operator, right }: Condition, samples: readonly Sample[]): boolean {
  const compared = valuesOf(right, samples)
  return valuesOf(left, samples).some((value) =>
    compared.some((other) => {
      if (operator === '==') return value === other
      if (operator === '<') return value < other
      return operator === '>' ? value > other : value >= other
    }),
  )
}

function valuesOf(operand: Operand, samples: readonly Sample[]): number[] {
  if (typeof operand === 'number') return [operand]
  const { metric, labels } = operand
  return samples
    .filter((sample) => sample.metric === metric)
    .filter((sample) =>
      Object.entries(labels).every(([name, value]) => sample.labels[name] === value),
    )
    .map(({ value }) => value)
}
