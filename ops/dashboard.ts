// Writes ops/dashboard.json, to be imported into Grafana: node ops/dashboard.ts
import { writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import {
  DashboardBuilder,
  DatasourceVariableBuilder,
} from '@grafana/grafana-foundation-sdk/dashboard'
import { DataqueryBuilder } from '@grafana/grafana-foundation-sdk/prometheus'
import { PanelBuilder as StatBuilder } from '@grafana/grafana-foundation-sdk/stat'
import { PanelBuilder as StateTimelineBuilder } from '@grafana/grafana-foundation-sdk/statetimeline'
import { PanelBuilder as TimeseriesBuilder } from '@grafana/grafana-foundation-sdk/timeseries'

/** A panel: what it shows, its queries by the name of their line, and their unit in Grafana. */
interface Panel {
  title: string
  kind: 'timeseries' | 'stat' | 'state-timeline'
  queries: Record<string, string>
  unit: string
}

const age = (metric: string) => `time() - fairhouse_${metric}_timestamp_seconds`

/** Two in a row, in the order in which an operator would look. */
const PANELS: readonly Panel[] = [
  panel('Parts that are up', 'state-timeline', { '{{part}}': 'fairhouse_part_up' }, 'none'),
  panel('Age of parts', 'timeseries', { '{{part}}': 'fairhouse_part_age_seconds' }, 's'),
  panel(
    'Rounds of ten minutes',
    'timeseries',
    {
      ended: 'increase(fairhouse_rounds_total[10m])',
      voided: 'increase(fairhouse_rounds_voided_total[10m])',
    },
    'none',
  ),
  panel(
    'Age of the chain',
    'timeseries',
    { read: age('chain_checked'), block: age('chain_block'), node: age('node_seen') },
    's',
  ),
  panel('Orders waiting', 'timeseries', { '{{kind}}': 'fairhouse_orders_waiting' }, 'none'),
  panel('Oldest order', 'timeseries', { '{{kind}}': 'fairhouse_orders_oldest_age_seconds' }, 's'),
  panel(
    'Gas of the relayer (ETH)',
    'timeseries',
    { balance: 'fairhouse_relayer_balance_eth', reserve: 'fairhouse_relayer_reserve_eth' },
    'none',
  ),
  panel('Prize pool', 'timeseries', { '{{asset}}': 'fairhouse_pool_balance' }, 'none'),
  panel('Gas price (gwei)', 'timeseries', { price: 'fairhouse_gas_price_gwei' }, 'none'),
  panel('Owed to players', 'timeseries', { '{{token}}': 'fairhouse_owed' }, 'none'),
  panel('Bankroll', 'timeseries', { '{{token}}': 'fairhouse_bankroll' }, 'none'),
  panel('Result of the house', 'timeseries', { '{{token}}': 'fairhouse_house_result' }, 'none'),
  panel('Holdings by debts', 'timeseries', { '{{token}}': 'fairhouse_solvency_ratio' }, 'none'),
  panel('Drift of the vault', 'timeseries', { '{{token}}': 'fairhouse_drift' }, 'none'),
  panel('Age of a drift', 'timeseries', { '{{token}}': 'fairhouse_drift_age_seconds' }, 's'),
  panel('Stuck messages', 'timeseries', { '{{class}}': 'fairhouse_stuck_messages' }, 'none'),
  panel(
    'Public log, not archived',
    'timeseries',
    { entries: 'fairhouse_log_entries - fairhouse_log_archived_entries' },
    'none',
  ),
  panel(
    "Partners' net credits of today",
    'timeseries',
    { '{{partner}} {{token}}': 'fairhouse_partner_credited - fairhouse_partner_debited' },
    'none',
  ),
  panel(
    'Databases of objects',
    'timeseries',
    { '{{class}} {{partner}}': 'fairhouse_database_bytes' },
    'bytes',
  ),
  panel('Wallets', 'stat', { wallets: 'fairhouse_wallets' }, 'none'),
]

function panel(title: string, kind: Panel['kind'], queries: Panel['queries'], unit: string): Panel {
  return { title, kind, queries, unit }
}

const [WIDTH, HEIGHT] = [12, 8]
const SOURCE = { type: 'prometheus', uid: '${source}' }

const BUILDERS = {
  timeseries: TimeseriesBuilder,
  stat: StatBuilder,
  'state-timeline': StateTimelineBuilder,
} as const

/** Returns the dashboard as Grafana's JSON model. */
export function dashboard(): string {
  const builder = new DashboardBuilder('Fairhouse')
    .uid('fairhouse')
    .refresh('30s')
    .time({ from: 'now-6h', to: 'now' })
    .timezone('utc')
    .withVariable(new DatasourceVariableBuilder('source').label('Prometheus').type('prometheus'))
  for (const shown of PANELS) builder.withPanel(built(shown))
  return `${JSON.stringify(builder.build(), null, 2)}\n`
}

function built({ title, kind, queries, unit }: Panel) {
  const builder = new BUILDERS[kind]()
    .title(title)
    .datasource(SOURCE)
    .span(WIDTH)
    .height(HEIGHT)
    .unit(unit)
  for (const [index, [legend, expr]] of Object.entries(queries).entries()) {
    const refId = String.fromCharCode('A'.charCodeAt(0) + index)
    builder.withTarget(
      new DataqueryBuilder().datasource(SOURCE).expr(expr).legendFormat(legend).refId(refId),
    )
  }
  return builder
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  writeFileSync(new URL('dashboard.json', import.meta.url), dashboard())
}
