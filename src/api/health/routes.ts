import { Hono } from 'hono'
import { retried } from '../../calls/call.ts'
import { currentModes } from '../../calls/modes.ts'
import { health } from '../../calls/objects.ts'
import { CONTENT_TYPE, expositionOf } from '../../health/exposition.ts'
import { healthOf } from '../../health/health.ts'
import { metricsOf } from '../../health/metrics.ts'
import { announcedMode, EVERYTHING } from '../../operator/modes.ts'
import { answerText } from '../http/answer.ts'
import { BriefCache } from '../http/brief-cache.ts'
import { get, limited, type ApiCall } from '../http/call.ts'
import { onlyMethods } from '../http/methods.ts'
import { monitored } from '../http/monitor.ts'

export const healthRoutes = new Hono<{ Bindings: Env }>()
  .get('/', get(limited('READS', readHealth)))
  .all('/', onlyMethods('GET'))

/** A monitor on any page may read it. */
const HEADERS = { 'access-control-allow-origin': '*' }

/** Anybody may ask, and the operator's metrics come from the same object. */
const facts = new BriefCache<Awaited<ReturnType<typeof readFacts>>>(2_000)

/** Answers with the state of each part, by one call to an object that asks the others at most every ten seconds. */
async function readHealth({ env }: ApiCall<unknown>): Promise<object> {
  const [known, { changes }] = await Promise.all([
    facts.get('', () => readFacts(env)),
    currentModes(env),
  ])
  const mode = announcedMode(changes, EVERYTHING)
  const answer = { ok: true, version: env.VERSION.id, mode, ...healthOf(known) }
  return answerText(JSON.stringify(answer), 200, HEADERS)
}

export const metricRoutes = new Hono<{ Bindings: Env }>()
  .get('/', get(limited('READS', monitored(readMetrics))))
  .all('/', onlyMethods('GET'))

/** Answers with the operator's metrics, from the same reading as the health. */
async function readMetrics({ env }: ApiCall<unknown>): Promise<object> {
  return answerText(expositionOf(metricsOf(await readFacts(env))), 200, {
    'content-type': CONTENT_TYPE,
  })
}

function readFacts(env: Env) {
  return retried(async () => health(env).facts())
}
