import { spawn, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { createPublicClient, http, parseAbi, type Address } from 'viem'
import { generatePrivateKey } from 'viem/accounts'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { Site } from '../../src/cli/deploy-contracts/site.ts'
import { deployPrizes } from '../../src/cli/dev/deploy-prizes.ts'
import { devOwner, devPlayer, devRelayer } from '../../src/cli/shared/dev-players.ts'
import { freePort } from '../../src/cli/shared/port.ts'
import { runCli, PROJECT_DIR } from './started-service.ts'
const abi = parseAbi(['function owner() view returns (address)'])
const [owner, relayer, deployer] = [devOwner(), devRelayer(), devPlayer(0)]

let chain: ChildProcess
let rpcUrl: string
let router: Address
let usdg: Address
let stock: Address

beforeAll(async () => {
  const port = await freePort()
  rpcUrl = `http://127.0.0.1:${port}`
  const anvil = join(PROJECT_DIR, 'node_modules/.bin/anvil')
  chain = spawn(anvil, ['--port', String(port), '--silent'], { stdio: 'ignore' })
  await client(50).getBlockNumber()
  ;({ router, stock } = await deployPrizes(PROJECT_DIR, rpcUrl, { owner, relayer }))
  usdg = (await new Site(PROJECT_DIR, rpcUrl, owner).deploy('TestUSDG', [owner.address])).address
})

afterAll(() => void chain.kill())
afterEach(() => void delete process.env['DEPLOYER_PRIVATE_KEY'])

const client = (retryCount = 0) =>
  createPublicClient({ transport: http(rpcUrl, { retryCount, retryDelay: 100 }) })

const run = (...args: string[]) => {
  const parts = { '--owner': owner.address, '--relayer': relayer.address, '--usdg': usdg }
  return runCli('deploy-contracts', '--rpc', rpcUrl, ...Object.entries(parts).flat(), ...args)
}

describe('npm run deploy:contracts', () => {
  it('deploys everything for the owner and prints the lines for fairhouse.toml', async () => {
    process.env['DEPLOYER_PRIVATE_KEY'] = deployer.privateKey
    const { exitCode, output } = await run('--router', router, '--box-signer', devPlayer(6).address)
    expect(exitCode, output).toBe(0)
    const vars = Object.fromEntries(
      [...output.matchAll(/^([A-Z_]+) = "(.*)"$/gm)].map(([, name, value]) => [name, value]),
    )
    expect(vars).toMatchObject({ CHAIN_ID: '31337', USDG_ADDRESS: usdg })
    expect(Number(vars['BOX_NFT_START_BLOCK'])).toBeGreaterThan(Number(vars['VAULT_START_BLOCK']))
    const owned = [
      'VAULT_ADDRESS',
      'LOOTBOX_POOL',
      'REWARD_TOKEN_ADDRESS',
      'BOX_NFT_ADDRESS',
      'AWARD_ADDRESS',
    ]
    for (const name of owned) {
      const address = vars[name] as Address
      expect(await client().readContract({ address, abi, functionName: 'owner' })).toBe(
        owner.address,
      )
    }
    expect(await client().getCode({ address: vars['WETH_ADDRESS'] as Address })).toBeDefined()
  })

  it('deploys a token for tests on a chain of your own', async () => {
    process.env['DEPLOYER_PRIVATE_KEY'] = deployer.privateKey
    const { exitCode, output } = await run('--usdg', 'test')
    expect(exitCode, output).toBe(0)
    const [, token] = /^USDG_ADDRESS = "(.*)"$/m.exec(output) ?? []
    expect(token).not.toBe(usdg)
    const address = token as Address
    expect(await client().readContract({ address, abi, functionName: 'owner' })).toBe(owner.address)
  })

  it('sends nothing if an option is missing or wrong', async () => {
    expect((await run()).output).toContain('DEPLOYER_PRIVATE_KEY must be')
    process.env['DEPLOYER_PRIVATE_KEY'] = deployer.privateKey
    const before = await client().getTransactionCount({ address: deployer.address })
    const { exitCode, output } = await run('--relayer', `${relayer.address.slice(0, -1)}1`)
    expect([exitCode, output]).toEqual([1, expect.stringContaining('--relayer must be an address')])
    expect((await run('--box-signer', owner.address)).output).toContain('needs --router')
    expect(await client().getTransactionCount({ address: deployer.address })).toBe(before)
  })

  describe('refuses, without sending anything,', () => {
    const NOBODY = '0x000000000000000000000000000000000000dEaD'

    it.each<[string, () => string[], string]>([
      ['a dollar without code', () => ['--usdg', NOBODY], `--usdg ${NOBODY} is not a contract`],
      ['a dollar that is no token', () => ['--usdg', router], 'is not a token'],
      [
        'a dollar with 18 decimals',
        () => ['--usdg', stock],
        'has 18 decimals, but USDG chips have 6',
      ],
      [
        'an owner that is the relayer',
        () => ['--owner', relayer.address],
        '--owner and --relayer are the same account',
      ],
      ['an owner that is nobody', () => ['--owner', `0x${'0'.repeat(40)}`], 'the zero address'],
      ['a router without code', () => ['--router', NOBODY], 'is not a Uniswap v2 router'],
      ['a router without WETH()', () => ['--router', stock], 'is not a Uniswap v2 router'],
      [
        'a box signer that is the relayer',
        () => ['--router', router, '--box-signer', relayer.address],
        '--box-signer and --relayer are the same account',
      ],
      ['a node of another chain', () => ['--chain', '1'], 'chain 31337, but --chain is 1'],
    ])('%s', async (_what, wrong, problem) => {
      process.env['DEPLOYER_PRIVATE_KEY'] = deployer.privateKey
      const before = await client().getBlockNumber({ cacheTime: 0 })
      const { exitCode, output } = await run(...wrong())
      expect([exitCode, output]).toEqual([1, expect.stringContaining(problem)])
      expect(await client().getBlockNumber({ cacheTime: 0 })).toBe(before)
    })

    it('a deployer without funds', async () => {
      process.env['DEPLOYER_PRIVATE_KEY'] = generatePrivateKey()
      const { exitCode, output } = await run()
      expect([exitCode, output]).toEqual([1, expect.stringContaining('has 0 ETH, but needs')])
    })
  })
})
