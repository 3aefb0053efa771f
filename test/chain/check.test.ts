import { env } from 'cloudflare:workers'
import type { Address } from 'viem'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { vaultWatch } from '../../src/calls/objects.ts'
import {
  assertVaultIsRight,
  checkChain,
  checkVault,
  problemsOf,
  WrongVaultError,
} from '../../src/chain/check.ts'
import type { VaultConfig } from '../../src/config/config.ts'
import { loadConfig } from '../../src/config/load.ts'
import { sweep } from '../../src/sweep.ts'
import { Monitor } from '../workers/monitor.ts'
import { Player } from '../workers/support.ts'
import {
  account,
  AWARD_ADDRESS,
  BOX_PEPPER,
  BOX_SIGNER,
  OWNER,
  privateKeyOf,
  RELAYER,
  REWARD_TOKEN_ADDRESS,
  USDG_ADDRESS,
  VAULT_ADDRESS,
  WETH_ADDRESS,
} from './accounts.ts'
import { box, deployBoxContracts, sellBoxes } from './boxes.ts'
import { useLootbox } from './lootbox.ts'
import {
  chain,
  chipsOf,
  deploy,
  deposit,
  setVars,
  useChain,
  vaultConfig,
  write,
} from './support.ts'

useChain()

const NOBODY: Address = '0x000000000000000000000000000000000000dEaD'
const withVault = (fields: Partial<VaultConfig>): VaultConfig => ({ ...vaultConfig(), ...fields })
const keyOf = (index: number) => ({
  relayer: { ...vaultConfig().relayer, privateKey: privateKeyOf(account(index)) },
})
const problems = async (fields: Partial<VaultConfig> = {}) =>
  problemsOf(await checkVault(withVault(fields)))

/** Deploys another dollar as the owner's next contract after the vault. */
async function otherDollar(): Promise<Address> {
  const hash = await deploy('TestUSDG', [OWNER.address])
  const { contractAddress } = await chain.getTransactionReceipt({ hash })
  return contractAddress ?? NOBODY
}

describe('the configuration check', () => {
  it('finds nothing when everything is right', async () => {
    expect(await problems()).toEqual([])
  })

  it('finds a CHAIN_ID of another chain, and then asks nothing else', async () => {
    expect(await problems({ chainId: 1 })).toEqual([
      expect.stringContaining('The node is on chain 31337, but CHAIN_ID is 1'),
    ])
  })

  it('finds a VAULT_ADDRESS without code', async () => {
    const found = await problems({ address: NOBODY })
    expect(found).toContainEqual(expect.stringContaining(`no contract at VAULT_ADDRESS, ${NOBODY}`))
  })

  it('finds a VAULT_ADDRESS of another contract', async () => {
    const found = await problems({ address: USDG_ADDRESS })
    expect(found).toContainEqual(expect.stringContaining('does not answer USDG()'))
  })

  it('finds a USDG_ADDRESS without code', async () => {
    const found = await problems({ usdg: NOBODY })
    expect(found).toContainEqual(expect.stringContaining('no contract at USDG_ADDRESS'))
  })

  it("finds a USDG_ADDRESS that is not the vault's dollar", async () => {
    const other = await otherDollar()
    expect(await problems({ usdg: other })).toEqual([
      expect.stringContaining(`The vault's USDG is ${USDG_ADDRESS}, but USDG_ADDRESS is ${other}`),
    ])
  })

  it('finds a dollar whose decimals are not 6', async () => {
    const twelve = `0x600c60005260206000f3` as const
    await chain.setCode({ address: NOBODY, bytecode: twelve })
    const found = await problems({ usdg: NOBODY })
    expect(found).toContainEqual(expect.stringContaining('USDG_ADDRESS has 12 decimals'))
  })

  it("finds a RELAYER_PRIVATE_KEY that is not that of the vault's relayer", async () => {
    expect(await problems(keyOf(1))).toEqual([
      expect.stringContaining(`The vault's relayer is ${RELAYER.address}`),
    ])
  })

  it("finds a vault owned by the relayer's key", async () => {
    const found = await problems(keyOf(8))
    expect(found).toContainEqual(expect.stringContaining("The vault's owner is also its relayer"))
  })

  it('finds a VAULT_START_BLOCK after the deployment or ahead of the chain', async () => {
    await chain.mine({ blocks: 10 })
    expect(await problems({ startBlock: 2 })).toEqual([])
    expect(await problems({ startBlock: 3 })).toEqual([
      expect.stringContaining('deployed before VAULT_START_BLOCK, 3'),
    ])
    expect(await problems({ startBlock: 1_000 })).toEqual([
      expect.stringContaining('VAULT_START_BLOCK is 1000, but the chain is only at block 12'),
    ])
  })
})

