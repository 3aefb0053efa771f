import { describe, expect, it } from 'vitest'
import { unstable_readConfig } from 'wrangler'
import { devLogKey, newDevLogKey } from '../../../src/cli/shared/dev-log-key.ts'
import { devPartnerKeys } from '../../../src/cli/shared/dev-partners.ts'
import { devPlayer } from '../../../src/cli/shared/dev-players.ts'
import { ConfigError, loadConfig } from '../../../src/config/load.ts'
import { drawableFrom } from '../../../src/relayer/gas.ts'
import { logOrigin } from '../../../src/transparency/checkpoint.ts'
import { signerKey, writeSignerKey } from '../../../src/transparency/note.ts'

const varsOf = (env?: string) =>
  unstable_readConfig({ config: 'wrangler.toml', ...(env !== undefined && { env }) }).vars
const [VAULT, USDG] = ['1', '2'].map((digit) => `0x${digit.repeat(40)}`)
const [KEY, OTHER_KEY] = ['3', '4'].map((digit) => `0x${digit.repeat(64)}`)

/** A vault and a site as set by an operator. */
const OPERATED = {
  SITE_DOMAIN: 'play.fairhouse.internal',
  SITE_ORIGIN: 'https://play.fairhouse.internal',
  CHAIN_ID: '1',
  CHAIN_RPC_URL: 'https://node.fairhouse.internal',
  VAULT_ADDRESS: VAULT,
  VAULT_START_BLOCK: '20000000',
  USDG_ADDRESS: USDG,
  RELAYER_PRIVATE_KEY: KEY,
  CHAIN_CONFIRMATIONS: '12',
}
const BOXES = {
  BOX_NFT_ADDRESS: VAULT,
  BOX_NFT_START_BLOCK: '20000001',
  AWARD_ADDRESS: USDG,
  BOX_SIGNER_KEY: OTHER_KEY,
  BOX_PEPPERS: JSON.stringify({ 1: 'b0'.repeat(32) }),
}
const keyOf = (site: string) =>
  writeSignerKey(signerKey(logOrigin(site), new Uint8Array(32).fill(7)))
const [production, local] = [varsOf('production'), varsOf()]

function start(vars: object, fields: object) {
  const everything: object = { ...vars, ...fields }
  return loadConfig(everything as Env)
}

const inProduction = (fields: object = {}) => start(production, { ...OPERATED, ...fields })

describe('production starts', () => {
  it('with a vault and a site of its own', () => {
    expect(inProduction().vault?.address).toBe(VAULT)
    expect(inProduction(BOXES).boxes?.contract).toBe(VAULT)
    expect(inProduction().log).toBeNull()
    const LOG_KEY = keyOf(OPERATED.SITE_ORIGIN)
    expect(inProduction({ LOG_KEY }).log?.origin).toBe('play.fairhouse.internal/log')
    const seed = new Uint8Array(32).fill(8)
    const next = writeSignerKey(signerKey(logOrigin(OPERATED.SITE_ORIGIN, 2), seed))
    expect(inProduction({ LOG_KEY: next }).log?.generation).toBe(2)
  })

  it.each<[string, object]>([
    ['on a chain that is final at once', { CHAIN_ID: '43114', CHAIN_CONFIRMATIONS: '1' }],
    [
      'on a chain that nobody knows, two epochs deep',
      { CHAIN_ID: '777', CHAIN_CONFIRMATIONS: '64' },
    ],
    ['with a node on its own machine', { CHAIN_RPC_URL: 'http://127.0.0.1:8545' }],
    ['without a chain', { CHAIN_RPC_URL: '', VAULT_ADDRESS: '', CHAIN_CONFIRMATIONS: '1' }],
  ])('%s', (_what, fields) => {
    expect(inProduction(fields).environment).toBe('production')
  })
})

