import type { Statistic } from '../../audit/statistics.ts'
import type { DrawTally } from '../../audit/tally.ts'
import { html, type Html } from '../../reference/html.ts'
import {
  comparisonLines,
  countLines,
  lateLines,
  passes,
  profitLines,
  termsLines,
  UNSEEN,
  verdictOf,
  type AuditReport,
} from './report.ts'

const STYLE = `
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1b1f24 }
  table { border-collapse: collapse; width: 100% } td, th { text-align: left; padding: .3rem .6rem; vertical-align: top; border-bottom: 1px solid #d8dee4 }
  .right { color: #116329 } .wrong { color: #a40e26 } .small { color: #57606a; font-size: .85rem }
  svg { width: 100%; height: auto } svg text { font: 11px system-ui, sans-serif; fill: #57606a }
  code { overflow-wrap: anywhere }`

/** Returns a report as one HTML page, which loads nothing. */
export function htmlReport(report: AuditReport): string {
  const { source, days, findings, findingCount, statistics, manifests, crashDraws, voids } = report
  const isRight = passes(report)
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>Audit of ${source}</title>
        <style>
          ${STYLE}
        </style>
      </head>
      <body>
        <h1>Audit of ${source}</h1>
        <p>${days.at(0)} to ${days.at(-1)}, ${days.length} days</p>
        <p class="${isRight ? 'right' : 'wrong'}">
          <strong>${verdictOf(report)}</strong>
        </p>
        <ul>
          ${aboutLines(report).map((line) => html`<li>${line}</li>`)}
        </ul>
        <h2>Findings</h2>
        ${findingCount === 0 ? html`<p>Every row is right, and none is missing.</p>` : html``}
        <ul>
          ${findings.map(({ where, problem }) => html`<li>${where}: ${problem}</li>`)}
        </ul>
        <h2>Draws of crash</h2>
        ${histogram(crashDraws)}
        <h2>Returns</h2>
        <p class="small">
          The bar is the interval in which an honest house’s value lies; the dot is what was
          observed, the line what is expected. For crash, the interval is around what was observed.
        </p>
        ${intervals(statistics)} ${profitLines(voids).map((line) => html`<p>${line}</p>`)}
        <h2>Statistics</h2>
        <p class="small">
          Fixed beforehand; an honest house fails any of them with a probability of about 0.001 at
          most.
        </p>
        <table>
          <tr>
            <th></th>
            <th>Test</th>
            <th>Observed</th>
            <th>Expected</th>
            <th>Could have detected</th>
          </tr>
          ${statistics.map(statisticRow)}
        </table>
        <h2>What this audit can’t see</h2>
        <ul>
          ${UNSEEN.map((text) => html`<li>${text}</li>`)}
        </ul>
        <h2>Manifests</h2>
        <ul>
          ${manifests.map(({ day, sha256 }) => html`<li>${day} <code>${sha256}</code></li>`)}
        </ul>
      </body>
    </html>`.toString()
}

function aboutLines(report: AuditReport): string[] {
  return [
    ...comparisonLines(report),
    ...countLines(report.counted),
    ...lateLines(report),
    ...termsLines(report),
  ]
}

function statisticRow({ name, sample, result }: Statistic): Html {
  if (!result) {
    return html`<tr>
      <td></td>
      <td>
        ${name}
        <div class="small">${sample}</div>
      </td>
      <td colspan="3" class="small">not made: there is not enough data</td>
    </tr>`
  }
  const { observed, expected, p, passes: isRight, detectable } = result
  return html`<tr>
    <td class="${isRight ? 'right' : 'wrong'}">${isRight ? '✓' : '✗'}</td>
    <td>
      ${name}
      <div class="small">${sample}</div>
    </td>
    <td>
      ${observed}
      <div class="small">${p === null ? '' : `p = ${p.toPrecision(3)}`}</div>
    </td>
    <td>${expected}</td>
    <td class="small">${detectable}</td>
  </tr>`
}

const WIDTH = 900
const PLOT_HEIGHT = 160

/** Draws the number of draws in each class, and the line where all should end. */
function histogram({ classes, draws }: DrawTally): Html {
  if (draws === 0) return html`<p>No round was settled.</p>`
  const most = Math.max(...classes)
  const width = WIDTH / classes.length
  const heightOf = (count: number) => (count / most) * (PLOT_HEIGHT - 20)
  const line = PLOT_HEIGHT - heightOf(draws / classes.length)
  return html`<svg viewBox="0 0 ${WIDTH} ${PLOT_HEIGHT}" role="img" aria-label="Draws by class">
    ${classes.map((count, index) => {
      const height = heightOf(count)
      const [x, y] = [(index * width).toFixed(2), (PLOT_HEIGHT - height).toFixed(2)]
      return html`<rect
        x="${x}"
        y="${y}"
        width="${(width - 1).toFixed(2)}"
        height="${height.toFixed(2)}"
        fill="#80b3ff"
      />`
    })}
    <line x1="0" x2="${WIDTH}" y1="${line}" y2="${line}" stroke="#a40e26" stroke-dasharray="4" />
  </svg>`
}

const ROW_HEIGHT = 22
const LABEL_WIDTH = 220
/** Returns are shown from 0 to this, as a share of the stake. */
const MAX_SHOWN = 2

/** Draws intervals, one below the other. */
function intervals(statistics: readonly Statistic[]): Html {
  const rows = statistics.flatMap(({ name, result }) =>
    result?.shown ? [{ name, ...result.shown }] : [],
  )
  if (rows.length === 0) return html`<p>There is not enough data.</p>`
  const scale = (WIDTH - LABEL_WIDTH) / MAX_SHOWN
  const xOf = (share: number) =>
    (LABEL_WIDTH + Math.min(MAX_SHOWN, Math.max(0, share)) * scale).toFixed(1)
  const height = rows.length * ROW_HEIGHT + 20
  return html`<svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="Returns">
    ${[0, 0.5, 1, 1.5, 2].map(
      (share) =>
        html`<text x="${xOf(share)}" y="${height - 4}" text-anchor="middle">${share * 100}%</text>`,
    )}
    ${rows.map(({ name, low, high, observed, expected }, index) => {
      const y = index * ROW_HEIGHT + ROW_HEIGHT / 2
      const width = (Number(xOf(high)) - Number(xOf(low))).toFixed(1)
      return html`<text x="0" y="${y + 4}">${name}</text>
        <rect x="${xOf(low)}" y="${y - 5}" width="${width}" height="10" fill="#cfe2ff" />
        <line
          x1="${xOf(expected)}"
          x2="${xOf(expected)}"
          y1="${y - 8}"
          y2="${y + 8}"
          stroke="#a40e26"
        />
        <circle cx="${xOf(observed)}" cy="${y}" r="3.5" fill="#0a3069" />`
    })}
  </svg>`
}
