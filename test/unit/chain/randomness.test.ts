import { numberToHex, TimeoutError } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { hasRandomness } from '../../../src/chain/randomness.ts'
import { checkDeployment } from '../../../src/cli/deploy-contracts/check.ts'
import { randomnessCheck } from '../../../src/cli/doctor/checks.ts'
import { connect } from '../../../src/cli/shared/chain-account.ts'

afterEach(() => vi.restoreAllMocks())

const NODE = { chainId: 31_337, rpcUrl: 'http://blocks.test' }
const HEAD = 1_000
/** As a beacon's hash. */
const RANDOM = 2n ** 255n

/** A node whose blocks have these random words. It answers null with an error. */
function askNode(wordOf: (block: number) => bigint | null, head = HEAD): void {
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (_, init) => {
    const { id, method, params } = JSON.parse(init?.body as string)
    const told = (result: unknown) => Response.json({ jsonrpc: '2.0', id, result })
    if (method === 'eth_chainId') return told(numberToHex(NODE.chainId))
    if (method === 'eth_gasPrice') return told('0x1')
    if (method === 'eth_blockNumber') return told(numberToHex(head))
    if (method !== 'eth_call') return told(numberToHex(10n ** 18n))
    const word = wordOf(Number(params[1]))
    if (word !== null) return told(numberToHex(word, { size: 33 }))
    return Response.json({ jsonrpc: '2.0', id, error: { code: -32_602, message: 'no contract' } })
  })
}

const doctor = async () => (await randomnessCheck(NODE)).problem

/** Checks a deployment with or without boxes. */
function deployment(hasBoxes = true) {
  const [deployer, owner, relayer, signer] = Array.from(
    { length: 4 },
    () => privateKeyToAccount(generatePrivateKey()).address,
  ) as [`0x${string}`, `0x${string}`, `0x${string}`, `0x${string}`]
  const plan = { chainId: null, deployer, owner, relayer, usdg: null, router: null }
  const chain = connect(NODE.rpcUrl, generatePrivateKey())
  return checkDeployment(chain, { ...plan, boxSigner: hasBoxes ? signer : null })
}

describe('boxes', () => {
  it('are refused on a chain whose PREVRANDAO is constant', async () => {
    askNode(() => RANDOM)
    expect(await doctor()).toContain('PREVRANDAO is constant')
    await expect(deployment()).rejects.toThrow('PREVRANDAO is constant')
    await expect(deployment(false)).resolves.toBeDefined()
  })

  it('are refused on a chain that has a difficulty instead, although it differs', async () => {
    askNode((block) => (block === HEAD ? 2n : 1n))
    expect(await doctor()).toContain('or a difficulty')
    await expect(deployment()).rejects.toThrow('or a difficulty')
  })

  it('are accepted if blocks that are far apart differ, although neighbours share their randomness', async () => {
    askNode((block) => RANDOM + BigInt(Math.floor(block / 50)))
    expect(await doctor()).toBeNull()
    await expect(deployment()).resolves.toBeDefined()
  })

  it('are accepted with a warning if the node runs no code without a contract, or has one block only', async () => {
    const warned = { problem: null, warning: expect.stringContaining('nobody has checked') }
    askNode(() => null)
    expect(await randomnessCheck(NODE)).toMatchObject(warned)
    expect((await deployment()).warning).toContain('nobody has checked')
    askNode(() => RANDOM, 0)
    expect(await randomnessCheck(NODE)).toMatchObject(warned)
  })

  it('are not accepted by a node that is too slow to answer', async () => {
    askNode(() => RANDOM)
    const timeout = new TimeoutError({ body: {}, url: NODE.rpcUrl })
    const silent = { getBlockNumber: async () => 1_000n, call: () => Promise.reject(timeout) }
    await expect(hasRandomness(silent)).rejects.toThrow(TimeoutError)
  })
})
