import { Hono } from 'hono'
import { getPath } from 'hono/utils/url'
import { adRoutes } from './api/ad-rental/routes.ts'
import { authRoutes } from './api/auth/routes.ts'
import { boxRoutes } from './api/box-nft/routes.ts'
import { crashRoutes } from './api/crash/routes.ts'
import { devRoutes } from './api/dev/routes.ts'
import { gameRoutes } from './api/games/routes.ts'
import { healthRoutes, metricRoutes } from './api/health/routes.ts'
import { exportFileRoutes, exportListRoutes } from './api/history/export-routes.ts'
import { historyRoutes } from './api/history/routes.ts'
import { answerFault, answerRefusal } from './api/http/answer.ts'
import { brokenOff, limitedBody, MAX_BODY_BYTES } from './api/http/body.ts'
import { logRoutes } from './api/log/routes.ts'
import { lootboxRoutes } from './api/lootbox/routes.ts'
import { operatorRoutes } from './api/operator/routes.ts'
import { previewRoutes } from './api/preview/routes.ts'
import { limitRoutes } from './api/protection/routes.ts'
import { keyRoutes } from './api/receipts/routes.ts'
import { rpcRoutes } from './api/rpc-proxy/routes.ts'
import { solvencyRoutes } from './api/solvency/routes.ts'
import { walletRoutes } from './api/wallet-bridge/routes.ts'
import { loadConfig } from './config/load.ts'
import { refuse } from './core/refusal.ts'

const tooLarge = () =>
  answerRefusal(
    refuse('body_too_large', `The body is too large. Send at most ${MAX_BODY_BYTES} bytes.`),
  )

const incomplete = () => answerRefusal(brokenOff())

/** Where each part of the API is mounted. A part's `routes.ts` lists its actions. */
export const app = new Hono<{ Bindings: Env }>({ getPath: withoutLastSlash })
  // A misconfigured service answers nothing at all.
  .use((c, next) => (loadConfig(c.env), next()))
  // Registered before the body limit, because it answers an oversized body in JSON-RPC.
  .route('/api/rpc', rpcRoutes)
  .post('/api/*', limitedBody({ tooLarge, incomplete }))
  .route('/api/auth', authRoutes)
  .route('/api/crash', crashRoutes)
  .route('/api/entropy', gameRoutes)
  .route('/api/wallet', walletRoutes)
  .route('/api/ad-rental', adRoutes)
  .route('/api/lootbox', lootboxRoutes)
  .route('/api/lootbox-nft', boxRoutes)
  .route('/api/solvency', solvencyRoutes)
  .route('/api/history', historyRoutes)
  .route('/api/history/exports', exportListRoutes)
  .route('/exports', exportFileRoutes)
  .route('/api/health', healthRoutes)
  .route('/api/metrics', metricRoutes)
  .route('/api/limits', limitRoutes)
  .route('/api/operate', operatorRoutes)
  .route('/api/dev', devRoutes)
  .route('/.well-known', keyRoutes)
  .route('/log', logRoutes)
  .get('/support', (c) => c.redirect(loadConfig(c.env).supportUrl ?? '/#/help'))
  .route('/', previewRoutes)
  .notFound((c) => {
    // A view of the page has its address in the hash. This is how a person types one.
    if (asksForPage(c.req.raw)) return c.redirect(`/#${new URL(c.req.url).pathname}`)
    return answerRefusal(
      refuse('not_found', 'This path does not exist. See /reference for the API.'),
    )
  })
  .onError((fault) => answerFault(fault))

/** Returns whether a request comes from a person's browser, which wants a page, and not from a program. */
function asksForPage({ method, headers, url }: Request): boolean {
  const accepts = headers.get('accept') ?? ''
  return (
    method === 'GET' && accepts.includes('text/html') && !new URL(url).pathname.startsWith('/api')
  )
}

/** Returns a request's path, under /api without a slash at its end. */
function withoutLastSlash(request: Request): string {
  const path = getPath(request)
  return path.startsWith('/api/') && path.endsWith('/') ? path.slice(0, -1) : path
}
