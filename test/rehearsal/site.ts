import { randomBytes, randomUUID } from 'node:crypto'
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { examine } from '../../src/cli/doctor/examine.ts'
import { readSettings } from '../../src/cli/doctor/settings.ts'
import { newReceiptKeys } from '../../src/cli/shared/receipt-keys.ts'
import { logOrigin } from '../../src/transparency/checkpoint.ts'
import { signerKey, writeSignerKey } from '../../src/transparency/note.ts'
import { startRuntime, type Runtime } from '../bench/runtime.ts'
import { buildWorker, type Modules } from '../bench/worker-bundle.ts'
import { OWN_BEACON } from '../lying-house/beacon.ts'
import type { Edit } from '../simulation/world/bundle.ts'
import type { DriverOrder } from './driven-worker.ts'

const ROOT = join(import.meta.dirname, '../..')
const PRODUCTION = 'production'

export const ORIGIN = 'https://play.fairhouse.internal'

export function newLogKey(): string {
  return writeSignerKey(signerKey(logOrigin(ORIGIN), new Uint8Array(randomBytes(32))))
}

/** What is deployed at a time. */
interface Version {
  modules: Modules
  toml: string
}

/** A site in production on this machine, as its owner has it: wrangler.toml, secrets, and what is deployed. */
export class Site {
  /** Where wrangler.toml is. */
  readonly folder: string
  readonly logs: string[] = []
  readonly metricsToken = randomBytes(32).toString('hex')
  readonly #driverPath = `/${randomUUID()}`
  readonly #versions: Version[] = []
  readonly #secrets: Record<string, string>
  #builds = 0
  #runtime: Runtime | null = null
  #aheadMs = 0

