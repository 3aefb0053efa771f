import { env } from 'cloudflare:workers'
import { sha256, stringToHex, zeroAddress, type Hex } from 'viem'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { tierOfBox } from '../../src/box-nft/tier.ts'
import { awardAbi } from '../../src/chain/abi.ts'
import { loadConfig } from '../../src/config/load.ts'
import { commitmentOf } from '../../src/fairness/seed.ts'
import { get, pass, Player, outcomeOf } from '../workers/support.ts'
import {
  account,
  AWARD_ADDRESS,
  BOX_NFT_ADDRESS,
  BOX_PEPPER,
  OWNER,
  REWARD_TOKEN_ADDRESS,
} from './accounts.ts'
import {
  actOnBox,
  box,
  BOX_PRICE,
  deployBoxContracts,
  prompt,
  rewardToken,
  sellBoxes,
} from './boxes.ts'
import { ask, balanceOf, chain, nodeAnswers, useChain, write } from './support.ts'

useChain()

const alice = new Player(0)
const TIERS = [
  { bps: 7_000, prize: 5n * 10n ** 18n },
  { bps: 2_500, prize: 20n * 10n ** 18n },
  { bps: 500, prize: 200n * 10n ** 18n },
]

/** How long an isolate keeps what is for sale. */
const OFFER_MS = 3_000

beforeEach(async () => {
  await deployBoxContracts()
  await sellBoxes(TIERS)
})

const shop = async (player = alice) => {
  pass(OFFER_MS)
  return (await get(`/api/lootbox-nft?wallet=${player.wallet}`)).body
}
const rewards = () => balanceOf(REWARD_TOKEN_ADDRESS, alice.account.address)

async function bought(player = alice): Promise<string> {
  const { body } = await actOnBox('buy', { kind: 0, wallet: player.wallet })
  await prompt(body.tx, player)
  return (await shop(player)).boxes.at(-1).boxId
}

/** Ends the batch and publishes its pepper. */
async function endBatch(): Promise<void> {
  await write(box, 'stopBatch')
  await chain.mine({ blocks: 1 })
  await write(box, 'endBatch', [`0x${BOX_PEPPER}`])
}

