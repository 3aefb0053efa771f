import { join } from 'node:path'
import { convertV4MiniflareOptions, Miniflare, type V4WorkerOptionsShape } from 'miniflare'
import { unstable_getMiniflareWorkerOptions } from 'wrangler'

/**
 * A Worker that does the least for each path. It calls the same objects, which store a bet or a play as a row. It
 * answers with the request, or with a thousand bytes for a state, and checks and computes nothing.
 */
const LEAST = `
import { DurableObject } from 'cloudflare:workers'

const STATE = JSON.stringify({ ok: true, me: 'x'.repeat(1_000) })

class Rows extends DurableObject {
  constructor(ctx, env) {
    super(ctx, env)
    ctx.storage.sql.exec('CREATE TABLE IF NOT EXISTS entries (seq INTEGER PRIMARY KEY, entry TEXT NOT NULL)')
  }
  store(entry) {
    this.ctx.storage.sql.exec('INSERT INTO entries (entry) VALUES (?)', entry)
    return entry
  }
}

export class Ledger extends Rows {
  me() {
    return STATE
  }
  async bet(entry) {
    this.store(entry)
    return this.env.CRASH_ROUND.getByName('1').store(entry)
  }
}

export class CrashRound extends Rows {}

const headers = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' }

export default {
  async fetch(request, env) {
    if (request.method === 'GET') {
      const wallet = new URL(request.url).searchParams.get('wallet')
      return new Response(await env.LEDGER.getByName(wallet).me(), { headers })
    }
    const entry = await request.text()
    const { wallet, action } = JSON.parse(entry)
    const ledger = env.LEDGER.getByName(wallet)
    return new Response(await (action === 'bet' ? ledger.bet(entry) : ledger.store(entry)), { headers })
  },
}`

/** Starts it, with the compatibility date and flags of wrangler.toml. @param storage the folder of its objects */
export async function startLeast(
  root: string,
  storage: string,
): Promise<{ url: string; close: () => Promise<void> }> {
  const config: V4WorkerOptionsShape = unstable_getMiniflareWorkerOptions(
    join(root, 'wrangler.toml'),
  ).workerOptions
  const { compatibilityDate = '', compatibilityFlags = [] } = config
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      cf: false,
      telemetry: { enabled: false },
      resourcePersistencePath: storage,
      workers: [
        {
          name: 'least',
          modules: true,
          script: LEAST,
          compatibilityDate,
          compatibilityFlags,
          durableObjects: {
            LEDGER: { className: 'Ledger', useSQLite: true },
            CRASH_ROUND: { className: 'CrashRound', useSQLite: true },
          },
          unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }],
        },
      ],
    }),
  )
  await runtime.ready
  const url = String(await runtime.unsafeGetDirectURL('least'))
  return { url, close: () => runtime.dispose() }
}
