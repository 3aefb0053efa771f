import { afterEach, describe, expect, it, vi } from 'vitest'
import { expectBalance, findVault } from '../../../../src/cli/fund/vault.ts'
import { CommandError } from '../../../../src/cli/shared/terminal.ts'

afterEach(() => vi.unstubAllGlobals())

const KEY = `0x${'0a'.repeat(32)}` as const
const VAULT = '0x5FbDB2315678afecb367f032d93F642f64180aa3'
const USDG = '0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512'

/** Stands in for a node of chain 31337 that answers calls of contracts so. */
function nodeThatAnswers(call: object): void {
  vi.stubGlobal('fetch', async (_url: string, { body }: { body: string }) => {
    const { id, method } = JSON.parse(body) as { id: number; method: string }
    const answer = method === 'eth_chainId' ? { result: '0x7a69' } : call
    return Response.json({ jsonrpc: '2.0', id, ...answer })
  })
}

const find = () => findVault('http://localhost:1', KEY, VAULT)

describe('the vault to fund', () => {
  it('is found with its USDG and its chain', async () => {
    nodeThatAnswers({ result: `0x${USDG.slice(2).toLowerCase().padStart(64, '0')}` })
    const found = { rpcUrl: 'http://localhost:1', chainId: 31_337, address: VAULT, usdg: USDG }
    expect(await find()).toEqual(found)
  })

  it.each([
    ['without code', { result: '0x' }],
    ['of another contract', { error: { code: 3, message: 'execution reverted', data: '0x' } }],
  ])('is refused at an address %s', async (_what, call) => {
    nodeThatAnswers(call)
    await expect(find()).rejects.toThrow(
      new CommandError(`--vault ${VAULT} is not a Fairhouse vault on this chain.`),
    )
  })

  it('is not judged by a node that fails', async () => {
    nodeThatAnswers({ error: { code: -32_602, message: 'too busy' } })
    await expect(find()).rejects.toThrow(/^The chain refused: /)
  })
})

describe('an account that funds the house', () => {
  const wallet = { address: VAULT, balance: async () => 9_500_000n } as const

  it('learns its balance if that is too low', async () => {
    await expect(expectBalance(wallet, 'USDG', 10_000_000n)).rejects.toThrow(
      new CommandError(`${VAULT} has 9.5 USDG, less than 10 USDG.`),
    )
  })

  it('may give all that it has', async () => {
    await expect(expectBalance(wallet, 'USDG', 9_500_000n)).resolves.toBeUndefined()
  })
})
