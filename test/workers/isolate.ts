import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { vi } from 'vitest'
import { answerOf, type Answer, type Player } from './support.ts'

/** One isolate of the router: a copy of every module, with its own memory. */
export type Isolate = Awaited<ReturnType<typeof startIsolate>>

/** Starts an isolate with empty memory. All isolates share the same objects. */
export async function startIsolate() {
  vi.resetModules()
  const modules = {
    ...(await import('../../src/app.ts')),
    ...(await import('../../src/api/auth/wallet-signature.ts')),
    ...(await import('../../src/calls/modes.ts')),
    ...(await import('../../src/api/crash/snapshot.ts')),
    ...(await import('../../src/api/games/feed.ts')),
    ...(await import('../../src/calls/bankroll.ts')),
    ...(await import('../../src/calls/vault-catch-up.ts')),
    ...(await import('../../src/calls/chain-conditions.ts')),
  }

  /** @param vars variables that differ from the configured ones */
  async function call(path: string, init?: RequestInit, vars: object = {}): Promise<Answer> {
    const context = createExecutionContext()
    const request = new Request(`http://fairhouse.test${path}`, init)
    const response = await modules.app.fetch(request, { ...env, ...vars }, context)
    await waitOnExecutionContext(context)
    return answerOf(path, init, response)
  }

  return {
    ...modules,
    call,
    post: (path: string, body: object, headers: Record<string, string> = {}) =>
      call(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }),
    async watch() {
      return (await call('/api/crash?action=watch')).body
    },
    async state(player: Player) {
      const query = `wallet=${player.wallet}&authSig=${await player.authSig()}`
      return (await call(`/api/crash?${query}`)).body
    },
  }
}
