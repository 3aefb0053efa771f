import { z } from 'zod'
import { PARTS, type Health, type Part, type PartName } from '../../health/health.ts'
import { MODES, type Mode } from '../../operator/modes.ts'
import {
  component,
  count,
  describedComponent,
  describes,
  ok,
  oneOf,
  orNull,
  text,
  unixMs,
} from '../http/answers-schema.ts'

const HealthPart = describes<Part>()(
  describedComponent('HealthPart', 'The state of one part.', {
    status: oneOf('`off` if it is not configured.', ['up', 'degraded', 'off']),
    ageMs: orNull(
      'The age that the part’s description names, in milliseconds; null without one.',
      count('In milliseconds.'),
    ),
    message: orNull('Null unless it is degraded.', text('For people.')),
  }),
)

const MEANS: Record<PartName, string> = {
  table: 'Whether crash rounds open and progress. The age of the round.',
  beacon: 'Whether drand is on time. The age of the newest beacon that a round has used.',
  chain: 'Whether the chain is read. The age of the latest reading.',
  relayer:
    'Whether withdrawals and prizes are paid in time. The age of the oldest one in progress.',
  bankroll:
    'Whether the bankroll is counted, without which no bet is accepted. The age of the count.',
  outboxes: 'Whether updates between the parts arrive. The age of the oldest late one.',
  control:
    'Whether the switches of operators can be read, without which no bet is accepted. It has no age.',
  log: 'Whether the public log takes entries. How long its archive has not answered.',
  exports: 'Whether closed days are exported. The age of the newest one’s end.',
  books:
    'Whether the books of closed days are counted, for operators. The age of the newest one’s end.',
  solvency: 'Whether all debts are counted and covered. The age of the count.',
}

const parts = Object.fromEntries(
  PARTS.map((name) => [name, HealthPart.describe(MEANS[name])]),
) as Record<PartName, typeof HealthPart>

export const HealthAnswer = describes<{ ok: true; version: string; mode: Mode } & Health>()(
  component('Health', {
    ok,
    version: text('The id of the deployed version that answers.'),
    mode: oneOf(
      'The mode of the whole site, as operators have set it, even if that is yet to take effect. Only an `open` site takes bets. Single games may be closed, too.',
      MODES,
    ),
    status: oneOf('`degraded` if any part is.', ['up', 'degraded']),
    parts: z.object(parts).describe('Each part.'),
    at: unixMs('When the parts were asked'),
  }),
)

export const MetricsAnswer = text(
  "Metrics in [Prometheus' text format](https://prometheus.io/docs/instrumenting/exposition_formats/) 0.0.4. Amounts are in whole tokens, times in unix seconds.",
)
