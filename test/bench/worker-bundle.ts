import { join, resolve } from 'node:path'
import { build, type BuildOptions } from 'esbuild'
import { edited, type Edit } from '../simulation/world/bundle.ts'

/**
 * The Worker with rate limiters that answer at once. On the platform a rate limiter is a counter
 * beside the isolate. Miniflare simulates it with a Durable Object that writes to SQLite on every
 * call, which would dominate the measurement.
 */
export const entryOf = ({ route, worker }: { route: string; worker: string }) => `
  import { env } from 'cloudflare:workers'
  import worker from '${worker}'
  export * from '${worker}'

  const open = { limit: async () => ({ success: true }) }
  const names = ['READS', 'MONEY_CALLS', 'SIGNED_CALLS', 'BRIDGE_CALLS', 'RPC_CALLS']
  const limits = Object.fromEntries(names.map((name) => [name, open]))
  const measured = { ...env, ...limits }
  export default {
    fetch: (request, _env, context) => ${route} worker.fetch(request, measured, context)
  }
`

/** As wrangler bundles for a deployment. */
export const AS_DEPLOYED: BuildOptions = {
  bundle: true,
  format: 'esm',
  target: 'es2024',
  conditions: ['workerd', 'worker', 'browser'],
  external: ['cloudflare:*', 'node:*'],
  loader: { '.wasm': 'copy' },
  logLevel: 'warning',
}

/** Paths of a built Worker's files, the entry first. */
export type Modules = [entry: string, ...others: string[]]

/**
 * Builds the Worker as deployed: one module, with its WebAssembly beside it.
 * @param worker the Worker's source file
 * @param route JavaScript that answers some requests itself, ending in a colon
 * @param edits deliberate breaks of the sources
 */
export async function buildWorker(
  root: string,
  outdir: string,
  {
    worker = './src/worker.ts',
    route = '',
    edits = [],
  }: { worker?: string; route?: string; edits?: readonly Edit[] } = {},
): Promise<Modules> {
  const { metafile } = await build({
    ...AS_DEPLOYED,
    absWorkingDir: root,
    stdin: {
      contents: entryOf({ route, worker }),
      resolveDir: root,
      sourcefile: 'worker.js',
    },
    outdir,
    entryNames: 'worker',
    plugins: edits.length === 0 ? [] : [edited(root, edits)],
    metafile: true,
  })
  const entry = join(outdir, 'worker.js')
  const files = Object.keys(metafile.outputs).map((path) => resolve(root, path))
  return [entry, ...files.filter((path) => path !== entry)]
}
