import { readFile } from 'node:fs/promises'
import { relative, sep } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { withCells } from './memory.ts'

/** A text of a source file and its replacement. */
export type Edit = [file: string, find: string, replace: string]

/** Packages without state that matters. All programs of a process share them. */
const SHARED = ['@noble/*', 'zod', 'hono', 'hono/*']

/**
 * Bundles the Worker, as a deployment would, into one script for a {@link Program}. It lists its module memory, which
 * differs from isolate to isolate.
 * @param root the project's folder
 * @param edits deliberate breaks of the sources
 */
export async function bundleWorker(root: string, edits: readonly Edit[] = []): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ['src/worker.ts'],
    bundle: true,
    write: false,
    format: 'cjs',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['workerd', 'worker', 'import'],
    target: 'es2023',
    external: ['node:*', ...SHARED],
    plugins: [workerdModules, edited(root, edits, withCells)],
    logLevel: 'warning',
  })
  const [output] = outputFiles
  if (!output) throw new Error('esbuild has written nothing')
  return output.text
}

/** What the runtime provides: the objects' base class, and WebAssembly as a compiled module. */
const workerdModules: Plugin = {
  name: 'workerd-modules',
  setup(bundler) {
    bundler.onResolve({ filter: /^cloudflare:workers$/ }, ({ path }) => ({
      path,
      namespace: 'workerd',
    }))
    bundler.onLoad({ filter: /.*/, namespace: 'workerd' }, () => ({
      contents:
        'export class DurableObject { constructor(ctx, env) { this.ctx = ctx; this.env = env } }',
    }))
    bundler.onLoad({ filter: /secp256k1\.wasm$/ }, () => ({
      contents: 'export default secp256k1',
      loader: 'js',
    }))
  },
}

/** Returns what makes the edits while it bundles. @param finish takes each source of ours last */
export function edited(
  root: string,
  edits: readonly Edit[],
  finish = (source: string) => source,
): Plugin {
  return {
    name: 'edited',
    setup(bundler) {
      const done = new Set<Edit>()
      bundler.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const file = relative(root, path).replaceAll(sep, '/')
        if (file.startsWith('node_modules/')) return undefined
        const wanted = edits.filter(([edit]) => edit === file)
        let contents = await readFile(path, 'utf8')
        for (const edit of wanted) {
          const [, find, replace] = edit
          if (contents.split(find).length !== 2)
            throw new Error(`${file} does not have exactly once: ${find}`)
          contents = contents.replace(find, () => replace)
          done.add(edit)
        }
        return { contents: finish(contents), loader: 'ts' }
      })
      bundler.onEnd(() => {
        const missing = edits.find((edit) => !done.has(edit))
        if (missing) throw new Error(`the Worker does not use ${missing[0]}`)
      })
    },
  }
}
