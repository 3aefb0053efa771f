import { describe, expect, it } from 'vitest'
import { unstable_readConfig } from 'wrangler'
import { ConfigError, loadConfig } from '../../../src/config/load.ts'

const { vars } = unstable_readConfig({ config: 'wrangler.toml' })
const limits = vars['CRASH_LIMITS'] as object
const partners = vars['PARTNERS'] as Record<string, object>

/** Returns what is wrong with local play whose settings differ. */
function problemsWith(fields: object): readonly string[] {
  const everything: object = { ...vars, ...fields }
  try {
    loadConfig(everything as Env)
    return []
  } catch (fault) {
    if (fault instanceof ConfigError) return fault.problems
    throw fault
  }
}

describe('a wrong setting', () => {
  it.each<[string, unknown, string]>([
    ['LOG_KEY', 'abc', 'LOG_KEY: must be the first line that `npm run --silent log-key'],
    ['RECEIPT_KEYS', 'abc', 'RECEIPT_KEYS: must be what `npm run --silent receipt-key`'],
    ['RPC_UPSTREAMS', '{', 'RPC_UPSTREAMS: must be the nodes of each chain id, such as {"1": ['],
    ['RPC_UPSTREAMS', '{"1": [], "1": []}', 'RPC_UPSTREAMS: must be the nodes of each chain id'],
    ['RPC_UPSTREAMS', { 1: ['wss://node.test'] }, 'RPC_UPSTREAMS.1[0]: must be a URL, such as'],
    ['RPC_UPSTREAMS', { 1: [] }, 'RPC_UPSTREAMS.1: must not be empty'],
    ['PARTNER_KEYS', 'abc', 'PARTNER_KEYS: must be JSON with each partner'],
    ['PARTNER_KEYS', '{"demo": {"a": "abc"}}', 'PARTNER_KEYS.demo.a: must have at least 32 bytes'],
    ['BOX_PEPPERS', '[]', 'BOX_PEPPERS: must be JSON with the pepper of each batch'],
    ['BOX_PEPPERS', '{"1": "abc"}', 'BOX_PEPPERS.1: must be 64 hex digits'],
    ['METRICS_TOKEN', 'abc', 'METRICS_TOKEN: must be 32 to 256 letters'],
    ['RELAYER_PRIVATE_KEY', 'abc', 'RELAYER_PRIVATE_KEY: must be a private key: 0x and 64 hex'],
    ['BOX_SIGNER_KEY', 'abc', 'BOX_SIGNER_KEY: must be a private key: 0x and 64 hex'],
    ['CHAIN_RPC_URL', 'abc', 'CHAIN_RPC_URL: must be a URL'],
    ['VAULT_ADDRESS', '0x12', 'VAULT_ADDRESS: must be an address: 0x and 40 hex digits'],
    ['OPERATORS', 'abc', 'OPERATORS: must have a role for each wallet'],
    ['OPERATORS', { '0x12': 'boss' }, 'OPERATORS.0x12: must be "viewer", "support", "treasurer"'],
    ['SITE_DOMAIN', undefined, 'SITE_DOMAIN: is missing'],
    ['SITE_ORIGIN', 'abc', 'SITE_ORIGIN: must be an origin'],
    ['SUPPORT_URL', 'javascript:alert(1)', 'SUPPORT_URL: must be a page or an address'],
    ['SUPPORT_URL', 'help@example.com', 'SUPPORT_URL: must be a page or an address'],
    ['LOCATION', 'mars', 'LOCATION: must be "wnam", "enam", "sam", "weur"'],
    ['CHAIN_ID', 'abc', 'CHAIN_ID: must be a whole number from 1 to'],
    ['CHAIN_ID', '-1.5', 'CHAIN_ID: must be a whole number from 1 to'],
    ['CRASH_EDGE_BPS', '', 'CRASH_EDGE_BPS: must be a whole number from 0 to'],
    ['CRASH_EDGE_BPS', false, 'CRASH_EDGE_BPS: must be a whole number from 0 to'],
    ['CRASH_EDGE_BPS', [], 'CRASH_EDGE_BPS: must be a whole number from 0 to'],
    ['CRASH_EDGE_BPS', null, 'CRASH_EDGE_BPS: must be a whole number from 0 to'],
    ['CRASH_EDGE_BPS', '1e2', 'CRASH_EDGE_BPS: must be a whole number from 0 to'],
    [
      'PARTNERS',
      { demo: { ...partners['demo'], debit: false } },
      'PARTNERS.demo: has an unknown name. It takes requireBodyHash, consent, debits,',
    ],
    ['CRASH_LIMITS', { ...limits, BTC: {} }, 'CRASH_LIMITS: has an unknown name. It takes ETH'],
    ['LOOTBOX', 'abc', 'LOOTBOX: must be a table with price, prizes, spinPrizes and'],
    ['SHARE_PROVIDERS', 'abc', 'SHARE_PROVIDERS: must be a list of sites'],
    ['AD_TIERS', 'abc', 'AD_TIERS: must be a list of tables with days'],
    ['PARTNERS', 'abc', 'PARTNERS: must be a table for each partner'],
    ['LOOTBOX_STOCKS', '{"STK": 1}', 'LOOTBOX_STOCKS.STK: must be a table with token, decimals'],
    ['WITHDRAWAL_MIN', '1', 'WITHDRAWAL_MIN: must be an amount for each token, such as {'],
    [
      'CRASH_LIMITS',
      { ...limits, ETH: { min: 'x', max: '1', maxPayout: '1', maxRoundPayout: '1' } },
      'CRASH_LIMITS.ETH.min: must be an amount in smallest units',
    ],
  ])('is one problem that says what it must be: %s = %j', (name, value, problem) => {
    const problems = problemsWith({ [name]: value })
    expect(problems).toEqual([expect.stringContaining(problem)])
    expect(problems.join()).not.toMatch(/Invalid|expected|received/)
  })

  it('does not repeat a secret that stands in place of a name', () => {
    const pepper = 'b0'.repeat(32)
    const problems = problemsWith({ BOX_PEPPERS: JSON.stringify({ [pepper]: '1' }) })
    expect(problems).toHaveLength(1)
    expect(problems.join()).not.toContain(pepper)
  })

  it('accepts an empty value where one is optional', () => {
    const secrets = ['LOG_KEY', 'RECEIPT_KEYS', 'PARTNER_KEYS', 'BOX_PEPPERS', 'METRICS_TOKEN']
    const tables = ['RPC_UPSTREAMS', 'OPERATORS', 'LOOTBOX_STOCKS']
    const empty = [...secrets, ...tables].map((name) => [name, ''])
    expect(problemsWith(Object.fromEntries(empty))).toEqual([])
  })
})
