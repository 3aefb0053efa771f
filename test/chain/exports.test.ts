import { env } from 'cloudflare:workers'
import { parseEther, type Hex } from 'viem'
import { describe, expect, it } from 'vitest'
import { auditOpenings, type ExportedOpening } from '../../src/audit/openings.ts'
import { exporter, reprojection } from '../../src/calls/objects.ts'
import { readPayment } from '../../src/chain/payment.ts'
import { loadConfig } from '../../src/config/load.ts'
import { DAY_MS } from '../../src/core/utc-day.ts'
import { checkPaidDay } from '../../src/verify/opening.ts'
import { verifyPayment } from '../../src/verify/payment.ts'
import { now, Player, post, setTime } from '../workers/support.ts'
import { exportDay, linesOf } from './exported.ts'
import { COIN, fundPool, open, payPool, rig, useLootbox, work } from './lootbox.ts'
import { mined, useChain } from './support.ts'

useChain()
useLootbox()

const alice = new Player(0)

const openingsOf = async (day: string) =>
  (await linesOf('openings', day)).map((line): Record<string, unknown> => JSON.parse(line))

/** Compares the payment of an opening with the chain, as a player with a node can. */
async function checksOnChain({ txHash, blockHash = '', day = '', wallet }: Record<string, string>) {
  const { mined: inBlock, ...facts } = (await readPayment(loadConfig(env).chain!, txHash as Hex))!
  const checks = verifyPayment(blockHash, { ...facts, mined: inBlock! }, wallet)
  return [...checks, checkPaidDay(day, inBlock!.paidAt)].map(({ holds }) => holds)
}

describe('the exported openings', () => {
  it('are those whose seed is disclosed, each once, with all that decides its tier', async () => {
    await exporter(env).sweep()
    await fundPool(parseEther('1'))
    const txHash = await mined(payPool(alice))
    await rig(txHash, COIN)
    const { body } = await open(txHash)
    await work(txHash)
    // Today's seed is secret.
    const closed = (await post('/api/dev/close-day', {})).body.day
    expect(await openingsOf(closed.day)).toEqual([])
    setTime(now() + DAY_MS)
    const day = await exportDay()
    const rows = await openingsOf(day)
    const { status: _status, prizeTxHash: _prizeTxHash, ...drawn } = body.open
    expect(rows).toEqual([
      { ...drawn, wallet: alice.wallet, seed: expect.any(String), openedAt: expect.any(Number) },
    ])
    const [row] = rows as [Record<string, string>]
    const opening = { ...row, from: { txHash: row['txHash'], blockHash: row['blockHash'] } }
    expect(auditOpenings([opening as unknown as ExportedOpening]).findings).toEqual([])
    expect(await checksOnChain(row)).toEqual([true, true, true, true])
    expect(await checksOnChain({ ...row, blockHash: `0x${'01'.repeat(32)}` })).toContain(false)
    // A rebuilt database has forgotten which openings were exported.
    await env.HISTORY.exec('UPDATE openings SET is_exported = 0')
    await reprojection(env).start('everything')
    expect(await openingsOf(await exportDay())).toEqual([])
  })
})
