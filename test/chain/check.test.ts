import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import type { Address } from 'viem'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import {
  assertVaultIsRight,
  checkChain,
  checkVault,
  problemsOf,
  WrongVaultError,
} from '../../src/chain/check.ts'
import type { VaultConfig } from '../../src/config/config.ts'
import { loadConfig } from '../../src/config/load.ts'
import { vaultWatch } from '../../src/objects.ts'
import { sweep } from '../../src/sweep.ts'
import { Player, useStories } from '../workers/support.ts'
import {
  account,
  BOX_SIGNER,
  OWNER,
  privateKeyOf,
  RELAYER,
  REWARD_TOKEN_ADDRESS,
  USDG_ADDRESS,
  VAULT_ADDRESS,
  WETH_ADDRESS,
} from './accounts.ts'
import { useLootbox } from './lootbox.ts'
import { chain, chipsOf, deploy, deposit, mined, useChain, vaultConfig } from './support.ts'

useStories()
useChain()

const NOBODY: Address = '0x000000000000000000000000000000000000dEaD'
const withVault = (fields: Partial<VaultConfig>): VaultConfig => ({ ...vaultConfig(), ...fields })
const keyOf = (index: number) => ({
  relayer: { ...vaultConfig().relayer, privateKey: privateKeyOf(account(index)) },
})
const problems = async (fields: Partial<VaultConfig> = {}) =>
  problemsOf(await checkVault(withVault(fields)))

/** Deploys another dollar; the owner's next contract after the vault. */
async function otherDollar(): Promise<Address> {
  const hash = await mined(deploy('TestUSDG', [OWNER.address]))
  const { contractAddress } = await chain.getTransactionReceipt({ hash })
  return contractAddress ?? NOBODY
}

