import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { encodeEventTopics, getContractAddress, sha256, toHex } from 'viem'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { BoxSequence, auditBoxes } from '../../src/audit/boxes.ts'
import { LoggedHistory } from '../../src/audit/in-log.ts'
import { tierOfBox } from '../../src/box-nft/tier.ts'
import { exporter } from '../../src/calls/objects.ts'
import { readBox } from '../../src/cli/audit/rows.ts'
import type { BoxConfig } from '../../src/config/config.ts'
import { loadConfig } from '../../src/config/load.ts'
import { DAY_MS, dateOf } from '../../src/core/utc-day.ts'
import type { BoxRow } from '../../src/exports/rows.ts'
import { commitmentOf } from '../../src/fairness/seed.ts'
import type { LoggedEntry } from '../../src/transparency/entry.ts'
import { TransparencyLog } from '../../src/worker.ts'
import { changeObjectConfig } from '../workers/configuration.ts'
import { loggedOf } from '../workers/public-log.ts'
import { now, Player, post } from '../workers/support.ts'
import {
  BOX_NFT_ADDRESS,
  BOX_PEPPER,
  BOX_SIGNER,
  NEXT_BOX_PEPPER,
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
import { exportDay, linesOf } from './exported.ts'
import { ask, chain, deploy, mined, nodeFails, useChain, write } from './support.ts'

useChain()

const players = [new Player(0), new Player(1)] as const
const TIERS = [
  { bps: 7_000, prize: 5n * 10n ** 18n },
  { bps: 3_000, prize: 20n * 10n ** 18n },
]

beforeEach(async () => {
  await deployBoxContracts()
  await sellBoxes(TIERS)
  await exporter(env).sweep()
})

/** Configures the exporter's boxes otherwise until the end of the test. */
async function configure(changed: Partial<BoxConfig>): Promise<void> {
  await runInDurableObject(exporter(env), (object) => {
    const { boxes } = loadConfig((object as unknown as { env: Env }).env)
    if (!boxes) throw new Error('the chain stories have boxes')
    const before = { ...boxes }
    Object.assign(boxes, changed)
    onTestFinished(() => void Object.assign(boxes, before))
  })
}

const changeStored = (query: string) =>
  runInDurableObject(exporter(env), (_, { storage }) => void storage.sql.exec(query))

/** Makes the node leave out the first log with a topic from each answer, and perhaps have no old states. */
function nodeLeavesOut(topic: string, { hasStates = true } = {}): void {
  const real = globalThis.fetch
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const body = typeof init?.body === 'string' ? init.body : ''
    const isOfState = body.includes('eth_call') && !body.includes('"latest"')
    if (isOfState && !hasStates) throw new Error('missing trie node')
    const answer = await real(input, init)
    if (!body.includes('eth_getLogs')) return answer
    const { result, ...rest } = await answer.json<{ result: { topics: string[] }[] }>()
    const at = result.findIndex(({ topics }) => topics[0] === topic)
    return Response.json({ ...rest, result: result.filter((_, index) => index !== at) })
  })
}

/** Buys a box for each player in turn. Returns the ids, in the order of sale. */
async function buy(count: number): Promise<string[]> {
  for (let bought = 0; bought < count; bought++) {
    const player = players[bought % 2]!
    const { body } = await actOnBox('buy', { kind: 0, wallet: player.wallet })
    await prompt(body.tx, player)
  }
  const events = await chain.getContractEvents({ ...box, eventName: 'Bought', fromBlock: 0n })
  return events.map(({ args }) => String(args.boxId)).slice(-count)
}

/** Buys boxes until one has a tier. Returns all their ids. */
async function buyUntilTier(tier: number): Promise<string[]> {
  const boxIds = await buy(1)
  while (tierOfBox(BigInt(boxIds.at(-1)!), BOX_PEPPER, TIERS) !== tier) {
    boxIds.push(...(await buy(1)))
  }
  return boxIds
}

async function reveal(boxId: string): Promise<void> {
  await prompt((await actOnBox('reveal', { boxId })).body.tx)
}

