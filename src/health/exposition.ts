/** A metric with its samples. */
export interface Metric {
  /** Without the common prefix. */
  name: string
  type: 'gauge' | 'counter'
  /** One line. */
  help: string
  samples: readonly Sample[]
}

/** A value as a number, or as exact decimal text or `+Inf`; null leaves the sample out. */
export interface Sample {
  labels?: Readonly<Record<string, string>>
  value: number | string | null
}

export const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

const PREFIX = 'fairhouse_'

/**
 * Writes metrics in Prometheus' text format 0.0.4, leaving out those without a value:
 * https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
 */
export function expositionOf(metrics: readonly Metric[]): string {
  return metrics.map(writeMetric).join('')
}

function writeMetric({ name, type, help, samples }: Metric): string {
  const known = samples.filter(({ value }) => value !== null)
  if (known.length === 0) return ''
  const full = PREFIX + name
  const lines = known.map(({ labels = {}, value }) => `${full}${writeLabels(labels)} ${value}`)
  return [`# HELP ${full} ${help}`, `# TYPE ${full} ${type}`, ...lines, ''].join('\n')
}

function writeLabels(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escape(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

function escape(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
