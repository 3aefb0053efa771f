import { join } from 'node:path'
import { unstable_readConfig } from 'wrangler'
import { devLogKey } from '../../src/cli/shared/dev-log-key.ts'
import { DEV_PARTNER, devPartnerKeys } from '../../src/cli/shared/dev-partners.ts'
import { devBoxSigner, devRelayer } from '../../src/cli/shared/dev-players.ts'
import { DAY_MS, dayAt } from '../../src/core/utc-day.ts'
import { PARTNER_LIMITS } from './invariants/partners.ts'
import { prepareSignatures } from './wallets.ts'
import { atCommit } from './worktree.ts'
import { bundleWorker, type Edit } from './world/bundle.ts'
import { d1Migrations } from './world/d1.ts'
import { GLOBALS, Program } from './world/isolates.ts'
import { TEST_BEACON } from './world/relays.ts'
import { NOON, type Setting } from './world/world.ts'

/** What a process needs to play histories: plain data, which worker threads can be sent. */
export type SettingData = Omit<Setting, 'programs'> & { codes: readonly string[] }

/** The parts of wrangler.toml that the simulation needs. */
interface WranglerConfig {
  vars: Record<string, unknown>
  d1_databases: { binding: string }[]
  durable_objects: { bindings: { name: string; class_name: string }[] }
  r2_buckets: { binding: string }[]
  ratelimits: { name: string }[]
}

/** A key for the beacon, and constants of the service that no short history would reach. */
const FOR_HISTORIES: readonly Edit[] = [
  TEST_BEACON,
  ['src/ledger/capacity.ts', 'SEGMENT_ENTRIES = 10_000', 'SEGMENT_ENTRIES = 6'],
  ['src/ledger/capacity.ts', 'PROJECTION_DELAY_MS = 300_000', 'PROJECTION_DELAY_MS = 15_000'],
  ['src/transparency/tiles.ts', 'TILE_WIDTH = 256', 'TILE_WIDTH = 4'],
  ['src/ledger/capacity.ts', 'ARCHIVE_AFTER_MS = 600_000', 'ARCHIVE_AFTER_MS = 15_000'],
]

/** Few enough withdrawals a day that some of a history wait. */
const GAS_A_DAY = '1000000'

const ROOT = join(import.meta.dirname, '../..')

/** Bundles the Worker for histories. @param edits deliberate breaks */
export function readSetting(edits: readonly Edit[] = []): Promise<SettingData> {
  return readService([...FOR_HISTORIES, ...edits])
}

/** Bundles the Worker for histories of a gradual deployment. @param commit of the version that runs beside this one */
export async function readDeployment(commit: string): Promise<SettingData> {
  const data = await readSetting()
  const before = await atCommit(commit, ROOT, (folder) => bundleWorker(folder, FOR_HISTORIES))
  return { ...data, codes: [...data.codes, before] }
}

/** Bundles the Worker and reads its configuration for local play. @param edits to its sources */
export async function readService(edits: readonly Edit[]): Promise<SettingData> {
  const config = unstable_readConfig({
    config: join(ROOT, 'wrangler.toml'),
  }) as unknown as WranglerConfig
  const databases = config.d1_databases.map(({ binding }) => binding)
  return {
    codes: [await bundleWorker(ROOT, edits)],
    vars: {
      ...config.vars,
      PARTNERS: limited(config.vars['PARTNERS']),
      RELAYER_GAS_ALLOWANCE: GAS_A_DAY,
      PARTNER_KEYS: devPartnerKeys(),
      LOG_KEY: devLogKey(String(config.vars['SITE_ORIGIN'])),
    },
    objectBindings: Object.fromEntries(
      config.durable_objects.bindings.map(({ name, class_name }) => [name, class_name]),
    ),
    databases: Object.fromEntries(databases.map((name) => [name, d1Migrations(ROOT, name)])),
    buckets: config.r2_buckets.map(({ binding }) => binding),
    relayer: devRelayer(),
    boxSigner: devBoxSigner(),
    rateLimits: config.ratelimits.map(({ name }) => name),
  }
}

/** Returns the partners of local play, the first with low limits. */
function limited(partners: unknown): object {
  const all = partners as Record<string, Record<string, Record<string, string>>>
  const { creditWei, netCreditPerDayWei, debitPerHourWei } = PARTNER_LIMITS
  const demo = all[DEV_PARTNER.id]
  const withUsdg = (amounts: object | undefined, amountWei: bigint) => ({
    ...amounts,
    USDG: amountWei.toString(),
  })
  return {
    ...all,
    [DEV_PARTNER.id]: {
      ...demo,
      maxCredit: withUsdg(demo?.['maxCredit'], creditWei),
      maxNetCreditPerDay: withUsdg(demo?.['maxNetCreditPerDay'], netCreditPerDayWei),
      maxDebitPerHour: withUsdg(demo?.['maxDebitPerHour'], debitPerHourWei),
    },
  }
}

/** Prepares this process for histories. */
export async function prepare({ codes, ...rest }: SettingData): Promise<Setting> {
  const today = dayAt(NOON)
  await prepareSignatures([today, dayAt(NOON + DAY_MS), dayAt(NOON + 2 * DAY_MS)])
  return { ...rest, programs: codes.map((code) => new Program(code, GLOBALS)) }
}
