import { readdir, readFile } from 'node:fs/promises'
import { dirname, extname, join } from 'node:path'
import {
  convertV4MiniflareOptions,
  Miniflare,
  type Json,
  type V4WorkerOptionsShape,
} from 'miniflare'
import { unstable_getMiniflareWorkerOptions, unstable_splitSqlQuery } from 'wrangler'
import { freePort } from '../../src/cli/shared/port.ts'
import type { Modules } from './worker-bundle.ts'

/** The chain used by the proxied calls. */
export const CHAIN_ID = 31_337

const HELLO = `export default { fetch: () => new Response('hello') }`

/** A node that answers at once, so that a proxied call measures only the proxy. */
const NODE = `export default { async fetch(request) {
  const { id, method } = await request.json()
  const result = method === 'eth_chainId' ? '0x7a69' : '0x1'
  return Response.json({ jsonrpc: '2.0', id, result })
} }`

/** The measured Worker and Workers to compare it with, each on its own socket in one workerd. */
export interface Runtime {
  worker: string
  hello: string
  node: string
  /** Returns one of the Worker's databases. */
  database(binding: 'DB' | 'HISTORY'): Promise<D1Database>
  close(): Promise<void>
}

/**
 * Starts both Workers, configured by wrangler.toml except for `vars`.
 * @param storage folder that the objects and D1 write to
 * @param onLog takes what the Workers log; without it, it is printed
 * @param configured names another configuration than the top level of wrangler.toml
 */
export async function startRuntime(
  root: string,
  [entry, ...others]: Modules,
  storage: string,
  vars: Record<string, Json>,
  onLog?: (line: string) => void,
  configured: { config?: string; environment?: string } = {},
): Promise<Runtime> {
  const config: V4WorkerOptionsShape = unstable_getMiniflareWorkerOptions(
    configured.config ?? join(root, 'wrangler.toml'),
    configured.environment,
  ).workerOptions
  const { compatibilityDate = '', compatibilityFlags = [], versionMetadata } = config
  const { durableObjects = {}, d1Databases = {}, r2Buckets = {}, bindings = {} } = config
  const common = {
    compatibilityDate,
    compatibilityFlags,
    unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }],
  }
  const nodePort = await freePort()
  const node = `http://127.0.0.1:${nodePort}`
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      cf: false,
      telemetry: { enabled: false },
      resourcePersistencePath: storage,
      ...(onLog && { handleStructuredLogs: ({ message }) => onLog(message) }),
      workers: [
        {
          ...common,
          name: 'worker',
          modulesRoot: dirname(entry),
          modules: [entry, ...others].map((path) => ({
            type: extname(path) === '.wasm' ? 'CompiledWasm' : 'ESModule',
            path,
          })),
          durableObjects,
          d1Databases,
          r2Buckets,
          ...(versionMetadata !== undefined && { versionMetadata }),
          bindings: { ...bindings, RPC_UPSTREAMS: { [CHAIN_ID]: [node] }, ...vars },
        },
        { ...common, name: 'hello', modules: true, script: HELLO },
        {
          ...common,
          unsafeDirectSockets: [{ host: '127.0.0.1', port: nodePort }],
          name: 'node',
          modules: true,
          script: NODE,
        },
      ],
    }),
  )
  await runtime.ready
  for (const binding of ['DB', 'HISTORY']) {
    const folder = join(root, 'src/history/migrations', binding.toLowerCase())
    await migrate(runtime, binding, folder)
  }
  return {
    worker: String(await runtime.unsafeGetDirectURL('worker')),
    hello: String(await runtime.unsafeGetDirectURL('hello')),
    node,
    database: (binding) => runtime.getD1Database(binding, 'worker'),
    close: () => runtime.dispose(),
  }
}

/** Does nothing if the storage is from an earlier start. */
async function migrate(runtime: Miniflare, binding: string, folder: string): Promise<void> {
  const database = await runtime.getD1Database(binding, 'worker')
  const known = database.prepare(
    `SELECT 1 FROM sqlite_master WHERE name IN ('ledger_positions', 'crash_rounds')`,
  )
  if (await known.first()) return
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).toSorted()
  for (const file of files) {
    const statements = unstable_splitSqlQuery(await readFile(join(folder, file), 'utf8'))
    await database.batch(statements.map((statement) => database.prepare(statement)))
  }
}
