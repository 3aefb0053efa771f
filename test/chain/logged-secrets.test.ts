import { runDurableObjectAlarm } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { numberToHex, sha256 } from 'viem'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { lootboxDay } from '../../src/calls/objects.ts'
import { loadConfig } from '../../src/config/load.ts'
import { DAY_MS, dateOf } from '../../src/core/utc-day.ts'
import { commitmentOf } from '../../src/fairness/seed.ts'
import { sweep } from '../../src/sweep.ts'
import { loggedOf } from '../workers/public-log.ts'
import { get, now, pass, setTime } from '../workers/support.ts'
import { BOX_PEPPER } from './accounts.ts'
import { box, deployBoxContracts } from './boxes.ts'
import { deployPool } from './lootbox.ts'
import { chain, nodeAnswers, useChain, write } from './support.ts'

useChain()

describe("a lootbox day's seed", () => {
  let today: string
  const ring = () => runDurableObjectAlarm(lootboxDay(env, today))

  beforeEach(async () => {
    await deployPool()
    today = dateOf(now())
    await get('/api/lootbox')
  })

  it('is in the public log: its hash when it is drawn, itself when it is disclosed', async () => {
    const [day] = (await get('/api/lootbox?action=verify-seeds')).body.days
    await ring()
    const hash = {
      kind: 'seeds',
      id: `${today}:hash`,
      at: day.committedAt,
      seedHash: day.seedHash,
      pepperHash: day.pepperHash,
    }
    expect(await loggedOf('seeds')).toEqual([hash])
    const disclosedAt = Date.parse(today) + DAY_MS + 600_000
    setTime(disclosedAt - 2_000)
    await ring()
    expect(await loggedOf('seeds')).toEqual([hash])
    setTime(disclosedAt)
    await ring()
    const { days } = (await get('/api/lootbox?action=verify-seeds')).body
    const { seed } = days.find((disclosed: { day: string }) => disclosed.day === today)
    expect(await loggedOf('seeds')).toEqual([
      hash,
      { kind: 'seeds', id: `${today}:seed`, at: disclosedAt, seed },
    ])
    expect(commitmentOf(seed)).toBe(hash.seedHash)
  })

  it('gets there in the right order, however late the log can be reached', async () => {
    const log = vi.spyOn(env.TRANSPARENCY_LOG, 'getByName').mockImplementation(() => {
      throw new Error('the log cannot be reached')
    })
    await ring()
    expect((await get('/api/lootbox')).status).toBe(200)
    setTime(Date.parse(today) + DAY_MS + 600_000)
    await ring()
    log.mockRestore()
    pass(600_000)
    await ring()
    const ids = (await loggedOf('seeds')).map(({ id }) => id)
    expect(ids).toEqual([`${today}:hash`, `${today}:seed`])
  })
})

describe('a batch of boxes', () => {
  const [pepperHash, otherHash] = [commitmentOf(BOX_PEPPER), commitmentOf('ab'.repeat(32))]

  async function endBatch(): Promise<void> {
    await write(box, 'stopBatch')
    await chain.mine({ blocks: 1 })
    await write(box, 'endBatch', [`0x${BOX_PEPPER}`])
  }

  it('is in the public log only once one node has its confirmations', async () => {
    const { boxes } = loadConfig(env)
    if (!boxes) throw new Error('boxes are configured')
    boxes.confirmations = 2
    onTestFinished(() => void (boxes.confirmations = 1))
    await deployBoxContracts()
    await write(box, 'openBatch', [sha256(`0x${BOX_PEPPER}`)])
    // The head comes from a node on another branch, which is longer.
    let isAsked = false
    nodeAnswers('eth_blockNumber', (head) => {
      if (isAsked) return head
      isAsked = true
      return numberToHex(Number(head) + 1)
    })
    await sweep(env)
    expect(await loggedOf('batch')).toEqual([])
    await chain.mine({ blocks: 1 })
    await sweep(env)
    expect(await loggedOf('batch')).toMatchObject([{ id: '1:open' }])
  })

  it('is in the public log: its hash when it opens, its pepper when it has ended', async () => {
    await deployBoxContracts()
    await sweep(env)
    expect(await loggedOf('batch')).toEqual([])
    await write(box, 'openBatch', [sha256(`0x${BOX_PEPPER}`)])
    await sweep(env)
    const open = { kind: 'batch', id: '1:open', at: expect.any(Number), pepperHash }
    expect(await loggedOf('batch')).toEqual([open])
    await endBatch()
    await write(box, 'openBatch', [sha256(`0x${'ab'.repeat(32)}`)])
    await sweep(env)
    await sweep(env)
    expect(await loggedOf('batch')).toEqual([
      open,
      { kind: 'batch', id: '1:closed', at: expect.any(Number), pepper: BOX_PEPPER },
      { kind: 'batch', id: '2:open', at: expect.any(Number), pepperHash: otherHash },
    ])
  })
})
