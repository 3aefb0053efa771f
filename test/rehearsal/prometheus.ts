import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const RULES = join(import.meta.dirname, '../../ops/alerts.yml')
export const SCRAPE_MS = 30_000

const SAMPLE = /^(\w+)(?:\{([^}]*)\})? (\S+)$/
const FIRING = 'group by (alertname) (ALERTS{alertstate="firing"})'

/** What a scrape has found, by series; null if it was refused. */
type Scrape = ReadonlyMap<string, string> | null

/** Prometheus: keeps what was scraped, and has promtool evaluate the alert rules over it. */
export class Prometheus {
  readonly #folder: string
  readonly #metrics: ReadonlySet<string>
  readonly #begin: number
  readonly #scrapes = new Map<number, Scrape>()

  private constructor(folder: string, rules: string, now: number) {
    this.#folder = folder
    this.#metrics = new Set(rules.match(/\bfairhouse_\w+/g))
    this.#begin = now
  }

  static async start(folder: string, now: number): Promise<Prometheus> {
    return new Prometheus(folder, await readFile(RULES, 'utf8'), now)
  }

  /** Takes a scrape. @param text of an answer; null if it was not 200 */
  take(text: string | null, now: number): void {
    this.#scrapes.set(this.#stepOf(now), text === null ? null : this.#read(text))
  }

  /** Returns the alerts that fire at the latest scrape, as promtool evaluates the rules. */
  async firing(): Promise<string[]> {
    const firing = namesIn(await this.#evaluate([]))
    // Its words are only a hint: now it has to agree.
    const problem = await this.#evaluate(firing)
    if (problem !== '') throw new Error(problem)
    return firing
  }

  /** Returns the latest value of a series, such as `fairhouse_part_up{part="log"}`; null without one. */
  latest(series: string): string | null {
    return this.#scrapes.get(this.#last)?.get(series) ?? null
  }

  get #last(): number {
    return Math.max(0, ...this.#scrapes.keys())
  }

  #stepOf(now: number): number {
    return Math.round((now - this.#begin) / SCRAPE_MS)
  }

  #read(text: string): Scrape {
    return new Map(
      text.split('\n').flatMap((line) => {
        const [, name = '', labels = '', value = ''] = SAMPLE.exec(line) ?? []
        const series = labels === '' ? name : `${name}{${labels}}`
        return name === '' ? [] : [[series, value] as const]
      }),
    )
  }

  /** Has promtool compare the firing alerts with some. Returns its complaint, or an empty text. */
  async #evaluate(expected: string[]): Promise<string> {
    const file = join(this.#folder, 'rehearsal.test.json')
    const test = {
      rule_files: [RULES],
      evaluation_interval: '30s',
      tests: [
        {
          interval: '30s',
          input_series: this.#series(),
          promql_expr_test: [
            {
              expr: FIRING,
              eval_time: `${(this.#last * SCRAPE_MS) / 1_000}s`,
              exp_samples: expected.map((name) => ({ labels: `{alertname="${name}"}`, value: 1 })),
            },
          ],
        },
      ],
    }
    await writeFile(file, JSON.stringify(test))
    try {
      await promisify(execFile)('promtool', ['test', 'rules', file])
      return ''
    } catch (fault) {
      const { code, stdout, stderr } = fault as { code: unknown; stdout: string; stderr: string }
      if (code === 'ENOENT') {
        throw new Error('promtool is missing: apt-get install prometheus', { cause: fault })
      }
      return `${stdout}${stderr}`
    }
  }

  #series(): { series: string; values: string }[] {
    const all = [...this.#scrapes.values()].flatMap((scrape) => [...(scrape?.keys() ?? [])])
    const read = [...new Set(all)].filter((series) => this.#metrics.has(series.replace(/\{.*/, '')))
    const up = (scrape: Scrape | undefined) => (scrape === undefined ? '_' : scrape ? '1' : '0')
    return [
      { series: labelled('up'), values: this.#values(up) },
      ...read.map((series) => ({
        series: labelled(series),
        // A refused scrape ends every series.
        values: this.#values((scrape) => scrape?.get(series) ?? (scrape === null ? 'stale' : '_')),
      })),
    ]
  }

  #values(of: (scrape: Scrape | undefined) => string): string {
    const steps = Array.from({ length: this.#last + 1 }, (_, step) => of(this.#scrapes.get(step)))
    return steps.join(' ').replaceAll('+Inf', 'Inf')
  }
}

/** Adds the labels that Prometheus adds. */
function labelled(series: string): string {
  const [name = '', labels = ''] = series.split(/[{}]/)
  return `${name}{${[labels, 'job="fairhouse"', 'instance="site"'].filter(Boolean).join(',')}}`
}

function namesIn(complaint: string): string[] {
  return [...new Set([...complaint.matchAll(/alertname=\\?"(\w+)/g)].map(([, name = '']) => name))]
}
