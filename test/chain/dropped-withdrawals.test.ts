import { toFunctionSelector, type Hex } from 'viem'
import { describe, expect, it, vi } from 'vitest'
import { pass, rowsOf } from '../workers/support.ts'
import {
  dropBlocks,
  lookFor,
  mineAgainWithoutFirst,
  signedWithoutBlock,
  useUpNoncesAfter,
} from './dropped.ts'
import { payOutside } from './outside.ts'
import {
  ask,
  asOwner,
  attempts,
  beforeNext,
  chain,
  chipsOf,
  deposit,
  depositor,
  look,
  mined,
  noncesUsed,
  sentByRelayer,
  setVars,
  statusOf,
  theRelayer,
  tokenBalance,
  useChain,
  vaultConfig,
  withdraw,
  work,
  workToEnd,
} from './support.ts'

useChain()

const AMOUNT = 100_000_000n

describe('when the chain drops transactions', () => {
  it('a withdrawal is not given up because the chain changes while the relayer reads it', async () => {
    const alice = await depositor(0)
    await withdraw(alice)
    expect(await workToEnd(alice)).toBe('confirmed')
    const [first] = await rowsOf<{ raw: string }>(theRelayer(), 'SELECT raw FROM attempts')
    await dropBlocks(1)
    await withdraw(alice, { nonce: 1 })
    // The relayer finds the second one refused, and then the block replaced by one with the first.
    beforeNext(toFunctionSelector('nonces(address)').slice(2), async () => {
      await ask('anvil_reorg', 1, [[first?.raw, 0]])
    })
    expect(await workToEnd(alice, { nonce: 1 })).toBe('confirmed')
    expect(await noncesUsed(alice)).toBe(2n)
  })

  it('a payment that is mined without an earlier one is not given up, but waits for it', async () => {
    const alice = await depositor(0)
    const before = Number(await chain.getBlockNumber())
    await withdraw(alice)
    expect(await workToEnd(alice)).toBe('confirmed')
    const second = await signedWithoutBlock(alice, 1)
    await useUpNoncesAfter(before)
    await chain.sendRawTransaction({ serializedTransaction: second })
    expect(await noncesUsed(alice)).toBe(0n)
    await lookFor(3)
    expect(await statusOf(alice)).toBe('confirmed')
    expect(await statusOf(alice, { nonce: 1 })).toBe('confirmed')
    expect(await noncesUsed(alice)).toBe(2n)
  })

  it('a payment that is mined before its turn is not given up, even if its predecessor follows at once', async () => {
    const alice = await depositor(0)
    const before = Number(await chain.getBlockNumber())
    await withdraw(alice)
    expect(await workToEnd(alice)).toBe('confirmed')
    const second = await signedWithoutBlock(alice, 1)
    await useUpNoncesAfter(before)
    await chain.sendRawTransaction({ serializedTransaction: second })
    await payOutside(alice, AMOUNT, 0)
    await lookFor(3)
    expect(await statusOf(alice)).toBe('confirmed')
    expect(await statusOf(alice, { nonce: 1 })).toBe('confirmed')
    expect(await noncesUsed(alice)).toBe(2n)
  })

  it('a confirmed transaction removed by a reorg is sent again', async () => {
    const alice = await depositor(0)
    const before = await tokenBalance(alice.account.address, 'USDG')
    await withdraw(alice)
    expect(await workToEnd(alice)).toBe('confirmed')
    await dropBlocks(1)
    expect(await tokenBalance(alice.account.address, 'USDG')).toBe(before)
    pass(15_000)
    await look()
    pass(15_000)
    await look()
    expect(await tokenBalance(alice.account.address, 'USDG')).toBe(before + AMOUNT)
    expect(await statusOf(alice)).toBe('confirmed')
  })

  it('the watch of a confirmed transaction starts over once the chain mines it in another block', async () => {
    const alice = await depositor(0)
    const before = await tokenBalance(alice.account.address, 'USDG')
    await withdraw(alice)
    expect(await workToEnd(alice)).toBe('confirmed')
    const [first] = await rowsOf<{ raw: Hex }>(theRelayer(), 'SELECT raw FROM attempts')
    await dropBlocks(1)
    await chain.mine({ blocks: 1 })
    await chain.sendRawTransaction({ serializedTransaction: first!.raw })
    // The relayer would have stopped watching it if the chain had kept it.
    pass(1_900_000)
    await look()
    await dropBlocks(1)
    for (let time = 0; time < 2; time++) {
      pass(15_000)
      await look()
    }
    expect(await tokenBalance(alice.account.address, 'USDG')).toBe(before + AMOUNT)
    expect(await statusOf(alice)).toBe('confirmed')
  })

  it('a confirmed payment is burned and refunded if the chain mines it again and it fails, however late', async () => {
    const alice = await depositor(0)
    const chips = await chipsOf(alice)
    await setVars(theRelayer(), { CHAIN_CONFIRMATIONS: '2' })
    await withdraw(alice)
    await work(alice)
    await chain.mine({ blocks: 1 })
    expect(await workToEnd(alice)).toBe('confirmed')
    const [first] = await rowsOf<{ raw: Hex }>(theRelayer(), 'SELECT raw FROM attempts')
    await dropBlocks(2)
    await mined(asOwner('pause'))
    await chain.sendRawTransaction({ serializedTransaction: first!.raw })
    // The relayer would have stopped watching it if the chain had kept it.
    pass(1_900_000)
    await look()
    await mined(asOwner('unpause'))
    for (let time = 0; time < 4; time++) {
      await chain.mine({ blocks: 1 })
      pass(15_000)
      await look()
    }
    expect(await statusOf(alice)).toBe('failed')
    expect(await chipsOf(alice)).toBe(chips)
    expect(await noncesUsed(alice)).toBe(1n)
  })

  it('a payment that was given up is never sent again, and its nonce blocks no other, even at the highest fee', async () => {
    const [alice, bob] = [await depositor(0, 'ETH', 10n ** 18n), await depositor(1)]
    const order = { token: 'ETH' as const, amountWei: 10n ** 17n }
    await chain.setNextBlockBaseFeePerGas({ baseFeePerGas: 150n * 10n ** 9n })
    await chain.mine({ blocks: 1 })
    await chain.setAutomine(false)
    await withdraw(alice, order)
    await work(alice, 1)
    const [payment] = await attempts()
    expect(payment?.max_fee).toBe(vaultConfig().relayer.maxFeePerGas.toString())
    const before = Number(await chain.getBlockNumber())
    // A contract that takes no ETH.
    await chain.setCode({ address: alice.account.address, bytecode: '0x5f5ffd' })
    await chain.mine({ blocks: 1 })
    await chain.setAutomine(true)
    expect(await workToEnd(alice, order)).toBe('failed')
    await chain.setCode({ address: alice.account.address, bytecode: '0x' })
    await dropBlocks(Number(await chain.getBlockNumber()) - before)
    pass(15_000)
    await look()
    await withdraw(bob)
    expect(await workToEnd(bob)).toBe('confirmed')
    const receipt = chain.getTransactionReceipt({ hash: payment!.hash as `0x${string}` })
    await expect(receipt).rejects.toThrow('could not be found')
    expect(await statusOf(alice, order)).toBe('failed')
  })

  it('a nonce whose burn the chain drops is burned again, and the chips are refunded once', async () => {
    const [alice, mallory] = [await depositor(0), await depositor(1, 'ETH', 10n ** 18n)]
    const order = { token: 'ETH' as const, amountWei: 10n ** 17n }
    const chips = await chipsOf(mallory, 'ETH')
    await withdraw(mallory, order)
    const before = Number(await chain.getBlockNumber())
    // A contract that takes no ETH.
    await chain.setCode({ address: mallory.account.address, bytecode: '0x5f5ffd' })
    expect(await workToEnd(mallory, order)).toBe('failed')
    await chain.setCode({ address: mallory.account.address, bytecode: '0x' })
    await useUpNoncesAfter(before)
    expect(await noncesUsed(mallory)).toBe(0n)
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
    pass(15_000)
    await look()
    pass(120_000)
    await look()
    expect(await noncesUsed(mallory)).toBe(1n)
    expect(await statusOf(mallory, order)).toBe('failed')
    expect(await chipsOf(mallory, 'ETH')).toBe(chips)
    await withdraw(alice)
    expect(await workToEnd(alice)).toBe('confirmed')
    expect(logged.mock.calls.join()).not.toContain('ended_withdrawal_contradicted')
  })

  it('a nonce is burned again if the vault refuses that, because an earlier payment now fails', async () => {
    const mallory = await depositor(1, 'ETH', 10n ** 18n)
    const order = { token: 'ETH' as const, amountWei: 10n ** 17n }
    const [first, second] = [order, { ...order, nonce: 1 }]
    const takesNoEth = { address: mallory.account.address, bytecode: '0x5f5ffd' } as const
    const chips = await chipsOf(mallory, 'ETH')
    const before = Number(await chain.getBlockNumber())
    await withdraw(mallory, first)
    expect(await workToEnd(mallory, first)).toBe('confirmed')
    await withdraw(mallory, second)
    await chain.setCode(takesNoEth)
    expect(await workToEnd(mallory, second)).toBe('failed')
    await dropBlocks(Number(await chain.getBlockNumber()) - before)
    await chain.setCode(takesNoEth)
    vi.spyOn(console, 'error').mockImplementation(() => {})
    // The payment and the burn are mined in one block, in which the payment fails.
    await chain.setAutomine(false)
    await lookFor(0.25)
    await chain.mine({ blocks: 1 })
    await chain.setAutomine(true)
    await lookFor(3)
    expect(await noncesUsed(mallory)).toBe(2n)
    expect(await statusOf(mallory, first)).toBe('failed')
    expect(await statusOf(mallory, second)).toBe('failed')
    expect(await chipsOf(mallory, 'ETH')).toBe(chips)
  })

  it('a wallet does not rest because its payments are mined again before an earlier one', async () => {
    const alice = await depositor(0)
    const before = Number(await chain.getBlockNumber())
    const orders = [0, 1, 2, 3].map((nonce) => ({ nonce }))
    for (const order of orders) {
      await withdraw(alice, order)
      expect(await workToEnd(alice, order)).toBe('confirmed')
    }
    vi.spyOn(console, 'error').mockImplementation(() => {})
    // So the others fail.
    await mineAgainWithoutFirst(before)
    expect(await noncesUsed(alice)).toBe(0n)
    await lookFor(3.5)
    expect(await noncesUsed(alice)).toBe(4n)
    for (const order of orders) expect(await statusOf(alice, order)).toBe('confirmed')
  })

  it('a payment that was mined before its turn is made again at once, even if its wallet has wasted gas since', async () => {
    const mallory = await depositor(0)
    await deposit(mallory, 'ETH', 10n ** 18n)
    const before = Number(await chain.getBlockNumber())
    for (const nonce of [0, 1]) {
      await withdraw(mallory, { nonce })
      expect(await workToEnd(mallory, { nonce })).toBe('confirmed')
    }
    const refused = { token: 'ETH' as const, amountWei: 10n ** 17n, nonce: 2 }
    await withdraw(mallory, refused)
    await chain.setCode({ address: mallory.account.address, bytecode: '0x5f5ffd' })
    expect(await workToEnd(mallory, refused)).toBe('failed')
    await chain.setCode({ address: mallory.account.address, bytecode: '0x' })
    vi.spyOn(console, 'error').mockImplementation(() => {})
    await mineAgainWithoutFirst(before)
    await payOutside(mallory, AMOUNT, 0)
    expect(await noncesUsed(mallory)).toBe(1n)
    await lookFor(0.75)
    expect(await noncesUsed(mallory)).toBe(3n)
    expect(await statusOf(mallory, { nonce: 1 })).toBe('confirmed')
  })

  it('a confirmed payment that lost its transaction is made again without a rest, even if its wallet has wasted gas since', async () => {
    const mallory = await depositor(0)
    await deposit(mallory, 'ETH', 10n ** 18n)
    const before = Number(await chain.getBlockNumber())
    await withdraw(mallory)
    expect(await workToEnd(mallory)).toBe('confirmed')
    const wastes = 3
    for (let nonce = 1; nonce <= wastes; nonce++) {
      const refused = { token: 'ETH' as const, amountWei: 10n ** 17n, nonce }
      await withdraw(mallory, refused)
      await chain.setCode({ address: mallory.account.address, bytecode: '0x5f5ffd' })
      pass(45_000 * 2 ** (nonce - 1))
      expect(await workToEnd(mallory, refused)).toBe('failed')
      await chain.setCode({ address: mallory.account.address, bytecode: '0x' })
    }
    vi.spyOn(console, 'error').mockImplementation(() => {})
    // The burns come before their turn and fail.
    await mineAgainWithoutFirst(before)
    await lookFor(3.5)
    expect(await noncesUsed(mallory)).toBe(BigInt(1 + wastes))
    expect(await statusOf(mallory)).toBe('confirmed')
  })

  it.each([0.25, 3])(
    'a payment that failed is burned once, even if a node lacks it for %d minutes',
    async (minutes) => {
      const mallory = await depositor(0)
      await deposit(mallory, 'ETH', 10n ** 18n)
      await chipsOf(mallory, 'ETH')
      const order = { token: 'ETH' as const, amountWei: 10n ** 17n }
      await chain.setAutomine(false)
      await withdraw(mallory, order)
      await work(mallory, 1)
      await chain.setCode({ address: mallory.account.address, bytecode: '0x5f5ffd' })
      await chain.mine({ blocks: 1 })
      await lookFor(0.5)
      const [payment] = await attempts()
      let isBehind = true
      const real = globalThis.fetch
      vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
        const sent = JSON.parse(init?.body as string) as {
          id: number
          method: string
          params: unknown[]
        }
        const isReceipt = sent.method === 'eth_getTransactionReceipt'
        if (isBehind && isReceipt && sent.params[0] === payment?.hash)
          return Response.json({ jsonrpc: '2.0', id: sent.id, result: null })
        // As most nodes do, it estimates after its newest block, and not after what waits.
        if (sent.method !== 'eth_estimateGas') return real(input, init)
        return real(input, {
          ...init,
          body: JSON.stringify({ ...sent, params: [sent.params[0], 'latest'] }),
        })
      })
      await lookFor(minutes)
      isBehind = false
      await lookFor(0.5)
      await chain.setAutomine(true)
      await chain.mine({ blocks: 1 })
      await lookFor(1)
      expect(await statusOf(mallory, order)).toBe('failed')
      expect(await sentByRelayer()).toBe(2)
    },
  )

  it.each([1, 2])(
    'a refunded withdrawal is not paid if the vault refuses its second burn, after %i attempts',
    async (attempted) => {
      const mallory = await depositor(1, 'ETH', 10n ** 18n)
      const order = { token: 'ETH' as const, amountWei: 10n ** 17n }
      const [first, second] = [order, { ...order, nonce: 1 }]
      const chips = await chipsOf(mallory, 'ETH')
      await withdraw(mallory, first)
      await asOwner('pause')
      // The only burn that the vault allows the player in this pause.
      expect(await workToEnd(mallory, first)).toBe('failed')
      const paused = Number(await chain.getBlockNumber())
      await asOwner('unpause')
      await withdraw(mallory, second)
      // A wallet whose payment failed waits for its next one.
      pass(60_000)
      await chain.setCode({ address: mallory.account.address, bytecode: '0x5f5ffd' })
      expect(await workToEnd(mallory, second)).toBe('failed')
      await chain.setCode({ address: mallory.account.address, bytecode: '0x' })
      await useUpNoncesAfter(paused)
      const balance = await chain.getBalance({ address: mallory.account.address })
      pass(15_000)
      await look()
      pass(120_000)
      await look()
      for (let time = 0; time < attempted; time++) {
        pass(60_000)
        await look()
      }
      expect(await noncesUsed(mallory)).toBe(1n)
      await asOwner('unpause')
      for (let time = 0; time < 3; time++) {
        pass(60_000)
        await look()
      }
      expect(await noncesUsed(mallory)).toBe(2n)
      expect(await chain.getBalance({ address: mallory.account.address })).toBe(balance)
      expect(await statusOf(mallory, second)).toBe('failed')
      expect(await chipsOf(mallory, 'ETH')).toBe(chips)
    },
  )
})
