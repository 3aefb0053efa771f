import { spawn, type ChildProcess } from 'node:child_process'
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { createTestClient, http, parseEther, publicActions } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { vaultAbi } from '../../src/chain/abi.ts'
import { deployVault, type Deployment } from '../../src/cli/deploy-contracts/contracts.ts'
import { Site } from '../../src/cli/deploy-contracts/site.ts'
import { deployPrizes, type Prizes } from '../../src/cli/dev/deploy-prizes.ts'
import { examine } from '../../src/cli/doctor/examine.ts'
import { writeProduction } from '../../src/cli/production/configuration.ts'
import { devPartnerKeys } from '../../src/cli/shared/dev-partners.ts'
import { devBoxSigner, devOwner } from '../../src/cli/shared/dev-players.ts'
import { freePort } from '../../src/cli/shared/port.ts'
import { newReceiptKeys } from '../../src/cli/shared/receipt-keys.ts'
import { logOrigin } from '../../src/transparency/checkpoint.ts'
import { signerKey, writeSignerKey } from '../../src/transparency/note.ts'
import { METRICS_TOKEN } from '../shared/metrics-token.ts'
import { BEACON_1000 } from '../unit/support/vectors.ts'
import { PROJECT_DIR, runCliAt } from './started-service.ts'

const SITE = 'play.fairhouse.internal'
const owner = devOwner()
const relayerKey = generatePrivateKey()
const operators = [generatePrivateKey(), generatePrivateKey()].map(
  (key) => privateKeyToAccount(key).address,
)
const relayer = { address: privateKeyToAccount(relayerKey).address, privateKey: relayerKey }

let chain: ChildProcess
let drand: Server
let relay: string
let folder: string
let vault: Deployment
let vars: Record<string, string>
let secrets: Record<string, string>
/** The ids of the D1 databases, by binding. */
let databases: Record<string, string>

const client = () =>
  createTestClient({ mode: 'anvil', transport: http(vault.rpcUrl) }).extend(publicActions)

/** Starts a chain with a funded vault and relayer. @param options of anvil */
async function startChain(...options: string[]) {
  const port = await freePort()
  const rpcUrl = `http://127.0.0.1:${port}`
  const anvil = join(PROJECT_DIR, 'node_modules/.bin/anvil')
  const args = ['--port', String(port), '--silent'].concat(options)
  const started = spawn(anvil, args, { stdio: 'ignore' })
  const transport = http(rpcUrl, { retryCount: 50, retryDelay: 100 })
  const miner = createTestClient({ mode: 'anvil', transport })
  await miner.mine({ blocks: 1 })
  const deployed = await deployVault(PROJECT_DIR, rpcUrl, { owner, relayer })
  await miner.setBalance({ address: relayer.address, value: parseEther('1') })
  const site = new Site(PROJECT_DIR, rpcUrl, owner)
  const one = parseEther('1')
  await site.call(deployed.address, vaultAbi, 'fund', [`0x${'0'.repeat(40)}`, one], one)
  return { chain: started, vault: deployed }
}

beforeAll(async () => {
  const started = await startChain()
  chain = started.chain
  vault = started.vault

  drand = createServer(({ url }, response) => {
    const { round, signature } = BEACON_1000
    const body = url?.endsWith(`/public/${round}`) ? { round, signature } : {}
    response.end(JSON.stringify(body))
  })
  const relayPort = await freePort()
  await new Promise<void>((resolve) => drand.listen(relayPort, '127.0.0.1', resolve))
  relay = `http://127.0.0.1:${relayPort}`
  folder = await mkdtemp(join(tmpdir(), 'fairhouse-doctor-'))
})

afterAll(async () => {
  chain.kill()
  drand.close()
  await rm(folder, { recursive: true, force: true })
})

