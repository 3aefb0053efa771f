import { env } from 'cloudflare:workers'
import { numberToHex, type Hex } from 'viem'
import { describe, expect, it, vi } from 'vitest'
import { payment } from '../../src/calls/objects.ts'
import { isBlankObject, outcomeOf, pass, Player, type Answer } from '../workers/support.ts'
import { account, LOOTBOX, POOL_ADDRESS } from './accounts.ts'
import { day, pay, PRICE, PROTOCOL_WALLET, rent } from './ads.ts'
import { open, payPool } from './lootbox.ts'
import { deployForwarder, deployRefusal, expectMismatch, nodeLacks } from './payments.ts'
import { beforeNext, chain, setVars, useChain } from './support.ts'

useChain()

const [alice, bob] = [new Player(0), new Player(1)]
const NOBODYS: Hex = `0x${'1'.repeat(64)}`

interface Call {
  method?: string
}

interface Purchase {
  what: string
  to: Hex
  price: bigint
  pay: (player: Player, fields?: object) => Promise<Hex>
  /** Asks for what was paid, by default as Alice. */
  claim: (txHash: Hex, player?: Player) => Promise<Answer>
}

const PURCHASES: Purchase[] = [
  {
    what: 'the lootbox',
    to: POOL_ADDRESS,
    price: BigInt(LOOTBOX.price),
    pay: payPool,
    claim: open,
  },
  {
    what: 'the advertising slot',
    to: PROTOCOL_WALLET,
    price: PRICE,
    pay,
    claim: (txHash, player = alice) =>
      rent(player, txHash, { date: day(player === alice ? 1 : 5) }),
  },
]

const isUnknown = (txHash: Hex) => isBlankObject(payment(env, 31_337, txHash))

describe.each(PURCHASES)('a payment for $what', ({ to, price, pay: payFor, claim }) => {
  it('is refused if it does not exist', async () => {
    await expectMismatch(claim(NOBODYS), 'not_found')
    expect(await isUnknown(NOBODYS)).toBe(true)
  })

  it.each([
    ['wrong_recipient', { to: account(6).address }],
    ['underpaid', { value: price - 1n }],
    ['overpaid', { value: price + 1n }],
    ['not_a_plain_transfer', { data: '0x01' }],
  ])('is refused as %s', async (reason, fields) => {
    await expectMismatch(claim(await payFor(alice, fields)), reason)
  })

  it('is refused if another wallet sent it', async () => {
    await expectMismatch(claim(await payFor(alice), bob), 'wrong_sender')
  })

  it('is refused if it failed on chain', async () => {
    await deployRefusal(to)
    await expectMismatch(claim(await payFor(alice)), 'failed')
  })

  it('is refused if a contract made it inside another call', async () => {
    const before = await chain.getBalance({ address: to })
    const txHash = await payFor(alice, { to: await deployForwarder(to) })
    expect(await chain.getBalance({ address: to })).toBe(before + price)
    await expectMismatch(claim(txHash), 'wrong_recipient')
  })

  it('is refused a day after it was made, and not before', async () => {
    const [first, second] = [await payFor(alice), await payFor(bob)]
    pass(86_400_000)
    expect((await claim(first)).status).toBe(200)
    pass(2_000)
    await expectMismatch(claim(second, bob), 'too_old')
  })

  it('is refused if a reorg removed it before anyone asked about it', async () => {
    const snapshot = await chain.snapshot()
    const txHash = await payFor(alice)
    await chain.revert({ id: snapshot })
    await expectMismatch(claim(txHash), 'not_found')
    expect(await isUnknown(txHash)).toBe(true)
  })

  it('is not confirmed by the head of a node on a branch that lacks it', async () => {
    const txHash = await payFor(alice)
    await setVars(payment(env, 31_337, txHash), { CHAIN_CONFIRMATIONS: '2' })
    const head = await chain.getBlockNumber()
    const other = numberToHex(head + 5n)
    const real = globalThis.fetch
    // The other branch answers what comes in a request of its own, and what comes after the receipt.
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
      const sent = JSON.parse(typeof init?.body === 'string' ? init.body : '{}') as Call | Call[]
      const methods = [sent].flat().map(({ method }) => method)
      const at = methods.indexOf('eth_blockNumber')
      const isFirst = at >= 0 && at < methods.indexOf('eth_getTransactionReceipt')
      if (at < 0 || isFirst) return real(input, init)
      const answers = [await (await real(input, init)).json<{ result: unknown }>()].flat()
      const shown = answers.map((each, index) => (index === at ? { ...each, result: other } : each))
      return Response.json(Array.isArray(sent) ? shown : shown[0])
    })
    const { body } = await claim(txHash)
    expect(body).toMatchObject({ status: 'pending', confirmations: 1 })
  })

  it('is not confirmed if its block is reorganised away while it is read', async () => {
    const snapshot = await chain.snapshot()
    const txHash = await payFor(alice)
    beforeNext('"eth_getBlockByNumber"', async () => {
      await chain.revert({ id: snapshot })
      await chain.mine({ blocks: 5 })
    })
    expect((await claim(txHash)).body).toMatchObject({ status: 'pending', confirmations: 0 })
    await expectMismatch(claim(txHash), 'not_found')
  })

  it('is pending as long as the node that is asked for its block is behind', async () => {
    const txHash = await payFor(alice)
    nodeLacks('eth_getBlockByNumber')
    expect((await claim(txHash)).body).toMatchObject({ status: 'pending', confirmations: 0 })
    vi.restoreAllMocks()
    expect((await claim(txHash)).status).toBe(200)
  })

  it('can be retried if the chain is unreachable', async () => {
    const txHash = await payFor(alice)
    vi.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('down'))
    expect(outcomeOf(await claim(txHash))).toEqual([503, 'chain_unavailable'])
    vi.restoreAllMocks()
    expect((await claim(txHash)).status).toBe(200)
  })
})