describe('the vault check before a payment', () => {
  it('refuses a wrong vault with every problem, each time', async () => {
    const wrong = withVault({ usdg: await otherDollar(), ...keyOf(2) })
    for (let time = 0; time < 2; time++) {
      const fault: unknown = await assertVaultIsRight(wrong).catch((thrown: unknown) => thrown)
      expect(fault).toBeInstanceOf(WrongVaultError)
      expect(String(fault)).toMatch(/The vault's USDG is .*The vault's relayer is /)
    }
  })

  it('asks about a right vault once per isolate and configuration', async () => {
    const vault = withVault({ startBlock: 1 })
    await assertVaultIsRight(vault)
    const asked = vi.spyOn(globalThis, 'fetch')
    await assertVaultIsRight(vault)
    expect(asked).not.toHaveBeenCalled()
    await expect(assertVaultIsRight({ ...vault, ...keyOf(3) })).rejects.toThrow(WrongVaultError)
  })

  it('asks an unresponsive node again and does not call the vault wrong', async () => {
    const vault = withVault({ logRange: 777, startBlock: 2 })
    const down = vi.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('down'))
    const fault: unknown = await assertVaultIsRight(vault).catch((thrown: unknown) => thrown)
    expect(fault).not.toBeInstanceOf(WrongVaultError)
    down.mockRestore()
    await assertVaultIsRight(vault)
  })

  it('accepts a right vault if the node has no historical state', async () => {
    const real = globalThis.fetch
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
      const { method, params } = JSON.parse(init?.body as string) as {
        method: string
        params: unknown[]
      }
      const isOld = method === 'eth_getLogs' || (method === 'eth_getCode' && params[1] !== 'latest')
      if (!isOld) return real(input, init)
      const error = { code: -32_000, message: 'missing trie node' }
      return Response.json({ jsonrpc: '2.0', id: 1, error })
    })
    await chain.mine({ blocks: 10 })
    expect(await problems({ startBlock: 5 })).toEqual([])
  })
})

describe('the vault watch', () => {
  it('keeps its cursor while USDG_ADDRESS is wrong, and credits the deposit once it is right', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
    const alice = new Player(0)
    await deposit(alice, 'USDG', 5_000_000n)
    const other = await otherDollar()
    const watch = vaultWatch(env, vaultConfig().id)
    await setVars(watch, { USDG_ADDRESS: other })
    expect(await chipsOf(alice)).toBe(0n)
    expect(logged.mock.calls.join()).toContain("The vault's USDG is")
    await setVars(watch, { USDG_ADDRESS })
    expect(await chipsOf(alice)).toBe(5_000_000n)
  })
})

describe('the configuration check with everything on chain', () => {
  useLootbox()

  async function everyProblem(fields: object = {}): Promise<string[]> {
    const config = loadConfig(env)
    const { lootbox } = config
    if (!lootbox) throw new Error('the chain stories have a lootbox')
    return problemsOf(
      await checkChain({ ...config, boxes: null, lootbox: { ...lootbox, ...fields } }),
    )
  }

  it('finds nothing wrong with the lootbox, its stocks and their feeds', async () => {
    expect(await everyProblem()).toEqual([])
  })

  it('reports each problem of the pool, tokens, stocks and feeds', async () => {
    const stocks = new Map([
      ['STK', { token: WETH_ADDRESS, decimals: 8, feed: REWARD_TOKEN_ADDRESS }],
    ])
    const found = await everyProblem({ rewardToken: USDG_ADDRESS, weth: USDG_ADDRESS, stocks })
    expect(found).toEqual([
      expect.stringContaining(`router swaps ${WETH_ADDRESS}, but WETH_ADDRESS is ${USDG_ADDRESS}`),
      expect.stringContaining('REWARD_TOKEN_ADDRESS has 6 decimals'),
      expect.stringContaining('LOOTBOX_STOCKS.STK.token has 18 decimals'),
      expect.stringContaining('LOOTBOX_STOCKS.STK.feed'),
    ])
    expect(await everyProblem({ pool: VAULT_ADDRESS })).toContainEqual(
      expect.stringContaining('does not answer payer()'),
    )
  })
})