beforeEach(() => {
  vars = {
    SITE_DOMAIN: `"${SITE}"`,
    SITE_ORIGIN: `"https://${SITE}"`,
    SUPPORT_URL: '"mailto:help@fairhouse.internal"',
    LOCATION: '"weur"',
    CHAIN_ID: '"31337"',
    VAULT_ADDRESS: `"${vault.address}"`,
    USDG_ADDRESS: `"${vault.usdg}"`,
    VAULT_START_BLOCK: `"${vault.startBlock}"`,
    DRAND_RELAYS: `["${relay}"]`,
    OPERATORS: `{ ${operators.map((wallet) => `${wallet} = "admin"`).join(', ')} }`,
  }
  databases = {
    DB: '"0d1c5a3e-0000-4000-8000-000000000001"',
    HISTORY: '"0d1c5a3e-0000-4000-8000-000000000002"',
  }
  secrets = {
    CHAIN_RPC_URL: vault.rpcUrl,
    RELAYER_PRIVATE_KEY: relayerKey,
    RECEIPT_KEYS: newReceiptKeys(),
    METRICS_TOKEN,
    LOG_KEY: writeSignerKey(
      signerKey(logOrigin(`https://${SITE}`), crypto.getRandomValues(new Uint8Array(32))),
    ),
    RPC_UPSTREAMS: '{"31337": ["https://public.fairhouse.internal"]}',
  }
})

/** Sets lines of a wrangler.toml; one without a value is taken out. */
function withLines(toml: string, lines: Record<string, string>): string {
  return Object.entries(lines).reduce((text, [name, value]) => {
    const line = new RegExp(`^${name} = .*$`, 'm')
    expect(text).toMatch(line)
    return text.replace(line, value && `${name} = ${value}`)
  }, toml)
}

async function writeSecrets(name: string): Promise<void> {
  const lines = Object.entries(secrets).map(([secret, value]) => `${secret}='${value}'\n`)
  await writeFile(join(folder, name), lines.join(''))
}

/** Writes an operator's settings of production, with the lines and secrets of the test. */
async function writeOperated(): Promise<void> {
  await copyFile(join(PROJECT_DIR, 'wrangler.toml'), join(folder, 'wrangler.toml'))
  await writeFile(
    join(folder, 'fairhouse.toml'),
    `[databases]\n${linesOf(databases)}[vars]\n${linesOf(vars)}`,
  )
  await writeSecrets('.dev.vars.production')
}

const linesOf = (values: Record<string, string>) =>
  Object.entries(values)
    .map(([name, value]) => `${name} = ${value}\n`)
    .join('')

interface Findings {
  exitCode: number
  output: string
}

/** Runs the doctor on production in this process. Loading wrangler for each run would take most of the time. */
async function doctor(): Promise<Findings> {
  await writeOperated()
  return examined(await writeProduction(folder), 'production')
}

