import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DAY_MS, dateOf } from '../../../src/core/utc-day.ts'
import {
  balancesOf,
  differenceOfLines,
  gasLine,
  linesOf,
  prizeLine,
  summed,
  type DaybookLine,
} from '../../../src/daybook/lines.ts'
import { partnerTotals, reportCsv, reportOf, type Row } from '../../../src/daybook/report.ts'
import { ACCOUNTS, postingsOf, type Account } from '../../../src/ledger/accounts.ts'
import { replay } from '../../../src/ledger/journal.ts'
import { TOKENS, type Token } from '../../../src/money/token.ts'
import { forMany } from '../support/for-all.ts'
import { anyStep, House, Journal } from './journals.ts'

const DAY = '2040-01-01'

/** The lines of a house's journals of one day: those from a time until another. */
function linesBetween(house: House, from: number, to: number): DaybookLine[] {
  const lines = [...house.journals.values()].flatMap((journal) =>
    journal.entries.filter(({ at }) => at >= from && at < to).flatMap(linesOf),
  )
  return summed(lines)
}

/** All days of a house's books, each counted on its own. */
function daysOf(house: House): { day: string; lines: DaybookLine[] }[] {
  const days = Math.floor(house.now / DAY_MS) + 1
  return Array.from({ length: days }, (_, index) => ({
    day: dateOf(index * DAY_MS),
    lines: linesBetween(house, index * DAY_MS, (index + 1) * DAY_MS),
  }))
}

/** What all journals amount to when they are replayed. */
function replayed(house: House) {
  const ends = [...house.journals.values()].map(({ entries }) => {
    const end = replay(entries)
    if (!end.ok) throw new Error(end.problem)
    return end
  })
  const sum = (of: (end: (typeof ends)[number]) => bigint) =>
    ends.reduce((total, end) => total + of(end), 0n)
  return {
    entries: ends.reduce((total, { entries }) => total + entries, 0),
    account: (token: Token, account: Account) => sum(({ balances }) => balances[token][account]),
    total: (token: Token, total: 'wagered' | 'returned') =>
      sum(({ totals }) => totals[token][total]),
  }
}

function expectEqualToReplay(house: House): void {
  const days = daysOf(house)
  const journals = replayed(house)
  const lines = days.flatMap((day) => day.lines)
  const rows = days.flatMap(({ day, lines: ofDay }) => reportOf(day, ofDay))
  for (const token of TOKENS) {
    const balances = balancesOf(lines, token)
    const net = (matches: (account: string) => boolean) =>
      [...balances].reduce((sum, [name, wei]) => (matches(name) ? sum + wei : sum), 0n)
    const players = ['chips', 'in_play', 'withdrawing', 'quarantine'] as const
    for (const account of players) {
      expect(balances.get(`players:${account}`) ?? 0n).toBe(journals.account(token, account))
    }
    for (const account of ['vault', 'fees', 'faucet'] as const) {
      expect(balances.get(account) ?? 0n).toBe(journals.account(token, account))
    }
    expect(net((name) => name.startsWith('partner:'))).toBe(journals.account(token, 'partner'))
    const own = /^(wagers:|payouts:|funds|losses|open-games)/
    expect(net((name) => own.test(name))).toBe(journals.account(token, 'house'))
    const sum = (kind: Row['kind'], of: (row: Row) => bigint) =>
      rows
        .filter((row) => row.asset === token && row.kind === kind)
        .reduce((total, row) => total + of(row), 0n)
    expect(sum('game', ({ wagered }) => wagered)).toBe(journals.total(token, 'wagered'))
    expect(sum('game', ({ returned }) => returned)).toBe(journals.total(token, 'returned'))
    expect(sum('partner', ({ ggr }) => ggr)).toBe(journals.account(token, 'partner'))
    expect(sum('house', ({ fees }) => fees)).toBe(journals.account(token, 'fees'))
  }
}

describe('the books of many days', () => {
  it('of 10,000 random operations equal a replay of all journals', () => {
    const house = new House()
    for (const step of fc.sample(anyStep, { numRuns: 20_000, seed: 2_040 })) house.take(step)
    expect(replayed(house).entries).toBeGreaterThan(10_000)
    expect(daysOf(house).length).toBeGreaterThan(20)
    expectEqualToReplay(house)
  })

  it('equal a replay of all journals, whatever happens', () => {
    forMany(100, fc.array(anyStep, { minLength: 1, maxLength: 300 }), (steps) => {
      const house = new House()
      for (const step of steps) house.take(step)
      expectEqualToReplay(house)
    })
  })

  it('agree with what each journal amounted to, from any entry to any other', () => {
    const bounds = fc.tuple(fc.nat(200), fc.nat(200))
    forMany(50, fc.array(anyStep, { minLength: 50, maxLength: 200 }), bounds, (steps, [a, b]) => {
      const house = new House()
      for (const step of steps) house.take(step)
      for (const { entries, standings } of house.journals.values()) {
        const [first, last] = [a, b]
          .map((bound) => bound % (entries.length + 1))
          .toSorted((one, other) => one - other) as [number, number]
        const lines = entries.slice(first, last).flatMap(linesOf)
        expect(differenceOfLines(lines, standings[first]!, standings[last]!)).toBeNull()
      }
    })
  })
})