/** Opens the second batch, whose pepper the service has, too. */
async function openNextBatch(): Promise<void> {
  const { boxes } = loadConfig(env)
  if (!boxes) throw new Error('the stories have boxes')
  const { peppers } = boxes
  boxes.peppers = new Map([...peppers, [2, NEXT_BOX_PEPPER]])
  onTestFinished(() => void (boxes.peppers = peppers))
  await write(box, 'openBatch', [sha256(`0x${NEXT_BOX_PEPPER}`)])
}

async function endBatch(pepper = BOX_PEPPER): Promise<void> {
  await write(box, 'stopBatch')
  await chain.mine({ blocks: 1 })
  await write(box, 'endBatch', [`0x${pepper}`])
}

const rowsOf = async (day: string): Promise<BoxRow[]> =>
  (await linesOf('boxes', day)).map((line) => JSON.parse(line))

const idsOf = async (day: string) => (await rowsOf(day)).map(({ boxId }) => boxId)

/** Audits a day's file as the command does, and compares it with the public log. */
async function foundIn(day: string): Promise<string[]> {
  const rows = (await linesOf('boxes', day)).map(readBox)
  const { findings, boxes } = auditBoxes(rows.flatMap((read) => ('row' in read ? [read.row] : [])))
  const order = new BoxSequence(true)
  order.add(boxes)
  const history = new LoggedHistory(Date.now())
  for (const entry of await loggedOf('batch')) history.take({ entry } as unknown as LoggedEntry)
  const logged = order.batches().flatMap((batch) => history.checkBatch(batch))
  expect(boxes).toHaveLength(rows.length)
  return [...findings, ...order.findings, ...logged].map(({ problem }) => problem)
}

