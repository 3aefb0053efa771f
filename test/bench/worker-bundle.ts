import { join, resolve } from 'node:path'
import { build } from 'esbuild'

/**
 * The Worker with its rate limiters answering on the spot. On the platform such a limiter is a
 * counter beside the isolate; miniflare plays it with a Durable Object that writes to SQLite on
 * every call, which would be most of what is measured.
 */
const ENTRY = `
  import { env } from 'cloudflare:workers'
  import worker from './src/worker.ts'
  export * from './src/worker.ts'

  const open = { limit: async () => ({ success: true }) }
  const names = ['READS', 'MONEY_CALLS', 'SIGNED_CALLS', 'BRIDGE_CALLS', 'RPC_CALLS']
  const limits = Object.fromEntries(names.map((name) => [name, open]))
  const measured = { ...env, ...limits }
  export default { fetch: (request, _env, context) => worker.fetch(request, measured, context) }
`

/** Paths of a built Worker's files, its entry first. */
export type Modules = [entry: string, ...others: string[]]

/** Builds the Worker as it is deployed: one module, and its WebAssembly beside it. */
export async function buildWorker(root: string, outdir: string): Promise<Modules> {
  const { metafile } = await build({
    absWorkingDir: root,
    stdin: { contents: ENTRY, resolveDir: root, sourcefile: 'worker.js' },
    outdir,
    entryNames: 'worker',
    bundle: true,
    format: 'esm',
    target: 'es2024',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['cloudflare:*', 'node:*'],
    loader: { '.wasm': 'copy' },
    metafile: true,
    logLevel: 'warning',
  })
  const entry = join(outdir, 'worker.js')
  const files = Object.keys(metafile.outputs).map((path) => resolve(root, path))
  return [entry, ...files.filter((path) => path !== entry)]
}
