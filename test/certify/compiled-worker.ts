import { cp, readdir, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { AS_DEPLOYED, entryOf, type Modules } from '../bench/worker-bundle.ts'
import { edited, type Edit } from '../simulation/world/bundle.ts'

const WORKER = 'src/worker.ts'
const ENTRY = 'worker.js'

/**
 * The Worker, compiled file by file. So a broken build compiles only the files that it breaks: bundling all of them
 * takes longer than the tests of it.
 */
export class CompiledWorker {
  readonly #root: string
  readonly #folder: string

  private constructor(root: string, folder: string) {
    this.#root = root
    this.#folder = folder
  }

  /** Compiles all of the Worker's sources, and each package that they import. */
  static async create(root: string, folder: string): Promise<CompiledWorker> {
    const { metafile } = await build({
      ...AS_DEPLOYED,
      absWorkingDir: root,
      entryPoints: [WORKER],
      outdir: folder,
      write: false,
      metafile: true,
    })
    const sources = Object.entries(metafile.inputs).filter(([path]) => path.endsWith('.ts'))
    const imported = sources.flatMap(([, { imports }]) =>
      imports.flatMap(({ original, external }) => (external || !original ? [] : [original])),
    )
    const packages = new Set(imported.filter(isPackage))
    await build({
      ...AS_DEPLOYED,
      absWorkingDir: root,
      entryPoints: Object.fromEntries([...packages].map((name) => [pathOf(name), name])),
      outdir: folder,
      splitting: true,
    })
    const paths = sources.map(([path]) => path)
    await compile(root, paths, folder)
    await writeFile(join(folder, ENTRY), entryOf({ route: '', worker: './src/worker.js' }))
    return new CompiledWorker(root, folder)
  }

  /** Compiles the Worker with some edits to its sources into a folder. */
  async breakInto(folder: string, edits: readonly Edit[]): Promise<Modules> {
    await cp(this.#folder, folder, { recursive: true })
    const paths = new Set(edits.map(([path]) => path))
    await compile(this.#root, [...paths], folder, edits)
    const files = await readdir(folder, { recursive: true })
    const modules = files.filter((file) => /\.(js|wasm)$/.test(file) && file !== ENTRY)
    return [join(folder, ENTRY), ...modules.map((file) => join(folder, file))]
  }
}

async function compile(
  root: string,
  paths: string[],
  folder: string,
  edits: readonly Edit[] = [],
): Promise<void> {
  await build({
    ...AS_DEPLOYED,
    absWorkingDir: root,
    entryPoints: paths,
    outbase: root,
    outdir: folder,
    plugins: [eachAlone(root), edited(root, edits)],
  })
}

/** Leaves the imports of a source to the runtime. */
function eachAlone(root: string): Plugin {
  return {
    name: 'each-alone',
    setup(bundler) {
      bundler.onResolve({ filter: /.*/ }, ({ path, importer, kind }) => {
        if (kind === 'entry-point' || path.endsWith('.wasm') || /^(cloudflare|node):/.test(path))
          return undefined
        if (!isPackage(path)) return { path: path.replace(/\.ts$/, '.js'), external: true }
        const found = relative(dirname(importer), join(root, pathOf(path)))
        return { path: `./${found}.js`, external: true }
      })
    },
  }
}

function isPackage(path: string): boolean {
  return !path.startsWith('.') && !path.endsWith('.wasm')
}

/** Where a package is compiled to. */
function pathOf(name: string): string {
  return join('packages', name.replaceAll('/', '+'))
}