async function examined(config: string, env?: string): Promise<Findings> {
  let output = ''
  const spies = (['log', 'warn', 'error'] as const).map((method) =>
    vi.spyOn(console, method).mockImplementation((...texts) => {
      output += `${texts.join(' ')}\n`
    }),
  )
  try {
    const exitCode = (await examine(config, env)) ? 0 : 1
    return { exitCode, output: stripVTControlCharacters(output) }
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}

/** Runs the command itself. */
async function runDoctor(): Promise<Findings> {
  await writeOperated()
  return runCliAt(folder, 'doctor', '--env', 'production')
}

/** The same for local play, which has everything that prizes come from. */
async function localDoctor(prizes: Prizes, lines: Record<string, string> = {}) {
  const { SITE_DOMAIN: _, SITE_ORIGIN: __, SUPPORT_URL: ____, OPERATORS: ___, ...own } = vars
  const toml = await readFile(join(PROJECT_DIR, 'wrangler.toml'), 'utf8')
  const stock = `{ token = "${prizes.stock}", decimals = 18, feed = "${prizes.feed}" }`
  const all = {
    ...own,
    LOOTBOX_POOL: `"${prizes.pool}"`,
    REWARD_TOKEN_ADDRESS: `"${prizes.rewardToken}"`,
    WETH_ADDRESS: `"${prizes.weth}"`,
    LOOTBOX_STOCKS: `{ STK = ${stock} }`,
    BOX_NFT_ADDRESS: `"${prizes.boxNft}"`,
    AWARD_ADDRESS: `"${prizes.award}"`,
    ...lines,
  }
  const config = join(folder, 'wrangler.toml')
  await writeFile(config, withLines(toml.slice(0, toml.indexOf('[env.production]')), all))
  await writeSecrets('.dev.vars')
  return examined(config)
}

async function expectProblem(problem: string): Promise<void> {
  const { exitCode, output } = await doctor()
  expect(output).toContain(problem)
  expect(exitCode).toBe(1)
  for (const secret of [relayerKey, relayerKey.slice(2)]) expect(output).not.toContain(secret)
}

describe('npm run doctor -- --env production', () => {
  it('finds nothing when everything is right, and lists its checks', async () => {
    const { exitCode, output } = await runDoctor()
    expect(output).toContain('All checks passed.')
    expect(output).toContain("✓ RELAYER_PRIVATE_KEY belongs to the vault's relayer")
    expect(output).toContain("✓ the vault holds the house's funds")
    expect(output).toContain(`✓ ${relay} answers with a valid beacon`)
    expect(exitCode).toBe(0)
  })

  it('finds a node that takes no calls that name their block by its hash', async () => {
    const real = globalThis.fetch
    const asked = vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
      const body = typeof init?.body === 'string' ? init.body : ''
      if (!body.includes('"blockHash"')) return real(input, init)
      const { id } = JSON.parse(body) as { id: number }
      const error = { code: -32_602, message: 'invalid argument 1: cannot unmarshal object' }
      return Response.json({ jsonrpc: '2.0', id, error })
    })
    await expectProblem('takes no calls that name their block by its hash').finally(() => {
      asked.mockRestore()
    })
  })

  it('finds a node that keeps the newest states only', async () => {
    const pruned = await startChain('--prune-history', '2')
    onTestFinished(() => void pruned.chain.kill())
    secrets['CHAIN_RPC_URL'] = pruned.vault.rpcUrl
    await expectProblem('does not have the state after block')
  })

  it.each([200, 400])('finds a node that takes one call a request: %i', async (status) => {
    const real = globalThis.fetch
    const asked = vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
      const body = typeof init?.body === 'string' ? init.body : ''
      if (!body.startsWith('[')) return real(input, init)
      const error = { code: -32_600, message: 'batches are not supported' }
      return Response.json({ jsonrpc: '2.0', id: null, error }, { status })
    })
    await expectProblem('did not answer a JSON-RPC batch').finally(() => {
      asked.mockRestore()
    })
  })

  it.each<[string, () => void, string]>([
    ['a missing secret', () => delete secrets['RELAYER_PRIVATE_KEY'], 'VAULT_ADDRESS also needs'],
    ['no public log', () => delete secrets['LOG_KEY'], 'LOG_KEY is not set'],
    ['no metrics', () => delete secrets['METRICS_TOKEN'], 'METRICS_TOKEN is not set'],
    ['no operators', () => delete vars['OPERATORS'], 'OPERATORS names no admin'],
    ['no receipts', () => delete secrets['RECEIPT_KEYS'], 'RECEIPT_KEYS is not set'],
    [
      'a secret that a variable would replace',
      () => (vars['CHAIN_RPC_URL'] = '""'),
      'CHAIN_RPC_URL: a variable of the same name would replace the secret',
    ],
    [
      'a database without an id',
      () => delete databases['DB'],
      'Set DB in [databases] of fairhouse.toml',
    ],
    [
      'a history without an id',
      () => delete databases['HISTORY'],
      'Set HISTORY in [databases] of fairhouse.toml',
    ],
    [
      'one database for both',
      () => (databases['HISTORY'] = databases['DB'] ?? ''),
      'DB and HISTORY have the same id',
    ],
    ['a wrong CHAIN_ID', () => (vars['CHAIN_ID'] = '"1337"'), 'The node is on chain 31337'],
    [
      'a wrong USDG_ADDRESS',
      () => (vars['USDG_ADDRESS'] = `"${owner.address}"`),
      "The vault's USDG is ",
    ],
    [
      "another relayer's key",
      () => (secrets['RELAYER_PRIVATE_KEY'] = generatePrivateKey()),
      "The vault's relayer is ",
    ],
    [
      'a start block after the deployment',
      () => (vars['VAULT_START_BLOCK'] = `"${vault.startBlock + 1}"`),
      'deployed before VAULT_START_BLOCK',
    ],
    [
      'a node that does not answer',
      () => (secrets['CHAIN_RPC_URL'] = 'http://127.0.0.1:1'),
      'The node at CHAIN_RPC_URL did not answer',
    ],
    [
      "the money's node behind the RPC proxy",
      () => (secrets['RPC_UPSTREAMS'] = JSON.stringify({ 31_337: [vault.rpcUrl] })),
      'RPC_UPSTREAMS has the URL of CHAIN_RPC_URL',
    ],
    [
      'a page that could not read the chain',
      () => delete secrets['RPC_UPSTREAMS'],
      'RPC_UPSTREAMS has no node for chain 31337',
    ],
    [
      'drand relays of which none answers',
      () => (vars['DRAND_RELAYS'] = '["http://127.0.0.1:1", "http://127.0.0.1:2"]'),
      "http://127.0.0.1:1 can't be reached",
    ],
    [
      'a partner that may credit more in a day than the house has',
      () => {
        vars['PARTNERS'] = partnerLine('1')
        secrets['PARTNER_KEYS'] = JSON.stringify({ acme: { a: 'x'.repeat(32) } })
      },
      "maxNetCreditPerDay of acme is above the house's funds in the vault (USDG)",
    ],
    [
      'a key for nobody',
      () => (secrets['PARTNER_KEYS'] = JSON.stringify({ stranger: { a: 'x'.repeat(32) } })),
      'PARTNER_KEYS has a key for stranger',
    ],
    [
      'a reserve that one transaction can exceed',
      () => (vars['RELAYER_RESERVE_WEI'] = '"249999999999999999"'),
      'Set RELAYER_RESERVE_WEI to at least 250000000000000000',
    ],
  ])('finds %s', async (_what, spoil, problem) => {
    spoil()
    await expectProblem(problem)
  })

  it.each<[string, () => void, string]>([
    [
      'a drand relay beside one that answers',
      () => (vars['DRAND_RELAYS'] = `["http://127.0.0.1:1", "${relay}"]`),
      "http://127.0.0.1:1 can't be reached",
    ],
    [
      'a former partner, which has no key',
      () => (vars['PARTNERS'] = partnerLine('1')),
      'PARTNER_KEYS has no key for acme',
    ],
    [
      'gas above what the relayer pays',
      () => (vars['RELAYER_MAX_FEE_WEI'] = '"1000"'),
      'but RELAYER_MAX_FEE_WEI is 0.000001 gwei',
    ],
    ['objects created anywhere', () => delete vars['LOCATION'], 'LOCATION is not set'],
  ])('only warns of %s', async (_what, change, warning) => {
    change()
    const { exitCode, output } = await doctor()
    expect(output).toMatch(new RegExp(`  ! .*\\n    .*${warning}`))
    expect(output).toContain('All checks passed, with 1 warning.')
    expect(exitCode).toBe(0)
  })

  it('finds a relayer and a house without funds', async () => {
    const { address, usdg } = await deployVault(PROJECT_DIR, vault.rpcUrl, { owner, relayer })
    Object.assign(vars, { VAULT_ADDRESS: `"${address}"`, USDG_ADDRESS: `"${usdg}"` })
    await client().setBalance({ address: relayer.address, value: 5n })
    const { exitCode, output } = await runDoctor()
    expect(output).toContain(`The relayer, ${relayer.address}, has 0.000000000000000005 ETH`)
    expect(output).toContain('The house has no funds in the vault')
    expect(exitCode).toBe(1)
    await client().setBalance({ address: relayer.address, value: parseEther('1') })
  })

  it('checks pool, award, stocks, feeds and peppers if prizes are configured', async () => {
    const prizes = await deployPrizes(PROJECT_DIR, vault.rpcUrl, { owner, relayer })
    Object.assign(secrets, {
      BOX_SIGNER_KEY: devBoxSigner().privateKey,
      BOX_PEPPERS: JSON.stringify({ 1: prizes.boxPepper }),
      PARTNER_KEYS: devPartnerKeys(),
      LOG_KEY: '',
    })
    const right = await localDoctor(prizes)
    expect(right.output).toContain('All checks passed.')
    expect(right.output).toContain('✓ BOX_PEPPERS has the pepper of batch 1')
    expect(right.output).toContain('✓ the pool can pay its largest prize of 0.06 ETH')
    secrets['BOX_PEPPERS'] = JSON.stringify({ 1: 'b0'.repeat(32) })
    const wrong = await localDoctor(prizes)
    expect(wrong.output).toContain("batch's boxes could not be opened")
    expect(wrong.exitCode).toBe(1)
    secrets['BOX_PEPPERS'] = JSON.stringify({ 1: prizes.boxPepper })
    await client().setBalance({ address: prizes.pool, value: 7n })
    const { exitCode, output } = await localDoctor(prizes)
    expect(output).toContain(`The pool, ${prizes.pool}, has 0.000000000000000007 ETH`)
    expect(exitCode).toBe(1)
    const weth = await localDoctor(prizes, { WETH_ADDRESS: `"${prizes.stock}"` })
    expect(weth.output).toContain(`WETH_ADDRESS is ${prizes.stock}`)
  })

  it('finds a feed that prices a stock in dollars, which would bound the cost of its prizes by nothing', async () => {
    const prizes = await deployPrizes(PROJECT_DIR, vault.rpcUrl, { owner, relayer })
    const site = new Site(PROJECT_DIR, vault.rpcUrl, owner)
    const inDollars = await site.deploy('TestPriceFeed', [parseEther('12')])
    Object.assign(secrets, {
      BOX_SIGNER_KEY: devBoxSigner().privateKey,
      BOX_PEPPERS: JSON.stringify({ 1: prizes.boxPepper }),
      PARTNER_KEYS: devPartnerKeys(),
      LOG_KEY: '',
    })
    const claim = "the feed of STK prices it in the chain's native coin"
    expect((await localDoctor(prizes)).output).toContain(`✓ ${claim}`)
    const { exitCode, output } = await localDoctor({ ...prizes, feed: inDollars.address })
    expect(output).toContain(`✗ ${claim}`)
    expect(output).toContain(
      "Set LOOTBOX_STOCKS.STK.feed to a feed of STK in the chain's native coin",
    )
    expect(exitCode).toBe(1)
  })

  it.each(['deploy', 'versions upload'])('runs before %s, which it stops', async (command) => {
    delete secrets['LOG_KEY']
    await writeOperated()
    const { exitCode, output } = await runCliAt(
      folder,
      'production',
      ...command.split(' '),
      '--dry-run',
    )
    expect(output).toContain('LOG_KEY is not set')
    expect(output).not.toContain('Total Upload')
    expect(exitCode).toBe(1)
  })
})

/** @param dayUsdg what its credits may exceed its debits by in a day; the house has no USDG */
const partnerLine = (dayUsdg: string) =>
  `{ acme = { requireBodyHash = true, consent = "required", maxCredit = { ETH = "1", USDG = "1" }, maxNetCreditPerDay = { ETH = "1", USDG = "${dayUsdg}" }, settled = { ETH = "1", USDG = "1" } } }`