describe('a box', () => {
  it('is bought, revealed and paid in three wallet prompts', async () => {
    const before = await chain.getTransactionCount({ address: alice.account.address })
    expect(await shop()).toMatchObject({
      ok: true,
      boxes: [],
      kinds: [
        {
          kind: 0,
          price: BOX_PRICE.toString(),
          tiers: [{ tier: 0, label: 'Common', bps: 7_000 }, {}, {}],
        },
      ],
      stats: { bought: 0, revealed: 0, claimed: 0 },
      contract: BOX_NFT_ADDRESS,
      chainId: 31_337,
    })
    const order = await actOnBox('buy', { kind: 0, wallet: alice.wallet })
    expect(order.status).toBe(200)
    expect(order.body).toMatchObject({ ok: true, kind: 0, price: BOX_PRICE.toString() })
    await prompt(order.body.tx)
    const [closed] = (await shop()).boxes
    expect(closed).toMatchObject({
      kind: 0,
      state: 'closed',
      tier: null,
      prize: null,
      claimed: false,
      batch: 1,
      pepperHash: commitmentOf(BOX_PEPPER),
      pepper: null,
    })

    const opening = await actOnBox('reveal', { boxId: closed.boxId })
    expect(opening.status).toBe(200)
    const tier = tierOfBox(BigInt(closed.boxId), BOX_PEPPER, TIERS)
    const prize = TIERS[tier]?.prize
    expect(opening.body).toMatchObject({ ok: true, boxId: closed.boxId, tier, prize: `${prize}` })
    await prompt(opening.body.tx)
    expect((await shop()).boxes[0]).toMatchObject({ state: 'revealed', tier, prize: `${prize}` })

    const payment = await actOnBox('claim', { boxId: closed.boxId })
    expect(payment.body).toMatchObject({ ok: true, prize: `${prize}`, nonce: opening.body.nonce })
    await prompt(payment.body.tx)
    expect(await rewards()).toBe(prize)
    expect(await shop()).toMatchObject({
      boxes: [{ claimed: true }],
      stats: { bought: 1, revealed: 1, claimed: 1 },
    })
    const after = await chain.getTransactionCount({ address: alice.account.address })
    expect(after - before).toBe(3)
  })

  it('always reveals the same tier, before and after it is opened', async () => {
    const boxId = await bought()
    const first = await actOnBox('reveal', { boxId })
    expect((await actOnBox('reveal', { boxId })).text).toBe(first.text)
    await prompt(first.body.tx)
    const { tier, prize, nonce } = (await actOnBox('reveal', { boxId })).body
    expect({ tier, prize, nonce }).toEqual({
      tier: first.body.tier,
      prize: first.body.prize,
      nonce: first.body.nonce,
    })
  })

  it('cannot be revealed before its purchase is confirmed', async () => {
    const { boxes } = loadConfig(env)
    if (!boxes) throw new Error('the chain stories have boxes')
    boxes.confirmations = 3
    onTestFinished(() => void (boxes.confirmations = 1))
    const boxId = await bought()
    for (let confirmations = 1; confirmations < 3; confirmations++) {
      expect(outcomeOf(await actOnBox('reveal', { boxId }))).toEqual([404, 'not_found'])
      await chain.mine({ blocks: 1 })
    }
    expect((await actOnBox('reveal', { boxId })).status).toBe(200)
  })

  it('has the tier that the contract computes and the published pepper proves', async () => {
    const boxIds = []
    for (let index = 0; index < 6; index++) boxIds.push(await bought())
    for (const boxId of boxIds) {
      const { body } = await actOnBox('reveal', { boxId })
      const args = [BigInt(boxId), `0x${BOX_PEPPER}`, 0n] as const
      const tier = await chain.readContract({ ...box, functionName: 'tierBy', args })
      expect(body.tier).toBe(Number(tier))
    }
    const [boxId] = boxIds
    const signed = (await actOnBox('reveal', { boxId })).body
    await endBatch()
    await prompt(signed.tx)
    const opened = { state: 'revealed', tier: signed.tier, batch: 1, pepper: BOX_PEPPER }
    expect((await shop()).boxes[0]).toMatchObject(opened)
    const { boxes, kinds, stats } = (await get(`/api/lootbox-nft?boxId=${boxId}`)).body
    expect([boxes.length, stats]).toEqual([1, undefined])
    expect([boxes[0], kinds]).toEqual([(await shop()).boxes[0], (await shop()).kinds])
  })

  it('cannot be opened with a forged commitment or that of another box', async () => {
    const [mine, other] = [await bought(), await bought()]
    const { tx, nonce, prize, tier, signature } = (await actOnBox('reveal', { boxId: mine })).body
    const { nonce: otherNonce } = (await actOnBox('reveal', { boxId: other })).body
    const open = (boxId: string, fields: { tier?: number; prize?: bigint; nonce?: Hex }) =>
      chain.simulateContract({
        ...box,
        account: alice.account,
        functionName: 'open',
        args: [
          BigInt(boxId),
          BigInt(fields.tier ?? tier),
          fields.prize ?? BigInt(prize),
          fields.nonce ?? nonce,
          signature,
        ],
      })
    const best = TIERS.length - 1
    await expect(open(mine, { tier: best, prize: 200n * 10n ** 18n + 1n })).rejects.toThrow('Wrong')
    await expect(open(other, {})).rejects.toThrow('WrongSignature')
    await expect(open(other, { nonce: otherNonce })).rejects.toThrow('WrongSignature')
    await prompt(tx)
    await expect(open(mine, {})).rejects.toThrow('AlreadyOpened')
  })

  it('is paid only once', async () => {
    const boxId = await bought()
    const early = await actOnBox('claim', { boxId })
    expect(outcomeOf(early)).toEqual([409, 'box_state'])
    expect(early.body.error.details).toEqual({ state: 'closed' })
    const { tx, prize } = (await actOnBox('reveal', { boxId })).body
    await prompt(tx)
    const first = await actOnBox('claim', { boxId })
    await prompt(first.body.tx)
    await expect(
      chain.call({ account: account(3), to: AWARD_ADDRESS, data: first.body.tx.data }),
    ).rejects.toThrow()
    const again = await actOnBox('claim', { boxId })
    expect(again.body.error).toMatchObject({ code: 'box_state', details: { state: 'claimed' } })
    expect(await rewards()).toBe(BigInt(prize))
  })

  it('is listed in pages of one hundred', async () => {
    const { body } = await get(`/api/lootbox-nft?wallet=${alice.wallet}&from=7`)
    expect(body).toMatchObject({ boxes: [], next: null })
  })

  it('is listed before older ones if the newest are asked for first', async () => {
    const boxIds = [await bought(), await bought(), await bought()]
    const listed = async (query: string) => {
      const { body } = await get(`/api/lootbox-nft?wallet=${alice.wallet}${query}`)
      return body.boxes.map(({ boxId }: { boxId: string }) => boxId)
    }
    const [first, second, third] = boxIds
    expect(await listed('')).toEqual([first, second, third])
    expect(await listed('&order=newest')).toEqual([third, second, first])
    expect(await listed('&order=newest&from=1')).toEqual([second, first])
    expect(await listed('&order=newest&from=4')).toEqual([])
  })

  it('is offered to a visitor without a wallet in either order', async () => {
    for (const order of ['oldest', 'newest']) {
      const { body } = await get(`/api/lootbox-nft?wallet=${zeroAddress}&order=${order}`)
      expect(body).toMatchObject({ boxes: [], kinds: [{ kind: 0 }], next: null })
    }
  })
})