it('production pays the gas of at most seven withdrawals of a plain wallet in a day', () => {
  const allowance = inProduction().vault?.relayer.gasAllowance ?? 0n
  const gas = 70_000n
  const paid = (count: number) => Array.from({ length: count }, (_, at) => ({ at, gas }))
  expect(drawableFrom(paid(6), gas, allowance)).toBe(0)
  expect(drawableFrom(paid(7), gas, allowance)).toBeGreaterThan(0)
})

const everyDevKey = Array.from({ length: 20 }, (_, index) => devPlayer(index).privateKey)

describe('production does not start', () => {
  it.each<[string, object, string]>([
    ['as configured in wrangler.toml', { ...production }, 'play.example.com is an example'],
    ['with an http origin', { SITE_ORIGIN: 'http://play.fairhouse.internal' }, 'must use https'],
    ['with an example domain', { SITE_DOMAIN: 'Play.Example.Org:443' }, 'is an example'],
    [
      'with a domain that its origin does not have',
      { SITE_DOMAIN: 'old.fairhouse.internal' },
      'Set SITE_DOMAIN to play.fairhouse.internal',
    ],
    ['with an example origin', { SITE_ORIGIN: 'https://fairhouse.test' }, 'is an example'],
    ['at localhost', { SITE_ORIGIN: 'https://localhost:8787' }, 'is an example'],
    ['from block 0', { VAULT_START_BLOCK: '0' }, 'VAULT_START_BLOCK is 0'],
    ['with boxes from block 0', { ...BOXES, BOX_NFT_START_BLOCK: '0' }, 'BOX_NFT_START_BLOCK is 0'],
    ['with 11 confirmations on Ethereum', { CHAIN_CONFIRMATIONS: '11' }, 'Set it to 12 or more'],
    [
      'with 255 confirmations on Polygon',
      { CHAIN_ID: '137', CHAIN_CONFIRMATIONS: '255' },
      'Set it to 256 or more',
    ],
    [
      'with 63 confirmations on a chain that nobody knows',
      { CHAIN_ID: '777', CHAIN_CONFIRMATIONS: '63' },
      'Set it to 64 or more',
    ],
    [
      'with a development key as the box signer',
      { ...BOXES, BOX_SIGNER_KEY: devPlayer(6).privateKey },
      'BOX_SIGNER_KEY is a publicly known development key',
    ],
    [
      'with a development key for its log',
      { LOG_KEY: devLogKey(OPERATED.SITE_ORIGIN) },
      'LOG_KEY is a publicly known development key',
    ],
    [
      'with a key that was made for local play',
      { LOG_KEY: newDevLogKey(OPERATED.SITE_ORIGIN) },
      'LOG_KEY is a publicly known development key',
    ],
    [
      "with the key of another site's log",
      { LOG_KEY: keyOf('https://other.fairhouse.internal') },
      "A site that has a public log can't change its host without ending the log",
    ],
    [
      'with a node that anyone on the way can stand for',
      { CHAIN_RPC_URL: 'http://node.fairhouse.internal/key' },
      'CHAIN_RPC_URL has a node with http',
    ],
    [
      'with such a node for the page',
      { RPC_UPSTREAMS: { '1': ['https://a.test', 'http://b.test'] } },
      'RPC_UPSTREAMS has a node with http',
    ],
    [
      'with a websocket as its node, which takes no requests',
      { CHAIN_RPC_URL: 'wss://node.fairhouse.internal' },
      'CHAIN_RPC_URL: must be a URL, such as https://example.com',
    ],
    [
      'with one key for the relayer and the boxes',
      { ...BOXES, BOX_SIGNER_KEY: KEY?.toUpperCase().replace('0X', '0x') },
      'BOX_SIGNER_KEY is the same key as RELAYER_PRIVATE_KEY',
    ],
    [
      'with payments for ads that it could not see',
      { PROTOCOL_WALLET: USDG, CHAIN_RPC_URL: '', VAULT_ADDRESS: '' },
      'PROTOCOL_WALLET also needs CHAIN_RPC_URL, which is not set. Set it.',
    ],
    [
      'with a deposit fee that takes everything',
      { DEPOSIT_FEE_BPS: '10000' },
      'DEPOSIT_FEE_BPS: must be a whole number from 0 to 1000',
    ],
    [
      'with a malformed key for its log',
      { LOG_KEY: keyOf(OPERATED.SITE_ORIGIN).slice(0, -2) },
      'LOG_KEY',
    ],
    [
      'with a vault but without a node',
      { CHAIN_RPC_URL: '' },
      'VAULT_ADDRESS also needs CHAIN_RPC_URL, which is not set. Set it.',
    ],
    [
      'with boxes of which only the award and the node are known',
      { ...BOXES, BOX_SIGNER_KEY: '', BOX_PEPPERS: '' },
      'BOX_NFT_ADDRESS also needs BOX_SIGNER_KEY and BOX_PEPPERS, which are not set. Set them.',
    ],
    [
      'with a development account that ads are paid to',
      { PROTOCOL_WALLET: devPlayer(7).address },
      'PROTOCOL_WALLET is a development account',
    ],
    [
      "with a partner's development key",
      { PARTNERS: local['PARTNERS'], PARTNER_KEYS: devPartnerKeys() },
      'development key for demo-two',
    ],
  ])('%s', (_what, fields, problem) => {
    expect(() => inProduction(fields)).toThrow(ConfigError)
    expect(() => inProduction(fields)).toThrow(problem)
  })

  it('with a relayer key that anvil and hardhat publish', () => {
    for (const RELAYER_PRIVATE_KEY of everyDevKey) {
      expect(() => inProduction({ RELAYER_PRIVATE_KEY })).toThrow(
        'is a publicly known development key',
      )
    }
  })

  it('and reports every error at once, without the key', () => {
    const RELAYER_PRIVATE_KEY = devPlayer(9).privateKey
    const wrong = () => inProduction({ RELAYER_PRIVATE_KEY, VAULT_START_BLOCK: '0' })
    expect(wrong).toThrow(/VAULT_START_BLOCK is 0[^]*RELAYER_PRIVATE_KEY is a publicly known/)
    expect(wrong).not.toThrow(RELAYER_PRIVATE_KEY)
  })
})

