import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-plugin'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    projects: [
      {
        test: { name: 'unit', include: ['test/unit/**/*.test.ts'] },
      },
      {
        plugins: [
          cloudflareTest({
            wrangler: { configPath: './wrangler.toml' },
            miniflare: {
              // No test reaches a network.
              outboundService: () => new Response('no network in tests', { status: 502 }),
              ratelimits: {
                READS: { namespace_id: '1001', simple: { limit: 5_000, period: 10 } },
                MONEY_CALLS: { namespace_id: '1002', simple: { limit: 60, period: 10 } },
              },
              bindings: { TEST_MIGRATIONS: await readD1Migrations('src/history/migrations') },
            },
          }),
        ],
        test: { name: 'workers', include: ['test/workers/**/*.test.ts'] },
      },
      {
        test: {
          name: 'scenarios',
          include: ['test/scenarios/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
})
