import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../src/cli/shared/port.ts'
import { ServiceProcess, wranglerDev } from '../../src/cli/shared/service-process.ts'

export const PROJECT_DIR = join(import.meta.dirname, '../..')

/** What of a checkout a service needs in order to start. */
const SERVICE_FILES = [
  'src',
  'durable-objects',
  'wrangler.toml',
  'package.json',
  'foundry.toml',
  'contracts/src',
  'contracts/solc.mjs',
  'contracts/forge.mjs',
]

/** Rounds are short, so that a story is. */
const SHORT_ROUNDS = { CRASH_BETTING_MS: '3000', CRASH_RESULTS_MS: '1500' }

/** Half of the rounds crash at take-off, so that a story that waits for rounds seldom waits for a long flight. */
export const HALF_CRASH_AT_ONCE = { CRASH_EDGE_BPS: '5000' }

/** Nothing listens there: no test asks for a beacon outside this machine. */
const NO_RELAYS = 'DRAND_RELAYS = ["http://127.0.0.1:1"]'

/** A fresh checkout in a folder of its own: no database yet, no state of anybody else. */
export async function createCheckout(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'fairhouse-'))
  for (const name of SERVICE_FILES) {
    await cp(join(PROJECT_DIR, name), join(dir, name), { recursive: true })
  }
  await symlink(join(PROJECT_DIR, 'node_modules'), join(dir, 'node_modules'))
  const toml = await readFile(join(dir, 'wrangler.toml'), 'utf8')
  await writeFile(join(dir, 'wrangler.toml'), toml.replaceAll(/^DRAND_RELAYS = .*$/gm, NO_RELAYS))
  return dir
}

/** Names the checkout that the global setup leaves for tests to copy. */
export const READY_CHECKOUT = 'FAIRHOUSE_READY_CHECKOUT'

/** A checkout in a folder of its own with empty databases, page and contracts built, in which a service starts at once. */
export async function createReadyCheckout(): Promise<string> {
  const ready = process.env[READY_CHECKOUT]
  if (!ready) throw new Error('The global setup has not prepared a checkout.')
  const dir = await mkdtemp(join(tmpdir(), 'fairhouse-'))
  await cp(ready, dir, { recursive: true, verbatimSymlinks: true })
  return dir
}

export async function removeCheckout(dir: string): Promise<void> {
  await rm(dir, { recursive: true, force: true, maxRetries: 5 })
}

export interface StartedService {
  baseUrl: string
  /** What it has printed so far. */
  output(): string
  stop(): Promise<void>
}

/** Starts a command in a checkout and waits until it serves, on a port that is free unless told one. */
export async function startIn(
  checkout: string,
  command: (port: number) => string[],
  wanted?: number,
): Promise<StartedService> {
  const port = wanted ?? (await freePort())
  let output = ''
  const service = new ServiceProcess(command(port), {
    projectDir: checkout,
    port,
    onOutput: (text) => (output += text),
  })
  try {
    await service.ready()
  } catch (fault) {
    await service.stop()
    throw new Error(`The service did not start. It said: ${output}`, { cause: fault })
  }
  const { baseUrl, ended } = service
  let isStopping = false
  const reportEnd = async () => {
    await ended
    if (!isStopping) console.error(`The service stopped unexpectedly. Its output: ${output}`)
  }
  void reportEnd()
  const stop = () => {
    isStopping = true
    return service.stop()
  }
  return { baseUrl, output: () => output, stop }
}

/**
 * Starts a real `wrangler dev` in a checkout of its own, which is gone when it has stopped.
 * @param vars settings beside the default ones, or what returns them for the origin that it will have
 */
export async function startService(
  vars: Record<string, string> | ((origin: string) => Record<string, string>) = {},
): Promise<StartedService> {
  const varsAt = typeof vars === 'function' ? vars : () => vars
  const checkout = await createReadyCheckout()
  try {
    const service = await startIn(checkout, (port) =>
      wranglerDev(checkout, port, { ...SHORT_ROUNDS, ...varsAt(`http://localhost:${port}`) }),
    )
    const stop = async () => {
      await service.stop()
      await removeCheckout(checkout)
    }
    return { ...service, stop }
  } catch (fault) {
    await removeCheckout(checkout)
    throw fault
  }
}

type Command =
  | 'audit'
  | 'certify'
  | 'deploy-contracts'
  | 'dev'
  | 'doctor'
  | 'fund'
  | 'log-key'
  | 'operate'
  | 'smoke'
  | 'monitor'
  | 'play'
  | 'production'
  | 'receipt-key'
  | 'verify'

interface Ended {
  exitCode: number
  output: string
}

/** Runs a command of ours as people run it, to its end. */
export function runCli(command: Command, ...args: string[]): Promise<Ended> {
  return runCliIn(PROJECT_DIR, command, ...args)
}

/** The same in a checkout, whose manifest and settings it then finds. */
export function runCliIn(checkout: string, command: Command, ...args: string[]): Promise<Ended> {
  return run(join(checkout, `src/cli/${command}.ts`), args, checkout)
}

/** The same in a folder with settings of its own. */
export function runCliAt(folder: string, command: Command, ...args: string[]): Promise<Ended> {
  return run(join(PROJECT_DIR, `src/cli/${command}.ts`), args, folder)
}

function run(script: string, args: string[], cwd: string): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [script, ...args], { cwd }, (_fault, stdout, stderr) =>
      resolve({ exitCode: child.exitCode ?? -1, output: stdout + stderr }),
    )
  })
}