describe('the configuration check with boxes on chain', () => {
  beforeEach(deployBoxContracts)

  const everyProblem = async (fields: object = {}) => {
    const { boxes, ...config } = loadConfig(env)
    if (!boxes) throw new Error('the chain stories have boxes')
    return problemsOf(
      await checkChain({ ...config, lootbox: null, boxes: { ...boxes, ...fields } }),
    )
  }

  it('finds nothing wrong with boxes and the award contract that they deployed', async () => {
    expect(await everyProblem()).toEqual([])
  })

  it('finds an address without the award contract and the key of another signer', async () => {
    const signerKey = privateKeyOf(account(2))
    expect(await everyProblem({ award: NOBODY, signerKey })).toEqual([
      expect.stringContaining(`The boxes' signer is ${BOX_SIGNER.address}`),
      expect.stringContaining(
        `The boxes' award contract is ${AWARD_ADDRESS}, but AWARD_ADDRESS is ${NOBODY}`,
      ),
      expect.stringContaining('no contract at AWARD_ADDRESS'),
    ])
  })
})

describe('the configuration check with a batch of boxes on sale', () => {
  const found = async (peppers: [number, string][]) => {
    const { boxes, ...config } = loadConfig(env)
    if (!boxes) throw new Error('the chain stories have boxes')
    const changed = { ...boxes, peppers: new Map(peppers) }
    return problemsOf(await checkChain({ ...config, vault: null, lootbox: null, boxes: changed }))
  }

  beforeEach(async () => {
    await deployBoxContracts()
    await sellBoxes([{ bps: 10_000, prize: 1n }])
  })

  it('finds a batch whose pepper is missing or another one', async () => {
    expect(await found([[1, BOX_PEPPER]])).toEqual([])
    const missing = [expect.stringContaining('no pepper with the hash of batch 1 on chain')]
    expect(await found([])).toEqual(missing)
    expect(await found([[2, BOX_PEPPER]])).toEqual(missing)
    expect(await found([[1, 'b1'.repeat(32)]])).toEqual(missing)
  })

  it('needs the pepper no longer once it is published', async () => {
    await write(box, 'stopBatch')
    expect(await found([])).not.toEqual([])
    await chain.mine({ blocks: 1 })
    await write(box, 'endBatch', [`0x${BOX_PEPPER}`])
    expect(await found([])).toEqual([])
  })
})

describe('the cron handler', () => {
  it('alerts to boxes that nobody could open, until their pepper is configured', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
    await deployBoxContracts()
    await sellBoxes([{ bps: 10_000, prize: 1n }])
    let vars: object = { ...env, LOOTBOX_POOL: '', BOX_PEPPERS: JSON.stringify({ 2: BOX_PEPPER }) }
    const monitor = new Monitor(() => sweep(vars as Env))
    expect(await monitor.minutes(5)).toEqual([])
    expect(await monitor.minutes(1)).toEqual(['ConfigurationWrong'])
    expect(logged.mock.calls.join()).toContain('BOX_PEPPERS has no pepper')
    vars = { ...env, LOOTBOX_POOL: '' }
    expect(await monitor.minutes(1)).toEqual([])
  })

  it('logs a fault on each run while a variable is wrong', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
    const wrong: object = { ...env, USDG_ADDRESS: await otherDollar() }
    for (let run = 1; run <= 2; run++) {
      logged.mockClear()
      await sweep(wrong as Env)
      const lines = logged.mock.calls.map(([line]) => String(line))
      expect(lines).toContainEqual(
        expect.stringMatching(/chain_configuration_mismatch.*The vault's USDG is/),
      )
    }
  })
})
