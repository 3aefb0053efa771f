import { encodeAbiParameters, encodeEventTopics, numberToHex, pad, zeroAddress } from 'viem'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { vaultAbi } from '../../../src/chain/abi.ts'
import { MAX_LOGS, readVaultEvents } from '../../../src/chain/vault-events.ts'
import type { VaultConfig } from '../../../src/config/config.ts'

afterEach(() => vi.restoreAllMocks())

const VAULT = {
  chainId: 17,
  rpcUrl: 'http://dust.test',
  address: `0x${'a'.repeat(40)}`,
  usdg: `0x${'b'.repeat(40)}`,
} as unknown as VaultConfig

const FUNDED = {
  address: VAULT.address,
  topics: encodeEventTopics({
    abi: vaultAbi,
    eventName: 'Funded',
    args: { from: VAULT.address, token: zeroAddress },
  }),
  data: encodeAbiParameters([{ type: 'uint256' }], [1n]),
  removed: false,
}

/** A node whose blocks have a number of logs each. Returns the ranges that it was asked for. */
function askNode(logsOf: (block: number) => number): [number, number][] {
  const asked: [number, number][] = []
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (_, init) => {
    const { id, method, params } = JSON.parse(init?.body as string)
    const told = (result: unknown) => Response.json({ jsonrpc: '2.0', id, result })
    if (method === 'eth_chainId') return told('0x11')
    const [from, to] = [Number(params[0].fromBlock), Number(params[0].toBlock)]
    asked.push([from, to])
    const blocks = Array.from({ length: to - from + 1 }, (_each, at) => from + at)
    return told(
      blocks.flatMap((block) =>
        Array.from({ length: logsOf(block) }, (_each, index) => ({
          ...FUNDED,
          blockNumber: numberToHex(block),
          blockHash: pad(numberToHex(block), { size: 32 }),
          transactionHash: pad(numberToHex(block), { size: 32 }),
          logIndex: numberToHex(index),
        })),
      ),
    )
  })
  return asked
}

const blocksIn = (logs: readonly { block: number }[]) => [
  ...new Set(logs.map(({ block }) => block)),
]

describe("the vault's logs", () => {
  it('are read to the end if they are few', async () => {
    askNode(() => 1)
    const { to, logs } = await readVaultEvents(VAULT, 1, 2_500, 1_000)
    expect(to).toBe(2_500)
    expect(logs.map(({ block }) => block)).toEqual(Array.from({ length: 2_500 }, (_, at) => at + 1))
  })

  it('are read up to a block after which they are more than fit into memory', async () => {
    const perBlock = 2_500
    const asked = askNode(() => perBlock)
    const { to, logs } = await readVaultEvents(VAULT, 1, 155, 1_000)
    expect(to).toBeLessThan(155)
    expect(blocksIn(logs)).toEqual(Array.from({ length: to }, (_, at) => at + 1))
    expect(logs).toHaveLength(to * perBlock)
    expect(logs.length).toBeGreaterThanOrEqual(MAX_LOGS)
    expect(logs.length).toBeLessThan(2 * MAX_LOGS)
    expect(asked.at(-1)?.[1]).toBe(to)
  })

  it('of one block may make a longer answer, as it cannot be halved', async () => {
    askNode(() => MAX_LOGS + 1)
    const { to, logs } = await readVaultEvents(VAULT, 7, 8, 1_000)
    expect(to).toBe(7)
    expect(logs).toHaveLength(MAX_LOGS + 1)
  })
})