describe('a wrong variable is found before it costs money:', () => {
  it('nothing, where everything is right', async () => {
    expect(await problems()).toEqual([])
  })

  it('a CHAIN_ID of another chain, after which nothing else is asked', async () => {
    expect(await problems({ chainId: 1 })).toEqual([
      expect.stringContaining('The node is on chain 31337, but CHAIN_ID is 1'),
    ])
  })

  it('a VAULT_ADDRESS without code', async () => {
    const found = await problems({ address: NOBODY })
    expect(found).toContainEqual(expect.stringContaining(`no contract at VAULT_ADDRESS, ${NOBODY}`))
  })

  it('a VAULT_ADDRESS of another contract', async () => {
    const found = await problems({ address: USDG_ADDRESS })
    expect(found).toContainEqual(expect.stringContaining('does not answer USDG()'))
  })

  it('a USDG_ADDRESS without code', async () => {
    const found = await problems({ usdg: NOBODY })
    expect(found).toContainEqual(expect.stringContaining('no contract at USDG_ADDRESS'))
  })

  it("a USDG_ADDRESS that is not the vault's dollar", async () => {
    const other = await otherDollar()
    expect(await problems({ usdg: other })).toEqual([
      expect.stringContaining(`The vault's USDG is ${USDG_ADDRESS}, but USDG_ADDRESS is ${other}`),
    ])
  })

  it('a dollar with other decimals than 6', async () => {
    const twelve = `0x600c60005260206000f3` as const
    await chain.setCode({ address: NOBODY, bytecode: twelve })
    const found = await problems({ usdg: NOBODY })
    expect(found).toContainEqual(expect.stringContaining('USDG_ADDRESS has 12 decimals'))
  })

  it("a RELAYER_PRIVATE_KEY that is not the vault's relayer's", async () => {
    expect(await problems(keyOf(1))).toEqual([
      expect.stringContaining(`The vault's relayer is ${RELAYER.address}`),
    ])
  })

  it("a vault that the relayer's key owns", async () => {
    const found = await problems(keyOf(8))
    expect(found).toContainEqual(expect.stringContaining("The vault's owner is also its relayer"))
  })

  it('a VAULT_START_BLOCK after the deployment, or ahead of the chain', async () => {
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

describe('the vault is made sure of before money follows from it:', () => {
  it('a wrong one is refused with every problem, each time', async () => {
    const wrong = withVault({ usdg: await otherDollar(), ...keyOf(2) })
    for (let time = 0; time < 2; time++) {
      const fault: unknown = await assertVaultIsRight(wrong).catch((thrown: unknown) => thrown)
      expect(fault).toBeInstanceOf(WrongVaultError)
      expect(String(fault)).toMatch(/The vault's USDG is .*The vault's relayer is /)
    }
  })

  it('a right one is asked about once per isolate and configuration', async () => {
    const vault = withVault({ startBlock: 1 })
    await assertVaultIsRight(vault)
    const asked = vi.spyOn(globalThis, 'fetch')
    await assertVaultIsRight(vault)
    expect(asked).not.toHaveBeenCalled()
    await expect(assertVaultIsRight({ ...vault, ...keyOf(3) })).rejects.toThrow(WrongVaultError)
  })

  it('a node that does not answer is asked again, and is not called wrong', async () => {
    const vault = withVault({ logRange: 777, startBlock: 2 })
    const down = vi.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('down'))
    const fault: unknown = await assertVaultIsRight(vault).catch((thrown: unknown) => thrown)
    expect(fault).not.toBeInstanceOf(WrongVaultError)
    down.mockRestore()
    await assertVaultIsRight(vault)
  })

  it('a node without old states cannot make a right vault wrong', async () => {
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
  it('moves no cursor while USDG_ADDRESS is wrong, and credits the deposit once it is right', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
    const alice = new Player(0)
    await deposit(alice, 'USDG', 5_000_000n)
    const other = await otherDollar()
    const watch = vaultWatch(env, vaultConfig().id)
    const setDollar = (dollar: Address) =>
      runInDurableObject(watch, (object) => {
        Object.assign(object, { env: { ...env, USDG_ADDRESS: dollar } })
      })
    await setDollar(other)
    expect(await chipsOf(alice)).toBe(0n)
    expect(logged.mock.calls.join()).toContain("The vault's USDG is")
    await setDollar(USDG_ADDRESS)
    expect(await chipsOf(alice)).toBe(5_000_000n)
  })
})

describe('with everything on chain', () => {
  useLootbox()

  async function everyProblem(fields: object = {}): Promise<string[]> {
    const config = loadConfig(env)
    const { lootbox } = config
    if (!lootbox) throw new Error('the chain stories have a lootbox')
    return problemsOf(
      await checkChain({ ...config, boxes: null, lootbox: { ...lootbox, ...fields } }),
    )
  }

  it('nothing is wrong with the lootbox, its stocks and their feeds', async () => {
    expect(await everyProblem()).toEqual([])
  })

  it('what is wrong with pool, tokens, stocks and feeds is said of each', async () => {
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

describe('with boxes on chain', () => {
  beforeEach(async () => {
    await mined(deploy('RewardToken', [OWNER.address, 10n ** 24n]))
    await mined(deploy('BoxNft', [OWNER.address, BOX_SIGNER.address]))
  })

  const everyProblem = async (fields: object = {}) => {
    const { boxes, ...config } = loadConfig(env)
    if (!boxes) throw new Error('the chain stories have boxes')
    return problemsOf(
      await checkChain({ ...config, lootbox: null, boxes: { ...boxes, ...fields } }),
    )
  }

  it('an award that is not there and a key of another signer are found', async () => {
    expect(await everyProblem({ signerKey: privateKeyOf(account(2)) })).toEqual([
      expect.stringContaining(`The boxes' signer is ${BOX_SIGNER.address}`),
      expect.stringContaining('no contract at AWARD_ADDRESS'),
    ])
  })
})

describe('the cron handler', () => {
  it('logs a fault each run for as long as a variable is wrong', async () => {
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