  private constructor(folder: string, secrets: Record<string, string>) {
    this.folder = folder
    this.#secrets = {
      RECEIPT_KEYS: newReceiptKeys(),
      LOG_KEY: this.logKey,
      METRICS_TOKEN: this.metricsToken,
      ...secrets,
    }
  }

  /** @param lines of production's variables in wrangler.toml @param operators lines of its last section */
  static async create(
    lines: Record<string, string>,
    operators: string[],
    secrets: Record<string, string>,
  ): Promise<Site> {
    const site = new Site(await mkdtemp(join(tmpdir(), 'fairhouse-rehearsal-')), secrets)
    const toml = await readFile(join(ROOT, 'wrangler.toml'), 'utf8')
    // The placeholders of the databases' ids differ in their last digit.
    const named = toml.replaceAll(
      /"0{8}(-0{4}){3}-0{11}(\d)"/g,
      '"0d1c5a3e-0000-4000-8000-00000000000$2"',
    )
    // These are secrets.
    const written = named.replaceAll(/^(CHAIN_RPC_URL|RPC_UPSTREAMS) = .*\n/gm, '')
    await site.#writeToml(`${written.trimEnd()}\n${operators.join('\n')}\n`)
    await symlink(join(ROOT, 'src'), join(site.folder, 'src'))
    await site.edit({
      SITE_DOMAIN: JSON.stringify(new URL(ORIGIN).host),
      SITE_ORIGIN: JSON.stringify(ORIGIN),
      ...lines,
    })
    await site.#writeSecrets()
    return site
  }

  get baseUrl(): string {
    if (!this.#runtime) throw new Error('the site is down')
    return this.#runtime.worker.replace(/\/$/, '')
  }

  /** The key of its public log. */
  readonly logKey = newLogKey()

  get aheadMs(): number {
    return this.#aheadMs
  }

  /** Sets lines of production's variables. */
  async edit(lines: Record<string, string>): Promise<void> {
    const toml = await this.#toml()
    const begin = toml.indexOf('[env.production]')
    const edited = Object.entries(lines).reduce((text, [name, value]) => {
      const line = new RegExp(`^${name} = .*$`, 'm')
      if (!line.test(text)) throw new Error(`wrangler.toml has no line ${name}`)
      return text.replace(line, () => `${name} = ${value}`)
    }, toml.slice(begin))
    await this.#writeToml(toml.slice(0, begin) + edited)
  }

  /** `npm run deploy`: the doctor has to find nothing. @param edits bugs of a new version */
  async deploy(edits: readonly Edit[] = []): Promise<void> {
    const { isRight, output } = await this.doctor()
    if (!isRight) throw new Error(output)
    await this.deployUnseen(edits)
  }

  /** `npx wrangler deploy --env production`, without the doctor. */
  async deployUnseen(edits: readonly Edit[] = []): Promise<void> {
    const outdir = join(this.folder, `worker-${++this.#builds}`)
    const worker = './test/rehearsal/driven-worker.ts'
    const modules = await buildWorker(ROOT, outdir, { worker, edits: [OWN_BEACON, ...edits] })
    this.#versions.push({ modules, toml: await this.#toml() })
    await this.restart()
  }

  /** `npx wrangler rollback --env production`. */
  async rollBack(): Promise<void> {
    this.#versions.pop()
    await this.#writeToml(this.#version.toml)
    await this.restart()
  }

  /** `npx wrangler secret put`, which deploys it at once. */
  async putSecret(name: string, value: string): Promise<void> {
    this.#secrets[name] = value
    await this.#writeSecrets()
    await this.restart()
  }

  /** `npm run doctor -- --env production`. */
  async doctor(): Promise<{ isRight: boolean; output: string }> {
    let output = ''
    const { log, warn, error } = console
    const print = (...texts: unknown[]) => (output += `${texts.join(' ')}\n`)
    Object.assign(console, { log: print, warn: print, error: print })
    try {
      const isRight = await examine(join(this.folder, 'wrangler.toml'), PRODUCTION)
      return { isRight, output: stripVTControlCharacters(output) }
    } finally {
      Object.assign(console, { log, warn, error })
    }
  }

  /** Stops the service. @param meanwhile before it starts again */
  async restart(meanwhile: () => Promise<void> = async () => {}): Promise<void> {
    await this.stop()
    await meanwhile()
    const { written } = await readSettings(join(this.folder, 'wrangler.toml'), PRODUCTION)
    this.#runtime = await startRuntime(
      this.folder,
      this.#version.modules,
      this.#storage,
      {
        ...(written as Record<string, string>),
        ...this.#secrets,
        DRIVER_PATH: this.#driverPath,
        AHEAD_MS: this.#aheadMs,
      },
      (line) => void this.logs.push(line),
      PRODUCTION,
    )
  }

  async stop(): Promise<void> {
    await this.#runtime?.close()
    this.#runtime = null
  }

  /** Has the platform do something. */
  async drive(order: DriverOrder): Promise<void> {
    const answer = await fetch(`${this.baseUrl}${this.#driverPath}`, {
      method: 'POST',
      body: JSON.stringify(order),
    })
    const { aheadMs } = await answer.json<{ aheadMs: number }>()
    this.#aheadMs = aheadMs
  }

  /** Returns what restores the state of a class of objects, or of a database, to the present time. */
  async bookmark(name: string): Promise<() => Promise<void>> {
    const folder = await this.#storageOf(name)
    const kept = join(this.folder, `bookmark-${randomUUID()}`)
    await this.restart(() => cp(folder, kept, { recursive: true }))
    return () =>
      this.restart(async () => {
        await rm(folder, { recursive: true })
        await cp(kept, folder, { recursive: true })
      })
  }

  database(binding: 'DB' | 'HISTORY'): Promise<D1Database> {
    if (!this.#runtime) throw new Error('the site is down')
    return this.#runtime.database(binding)
  }

  async close(): Promise<void> {
    await this.stop()
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 })
  }

  get #storage(): string {
    return join(this.folder, 'storage')
  }

  get #version(): Version {
    const version = this.#versions.at(-1)
    if (!version) throw new Error('nothing is deployed')
    return version
  }

  async #storageOf(name: string): Promise<string> {
    const all = await readdir(this.#storage, { recursive: true })
    const found = all.filter((path) => path.split('/').at(-1)?.endsWith(name))
    const [path] = found
    if (path === undefined) throw new Error(`no storage of ${name} among ${all.join(' ')}`)
    return join(this.#storage, path)
  }

  #toml(): Promise<string> {
    return readFile(join(this.folder, 'wrangler.toml'), 'utf8')
  }

  #writeToml(text: string): Promise<void> {
    return writeFile(join(this.folder, 'wrangler.toml'), text)
  }

  async #writeSecrets(): Promise<void> {
    const lines = Object.entries(this.#secrets).map(([name, value]) => `${name}='${value}'\n`)
    await writeFile(join(this.folder, '.dev.vars.production'), lines.join(''))
  }
}
