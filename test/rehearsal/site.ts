import { randomBytes, randomUUID } from 'node:crypto'
import { cp, mkdtemp, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import type { Json } from 'miniflare'
import { examine } from '../../src/cli/doctor/examine.ts'
import { readSettings } from '../../src/cli/doctor/settings.ts'
import { OPERATED, writeProduction } from '../../src/cli/production/configuration.ts'
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
const DATABASES = ['DB', 'HISTORY']
  .map((name, index) => `${name} = "0d1c5a3e-0000-4000-8000-00000000000${index + 1}"\n`)
  .join('')

export const ORIGIN = 'https://play.fairhouse.internal'

export function newLogKey(): string {
  return writeSignerKey(signerKey(logOrigin(ORIGIN), new Uint8Array(randomBytes(32))))
}

/** What is deployed at a time. */
interface Version {
  modules: Modules
  /** Its variables. */
  written: Record<string, Json>
}

/** A site in production on this machine, as its owner has it: settings, secrets, and what is deployed. */
export class Site {
  /** Where wrangler.toml and fairhouse.toml are. */
  readonly folder: string
  readonly logs: string[] = []
  readonly metricsToken = randomBytes(32).toString('hex')
  /** The key of its public log. */
  readonly logKey = newLogKey()
  readonly #driverPath = `/${randomUUID()}`
  readonly #versions: Version[] = []
  readonly #secrets: Record<string, string>
  /** The variables in fairhouse.toml, as they are written there. */
  readonly #vars: Record<string, string> = {}
  /** Whether the newest version is deployed. After a rollback it isn't, and Cloudflare changes no secret. */
  #hasNewest = false
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

  /** @param vars of fairhouse.toml, in TOML */
  static async create(
    vars: Record<string, string>,
    secrets: Record<string, string>,
  ): Promise<Site> {
    const site = new Site(await mkdtemp(join(tmpdir(), 'fairhouse-rehearsal-')), secrets)
    await cp(join(ROOT, 'wrangler.toml'), join(site.folder, 'wrangler.toml'))
    await symlink(join(ROOT, 'src'), join(site.folder, 'src'))
    await site.edit({
      SITE_DOMAIN: JSON.stringify(new URL(ORIGIN).host),
      SITE_ORIGIN: JSON.stringify(ORIGIN),
      SUPPORT_URL: '"mailto:help@fairhouse.internal"',
      ...vars,
    })
    await site.#writeSecrets()
    return site
  }

  get baseUrl(): string {
    if (!this.#runtime) throw new Error('the site is down')
    return this.#runtime.worker.replace(/\/$/, '')
  }

  get aheadMs(): number {
    return this.#aheadMs
  }

  /** Sets variables in fairhouse.toml, each in TOML. */
  async edit(vars: Record<string, string>): Promise<void> {
    Object.assign(this.#vars, vars)
    const lines = Object.entries(this.#vars).map(([name, value]) => `${name} = ${value}\n`)
    const text = `[databases]\n${DATABASES}[vars]\n${lines.join('')}`
    await writeFile(join(this.folder, OPERATED), text)
  }

  /** `npm run deploy`: the doctor has to find nothing. @param edits bugs of a new version */
  async deploy(edits: readonly Edit[] = []): Promise<void> {
    const { isRight, output } = await this.doctor()
    if (!isRight) throw new Error(output)
    await this.deployUnseen(edits)
  }

  /** Deploys past the doctor. */
  async deployUnseen(edits: readonly Edit[] = []): Promise<void> {
    const outdir = join(this.folder, `worker-${++this.#builds}`)
    const worker = './test/rehearsal/driven-worker.ts'
    const modules = await buildWorker(ROOT, outdir, { worker, edits: [OWN_BEACON, ...edits] })
    const { written } = await readSettings(await writeProduction(this.folder), PRODUCTION)
    this.#versions.push({ modules, written: written as Version['written'] })
    this.#hasNewest = true
    await this.restart()
  }

  /** `npm run production -- rollback`. The settings stay as they are. */
  async rollBack(): Promise<void> {
    this.#versions.pop()
    this.#hasNewest = false
    await this.restart()
  }

  /** Goes back as reference/upgrades.md says. */
  async goBack(): Promise<void> {
    await this.rollBack()
    await this.deploy()
  }

  /** `npm run production -- secret put`, which deploys it at once. */
  putSecret(name: string, value: string): Promise<void> {
    return this.#setSecrets({ [name]: value })
  }

  /** Changes secrets in their file, and runs `npm run production -- secret bulk` with it. */
  async changeSecrets(values: Readonly<Record<string, string>>): Promise<void> {
    await this.#setSecrets(values, async () => {
      const { isRight, output } = await this.doctor('settings')
      if (!isRight) throw new Error(output)
    })
  }

  /** `npm run doctor -- --env production`. */
  async doctor(
    what: 'everything' | 'settings' = 'everything',
  ): Promise<{ isRight: boolean; output: string }> {
    let output = ''
    const { log, warn, error } = console
    const print = (...texts: unknown[]) => (output += `${texts.join(' ')}\n`)
    Object.assign(console, { log: print, warn: print, error: print })
    try {
      const isRight = await examine(await writeProduction(this.folder), PRODUCTION, what)
      return { isRight, output: stripVTControlCharacters(output) }
    } finally {
      Object.assign(console, { log, warn, error })
    }
  }

  /** Stops the service. @param meanwhile before it starts again */
  async restart(meanwhile: () => Promise<void> = async () => {}): Promise<void> {
    await this.stop()
    await meanwhile()
    const { modules, written } = this.#version
    this.#runtime = await startRuntime(
      this.folder,
      modules,
      this.#storage,
      {
        ...written,
        ...this.#secrets,
        DRIVER_PATH: this.#driverPath,
        AHEAD_MS: this.#aheadMs,
      },
      (line) => void this.logs.push(line),
      { config: await writeProduction(this.folder), environment: PRODUCTION },
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

  /**
   * Returns what restores a class of objects, or a database, to its present state. Restoring returns what undoes it:
   * the state immediately before, as the platform's own bookmark for that. Whatever happened in between must not be
   * lost.
   */
  async bookmark(name: string): Promise<() => Promise<() => Promise<void>>> {
    const folder = await this.#storageOf(name)
    const bookmarked = () => join(this.folder, `bookmark-${randomUUID()}`)
    const kept = bookmarked()
    await this.restart(() => cp(folder, kept, { recursive: true }))
    return async () => {
      const latest = bookmarked()
      await this.restart(async () => {
        await rename(folder, latest)
        await cp(kept, folder, { recursive: true })
      })
      return () =>
        this.restart(async () => {
          await rm(folder, { recursive: true })
          await rename(latest, folder)
        })
    }
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

  async #setSecrets(
    values: Readonly<Record<string, string>>,
    check: () => Promise<void> = async () => {},
  ): Promise<void> {
    if (!this.#hasNewest) throw new Error("10215: the latest version isn't currently deployed")
    Object.assign(this.#secrets, values)
    await this.#writeSecrets()
    await check()
    await this.restart()
  }

  async #writeSecrets(): Promise<void> {
    const lines = Object.entries(this.#secrets).map(([name, value]) => `${name}='${value}'\n`)
    await writeFile(join(this.folder, '.dev.vars.production'), lines.join(''))
  }
}
