// npm run build: builds the page's static assets in dist/page. Fails if its scripts are too large.
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build, type Metafile } from 'esbuild'
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
const OPERATE = 'src/play/operate/main.tsx'
/** The wallet of local play. No deployment's page asks for it. */
const LOCAL_WALLET = 'src/play/wallet/development.ts'

/**
 * The limits on compressed scripts: those that a visitor loads to play a first game, all that a deployment's players
 * load, the worker of strategies, and the operators' pages. The last two share nothing with the rest.
 */
const MAX_BYTES = { firstGame: 60_000, all: 200_000, worker: 12_000, operate: 30_000 }

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

// Built apart, so that it changes nothing that players load.
const operate = await build({
  ...SHARED,
  entryPoints: [OPERATE],
  entryNames: 'assets/operate-[hash]',
  chunkNames: 'assets/[name]-[hash]',
  splitting: true,
})

const [script, style] = outputsOf(MAIN, metafile)
await removeOtherStyles()
await writeHtml('index.html', MAIN, metafile)
await writeHtml('operate/operate.html', OPERATE, operate.metafile)
await writeFile(join(OUTPUT, '_headers'), HEADERS)
await cp(join(SOURCE, 'icon.svg'), join(OUTPUT, 'icon.svg'))
await writeInstallable()
await writeReference()
await checkSize()

/** Writes the files of an installed page: its manifest, its icons, and the page that it shows without a network. */
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

/** Returns a page's first script and the style sheet of all its views. */
function outputsOf(entry: string, { outputs }: Metafile): [entryScript: string, allStyles: string] {
  const main = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === entry)
  if (main?.[1].cssBundle === undefined) throw new Error(`${entry} has no style sheet.`)
  return [main[0], main[1].cssBundle]
}

/** Removes the style sheets of single views: the page's style sheet includes them. */
async function removeOtherStyles(): Promise<void> {
  const paths = Object.keys(metafile.outputs)
  const others = paths.filter((path) => path.endsWith('.css') && path !== style)
  await Promise.all(others.map((path) => rm(join(PROJECT_DIR, path))))
}

/**
 * Writes a page's HTML with the final names of its script and style. The browser requests all that the script imports
 * together with it, instead of after it.
 */
async function writeHtml(source: string, entry: string, meta: Metafile): Promise<void> {
  const urlOf = (path: string) => `/assets/${basename(path)}`
  const [ownScript, ownStyle] = outputsOf(entry, meta)
  const preloads = [...loadedWith(ownScript, new Set(), meta)]
    .filter((path) => path !== ownScript)
    .map((path) => `<link rel="modulepreload" href="${urlOf(path)}" />\n    `)
  const html = (await readFile(join(SOURCE, source), 'utf8'))
    .replace('/main.js', urlOf(ownScript))
    .replace('/style.css', urlOf(ownStyle))
    .replace('<script', () => `${preloads.join('')}<script`)
  await writeFile(join(OUTPUT, basename(source)), html)
}

async function checkSize(): Promise<void> {
  const sizes = new Map<string, number>()
  const written = [metafile, operate.metafile].flatMap(({ outputs }) => Object.keys(outputs))
  for (const path of [...written, workerPath].filter((name) => name.endsWith('.js'))) {
    const bytes = gzipSync(await readFile(join(PROJECT_DIR, path))).length
    sizes.set(path, bytes)
    console.log(`${kilobytes(bytes)}  ${basename(path)}`)
  }
  const sumOf = (paths: Iterable<string>) =>
    [...paths].reduce((sum, path) => sum + (sizes.get(path) ?? 0), 0)
  const worker = sumOf([workerPath])
  const all = sumOf(
    Object.entries(metafile.outputs)
      .filter(([, { entryPoint }]) => entryPoint !== LOCAL_WALLET)
      .map(([path]) => path),
  )
  const [operateScript] = outputsOf(OPERATE, operate.metafile)
  const operators = sumOf(loadedWith(operateScript, new Set(), operate.metafile))
  const firstGame = Math.max(
    ...Object.entries(metafile.outputs)
      .filter(([, { entryPoint }]) => entryPoint !== undefined && GAME_VIEW.test(entryPoint))
      .map(([view]) => sumOf(loadedWith(view, loadedWith(script)))),
  )
  console.log(`${kilobytes(all)}  of compressed scripts in total`)
  console.log(`${kilobytes(firstGame)}  of them to play a first game`)
  console.log(`${kilobytes(worker)}  of the worker of strategies`)
  console.log(`${kilobytes(operators)}  of the operators' page`)
  const { firstGame: most, all: mostOfAll, worker: mostOfWorker } = MAX_BYTES
  const isSmall = firstGame <= most && all <= mostOfAll && worker <= mostOfWorker
  if (isSmall && operators <= MAX_BYTES.operate) return
  console.error(
    `The page's scripts are too large. Keep them within ${kilobytes(most)} for a first game, ${kilobytes(mostOfAll)} in total, ${kilobytes(mostOfWorker)} for the worker and ${kilobytes(MAX_BYTES.operate)} for operators.`,
  )
  process.exitCode = 1
}

/** Adds a script to those loaded, with all that it imports at once. */
function loadedWith(
  path: string,
  loaded: ReadonlySet<string> = new Set(),
  { outputs }: Pick<Metafile, 'outputs'> = metafile,
): Set<string> {
  if (loaded.has(path)) return new Set(loaded)
  const imports = outputs[path]?.imports ?? []
  return imports
    .filter(({ kind }) => kind === 'import-statement')
    .reduce(
      (all, imported) => loadedWith(imported.path, all, { outputs }),
      new Set([...loaded, path]),
    )
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(1).padStart(6)} kB`
}
