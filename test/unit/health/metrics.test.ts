import { describe, expect, it } from 'vitest'
import { expositionOf, type Metric } from '../../../src/health/exposition.ts'
import type { PartnerFacts } from '../../../src/health/facts.ts'
import { metricsOf } from '../../../src/health/metrics.ts'
import { goodFacts, NOW } from './facts.ts'

const SAMPLE = /^fairhouse_[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? -?\d+(\.\d+)?$/

const linesOf = (facts: Parameters<typeof metricsOf>[0]) =>
  expositionOf(metricsOf(facts)).trimEnd().split('\n')

describe('the text format', () => {
  it('has a help line, a type line and the samples of each metric', () => {
    const metric: Metric = {
      name: 'chips',
      type: 'gauge',
      help: 'Chips.',
      samples: [
        { value: 1 },
        { labels: { token: 'ETH', of: 'a "b"\\c\n' }, value: '0.000000000000000001' },
        { labels: { token: 'USDG' }, value: null },
      ],
    }
    expect(expositionOf([metric, { ...metric, name: 'none', samples: [{ value: null }] }])).toBe(
      [
        '# HELP fairhouse_chips Chips.',
        '# TYPE fairhouse_chips gauge',
        'fairhouse_chips 1',
        String.raw`fairhouse_chips{token="ETH",of="a \"b\"\\c\n"} 0.000000000000000001`,
        '',
      ].join('\n'),
    )
  })
})

describe('the metrics', () => {
  it('are samples of metrics with one name each', () => {
    const metrics = metricsOf(goodFacts())
    expect(new Set(metrics.map(({ name }) => name)).size).toBe(metrics.length)
    const samples = linesOf(goodFacts()).filter((line) => !line.startsWith('#'))
    for (const line of samples) expect(line).toMatch(SAMPLE)
    expect(new Set(samples).size).toBe(samples.length)
  })

  it('show amounts exactly, in whole tokens', () => {
    const lines = linesOf(goodFacts())
    expect(lines).toContain('fairhouse_owed{token="ETH"} 1.5')
    expect(lines).toContain('fairhouse_owed{token="USDG"} 97.5')
    expect(lines).toContain('fairhouse_house_result{token="ETH"} -0.25')
    expect(lines).toContain('fairhouse_relayer_balance_eth 0.5')
    expect(lines).toContain('fairhouse_pool_balance{asset="ETH"} 2.5')
    expect(lines).toContain('fairhouse_pool_balance{asset="REWARD"} 100')
    expect(lines).toContain('fairhouse_partner_credit_limit{partner="demo",token="USDG"} 10')
    expect(lines).toContain('fairhouse_partner_debt{partner="demo",token="USDG"} -1.5')
    expect(lines).toContain('fairhouse_partner_debt_limit{partner="demo",token="USDG"} 20')
    expect(lines).toContain('fairhouse_partner_new_players{partner="demo"} 3')
    expect(lines).toContain('fairhouse_partner_new_players_limit{partner="demo"} 100')
    expect(lines.join()).not.toContain('fairhouse_partner_debt{partner="demo",token="ETH"}')
  })

  it('show the price of gas even above what the relayer pays', () => {
    expect(linesOf(goodFacts())).toContain('fairhouse_gas_price_gwei 35.5')
  })

  it('show times in unix seconds, and ages in seconds', () => {
    const lines = linesOf(goodFacts())
    expect(lines).toContain(`fairhouse_chain_checked_timestamp_seconds ${NOW / 1_000 - 60}`)
    expect(lines).toContain('fairhouse_orders_oldest_age_seconds{kind="withdrawals"} 300')
    const newestDay = Date.UTC(2040, 0, 1) / 1_000
    expect(lines).toContain(`fairhouse_export_day_timestamp_seconds ${newestDay}`)
    expect(lines).toContain(`fairhouse_books_day_timestamp_seconds ${newestDay}`)
    expect(lines).toContain('fairhouse_orders_oldest_age_seconds{kind="prizes"} 0')
  })

  it('show the size of each database', () => {
    const { relayer, books, partners, ...others } = goodFacts()
    const lines = linesOf({
      ...others,
      relayer: { ...relayer, databaseBytes: 4_096 },
      books: { ...books, databaseBytes: 8_192 },
      partners: {
        demo: { ...(partners['demo'] as PartnerFacts), idsBytes: 12_288 },
        small: { ...(partners['demo'] as PartnerFacts), idsBytes: null },
        other: 'silent',
      },
    })
    const sizes = lines.filter((line) => line.startsWith('fairhouse_database_bytes'))
    expect(sizes).toHaveLength(9)
    expect(sizes).toContain('fairhouse_database_bytes{class="Relayer"} 4096')
    expect(sizes).toContain('fairhouse_database_bytes{class="Daybook"} 8192')
    expect(sizes).toContain('fairhouse_database_bytes{class="PartnerIds",partner="demo"} 12288')
  })

  it('leave out what is off or does not answer, except that it is not up', () => {
    const lines = linesOf({ ...goodFacts(), relayer: 'silent', solvency: 'off' })
    expect(lines).toContain('fairhouse_part_up{part="relayer"} 0')
    expect(lines.filter((line) => /fairhouse_(relayer|orders|solvency)_/.test(line))).toEqual([])
    expect(lines.some((line) => line.includes('part="solvency"'))).toBe(false)
  })
})