describe('the exported boxes', () => {
  it('have all that decides their tier, and nothing for an audit to find', async () => {
    const [opened, closed] = (await buy(2)) as [string, string]
    await reveal(opened)
    await endBatch()
    const day = await exportDay()
    const place = { block: expect.any(Number), txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/) }
    const tier = tierOfBox(BigInt(opened), BOX_PEPPER, TIERS)
    const common = {
      chainId: 31_337,
      contract: BOX_NFT_ADDRESS,
      kind: 0,
      batch: 1,
      bought: place,
      pepperHash: commitmentOf(BOX_PEPPER),
      pepper: BOX_PEPPER,
      at: expect.any(Number),
      tiers: TIERS.map(({ bps, prize }) => ({ bps, prize: prize.toString() })),
    }
    const prize = TIERS[tier]?.prize.toString()
    expect(await rowsOf(day)).toEqual([
      {
        ...common,
        boxId: opened,
        n: 0,
        wallet: players[0].wallet,
        tier,
        prize,
        opened: place,
      },
      {
        ...common,
        boxId: closed,
        n: 1,
        wallet: players[1].wallet,
        tier: null,
        prize: null,
        opened: null,
      },
    ])
    expect(await foundIn(day)).toEqual([])
    // Each is exported once, and one that opens later is not again.
    await write(box, 'openPublished', [BigInt(closed)])
    expect(await rowsOf(await exportDay())).toEqual([])
  })

  it('wait until the pepper of their batch is published', async () => {
    const boxIds = await buy(2)
    await reveal(boxIds[0]!)
    expect(await rowsOf(await exportDay())).toEqual([])
    await endBatch()
    expect(await idsOf(await exportDay())).toEqual(boxIds)
  })

  it('have the numbers after those of earlier batches', async () => {
    await buy(3)
    await endBatch()
    await exportDay()
    await openNextBatch()
    await chain.mine({ blocks: 1 })
    const boxIds = await buy(2)
    await endBatch(NEXT_BOX_PEPPER)
    const rows = await rowsOf(await exportDay())
    expect(rows.map(({ boxId, n, batch }) => [boxId, n, batch])).toEqual([
      [boxIds[0], 3, 2],
      [boxIds[1], 4, 2],
    ])
  })

  it('are the same if the chain is read in short ranges', async () => {
    await configure({ logRange: 1 })
    const boxIds = await buy(3)
    await chain.mine({ blocks: 50 })
    await endBatch()
    const day = await exportDay()
    expect(await idsOf(day)).toEqual(boxIds)
  })

  it('stand in the file of the day on which their batch ended', async () => {
    const boxIds = await buy(2)
    const midnight = Date.parse(dateOf(now())) + DAY_MS
    await ask('evm_setNextBlockTimestamp', midnight / 1_000 - 2)
    await write(box, 'stopBatch')
    await chain.mine({ blocks: 1 })
    await ask('evm_setNextBlockTimestamp', midnight / 1_000)
    await write(box, 'endBatch', [`0x${BOX_PEPPER}`])
    expect(await rowsOf(await exportDay())).toEqual([])
    const rows = await rowsOf(await exportDay())
    expect(rows.map(({ boxId, at }) => [boxId, at])).toEqual(boxIds.map((id) => [id, midnight]))
  })

  it('wait for the confirmations of the end of their batch', async () => {
    const boxIds = await buy(2)
    await endBatch()
    await configure({ confirmations: 2 })
    expect(await rowsOf(await exportDay())).toEqual([])
    await chain.mine({ blocks: 1 })
    expect(await idsOf(await exportDay())).toEqual(boxIds)
  })

  it('are left for the next day if the node does not answer, which holds up nothing', async () => {
    const boxIds = await buy(2)
    await endBatch()
    nodeFails((body) => body.includes('eth_getLogs'), 'before')
    const day = await exportDay()
    expect(await rowsOf(day)).toEqual([])
    expect((await exporter(env).days(1))[0]?.day).toBe(day)
    vi.mocked(globalThis.fetch).mockRestore()
    expect(await idsOf(await exportDay())).toEqual(boxIds)
  })

  it('are left for the next day if the node stops answering half-way', async () => {
    const boxIds = await buy(2)
    await endBatch()
    // The events are read; the kinds of boxes are not.
    nodeFails((body) => body.includes('eth_call'), 'before')
    expect(await rowsOf(await exportDay())).toEqual([])
    vi.mocked(globalThis.fetch).mockRestore()
    const day = await exportDay()
    expect(await idsOf(day)).toEqual(boxIds)
    expect(await foundIn(day)).toEqual([])
  })

  it.each(['Bought', 'Opened', 'BatchOpened', 'BatchEnded'] as const)(
    'are left for the next day if the node leaves out a log of %s',
    async (eventName) => {
      const boxIds = await buyUntilTier(0)
      await reveal(boxIds.at(-1)!)
      await endBatch()
      const [left] = encodeEventTopics({ abi: box.abi, eventName })
      nodeLeavesOut(left)
      expect(await rowsOf(await exportDay())).toEqual([])
      vi.mocked(globalThis.fetch).mockRestore()
      const day = await exportDay()
      expect(await idsOf(day)).toEqual(boxIds)
      expect(await foundIn(day)).toEqual([])
    },
  )

  it('are counted further when they open after their export', async () => {
    const boxIds = await buy(2)
    await endBatch()
    expect(await idsOf(await exportDay())).toEqual(boxIds)
    await write(box, 'openPublished', [BigInt(boxIds[0]!)])
    await exportDay()
    await openNextBatch()
    await chain.mine({ blocks: 1 })
    const later = await buy(1)
    await endBatch(NEXT_BOX_PEPPER)
    expect(await idsOf(await exportDay())).toEqual(later)
  })

  it.each([
    ['a closed box', false, 'a node has left out events'],
    ['a box that is opened later', true, 'a node has left out the purchase'],
  ])('go on after blocks that could not be compared and lack %s', async (_what, isOpened, told) => {
    const [missing = ''] = await buy(1)
    const [left] = encodeEventTopics({ abi: box.abi, eventName: 'Bought' })
    nodeLeavesOut(left, { hasStates: false })
    await exportDay()
    vi.mocked(globalThis.fetch).mockRestore()
    if (isOpened) await reveal(missing)
    const later = await buy(1)
    await endBatch()
    const errors = vi.spyOn(console, 'error').mockImplementation(() => {})
    expect(await idsOf(await exportDay())).toEqual(later)
    expect(errors.mock.calls.flat().join()).toContain(told)
    errors.mockClear()
    await openNextBatch()
    await chain.mine({ blocks: 1 })
    const last = await buy(1)
    await endBatch(NEXT_BOX_PEPPER)
    expect(await idsOf(await exportDay())).toEqual(last)
    expect(errors).not.toHaveBeenCalled()
  })

  it('are exported by a node without old states, which can’t count them', async () => {
    const boxIds = await buy(2)
    await endBatch()
    const block = toHex(await chain.getBlockNumber())
    nodeFails((body) => body.includes('eth_call') && body.includes(block), 'before')
    expect(await idsOf(await exportDay())).toEqual(boxIds)
  })

  it('are exported without a public log, and nothing is written to one', async () => {
    await changeObjectConfig(exporter(env), () => ({ log: null }))
    const append = vi.spyOn(TransparencyLog.prototype, 'append')
    const boxIds = await buy(1)
    await endBatch()
    expect(await idsOf(await exportDay())).toEqual(boxIds)
    expect(append).not.toHaveBeenCalled()
  })

  it('can be exported before the day has ended, in local play', async () => {
    const boxIds = await buy(1)
    await endBatch()
    const { day } = (await post('/api/dev/close-day', {})).body
    expect(await idsOf(day.day)).toEqual(boxIds)
  })
})

