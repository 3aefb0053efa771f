import { describe, expect, it } from 'vitest'
import { unstable_readConfig } from 'wrangler'
import { loadConfig } from '../../../src/config/load.ts'

const { vars } = unstable_readConfig({ config: 'wrangler.toml' })
const [POOL, TOKEN, OTHER] = ['1', '2', '3'].map((digit) => `0x${digit.repeat(40)}`)
const table = vars['LOOTBOX'] as { prizes: { asset: string }[]; spinPrizes: object[] }
const nothing = (prizes: object[]) => prizes.map((prize) => ({ ...prize, amountWei: '0' }))
const STOCK = { token: TOKEN, decimals: 18, feed: OTHER }

const whole = {
  LOOTBOX_POOL: POOL,
  REWARD_TOKEN_ADDRESS: TOKEN,
  WETH_ADDRESS: OTHER,
  VAULT_ADDRESS: OTHER,
  USDG_ADDRESS: TOKEN,
  CHAIN_RPC_URL: 'http://chain.test',
  RELAYER_PRIVATE_KEY: `0x${'1'.repeat(64)}`,
  LOOTBOX_STOCKS: { STK: STOCK },
}

function withLootbox(fields: object) {
  const everything: object = { ...vars, ...whole, ...fields }
  return loadConfig(everything as Env)
}

describe('a lootbox', () => {
  it('is configured completely or not at all', () => {
    expect(withLootbox({}).lootbox).toMatchObject({ pool: POOL, rewardToken: TOKEN })
    expect(withLootbox({ LOOTBOX_POOL: '' }).lootbox).toBeNull()
  })

  it('gives no free spins unless an operator sets their number', () => {
    const { spinDailyLimit, ...unset } = vars['LOOTBOX'] as { spinDailyLimit: number }
    expect(spinDailyLimit).toBeGreaterThan(0)
    const SHARE_PROVIDERS = [
      { name: 'x', hosts: ['x.com'], postPath: '^/(1)$', endpoint: 'https://x.com/oembed' },
    ]
    const { lootbox } = withLootbox({ LOOTBOX: unset, SHARE_PROVIDERS })
    expect(lootbox).toMatchObject({ spinDailyLimit: 0, shareProviders: [] })
    const production = unstable_readConfig({ config: 'wrangler.toml', env: 'production' })
    expect(production.vars['LOOTBOX']).toMatchObject({ spinDailyLimit: 0 })
  })

  it.each([
    ['without its reward token', { REWARD_TOKEN_ADDRESS: '' }],
    ['without a coin to swap', { WETH_ADDRESS: '' }],
    ['without a relayer', { VAULT_ADDRESS: '' }],
    ['for nothing', { LOOTBOX: { ...table, price: '0' } }],
    ['with a prize that is not for sale', { LOOTBOX_STOCKS: '' }],
    ['with a stock named like the coin', { LOOTBOX_STOCKS: { STK: STOCK, ETH: STOCK } }],
    ['with odds that are incomplete', { LOOTBOX: { ...table, prizes: table.prizes.slice(1) } }],
    ['with prizes of nothing', { LOOTBOX: { ...table, prizes: nothing(table.prizes) } }],
    [
      'with free spins for nothing',
      { LOOTBOX: { ...table, spinPrizes: nothing(table.spinPrizes) } },
    ],
    ['where ads are paid to its pool', { PROTOCOL_WALLET: POOL }],
  ])('is refused %s', (_what, fields) => {
    expect(() => withLootbox(fields)).toThrow()
  })
})
