import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, stat } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Address, Hex } from 'viem'

/** The part of `.dev/manifest.json` that a recording needs. `npm run dev` writes it. */
export interface Manifest {
  baseUrl: string
  chainId: number
  rpcUrl: string
  partner: DevPartner
  otherPartner: DevPartner
  contracts: Record<string, Address> & { vault: Address; usdg: Address }
  lootbox: { pool: Address }
  posts: string
  protocolWallet: Address
  owner: DevAccount
  players: DevAccount[]
}

export interface DevPartner {
  id: string
  secret: string
  next?: { kid: string; secret: string }
}

export interface DevAccount {
  address: Address
  privateKey: Hex
}

const READY_WITHIN_MS = 300_000
const ASK_AGAIN_MS = 250

/**
 * Starts a checkout's service and chain with its own `npm run dev`, runs a task, and stops them. The
 * checkout needs its `node_modules`.
 */
export async function withService<T>(
  checkout: string,
  task: (manifest: Manifest) => Promise<T>,
): Promise<T> {
  const { scripts } = JSON.parse(await readFile(join(checkout, 'package.json'), 'utf8')) as {
    scripts: { dev: string }
  }
  const startedAt = Date.now()
  const command = `exec ${scripts.dev} --port ${await freePort()}`
  // As npm does: the checkout depends on its own version of Node.
  const path = `${join(checkout, 'node_modules/.bin')}:${process.env['PATH']}`
  const child = spawn('sh', ['-c', command], {
    cwd: checkout,
    env: { ...process.env, PATH: path },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = once(child, 'exit')
  try {
    const isRunning = () => child.exitCode === null
    return await task(await readManifest(checkout, startedAt, isRunning))
  } finally {
    child.kill('SIGTERM')
    await ended
  }
}

/** Waits for the manifest, which is written once the service is ready. */
async function readManifest(
  checkout: string,
  since: number,
  isRunning: () => boolean,
): Promise<Manifest> {
  const file = join(checkout, '.dev/manifest.json')
  while (Date.now() < since + READY_WITHIN_MS && isRunning()) {
    const written = await stat(file).catch(() => null)
    if (written && written.mtimeMs >= since) {
      return JSON.parse(await readFile(file, 'utf8')) as Manifest
    }
    await sleep(ASK_AGAIN_MS)
  }
  throw new Error(`The service of ${checkout} did not start.`)
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
