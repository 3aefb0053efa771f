// npm run build: builds the page's static assets in dist/page. Fails if its scripts are too large.
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { openApi } from '../reference/document.ts'
import { OPERATIONS } from '../reference/operations.ts'
import { referencePage } from '../reference/page.ts'
import { referenceYaml } from '../reference/yaml.ts'

const PROJECT_DIR = join(import.meta.dirname, '../..')
const SOURCE = join(PROJECT_DIR, 'src/play')
const OUTPUT = join(PROJECT_DIR, 'dist/page')
const MAIN = 'src/play/main.tsx'

/** The limit on all scripts together, compressed. */
const MAX_SCRIPT_BYTES = 150_000

/** Only advertisements' images may come from other https sites. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' https:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const HEADERS = `/*
  Content-Security-Policy: ${POLICY}
  X-Content-Type-Options: nosniff
  Referrer-Policy: no-referrer
  Cross-Origin-Opener-Policy: same-origin
  Permissions-Policy: camera=(), geolocation=(), microphone=()
  Strict-Transport-Security: max-age=31536000

/assets/*
  Cache-Control: public, max-age=31536000, immutable

/reference/openapi.yaml
  Content-Type: application/yaml; charset=utf-8
`

await rm(join(OUTPUT, 'assets'), { recursive: true, force: true })
await mkdir(OUTPUT, { recursive: true })

const { metafile } = await build({
  absWorkingDir: PROJECT_DIR,
  entryPoints: [MAIN],
  outdir: OUTPUT,
  entryNames: 'assets/[name]-[hash]',
  chunkNames: 'assets/[name]-[hash]',
  bundle: true,
  splitting: true,
  minify: true,
  format: 'esm',
  target: 'es2023',
  metafile: true,
  legalComments: 'none',
  logLevel: 'warning',
})

const [script, style] = mainOutputs()
await removeOtherStyles()
await writeFile(join(OUTPUT, 'index.html'), await indexHtml())
await writeFile(join(OUTPUT, '_headers'), HEADERS)
await cp(join(SOURCE, 'icon.svg'), join(OUTPUT, 'icon.svg'))
await writeReference()
await checkSize()

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
  let total = 0
  for (const path of Object.keys(metafile.outputs).filter((name) => name.endsWith('.js'))) {
    const bytes = gzipSync(await readFile(join(PROJECT_DIR, path))).length
    total += bytes
    console.log(`${kilobytes(bytes)}  ${basename(path)}`)
  }
  console.log(`${kilobytes(total)}  of compressed scripts in total`)
  if (total <= MAX_SCRIPT_BYTES) return
  console.error(
    `The page's scripts are too large. Keep them within ${kilobytes(MAX_SCRIPT_BYTES).trim()}.`,
  )
  process.exitCode = 1
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(1).padStart(6)} kB`
}
