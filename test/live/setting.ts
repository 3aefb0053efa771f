import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Json } from 'miniflare'
import {
  deployVault,
  forgeBuild,
  type Deployment,
} from '../../src/cli/deploy-contracts/contracts.ts'
import { deployPrizes, type Prizes } from '../../src/cli/dev/deploy-prizes.ts'
import { localChain, rpcUrlOf } from '../../src/cli/dev/local-chain.ts'
import { servePosts } from '../../src/cli/dev/posts.ts'
import { handOut, prizeVarsOf, shareProviders, varsOf } from '../../src/cli/dev/setting.ts'
import { devOwner, devRelayer } from '../../src/cli/shared/dev-players.ts'
import { freePort } from '../../src/cli/shared/port.ts'
import { ProcessGroup } from '../../src/cli/shared/process-group.ts'
import { ServiceProcess } from '../../src/cli/shared/service-process.ts'
import { CHAIN_ID, startRuntime, type Runtime } from '../bench/runtime.ts'
import { buildWorker, type Modules } from '../bench/worker-bundle.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

export const SITE = { domain: 'live.example', origin: 'https://live.example', chainId: CHAIN_ID }

/** What it takes to start a service. */
export interface ServiceOrder {
  modules: Modules
  storage: string
  vars: Record<string, Json>
  /** Where it shows its rows. */
  auditPath: string
}

/** A running service. */
export interface Service extends ServiceOrder {
  baseUrl: string
  close(): Promise<void>
}

export function run(
  { modules, storage, vars }: ServiceOrder,
  onLog: (line: string) => void,
): Promise<Runtime> {
  return startRuntime(ROOT, modules, storage, vars, onLog)
}

/**
 * A local chain with the contracts, five players with chips and tokens, a site for posts, and a folder where
 * the service can be started and restarted.
 */
export class Setting {
  readonly vault: Deployment
  readonly prizes: Prizes
  /** The site for posts. */
  readonly posts: string
  /** What the services have logged. */
  readonly logs: string[] = []
  readonly #chain: ServiceProcess
  readonly #folder: string
  readonly #modules: Modules
  readonly #vars: Record<string, Json>
  readonly #auditPath = `/${randomUUID()}`

  private constructor(parts: {
    chain: ServiceProcess
    vault: Deployment
    prizes: Prizes
    posts: string
    folder: string
    modules: Modules
    vars: Record<string, Json>
  }) {
    this.vault = parts.vault
    this.prizes = parts.prizes
    this.posts = parts.posts
    this.#chain = parts.chain
    this.#folder = parts.folder
    this.#modules = parts.modules
    this.#vars = parts.vars
    process.once('exit', this.#cleanUp)
  }

  /**
   * @param parent folder for the storage: on disk or in memory
   * @param vars override those of local play
   */
  static async create(parent: string, vars: Record<string, Json> = {}): Promise<Setting> {
    const folder = mkdtempSync(join(parent, 'fairhouse-live-'))
    const [modules] = await Promise.all([
      buildWorker(ROOT, join(folder, 'worker'), { worker: './test/live/audited-worker.ts' }),
      built(),
    ])
    const port = await freePort()
    const chain = new ServiceProcess(localChain(ROOT, port), {
      projectDir: ROOT,
      port,
      onOutput: () => {},
    })
    await chain.ready()
    const parties = { owner: devOwner(), relayer: devRelayer() }
    const vault = await deployVault(ROOT, rpcUrlOf(port), parties)
    const prizes = await deployPrizes(ROOT, rpcUrlOf(port), parties)
    await handOut(vault)
    const postsPort = await freePort()
    const posts = `http://localhost:${postsPort}`
    servePosts(postsPort)
    const all = {
      SITE_DOMAIN: SITE.domain,
      SITE_ORIGIN: SITE.origin,
      ...varsOf(vault),
      ...prizeVarsOf(prizes),
      SHARE_PROVIDERS: shareProviders(posts),
      RPC_UPSTREAMS: {},
      RPC_SEND_TRANSACTIONS: 'true',
      ...vars,
    }
    return new Setting({ chain, vault, prizes, posts, folder, modules, vars: all })
  }

  /** Returns what it takes to start a service on the storage that the one before it has left. */
  order(more: Record<string, Json> = {}): ServiceOrder {
    return {
      modules: this.#modules,
      storage: join(this.#folder, 'storage'),
      vars: { ...this.#vars, ...more, AUDIT_PATH: this.#auditPath },
      auditPath: this.#auditPath,
    }
  }

  /** Starts a service in this process. @param more override its vars */
  async start(more: Record<string, Json> = {}): Promise<Service> {
    const order = this.order(more)
    const runtime = await run(order, (line) => void this.logs.push(line))
    return { ...order, baseUrl: runtime.worker, close: () => runtime.close() }
  }

  async close(): Promise<void> {
    process.off('exit', this.#cleanUp)
    await this.#chain.stop()
    this.#removeFolder()
  }

  /** For a process that ends before it has closed this. */
  readonly #cleanUp = () => {
    void this.#chain.stop()
    this.#removeFolder()
  }

  #removeFolder(): void {
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Makes an interrupted command clean up: its exit handlers don't run for a signal. */
export function exitOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
}

async function built(): Promise<void> {
  let output = ''
  const onOutput = (text: string) => (output += text)
  const forge = new ProcessGroup(forgeBuild(ROOT), { projectDir: ROOT, onOutput })
  if ((await forge.ended) !== 0) throw new Error(`The contracts were not built.\n${output}`)
}
