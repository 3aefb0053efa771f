import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { GROUPS } from '../../src/certify/cases.ts'
import { certify, type Access, type Result } from '../../src/certify/certify.ts'
import { ENOUGH } from '../../src/certify/limits.ts'
import {
  DEV_PARTNER,
  devPartnerKeys,
  OTHER_DEV_PARTNER,
} from '../../src/cli/shared/dev-partners.ts'
import { startRuntime, type Runtime } from '../bench/runtime.ts'
import type { Modules } from '../bench/worker-bundle.ts'
import { BREAKS } from './breaks.ts'
import { CompiledWorker } from './compiled-worker.ts'

const ROOT = join(import.meta.dirname, '../..')

const AS_DEMO = {
  partner: DEV_PARTNER,
  other: OTHER_DEV_PARTNER,
  nextSecret: DEV_PARTNER.next?.secret ?? null,
}

/** The development partners, with no more than the limits that the guide calls enough. */
const PARTNERS = {
  [DEV_PARTNER.id]: limited({ requireBodyHash: false, consent: 'implied' }),
  [OTHER_DEV_PARTNER.id]: limited({ requireBodyHash: true, consent: 'required' }),
}

let folder: string
let worker: CompiledWorker
/** With empty databases, which builds copy instead of migrating their own. */
let storage: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairhouse-breaks-'))
  worker = await CompiledWorker.create(ROOT, join(folder, 'worker'))
  storage = join(folder, 'storage')
  const runtime = await serve(await worker.breakInto(join(folder, 'correct'), []), storage)
  await runtime.close()
})

afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))

describe('the certification kit', () => {
  it('has a broken build for every case', () => {
    const seen = new Set(BREAKS.flatMap(({ seenBy }) => seenBy))
    const all = GROUPS.flatMap(({ cases }) => cases.map(({ title }) => title))
    expect(all.filter((title) => !seen.has(title))).toEqual([])
    expect([...seen].filter((title) => !all.includes(title))).toEqual([])
  })

  it('has a unique title for every case', () => {
    const all = GROUPS.flatMap(({ cases }) => cases.map(({ title }) => title))
    expect(new Set(all).size).toBe(all.length)
  })

  it('finds nothing wrong with the correct build', async () => {
    const results = await certifyBuild([], () => true)
    expect(results.filter(({ outcome }) => outcome !== 'passed')).toEqual([])
    expect(results.filter(({ isClean }) => !isClean)).toEqual([])
  })

  it('finds nothing wrong for a partner whose players must permit its debits', async () => {
    const access = { partner: OTHER_DEV_PARTNER, other: DEV_PARTNER, nextSecret: null }
    const results = await certifyBuild([], () => true, access)
    expect(results.filter(({ outcome }) => outcome === 'failed')).toEqual([])
    expect(results.filter(({ isClean }) => !isClean)).toEqual([])
  })

  // Several at once: each has a build and a runtime of its own, and mostly waits.
  it.concurrent.each(BREAKS)('detects that $name', async ({ edits, seenBy }) => {
    const results = await certifyBuild(edits, (title) => seenBy.includes(title))
    expect(results.filter(({ problem }) => problem?.includes('fetch failed'))).toEqual([])
    const missed = results.filter(({ outcome }) => outcome !== 'failed')
    expect(missed.map(({ title }) => title)).toEqual([])
    expect(results).toHaveLength(seenBy.length)
  })
})

/** Certifies a build of the sources with some texts changed, running only some cases. */
async function certifyBuild(
  edits: (typeof BREAKS)[number]['edits'],
  includes: (title: string) => boolean,
  access: Omit<Access, 'restart'> = AS_DEMO,
): Promise<Result[]> {
  const dir = await mkdtemp(join(folder, 'build-'))
  const own = join(dir, 'storage')
  await cp(storage, own, { recursive: true })
  const modules = await worker.breakInto(join(dir, 'worker'), edits)
  const again = () => serve(modules, own)
  const service = new Restartable(await again(), again)
  try {
    return await certify(
      () => service.url,
      { ...access, restart: () => service.restart() },
      { includes, tell: () => {} },
    )
  } finally {
    await service.close()
    await rm(dir, { recursive: true, force: true, maxRetries: 5 })
  }
}

function serve(modules: Modules, kept: string): Promise<Runtime> {
  return startRuntime(ROOT, modules, kept, { PARTNERS, PARTNER_KEYS: devPartnerKeys() }, () => {})
}

function limited(terms: { requireBodyHash: boolean; consent: string }) {
  const wei = ({ USDG, ETH }: { USDG: number; ETH: number }) => ({
    ETH: `${ETH}${'0'.repeat(18)}`,
    USDG: `${USDG}${'0'.repeat(6)}`,
  })
  return {
    ...terms,
    debits: true,
    maxCredit: wei(ENOUGH.credit),
    maxNetCreditPerDay: wei(ENOUGH.dayAndHour),
    maxDebitPerHour: wei(ENOUGH.dayAndHour),
    maxNewPlayersPerDay: ENOUGH.newPlayers,
    settled: { ETH: '0', USDG: '0' },
  }
}

/** Runs a runtime on its own port, a new one after each restart, with the same storage. */
class Restartable {
  #runtime: Runtime
  readonly #start: () => Promise<Runtime>

  constructor(runtime: Runtime, start: () => Promise<Runtime>) {
    this.#runtime = runtime
    this.#start = start
  }

  get url(): URL {
    return new URL(this.#runtime.worker)
  }

  async restart(): Promise<void> {
    await this.#runtime.close()
    this.#runtime = await this.#start()
  }

  close(): Promise<void> {
    return this.#runtime.close()
  }
}
