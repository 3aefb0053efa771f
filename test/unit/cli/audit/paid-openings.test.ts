import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { htmlReport } from '../../../../src/cli/audit/report-html.ts'
import { textReport, verdictOf } from '../../../../src/cli/audit/report.ts'
import { paymentReader } from '../../../../src/cli/verify/payments.ts'
import { commitmentOf } from '../../../../src/fairness/seed.ts'
import { paymentMessage, rollOf } from '../../../../src/lootbox/prizes.ts'
import { honestExport } from '../../../audit/export.ts'
import { PaymentNode } from '../../support/payment-node.ts'
import { audit, linesOf, useFolder, write } from './exported.ts'

useFolder()

const SEED = '5e'.repeat(32)
const WALLET = `0x${'11'.repeat(20)}`
const [PAYMENT, BLOCK, INVENTED] = ['ab', 'cd', '01'].map((byte) => `0x${byte.repeat(32)}`) as [
  string,
  string,
  string,
]
const DAY = '2026-11-02'
const PAID_AT = Date.parse(`${DAY}T12:00Z`)

let node: PaymentNode

beforeEach(() => {
  const paid = { txHash: PAYMENT, blockHash: BLOCK, wallet: WALLET, to: `0x${'22'.repeat(20)}` }
  node = new PaymentNode({ ...paid, paidAt: PAID_AT })
  vi.stubGlobal('fetch', async (_url: unknown, { body }: { body: string }) => node.fetch(body))
})
afterEach(() => void vi.unstubAllGlobals())

/** Audits two days, of which the last one has an opening by a payment. */
async function auditWith({ blockHash = BLOCK, wallet = WALLET } = {}, isCompared = true) {
  const days = honestExport({ days: 2 })
  const roll = Number(rollOf(SEED, paymentMessage(PAYMENT, blockHash)))
  const won = { odds: [10_000], tier: 0, label: 'Low', prize: '1', asset: 'ETH' }
  const of = { id: PAYMENT, txHash: PAYMENT, blockHash, wallet, day: DAY, openedAt: PAID_AT }
  const opening = { ...of, seed: SEED, seedHash: commitmentOf(SEED), roll, ...won }
  Object.assign(days[1]!, { openings: [opening] })
  write(days)
  return audit(isCompared ? { readPayment: await paymentReader(node.url) } : {})
}

describe('an audit with a node', () => {
  it('finds nothing wrong with a payment in its block', async () => {
    const report = await auditWith()
    expect(linesOf(report)).toEqual([])
    expect(report.payments).toEqual({ compared: 1, uncompared: 0 })
    expect(textReport(report)).toContain('Payments of openings compared with the chain: 1')
  })

  it('finds a block that the house has made up to choose a roll', async () => {
    expect(linesOf(await auditWith({ blockHash: INVENTED }))).toEqual([
      `opening ${PAYMENT}: this does not hold: its block is the one in which the chain has the payment, ${BLOCK}`,
    ])
  })

  it('finds a payment of another wallet', async () => {
    expect(linesOf(await auditWith({ wallet: `0x${'33'.repeat(20)}` }))).toEqual([
      expect.stringContaining('sent the payment'),
    ])
  })

  it('finds the seed of another day than that of the block', async () => {
    node.change('eth_getBlockByNumber', { timestamp: '0x0' })
    expect(linesOf(await auditWith())).toEqual([
      expect.stringContaining("its seed is of the day of its payment's block"),
    ])
  })

  it('accuses nobody of a payment that the node does not have, but counts it', async () => {
    node.answers['eth_getTransactionByHash'] = null
    const report = await auditWith()
    expect(linesOf(report)).toEqual([])
    expect(report.payments).toEqual({ compared: 0, uncompared: 1 })
  })
})

it('an audit without a node says that it has not compared the payments of openings', async () => {
  const report = await auditWith({ blockHash: INVENTED }, false)
  expect(report.payments).toEqual({ compared: 0, uncompared: 1 })
  expect(verdictOf({ ...report, findingCount: 0 })).toContain('Not all payments of openings')
  const line = 'Payments of openings not compared with the chain: 1.'
  expect(textReport(report)).toContain(line)
  expect(htmlReport(report)).toContain(line)
})