describe('a box contract that replaces another one', () => {
  const pepper = 'cd'.repeat(32)

  /** Deploys and configures the next contract, sells two boxes of its first batch, and ends that. */
  async function replace(): Promise<void> {
    const nonce = await chain.getTransactionCount({ address: OWNER.address })
    const startBlock = Number(await chain.getBlockNumber())
    await deploy('BoxNft', [OWNER.address, BOX_SIGNER.address, REWARD_TOKEN_ADDRESS])
    const address = getContractAddress({ from: OWNER.address, nonce: BigInt(nonce) })
    const award = getContractAddress({ from: address, nonce: 1n })
    const next = { ...box, address }
    await write(rewardToken, 'mint', [award, 10n ** 22n])
    await write(next, 'addKind', [BOX_PRICE, TIERS])
    await write(next, 'openBatch', [sha256(`0x${pepper}`)])
    await chain.mine({ blocks: 1 })
    for (const { account } of players) {
      const buying = { ...next, functionName: 'buy', args: [0n], value: BOX_PRICE } as const
      await mined(chain.writeContract({ ...buying, account }))
    }
    await write(next, 'stopBatch')
    await chain.mine({ blocks: 1 })
    await write(next, 'endBatch', [`0x${pepper}`])
    await configure({ contract: address, award, startBlock })
  }

  const contractsOf = async (day: string) => (await rowsOf(day)).map(({ contract }) => contract)

  it('has nothing for an audit to find, although its batches have the same numbers', async () => {
    await buy(2)
    await endBatch()
    expect(await foundIn(await exportDay())).toEqual([])
    await replace()
    const day = await exportDay()
    expect(await rowsOf(day)).toHaveLength(2)
    expect(await foundIn(day)).toEqual([])
  })

  it('follows the former boxes in the export of the day on which it replaces their contract', async () => {
    const boxIds = await buy(2)
    await exportDay()
    await endBatch()
    await replace()
    const day = await exportDay()
    expect((await idsOf(day)).slice(0, 2)).toEqual(boxIds)
    expect(new Set(await contractsOf(day)).size).toBe(2)
    expect(await rowsOf(day)).toHaveLength(4)
    expect(await foundIn(day)).toEqual([])
    expect(await rowsOf(await exportDay())).toEqual([])
  })

  it('waits in the export until the last batch of the former has ended', async () => {
    const boxIds = await buy(2)
    await exportDay()
    await replace()
    expect(await rowsOf(await exportDay())).toEqual([])
    await endBatch()
    const day = await exportDay()
    expect((await idsOf(day)).slice(0, 2)).toEqual(boxIds)
    expect(await rowsOf(day)).toHaveLength(4)
  })

  it('is exported from its start if the former was on another chain, whatever batches that had', async () => {
    const boxIds = await buy(2)
    await exportDay()
    await changeStored(`UPDATE boxes_read SET contract = '1:${OWNER.address}'`)
    await changeStored(`INSERT INTO box_batches (batch, pepper_hash) VALUES (7, '')`)
    await endBatch()
    expect(await idsOf(await exportDay())).toEqual(boxIds)
  })
})
