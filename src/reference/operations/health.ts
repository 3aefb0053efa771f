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
    summary: 'Whether the service works, part by part',
    name: 'health',
    description:
      'At most fifteen seconds old. The status is 200 even if a part is degraded: then `status` says so. Reading it starts nothing: no round opens, and no node is asked.',
    limit: 'reads',
    answers: { 200: HealthAnswer },
    example: {
      answer: {
        ok: true,
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
          log: up(null),
          exports: up(52_000_000),
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
    summary: 'The numbers of the service, for its operator',
    contentType: 'text/plain',
    name: 'metrics',
    caller: 'monitor',
    description:
      'From what the objects know, at most ten seconds old, and the same wherever it is asked. A service without `METRICS_TOKEN` answers `not_found`.',
    limit: 'reads',
    answers: { 200: MetricsAnswer },
    refusals: ['not_found'],
    example: { answer: METRICS },
  },
]
