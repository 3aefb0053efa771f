// npm run build: builds the page's static assets in dist/page. Fails if its scripts are too large.
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { openApi } from '../reference/document.ts'
import { OPERATIONS } from '../reference/operations.ts'
import { referencePage } from '../reference/page.ts'
import { referenceYaml } from '../reference/yaml.ts'
import { drawIcons } from './build-page/icons.ts'
import { writeOffline } from './build-page/offline.ts'

const PROJECT_DIR = join(import.meta.dirname, '../..')
const SOURCE = join(PROJECT_DIR, 'src/play')
const OUTPUT = join(PROJECT_DIR, 'dist/page')
const MAIN = 'src/play/main.tsx'

/**
 * The limits on compressed scripts: those that a visitor loads to play a first game, all of them together, and the
 * worker of strategies, which shares none of them.
 */
const MAX_BYTES = { firstGame: 60_000, all: 200_000, worker: 12_000 }

/** The views of games. */
const GAME_VIEW = /^src\/play\/(crash|games\/\w+)\/view\.tsx$/

/** Only advertisements' images may come from other https sites. Wallets announce their icons as data. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' https: data:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** A strategy's worker may evaluate its player's code, and reaches nothing: no network, no further script or worker. */
const STRATEGY_POLICY = "default-src 'none'; script-src 'unsafe-eval'"

const HEADERS = `/*
  Content-Security-Policy: ${POLICY}
  X-Content-Type-Options: nosniff
  Referrer-Policy: no-referrer
  Cross-Origin-Opener-Policy: same-origin
  Permissions-Policy: camera=(), geolocation=(), microphone=()
  Strict-Transport-Security: max-age=31536000

/assets/*
  Cache-Control: public, max-age=31536000, immutable

/offline-worker.js
  Cache-Control: no-cache

/manifest.webmanifest
  Content-Type: application/manifest+json

/strategies/*
  ! Content-Security-Policy
  Content-Security-Policy: ${STRATEGY_POLICY}
  Cache-Control: public, max-age=31536000, immutable

/reference/openapi.yaml
  Content-Type: application/yaml; charset=utf-8
`

for (const folder of ['assets', 'strategies']) {
  await rm(join(OUTPUT, folder), { recursive: true, force: true })
}
await mkdir(OUTPUT, { recursive: true })

const SHARED = {
  absWorkingDir: PROJECT_DIR,
  outdir: OUTPUT,
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2023',
  metafile: true,
  legalComments: 'none',
  logLevel: 'warning',
} as const

// A file of its own, because its policy lets it load no other.
const built = await build({
  ...SHARED,
  entryPoints: ['src/play/strategies/worker.ts'],
  entryNames: 'strategies/[name]-[hash]',
})
const [workerPath = ''] = Object.keys(built.metafile.outputs)

const { metafile } = await build({
  ...SHARED,
  entryPoints: [MAIN],
  entryNames: 'assets/[name]-[hash]',
  chunkNames: 'assets/[name]-[hash]',
  splitting: true,
  define: { STRATEGY_WORKER: JSON.stringify(`/strategies/${basename(workerPath)}`) },
})

const [script, style] = mainOutputs()
await removeOtherStyles()
await writeFile(join(OUTPUT, 'index.html'), await indexHtml())
await writeFile(join(OUTPUT, '_headers'), HEADERS)
await cp(join(SOURCE, 'icon.svg'), join(OUTPUT, 'icon.svg'))
await writeInstallable()
await writeReference()
await checkSize()

/** Writes what an installed page needs: its manifest, its icons, and what it shows without a network. */
async function writeInstallable(): Promise<void> {
  const folder = join(OUTPUT, 'icons')
  await mkdir(folder, { recursive: true })
  for (const [file, png] of await drawIcons()) await writeFile(join(folder, file), png)
  await cp(join(SOURCE, 'manifest.webmanifest'), join(OUTPUT, 'manifest.webmanifest'))
  await writeOffline(PROJECT_DIR, OUTPUT)
}

/** Writes the API reference and its page. */
async function writeReference(): Promise<void> {
  const folder = join(OUTPUT, 'reference')
  await mkdir(folder, { recursive: true })
  await writeFile(join(OUTPUT, 'reference.html'), referencePage(openApi(OPERATIONS)))
  await cp(join(PROJECT_DIR, 'src/reference/page.css'), join(folder, 'page.css'))
  await writeFile(join(folder, 'openapi.yaml'), referenceYaml())
}

/** Returns the page's first script and the style sheet of all its views. */
function mainOutputs(): [script: string, style: string] {
  const outputs = Object.entries(metafile.outputs)
  const main = outputs.find(([, { entryPoint }]) => entryPoint === MAIN)
  if (main?.[1].cssBundle === undefined) throw new Error(`${MAIN} has no style sheet.`)
  return [main[0], main[1].cssBundle]
}

/** Removes the style sheets of single views: the page's style sheet includes them. */
async function removeOtherStyles(): Promise<void> {
  const paths = Object.keys(metafile.outputs)
  const others = paths.filter((path) => path.endsWith('.css') && path !== style)
  await Promise.all(others.map((path) => rm(join(PROJECT_DIR, path))))
}

/** Returns the page's HTML, with the final names of its script and style. */
async function indexHtml(): Promise<string> {
  const html = await readFile(join(SOURCE, 'index.html'), 'utf8')
  return html
    .replace('/main.js', `/assets/${basename(script)}`)
    .replace('/style.css', `/assets/${basename(style)}`)
}

async function checkSize(): Promise<void> {
  const sizes = new Map<string, number>()
  const outputs = [...Object.keys(metafile.outputs), workerPath]
  for (const path of outputs.filter((name) => name.endsWith('.js'))) {
    const bytes = gzipSync(await readFile(join(PROJECT_DIR, path))).length
    sizes.set(path, bytes)
    console.log(`${kilobytes(bytes)}  ${basename(path)}`)
  }
  const sumOf = (paths: Iterable<string>) =>
    [...paths].reduce((sum, path) => sum + (sizes.get(path) ?? 0), 0)
  const worker = sumOf([workerPath])
  const all = sumOf(sizes.keys()) - worker
  const firstGame = Math.max(
    ...Object.entries(metafile.outputs)
      .filter(([, { entryPoint }]) => entryPoint !== undefined && GAME_VIEW.test(entryPoint))
      .map(([view]) => sumOf(loadedWith(view, loadedWith(script)))),
  )
  console.log(`${kilobytes(all)}  of compressed scripts in total`)
  console.log(`${kilobytes(firstGame)}  of them to play a first game`)
  console.log(`${kilobytes(worker)}  of the worker of strategies`)
  const { firstGame: most, all: mostOfAll, worker: mostOfWorker } = MAX_BYTES
  if (firstGame <= most && all <= mostOfAll && worker <= mostOfWorker) return
  console.error(
    `The page's scripts are too large. Keep them within ${kilobytes(most)} for a first game, ${kilobytes(mostOfAll)} in total and ${kilobytes(mostOfWorker)} for the worker.`,
  )
  process.exitCode = 1
}

/** Adds a script to those loaded, with all that it imports at once. */
function loadedWith(path: string, loaded: ReadonlySet<string> = new Set()): Set<string> {
  if (loaded.has(path)) return new Set(loaded)
  const imports = metafile.outputs[path]?.imports ?? []
  return imports
    .filter(({ kind }) => kind === 'import-statement')
    .reduce((all, imported) => loadedWith(imported.path, all), new Set([...loaded, path]))
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(1).padStart(6)} kB`
}
