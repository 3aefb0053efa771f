import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { OwnRows } from '../../../../src/cli/audit/own-rows.ts'
import { runAudit } from '../../../../src/cli/audit/run.ts'
import { exportSource } from '../../../../src/cli/audit/source.ts'
import type { BetRow, PlayRow } from '../../../../src/exports/rows.ts'
import type { Receipt } from '../../../../src/receipts/claims.ts'
import { honestExport, TERMS, type DayRows } from '../../../audit/export.ts'
import { issuedTo, playReceipt } from '../../support/receipts.ts'
import { folder, linesOf, siteOf, useFolder, write } from './exported.ts'
import { HERE } from './here.ts'

useFolder()

const honest = () => honestExport({ days: 3 })
const [FIRST, , LAST] = honest() as [DayRows, DayRows, DayRows]
const TERMS_HASH = TERMS.committed.id

function ofPlay(play: PlayRow): Receipt {
  const iat = Math.floor(play.settledAt / 1_000)
  return { ...playReceipt(play.wallet, play), iat, terms: TERMS_HASH }
}

function issuedOf({ wallet, placedAt }: BetRow) {
  return { ...issuedTo(wallet), iat: Math.floor(placedAt / 1_000), terms: TERMS_HASH }
}

function ofBet(bet: BetRow): Receipt {
  const { roundId, token, amountWei, autoCashout } = bet
  const { seedHash, pepperSource } = FIRST.rounds.find((round) => round.roundId === roundId)!
  const plan = { roundId, seedHash, pepperSource }
  return { ...issuedOf(bet), kind: 'bet', ...plan, token, amountWei, autoCashout }
}

function ofCashout(bet: BetRow): Receipt {
  const { roundId, multiplier, payout, at } = bet
  return { ...issuedOf(bet), kind: 'cashout', roundId, multiplier, payout, at: at ?? 0 }
}

const WON = FIRST.bets.find(({ at, autoCashout }) => at !== null && autoCashout === null)!
const RECEIPTS = [...FIRST.plays.map(ofPlay), ...FIRST.bets.map(ofBet), ofCashout(WON)]

/** What is found in an export after a change, that a player with receipts sees and nobody else. */
async function found(
  receipts: readonly Receipt[],
  change: (days: DayRows[]) => void = () => {},
): Promise<string[]> {
  const days = honest()
  change(days)
  write(days)
  const audit = async (own: readonly Receipt[]) => {
    const options = { from: null, to: null, workers: HERE, receipts: own }
    const { findings } = await runAudit(exportSource(folder), options)
    return linesOf({ findings })
  }
  const without = await audit([])
  return (await audit(receipts)).filter((each) => !without.includes(each))
}

