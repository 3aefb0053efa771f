import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-plugin'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { devLogKey } from './src/cli/shared/dev-log-key.ts'
import { devPartnerKeys } from './src/cli/shared/dev-partners.ts'
import {
  AWARD_ADDRESS,
  BOX_NFT_ADDRESS,
  BOX_PEPPER,
  BOX_SIGNER,
  FEED_ADDRESS,
  LOOTBOX,
  POOL_ADDRESS,
  POSTS,
  privateKeyOf,
  RELAYER,
  REWARD_TOKEN_ADDRESS,
  STOCK_ADDRESS,
  USDG_ADDRESS,
  VAULT_ADDRESS,
  WETH_ADDRESS,
} from './test/chain/accounts.ts'
import { startChain } from './test/chain/anvil.ts'
import { keepFilesInMemory } from './test/shared/memory-folder.ts'
import { METRICS_TOKEN } from './test/shared/metrics-token.ts'
import { RECEIPT_KEYS } from './test/shared/receipt-keys.ts'

keepFilesInMemory()

const migrations = {
  DB: await readD1Migrations('src/history/migrations/db'),
  HISTORY: await readD1Migrations('src/history/migrations/history'),
}
const ratelimits = {
  READS: { namespace_id: '1001', simple: { limit: 5_000, period: 10 as const } },
  MONEY_CALLS: { namespace_id: '1002', simple: { limit: 300, period: 10 as const } },
  SIGNED_CALLS: { namespace_id: '1005', simple: { limit: 5_000, period: 10 as const } },
  BRIDGE_CALLS: { namespace_id: '1003', simple: { limit: 300, period: 10 as const } },
  RPC_CALLS: { namespace_id: '1004', simple: { limit: 200, period: 10 as const } },
}

/** In milliseconds. Generous, so that no test fails on a slow machine; one that hangs still ends. */
const PATIENCE = { testTimeout: 600_000, hookTimeout: 600_000 }

/** For tests that start a whole service. */
const OF_SERVICES = { globalSetup: './test/scenarios/ready-checkout.ts', ...PATIENCE }

/** Packages with many modules. The Workers runtime fetches modules one by one, so each package is served as one. */
const BUNDLED = [
  '@hyperjump/json-schema/openapi-3-1',
  '@noble/curves/bls12-381',
  '@noble/curves/ed25519',
  '@noble/hashes/hmac',
  '@noble/hashes/sha2',
  '@noble/hashes/sha3',
  '@noble/hashes/utils',
  'hono',
  'hono/body-limit',
  'hono/html',
  'jose',
  'viem',
  'viem/accounts',
  'yaml',
  'zod',
]

/** For tests inside the Workers runtime. Each test starts with empty storage, so files can share a runtime. */
const IN_RUNTIME = {
  isolate: false,
  deps: { optimizer: { ssr: { enabled: true, include: BUNDLED } } },
  ...PATIENCE,
}

const OF_BROWSERS = {
  ...OF_SERVICES,
  globalSetup: [OF_SERVICES.globalSetup, './test/browser/unpack.ts'],
}
/** Long by nature: a fifth game is compiled, and flights end when they end. */
const LONG_STORIES = ['fifth-game', 'crash-page', 'crash-live-page'].map(
  (name) => `test/browser/${name}.test.ts`,
)

/** The files that take half a minute or more, longest first: of the services, other files wait for all to end. */
const LONGEST = [
  'broken-builds',
  'local-chain',
  'crash-page',
  'kill',
  'lying-house',
  'fuzz',
  'fifth-game',
  'crash-live-page',
  'lying-about-results',
  'prizes-page',
  'story-page',
  'simulation',
  'production',
  'games-page',
  'cashier-page',
  'accounts-page',
  'certify',
  'fun-page',
  'strategies-page',
  'table-page',
  'treasury',
  'restored-database',
  'relayer-nonces',
  'crash-stream',
  'vault-readings',
  'idle',
]

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const named = (name: string) =>
      sorted.filter((file) => file.moduleId.endsWith(`/${name}.test.ts`))
    const services = sorted.filter(({ project }) => ['browser', 'scenarios'].includes(project.name))
    return [...new Set([...LONGEST.flatMap(named), ...services, ...sorted])]
  }
}

