import { numberToHex, pad, type Hex } from 'viem'
import { describe, expect, it, vi } from 'vitest'
import { pass, type Player } from '../workers/support.ts'
import {
  asOwner,
  attempts,
  chain,
  chipsOf,
  depositor,
  look,
  noncesUsed,
  setVars,
  statusOf,
  theRelayer,
  tokenBalance,
  useChain,
  withdraw,
  work,
  workToEnd,
} from './support.ts'

useChain()

const AMOUNT = 100_000_000n
const CONFIRMATIONS = 12

interface NodeCall {
  id: number
  method: string
  params: never[]
}

/** What one of the nodes says about a transaction. */
interface Told {
  status: Hex
  block: Hex
  blockHash: Hex
}

/**
 * Has a node answer for receipts, and for the head in batches. Its estimates are after the newest block, not after what
 * is not mined.
 */
function nodeTells(
  receipts: ReadonlyMap<string, Told>,
  { head, inBatches = true }: { head?: Hex; inBatches?: boolean } = {},
): void {
  const real = globalThis.fetch
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    if (typeof init?.body !== 'string') return real(input, init)
    const sent = JSON.parse(init.body) as NodeCall | NodeCall[]
    const estimating = [sent].flat().map((call) => {
      const isEstimate = call.method === 'eth_estimateGas'
      return isEstimate ? { ...call, params: [call.params[0], 'latest'] } : call
    })
    const body = JSON.stringify(Array.isArray(sent) ? estimating : estimating[0])
    const response = await real(input, { ...init, body })
    const answers = await response.json<{ id: number } | { id: number }[]>()
    const told = (answer: { id: number }) => {
      const { id, method, params } = [sent].flat().find((call) => call.id === answer.id)!
      const isBatch = Array.isArray(sent)
      if (method === 'eth_blockNumber' && isBatch && head) {
        return { id, jsonrpc: '2.0', result: head }
      }
      const isTold = method === 'eth_getTransactionReceipt' && (inBatches || !isBatch)
      const receipt = isTold && receipts.get(params[0]!)
      return receipt ? { id, jsonrpc: '2.0', result: shown(params[0]!, receipt) } : answer
    }
    return Response.json(Array.isArray(answers) ? answers.map(told) : told(answers))
  })
}

function shown(transactionHash: Hex, { status, block, blockHash }: Told): object {
  const account = pad('0x1', { size: 20 })
  return {
    transactionHash,
    status,
    blockNumber: block,
    blockHash,
    transactionIndex: '0x0',
    from: account,
    to: account,
    contractAddress: null,
    logs: [],
    logsBloom: '0x',
    cumulativeGasUsed: '0x1',
    gasUsed: '0x1',
    effectiveGasPrice: '0x1',
    type: '0x2',
  }
}

/** Collects the methods that the node is called for, from now on. */
function watchMethods(): string[] {
  const methods: string[] = []
  const real = globalThis.fetch
  vi.spyOn(globalThis, 'fetch').mockImplementation((input, init) => {
    if (typeof init?.body === 'string') {
      const calls = [JSON.parse(init.body) as NodeCall | NodeCall[]].flat()
      methods.push(calls.map(({ method }) => method).join('+'))
    }
    return real(input, init)
  })
  return methods
}

/** The number of a block with enough confirmations, and its hash on the chain. */
async function confirmedBlock(): Promise<{ block: Hex; blockHash: Hex }> {
  const head = await chain.getBlockNumber({ cacheTime: 0 })
  const blockNumber = head - BigInt(CONFIRMATIONS - 1)
  const { hash } = await chain.getBlock({ blockNumber })
  return { block: numberToHex(blockNumber), blockHash: hash }
}

/** Withdraws on a chain that has many blocks and mines none for now. */
async function withdrawUnmined(player: Player): Promise<void> {
  await setVars(theRelayer(), { CHAIN_CONFIRMATIONS: String(CONFIRMATIONS) })
  await chain.mine({ blocks: 20 })
  await chain.setAutomine(false)
  expect((await withdraw(player)).status).toBe(200)
  await work(player, 1)
}

/** Lets the chain go on, and returns how the withdrawal ends and what the player receives. */
async function goOn(player: Player): Promise<{ status?: string; received: bigint }> {
  const before = await tokenBalance(player.account.address, 'USDG')
  vi.restoreAllMocks()
  await chain.setAutomine(true)
  await chain.mine({ blocks: 30 })
  let status: string | undefined
  for (let time = 0; time < 6; time++) {
    await work(player, 1)
    await chain.mine({ blocks: CONFIRMATIONS })
    status = await statusOf(player)
  }
  const received = (await tokenBalance(player.account.address, 'USDG')) - before
  return { ...(status && { status }), received }
}