describe('an audit with receipts', () => {
  it('finds nothing in an honest export', async () => {
    expect(await found(RECEIPTS)).toEqual([])
  })

  it('finds a wallet that was left out with all its plays', async () => {
    const { wallet } = FIRST.plays[0]!
    const own = RECEIPTS.filter(({ sub }) => sub === wallet.toLowerCase())
    const problems = await found(own, (days) => {
      for (const day of days) day.plays = day.plays.filter((play) => play.wallet !== wallet)
    })
    expect(problems).toContain(
      `play 0 of ${wallet.toLowerCase()}: a receipt promises it, and it is not exported`,
    )
  })

  it('finds a play that was exported differently from how it was signed', async () => {
    const [play] = FIRST.plays as [PlayRow]
    const receipt = ofPlay(play)
    const other = (change: object) => found([{ ...receipt, ...change }])
    expect(await other({ clientSeed: 'mine' })).toEqual([expect.stringContaining('client seed')])
    expect(await other({ terms: 'ab'.repeat(32) })).toEqual([
      expect.stringContaining('the terms are those of its receipt'),
    ])
  })

  it.each<[string, object, Receipt]>([
    ['stake', { amountWei: '7' }, ofBet(WON)],
    ['token', { token: 'none' }, ofBet(WON)],
    ['target', { autoCashout: 7 }, ofBet(WON)],
    ['multiplier', { multiplier: 7 }, ofCashout(WON)],
    ['payout', { payout: '7' }, ofCashout(WON)],
    ['time', { at: 7 }, ofCashout(WON)],
    ['seed hash', { seedHash: 'aa'.repeat(32) }, ofBet(WON)],
    ['source of the pepper', { pepperSource: { kind: 'committed' } }, ofBet(WON)],
  ])('finds a bet whose %s was signed otherwise', async (name, change, receipt) => {
    expect(await found([{ ...receipt, ...change }])).toEqual([
      expect.stringContaining(`the ${name} is that of its receipt`),
    ])
  })

  it('finds a bet that was signed under other terms', async () => {
    const receipt = { ...ofBet(WON), terms: 'ab'.repeat(32) }
    expect(await found([receipt])).toEqual([
      expect.stringContaining('the terms are those of its receipt'),
    ])
  })

  it('finds a wallet that was left out of which only steps of a game have receipts, once the game has ended', async () => {
    const game = FIRST.plays.find((play) => play.game === 'mines')!
    const { wallet, nonce, seedHash, nextSeedHash, clientSeed, token, amount } = game
    const state = { mines: 3, maxPicks: 22, picked: [], multiplier: 1, next: 1.1, payout: amount }
    const promised = { nonce, seedHash, nextSeedHash, clientSeed, token, amountWei: amount }
    const opened = (openedAt: number): Receipt => ({
      ...issuedTo(wallet),
      iat: Math.floor(openedAt / 1_000),
      terms: TERMS_HASH,
      kind: 'mines-open',
      game: { ...promised, ...state, openedAt },
    })
    const leftOut = (openedAt: number) =>
      found([opened(openedAt)], (days) => {
        for (const day of days) day.plays = day.plays.filter((play) => play.wallet !== wallet)
      })
    expect(await leftOut(Date.parse(FIRST.day))).toEqual([
      expect.stringContaining('a receipt promises it, and it is not exported'),
    ])
    // It may have ended on the last day, whose rows may come a day late.
    expect(await leftOut(Date.parse(LAST.day) - 3_600_000)).toEqual([])
  })

  it('expects the row of a receipt that is dated later than the clock, instead of waiting for its date', async () => {
    const play = ofPlay(LAST.plays[0]!)
    const iat = Math.floor(Date.now() / 1_000) + 31_536_000
    expect(await found([{ ...play, iat }])).toEqual([
      expect.stringContaining('the time in unix seconds'),
    ])
    const hidden = { ...play, nonce: 99, iat } as Receipt
    expect(await found([hidden])).toEqual([
      expect.stringContaining(
        "a receipt that is dated later than this machine's clock promises it",
      ),
    ])
  })

  it('does not expect a row sooner because the clock is up to an hour slow', () => {
    const receipt = ofPlay(LAST.plays[0]!)
    const at = receipt.iat * 1_000
    const missing = (now: number) => new OwnRows([receipt]).missing(0, at, now)
    expect(missing(at - 3_600_000)).toEqual([])
    expect(missing(at - 3_600_001)).toHaveLength(1)
  })

  it('does not expect rows of the last day, which may come a day late, nor of other days', async () => {
    const missing = (iat: number, day: DayRows) =>
      found([{ ...ofPlay(day.plays[0]!), nonce: 99, iat } as Receipt])
    const [start, end] = [Date.parse(FIRST.day), Date.parse(LAST.day)].map((at) => at / 1_000)
    expect(await missing(end!, LAST)).toEqual([])
    expect(await missing(end! - 1, LAST)).toHaveLength(1)
    expect(await missing(start! - 1, FIRST)).toEqual([])
  })
})

describe('a site that no longer lists the days that it exports', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
  afterEach(() => void vi.useRealTimers())

  const [listed, early, late] = [honest().slice(0, 2), '2026-11-05T23:59:59Z', '2026-11-06T00:00Z']
  const hidden = { ...ofPlay(LAST.plays[0]!), nonce: 99, iat: Date.parse(LAST.day) / 1_000 - 1 }
  const foundAt = async (now: string, { to = null as string | null, isSite = true } = {}) => {
    vi.setSystemTime(now)
    write(listed)
    const options = { from: null, to, workers: HERE, receipts: [hidden as Receipt] }
    return linesOf(await runAudit(isSite ? siteOf(listed) : exportSource(folder), options))
  }

  it('is caught two days after the end of the first such day, and owes its rows then', async () => {
    expect(await foundAt(early)).toEqual([])
    expect(await foundAt(late)).toEqual([
      `play 99 of ${hidden.sub}: a receipt promises it, and it is not exported`,
      'the export: the newest exported day is 2026-11-02, but by your clock 2026-11-03 ended at least two days ago',
    ])
  })

  it('may list no later ones than an audit was asked for, and a folder may be old', async () => {
    expect(await foundAt(late, { to: '2026-11-02' })).toEqual([])
    expect(await foundAt(late, { to: '2026-11-03' })).toHaveLength(2)
    expect(await foundAt(late, { isSite: false })).toEqual([])
  })
})
