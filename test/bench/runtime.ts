import { readdir, readFile } from 'node:fs/promises'
import { dirname, extname, join } from 'node:path'
import {
  convertV4MiniflareOptions,
  Miniflare,
  type Json,
  type V4WorkerOptionsShape,
} from 'miniflare'
import { unstable_getMiniflareWorkerOptions, unstable_splitSqlQuery } from 'wrangler'
import type { Modules } from './worker-bundle.ts'

const HELLO = `export default { fetch: () => new Response('hello') }`

/** The measured Worker and a hello-world Worker, each on a socket of its own in one workerd. */
export interface Runtime {
  worker: string
  hello: string
  close(): Promise<void>
}

/**
 * Starts both Workers. Their configuration is wrangler.toml's, but for `vars`.
 * @param storage folder that the objects and D1 write to
 */
export async function startRuntime(
  root: string,
  [entry, ...others]: Modules,
  storage: string,
  vars: Record<string, Json>,
): Promise<Runtime> {
  const config: V4WorkerOptionsShape = unstable_getMiniflareWorkerOptions(
    join(root, 'wrangler.toml'),
  ).workerOptions
  const { compatibilityDate = '', compatibilityFlags = [] } = config
  const { durableObjects = {}, d1Databases = {}, bindings = {} } = config
  const common = {
    compatibilityDate,
    compatibilityFlags,
    unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }],
  }
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      cf: false,
      telemetry: { enabled: false },
      resourcePersistencePath: storage,
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
          bindings: { ...bindings, ...vars },
        },
        { ...common, name: 'hello', modules: true, script: HELLO },
      ],
    }),
  )
  await runtime.ready
  await migrate(runtime, join(root, 'src/history/migrations'))
  return {
    worker: String(await runtime.unsafeGetDirectURL('worker')),
    hello: String(await runtime.unsafeGetDirectURL('hello')),
    close: () => runtime.dispose(),
  }
}

/** Nothing where the storage is that of an earlier start. */
async function migrate(runtime: Miniflare, folder: string): Promise<void> {
  const database = await runtime.getD1Database('DB', 'worker')
  const known = database.prepare(`SELECT 1 FROM sqlite_master WHERE name = 'ledger_positions'`)
  if (await known.first()) return
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).toSorted()
  for (const file of files) {
    const statements = unstable_splitSqlQuery(await readFile(join(folder, file), 'utf8'))
    await database.batch(statements.map((statement) => database.prepare(statement)))
  }
}