export default defineConfig({
  test: {
    // More than two cores have, because stories of started services mostly wait.
    maxWorkers: 4,
    maxConcurrency: 3,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts'],
          isolate: false,
          unstubGlobals: true,
          ...PATIENCE,
        },
      },
      {
        plugins: [
          cloudflareTest({
            wrangler: { configPath: './wrangler.toml' },
            miniflare: {
              // No test reaches a network.
              outboundService: () => new Response('no network in tests', { status: 502 }),
              ratelimits,
              bindings: {
                TEST_MIGRATIONS: migrations,
                PARTNER_KEYS: devPartnerKeys(),
                RECEIPT_KEYS,
                METRICS_TOKEN,
                LOG_KEY: devLogKey('http://localhost:8787'),
              },
            },
          }),
        ],
        test: { name: 'workers', include: ['test/workers/**/*.test.ts'], ...IN_RUNTIME },
      },
      {
        plugins: [
          // Called once per runtime: each has its own chain.
          cloudflareTest(async () => ({
            wrangler: { configPath: './wrangler.toml' },
            miniflare: {
              outboundService: await startChain(),
              ratelimits,
              bindings: {
                TEST_MIGRATIONS: migrations,
                PARTNER_KEYS: devPartnerKeys(),
                RECEIPT_KEYS,
                METRICS_TOKEN,
                LOG_KEY: devLogKey('http://localhost:8787'),
                CHAIN_RPC_URL: 'http://chain.test',
                // The treasurer of local play.
                OPERATOR_CONTRACTS: ['0x71bE63f3384f5fb98995898A86B02Fb2426c5788'],
                VAULT_ADDRESS,
                USDG_ADDRESS,
                RELAYER_PRIVATE_KEY: privateKeyOf(RELAYER),
                // Little, so that only stories about it meet it.
                WITHDRAWAL_MIN_PER_GWEI: { ETH: '10', USDG: '10' },
                BOX_NFT_ADDRESS,
                AWARD_ADDRESS,
                BOX_SIGNER_KEY: privateKeyOf(BOX_SIGNER),
                LOOTBOX_POOL: POOL_ADDRESS,
                REWARD_TOKEN_ADDRESS,
                WETH_ADDRESS,
                LOOTBOX,
                SHARE_PROVIDERS: [POSTS],
                LOOTBOX_STOCKS: { STK: { token: STOCK_ADDRESS, decimals: 18, feed: FEED_ADDRESS } },
                BOX_PEPPERS: JSON.stringify({ 1: BOX_PEPPER }),
              },
            },
          })),
        ],
        test: { name: 'chain', include: ['test/chain/**/*.test.ts'], ...IN_RUNTIME },
      },
      {
        test: {
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          exclude: LONG_STORIES,
          ...OF_BROWSERS,
        },
      },
      { test: { name: 'scenarios', include: ['test/scenarios/**/*.test.ts'], ...OF_SERVICES } },
      // Needs promtool, so `npm test` leaves it out: `npm run test:ops`.
      {
        test: {
          name: 'ops',
          include: ['test/rehearsal/**/*.test.ts'],
          env: { WRANGLER_LOG: 'error' },
          ...PATIENCE,
        },
      },
      // Measures and asserts nothing: `npm run bench:page`.
      { test: { name: 'speed', include: ['test/bench/page-speed.test.ts'], ...OF_BROWSERS } },
      // Long by nature, so `npm test` leaves it out: `npm run test:deep`.
      {
        test: {
          name: 'deep',
          include: [
            'test/certify/**/*.test.ts',
            'test/fuzz/**/*.test.ts',
            'test/kill/**/*.test.ts',
            'test/lying-house/**/*.test.ts',
            ...LONG_STORIES,
          ],
          ...OF_BROWSERS,
        },
      },
    ],
  },
})