describe('a withdrawal is not refunded and then paid', () => {
  it('when a node on a branch that the chain has left has it refused and burned', async () => {
    const alice = await depositor(0)
    await withdrawUnmined(alice)
    const { block } = await confirmedBlock()
    const receipts = new Map<string, Told>()
    nodeTells(receipts)
    const [payment] = await attempts()
    const blockHash = pad('0x0f')
    receipts.set(payment!.hash, { status: '0x0', block, blockHash })
    for (let time = 0; time < 3; time++) {
      await look()
      const signed = await attempts()
      for (const { hash } of signed.slice(1))
        receipts.set(hash, { status: '0x1', block, blockHash })
      pass(2_000)
    }
    expect(await attempts()).toHaveLength(1)
    expect([await statusOf(alice), await chipsOf(alice)]).toEqual(['submitted', 900_000_000n])
    expect(await goOn(alice)).toEqual({ status: 'confirmed', received: AMOUNT })
    expect(await chipsOf(alice)).toBe(900_000_000n)
  })

  it('when a node makes up that it was refused and burned in blocks of the chain', async () => {
    const alice = await depositor(0)
    await withdrawUnmined(alice)
    const receipts = new Map<string, Told>()
    nodeTells(receipts)
    const [payment] = await attempts()
    receipts.set(payment!.hash, { status: '0x0', ...(await confirmedBlock()) })
    await look()
    pass(2_000)
    const [, burn] = await attempts()
    receipts.set(burn!.hash, { status: '0x1', ...(await confirmedBlock()) })
    for (let time = 0; time < 3; time++) {
      await look()
      pass(2_000)
    }
    expect([await statusOf(alice), await chipsOf(alice)]).toEqual(['submitted', 900_000_000n])
    expect(await noncesUsed(alice)).toBe(0n)
    expect(await goOn(alice)).toEqual({ status: 'confirmed', received: AMOUNT })
    expect(await chipsOf(alice)).toBe(900_000_000n)
  })
})

it('a refused payment that a node shows as paid is not burned twice', async () => {
  const alice = await depositor(0)
  await chain.setAutomine(false)
  await withdraw(alice)
  await work(alice, 1)
  await asOwner('pause')
  await chain.mine({ blocks: 1 })
  await work(alice, 1)
  const [payment, ...others] = await attempts()
  expect(others).toHaveLength(1)
  const { number, hash: blockHash } = await chain.getBlock()
  const told: Told = { status: '0x1', block: numberToHex(number), blockHash }
  nodeTells(new Map([[payment!.hash, told]]), { inBatches: false })
  pass(15_000)
  await look()
  expect(await attempts()).toHaveLength(2)
  vi.restoreAllMocks()
  await chain.setAutomine(true)
  expect(await workToEnd(alice)).toBe('failed')
})

describe('a transaction counts as confirmed', () => {
  it('only if the node that has its receipt has the confirmations, too', async () => {
    const alice = await depositor(0)
    await withdrawUnmined(alice)
    await chain.mine({ blocks: CONFIRMATIONS })
    const head = await chain.getBlockNumber({ cacheTime: 0 })
    nodeTells(new Map(), { head: numberToHex(head - 1n) })
    await look()
    pass(2_000)
    expect(await statusOf(alice)).toBe('submitted')
    vi.restoreAllMocks()
    await work(alice, 1)
    expect(await statusOf(alice)).toBe('confirmed')
    await chain.setAutomine(true)
  })

  it.each([
    { isPaused: false, status: 'confirmed', more: [] },
    { isPaused: true, status: 'failed', more: ['eth_call'] },
  ])(
    'after two more calls of the node, a burn after three: $status',
    async ({ isPaused, status, more }) => {
      const alice = await depositor(0)
      if (isPaused) await asOwner('pause')
      await withdraw(alice)
      await work(alice, 1)
      const methods = watchMethods()
      await look()
      expect(methods.slice(methods.indexOf('eth_getTransactionReceipt'))).toEqual([
        'eth_getTransactionReceipt',
        'eth_blockNumber+eth_getTransactionReceipt',
        'eth_getBlockByNumber',
        ...more,
      ])
      expect(await statusOf(alice)).toBe(status)
    },
  )
})
