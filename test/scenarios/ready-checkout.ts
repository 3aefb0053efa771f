import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { forgeBuild } from '../../src/cli/deploy-contracts/contracts.ts'
import { createCheckout, READY_CHECKOUT, removeCheckout } from './started-service.ts'

/** The build command of `wrangler dev`, which would migrate and build at every start. */
const BUILD = /(?<=^\[build\]\n)command = .*$/m
/** Copies the empty databases to where `npm run dev` wants them. */
const COPY = `command = 'test -z "$FAIRHOUSE_STATE" || { mkdir -p "$FAIRHOUSE_STATE" && cp -r .wrangler/state/. "$FAIRHOUSE_STATE"; }'`

/** Vitest's global setup: one checkout with databases, page and contracts, which tests copy instead of building theirs. */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  // Another project's setup was first.
  if (process.env[READY_CHECKOUT]) return undefined
  const checkout = await createCheckout()
  const [command = '', ...args] = forgeBuild(checkout)
  await Promise.all([
    run(checkout, 'npm', 'run', 'migrate'),
    run(checkout, 'npm', 'run', 'build'),
    run(checkout, command, ...args),
  ])
  const path = join(checkout, 'wrangler.toml')
  const toml = await readFile(path, 'utf8')
  if (!BUILD.test(toml)) throw new Error('wrangler.toml has no build command')
  await writeFile(
    path,
    toml.replace(BUILD, () => COPY),
  )
  process.env[READY_CHECKOUT] = checkout
  return () => removeCheckout(checkout)
}

async function run(checkout: string, command: string, ...args: string[]): Promise<void> {
  await promisify(execFile)(command, args, { cwd: checkout })
}