describe('lines', () => {
  const journal = new Journal()
  journal.append(
    'deposited:1:0xab:0',
    1,
    postingsOf('ETH', ['vault', 'chips', 95n], ['vault', 'fees', 5n]),
  )
  journal.append(
    'entropy:0',
    2,
    postingsOf('ETH', ['chips', 'house', 10n], ['house', 'chips', 4n]),
    '["keno"]',
  )
  const lines = journal.entries.flatMap(linesOf)
  const [before, , after] = journal.standings

  it('of an amount that the ledger does not have are found', () => {
    expect(differenceOfLines(lines, before!, after!)).toBeNull()
    for (const wrong of lines.keys()) {
      const changed = lines.map((line, index) =>
        index === wrong ? { ...line, amountWei: line.amountWei + 1n } : line,
      )
      expect(differenceOfLines(changed, before!, after!)).not.toBeNull()
      const without = lines.filter((_, index) => index !== wrong)
      expect(differenceOfLines(without, before!, after!)).not.toBeNull()
    }
  })

  it('name no account of the ledger that the house shares with others', () => {
    const names = lines.flatMap(({ debit, credit }) => [debit, credit])
    expect(names).not.toContain('house')
    expect(ACCOUNTS).toContain('house')
  })

  it('with the same accounts are added up', () => {
    const line: DaybookLine = { asset: 'ETH', debit: 'gas', credit: 'relayer', amountWei: 3n }
    expect(summed([line, gasLine(4n), prizeLine('REWARD', 1n)])).toEqual([
      { ...line, amountWei: 7n },
      { asset: 'REWARD', debit: 'prizes', credit: 'pool', amountWei: 1n },
    ])
  })
})

describe('the lines of a restored ledger', () => {
  const journal = new Journal()
  journal.append('deposited:1:0xab:0', 1, postingsOf('USDG', ['vault', 'chips', 100n]))
  journal.append(
    'restored:0xact',
    2,
    postingsOf('USDG', ['chips', 'house', 30n], ['chips', 'partner', 7n], ['partner', 'house', 2n]),
  )
  const lines = journal.entries.flatMap(linesOf)

  it('name no partner, game or loss, and are in the house’s row', () => {
    expect(partnerTotals(lines)).toEqual({})
    expect(reportOf(DAY, lines)).toMatchObject([{ kind: 'house', ggr: 0n, restored: 32n }])
    expect(Object.fromEntries(balancesOf(lines, 'USDG'))).toEqual({
      vault: -100n,
      'players:chips': 63n,
      'restored:house': 32n,
      'restored:partner': 5n,
    })
  })

  it('agree with its journal', () => {
    expect(differenceOfLines(lines, journal.standings[0]!, journal.latest)).toBeNull()
  })
})

describe('the report of a day', () => {
  const play = (game: string, stake: bigint, payout: bigint): DaybookLine[] =>
    linesOf({
      operationId: 'entropy:0',
      request: JSON.stringify([game]),
      postings: postingsOf('USDG', ['chips', 'house', stake], ['house', 'chips', payout]),
    })
  const transfer = (amount: bigint): DaybookLine[] =>
    linesOf({
      operationId: 'bridge:acme:7',
      request: '',
      postings:
        amount < 0n
          ? postingsOf('USDG', ['chips', 'partner', -amount])
          : postingsOf('USDG', ['partner', 'chips', amount]),
    })
  const lines = [
    ...play('limbo', 100n, 0n),
    ...play('keno', 50n, 90n),
    ...transfer(-30n),
    ...transfer(12n),
    { asset: 'USDG', debit: 'vault', credit: 'fees', amountWei: 5n },
    prizeLine('REWARD', 3n),
    gasLine(21_000n),
    ...linesOf({
      operationId: 'write-back:1:0xab:0',
      request: '',
      postings: postingsOf('USDG', ['house', 'chips', 8n]),
    }),
  ]

  it('has a row for each game, each partner and the house', () => {
    expect(reportCsv(reportOf(DAY, lines)).split('\r\n')).toEqual([
      'day,asset,kind,name,wagered,returned,ggr,fees,prizes,gas,losses,restored',
      '2040-01-01,ETH,house,house,0,0,0,0,0,21000,0,0',
      '2040-01-01,REWARD,house,house,0,0,0,0,3,0,0,0',
      '2040-01-01,USDG,game,keno,50,90,-40,0,0,0,0,0',
      '2040-01-01,USDG,game,limbo,100,0,100,0,0,0,0,0',
      '2040-01-01,USDG,partner,acme,30,12,18,0,0,0,0,0',
      '2040-01-01,USDG,house,house,0,0,0,5,0,0,8,0',
      '',
    ])
  })

  it('is empty for a day without movements', () => {
    expect(reportOf(DAY, [])).toEqual([])
  })
})