describe('the box shop', () => {
  it('sells only kinds that are on sale', async () => {
    const refused = async (kind: number) => {
      const { status, body } = await actOnBox('buy', { kind, wallet: alice.wallet })
      return [status, body.error.code, body.error.details?.state]
    }
    expect(await refused(1)).toEqual([409, 'box_state', 'not_for_sale'])
    await write(box, 'setForSale', [0n, false])
    pass(OFFER_MS)
    expect(await refused(0)).toEqual([409, 'box_state', 'not_for_sale'])
    expect((await refused(32))[0]).toBe(400)
  })

  it('sells a kind only while its highest prize is covered', async () => {
    const award = { address: AWARD_ADDRESS, abi: awardAbi } as const
    const highest = TIERS[2]!.prize
    const leftover = await chain.readContract({ ...award, functionName: 'leftover' })
    await write(award, 'withdraw', [OWNER.address, leftover - 2n * highest + 1n])
    const buy = () => {
      pass(OFFER_MS)
      return actOnBox('buy', { kind: 0, wallet: alice.wallet })
    }
    const isForSale = async () => (await shop()).kinds[0].isForSale
    const { tx } = (await buy()).body
    expect(await isForSale()).toBe(true)
    await prompt(tx)
    expect((await buy()).body.error).toMatchObject({ details: { state: 'not_for_sale' } })
    expect(await isForSale()).toBe(false)
    const { account: from } = alice
    const again = chain.call({ account: from, to: tx.to, data: tx.data, value: BOX_PRICE })
    await expect(again).rejects.toThrow()
    await write(rewardToken, 'mint', [AWARD_ADDRESS, 1n])
    expect(await isForSale()).toBe(true)
    await prompt((await buy()).body.tx)
    expect((await shop()).boxes).toHaveLength(2)
  })

  it.each([
    [
      'its batch has a pepper that is not configured',
      async () => {
        await endBatch()
        await write(box, 'openBatch', [sha256(`0x${'b2'.repeat(32)}`)])
        await chain.mine({ blocks: 1 })
      },
    ],
    [
      'its batch was opened with the hash of the hex text',
      async () => {
        await endBatch()
        await write(box, 'openBatch', [sha256(stringToHex(BOX_PEPPER))])
        await chain.mine({ blocks: 1 })
      },
    ],
    [
      'another key than ours opens its boxes',
      async () => void (await write(box, 'setSigner', [account(3).address])),
    ],
  ])('is not for sale while %s, because nobody could open it', async (_why, change) => {
    const { tx } = (await actOnBox('buy', { kind: 0, wallet: alice.wallet })).body
    await change()
    expect((await shop()).kinds).toMatchObject([{ isForSale: false }])
    const { body } = await actOnBox('buy', { kind: 0, wallet: alice.wallet })
    expect(body.error).toMatchObject({ details: { state: 'not_for_sale' } })
    // The contract would have sold it.
    await prompt(tx)
  })

  it.each([
    ['reveal', { boxId: '12' }, 404],
    ['claim', { boxId: '12' }, 404],
    ['reveal', { boxId: 'x' }, 400],
    ['reveal', {}, 400],
    ['buy', { kind: 0, wallet: '0x12' }, 400],
    ['buy', { wallet: alice.wallet }, 400],
    ['buy', { kind: '0', wallet: alice.wallet }, 400],
    ['open', {}, 400],
  ])('answers %s %o with %s', async (action, fields, status) => {
    expect((await actOnBox(action, fields)).status).toBe(status)
  })

  it.each([
    ['boxId=12', 404],
    ['boxId=x', 400],
    ['boxId=', 400],
    ['', 400],
  ])('answers GET ?%s with %s', async (query, status) => {
    expect((await get(`/api/lootbox-nft?${query}`)).status).toBe(status)
  })

  it('reports that the chain is unreachable', async () => {
    vi.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('down'))
    expect(outcomeOf(await actOnBox('buy', { kind: 0, wallet: alice.wallet }))).toEqual([
      503,
      'chain_unavailable',
    ])
  })

  it('waits for a node that does not have the batch of the box yet', async () => {
    const boxId = await bought()
    const batchBytes = 5 * 32
    nodeAnswers('eth_call', (result) => {
      const isBatch = String(result).startsWith(`0x${commitmentOf(BOX_PEPPER)}`)
      return isBatch ? `0x${'00'.repeat(batchBytes)}` : result
    })
    const unknown = [503, 'chain_unavailable']
    expect(outcomeOf(await actOnBox('reveal', { boxId }))).toEqual(unknown)
    pass(2_000)
    expect(outcomeOf(await get(`/api/lootbox-nft?boxId=${boxId}`))).toEqual(unknown)
    vi.restoreAllMocks()
    expect((await actOnBox('reveal', { boxId })).status).toBe(200)
  })

  it('reveals a box of an ended batch whose secret is no longer configured', async () => {
    const boxId = await bought()
    const before = await actOnBox('reveal', { boxId })
    await endBatch()
    const peppers = loadConfig(env).boxes!.peppers as Map<number, string>
    const kept = [...peppers]
    onTestFinished(() => kept.forEach(([batch, pepper]) => peppers.set(batch, pepper)))
    peppers.clear()
    expect((await actOnBox('reveal', { boxId })).text).toBe(before.text)
  })

  describe('while another key signs than ours', () => {
    const changeSigner = () => write(box, 'setSigner', [account(3).address])

    it('is not revealed, because the contract would refuse the signature', async () => {
      const boxId = await bought()
      await changeSigner()
      expect(outcomeOf(await actOnBox('reveal', { boxId }))).toEqual([503, 'not_configured'])
    })

    it('is revealed without a signature once its batch has ended', async () => {
      const boxId = await bought()
      await endBatch()
      await changeSigner()
      const { body } = await actOnBox('reveal', { boxId })
      await prompt(body.tx)
      expect((await shop()).boxes).toMatchObject([{ boxId, state: 'revealed', tier: body.tier }])
    })
  })

  it('never signs with a pepper that is not committed on chain', async () => {
    const boxId = await bought()
    await endBatch()
    await write(box, 'openBatch', [sha256('0x01')])
    await chain.mine({ blocks: 1 })
    const other = await bought()
    expect(outcomeOf(await actOnBox('reveal', { boxId: other }))).toEqual([503, 'not_configured'])
    expect((await actOnBox('reveal', { boxId })).status).toBe(200)
    await ask('evm_mine')
  })
})
