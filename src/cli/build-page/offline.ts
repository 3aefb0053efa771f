import { createHash } from 'node:crypto'
import { cp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'

/** Writes the offline page and the service worker that shows it. */
export async function writeOffline(projectDir: string, output: string): Promise<void> {
  const source = join(projectDir, 'src/play/offline')
  for (const name of ['offline.html', 'offline.css']) {
    await cp(join(source, name), join(output, name))
  }
  const common = { bundle: true, minify: true, target: 'es2023', logLevel: 'warning' } as const
  await build({
    ...common,
    entryPoints: [join(source, 'page.ts')],
    format: 'esm',
    outfile: join(output, 'offline.js'),
  })
  const hash = createHash('sha256')
  for (const name of ['offline.html', 'offline.css', 'offline.js']) {
    hash.update(await readFile(join(output, name)))
  }
  const version = hash.digest('hex').slice(0, 16)
  await build({
    ...common,
    entryPoints: [join(source, 'worker.ts')],
    format: 'iife',
    outfile: join(output, 'offline-worker.js'),
    define: { OFFLINE_VERSION: JSON.stringify(version) },
  })
}
