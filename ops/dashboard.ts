// Writes ops/dashboard.json, to be imported into Grafana: node ops/dashboard.ts
import { writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

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
  panel('Wallets', 'stat', { wallets: 'fairhouse_wallets' }, 'none'),
]

function panel(title: string, kind: Panel['kind'], queries: Panel['queries'], unit: string): Panel {
  return { title, kind, queries, unit }
}

const [WIDTH, HEIGHT] = [12, 8]
const SOURCE = { type: 'prometheus', uid: '${source}' }

/** Returns the dashboard as Grafana's JSON model. */
export function dashboard(): string {
  const panels = PANELS.map(({ title, kind, queries, unit }, at) => ({
    id: at + 1,
    title,
    type: kind,
    datasource: SOURCE,
    gridPos: { x: (at % 2) * WIDTH, y: Math.floor(at / 2) * HEIGHT, w: WIDTH, h: HEIGHT },
    fieldConfig: { defaults: { unit, min: kind === 'state-timeline' ? 0 : null }, overrides: [] },
    targets: Object.entries(queries).map(([legendFormat, expr], query) => ({
      refId: String.fromCharCode(65 + query),
      datasource: SOURCE,
      expr,
      legendFormat,
    })),
  }))
  const source = { name: 'source', label: 'Prometheus', type: 'datasource', query: 'prometheus' }
  const model = {
    ...{ uid: 'fairhouse', title: 'Fairhouse', schemaVersion: 39, refresh: '30s' },
    ...{ time: { from: 'now-6h', to: 'now' }, timezone: 'utc', editable: true },
    templating: { list: [source] },
    panels,
  }
  return `${JSON.stringify(model, null, 2)}\n`
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  writeFileSync(new URL('dashboard.json', import.meta.url), dashboard())
}
