import { HealthAnswer, MetricsAnswer } from '../../api/health/answers-schema.ts'
import { NOW } from '../examples.ts'
import type { TagOperation } from '../operation.ts'

const up = (ageMs: number | null) => ({ status: 'up', ageMs, message: null })

const METRICS = `# HELP fairhouse_part_up Whether a configured part is up (1) or degraded (0), as in /api/health.
# TYPE fairhouse_part_up gauge
fairhouse_part_up{part="table"} 1
fairhouse_part_up{part="chain"} 0
`

export const healthOperations: TagOperation[] = [
  {
    method: 'get',
    path: '/api/health',
    id: 'getHealth',
    summary: 'The state of the service, part by part',
    name: 'health',
    description:
      'At most fifteen seconds old. The status code is 200 even if a part is degraded; `status` shows that. Reading it opens no round and asks no node.',
    limit: 'reads',
    answers: { 200: HealthAnswer },
    example: {
      answer: {
        ok: true,
        version: 'dc8dcd28-271b-4367-9840-6c244f84cb40',
        mode: 'open',
        status: 'degraded',
        parts: {
          table: up(4_100),
          beacon: {
            status: 'degraded',
            ageMs: 31_400,
            message: 'The take-off waits for a late beacon.',
          },
          chain: up(21_000),
          relayer: up(null),
          bankroll: up(20_400),
          outboxes: up(null),
          control: up(null),
          log: up(null),
          exports: up(52_000_000),
          books: up(52_000_000),
          solvency: up(1_260_000),
        },
        at: NOW,
      },
    },
  },
  {
    method: 'get',
    path: '/api/metrics',
    id: 'getMetrics',
    summary: "The service's metrics, for its operator",
    contentType: 'text/plain',
    name: 'metrics',
    caller: 'monitor',
    description:
      'The numbers come from the objects, are at most ten seconds old, and are the same wherever they are read. A service without `METRICS_TOKEN` answers `not_found`.',
    limit: 'reads',
    answers: { 200: MetricsAnswer },
    refusals: ['not_found'],
    example: { answer: METRICS },
  },
]