describe('local play', () => {
  it('does not start with a vault on a public chain', () => {
    for (const CHAIN_ID of ['1', '11155111', '8453']) {
      expect(() => start(local, { ...OPERATED, CHAIN_ID })).toThrow('ENVIRONMENT is local')
    }
  })

  it('starts with a vault on a developer’s chain, and without one on any chain', () => {
    expect(start(local, { ...OPERATED, CHAIN_ID: '31337' }).vault).not.toBeNull()
    expect(start(local, { CHAIN_ID: '1', CHAIN_RPC_URL: 'https://node.test' }).vault).toBeNull()
  })
})

describe('the RPC proxy', () => {
  const listed = { RPC_UPSTREAMS: { '1': ['https://public.fairhouse.internal'] } }

  it('uses only RPC_UPSTREAMS in production, never the service’s own node', () => {
    expect([...inProduction({ RPC_UPSTREAMS: {} }).rpc.upstreams]).toEqual([])
    expect([
      ...inProduction({ RPC_UPSTREAMS: { '5': ['https://five.test'] } }).rpc.upstreams,
    ]).toEqual([[5, ['https://five.test']]])
    expect(inProduction(listed).rpc.upstreams.get(1)).toEqual(listed.RPC_UPSTREAMS['1'])
  })

  it('uses the service’s own node in local play', () => {
    const { rpc } = start(local, { CHAIN_RPC_URL: 'http://127.0.0.1:8545' })
    expect([...rpc.upstreams]).toEqual([[31_337, ['http://127.0.0.1:8545']]])
  })
})
