import { randomUUID } from 'node:crypto'
import {
  expect,
  expectBalance,
  expectMoved,
  expectRefused,
  usdg,
  type Case,
  type Group,
} from '../case.ts'

const SUMS = 'A negative amount debits, a positive one credits; answers have the exact balances.'

export const happyPath: Group = {
  name: 'Happy path',
  cases: [
    {
      title: 'an unknown player has a balance of 0',
      rule: 'An unknown player has a balance of 0.',
      run: async ({ bridge }) => {
        const player = await bridge.player()
        const answer = await bridge.balance(player)
        expectBalance(answer, '0')
        expect(/"balance":0[,}]/.test(answer.text), 'balance should be the number 0')
      },
    },
    {
      title: 'a credit and a debit move exactly their amounts',
      rule: SUMS,
      run: async ({ bridge, id }) => {
        const player = await bridge.player()
        expectMoved(await bridge.transaction(player, '10'), '0', usdg(10))
        const debit = await bridge.transaction(player, '-2.5', { id })
        expectMoved(debit, usdg(10), usdg(7.5))
        expect(
          debit.body.partnerTransactionId === id,
          "the answer should have the transaction's id",
        )
        expect(
          debit.text.includes('"balance":7.5') && debit.text.includes('"balanceBefore":10'),
          'balance and balanceBefore should be numbers of whole tokens',
        )
        expectBalance(await bridge.balance(player), usdg(7.5))
      },
    },
    {
      title: 'zero is recorded and moves nothing',
      rule: 'Zero is recorded and moves nothing.',
      run: async ({ bridge, id }) => {
        const player = await bridge.player('3')
        expectMoved(await bridge.transaction(player, '0', { id }), usdg(3), usdg(3))
        const other = await bridge.transaction(player, '1', { id })
        expectRefused(other, 409, 'idempotency_conflict')
      },
    },
    {
      title: 'many transactions in a row add up',
      rule: SUMS,
      run: async ({ bridge }) => {
        const player = await bridge.player('5')
        let wei = 5_000_000
        for (let turn = 1; turn <= 20; turn++) {
          const change = turn % 3 === 0 ? 37_003 * turn : -130_007
          const amount = `${change < 0 ? '-' : ''}0.${String(Math.abs(change)).padStart(6, '0')}`
          expectMoved(await bridge.transaction(player, amount), `${wei}`, `${wei + change}`)
          wei += change
        }
        expectBalance(await bridge.balance(player), `${wei}`)
      },
    },
    smallestUnit('ETH', 18),
    smallestUnit('USDG', 6),
    {
      title: 'the whole balance can be debited, and not a unit more',
      rule: 'A debit above the balance is insufficient_chips and moves nothing.',
      run: async ({ bridge }) => {
        const player = await bridge.player('4.2')
        const above = await bridge.transaction(player, '-4.200001')
        expectRefused(above, 402, 'insufficient_chips')
        const { available, required } = above.body.error?.details ?? {}
        expect(
          available === usdg(4.2) && required === '4200001',
          'the refusal should have available and required',
        )
        expectMoved(await bridge.transaction(player, '-4.2'), usdg(4.2), '0')
      },
    },
    {
      title: 'each currency has its own balance',
      rule: 'A player has a balance in each currency.',
      run: async ({ bridge }) => {
        const player = await bridge.player('2', 'USDG')
        expectBalance(await bridge.balance({ ...player, currency: 'ETH' }), '0')
      },
    },
    {
      title: 'an address in another letter case is the same player',
      rule: 'playerId is a wallet address in any letter case.',
      run: async ({ bridge, id }) => {
        const player = await bridge.player('2')
        const shouted = { ...player, address: `0x${player.address.slice(2).toUpperCase()}` }
        expectBalance(await bridge.balance(shouted), usdg(2))
        const first = await bridge.transaction(player, '-1', { id })
        const again = await bridge.transaction(shouted, '-1', { id })
        expect(first.text === again.text, 'it should be the same transaction')
        expectBalance(await bridge.balance(player), usdg(1))
      },
    },
    {
      title: 'the statement covers the requested time',
      rule: 'from is the first millisecond included and to the first one excluded, in unix milliseconds.',
      run: async ({ bridge }) => {
        const player = await bridge.player('1')
        const [first] = await bridge.statement(player, 10)
        const at = first?.at ?? 0
        const counts = [`&from=${at}&to=${at + 1}`, `&from=${at + 1}`, `&to=${at}`].map(
          async (window) => (await bridge.statement(player, 10, window)).length,
        )
        const found = (await Promise.all(counts)).join()
        expect(found === '1,0,0', `the windows should have 1,0,0 entries, not ${found}`)
      },
    },
    {
      title: 'the statement lists everything carried out, page by page',
      rule: 'The statement has all transactions and rollbacks carried out, oldest first.',
      run: async ({ bridge }) => {
        const player = await bridge.player()
        const [credit, debit, undo] = [randomUUID(), randomUUID(), randomUUID()]
        await bridge.transaction(player, '10', { id: credit })
        await bridge.transaction(player, '-4', { id: debit })
        await bridge.transaction(player, '-100')
        await bridge.transaction(player, '-4', { id: debit })
        await bridge.rollback(player, debit, { id: undo })
        const found = (await bridge.statement(player, 1)).map((entry) => [
          entry.type,
          entry.partnerTransactionId,
          entry.originalTransactionId ?? null,
          entry.amountWei,
          entry.balanceBeforeWei,
          entry.balanceWei,
        ])
        const due = [
          ['transaction', credit, null, usdg(10), '0', usdg(10)],
          ['transaction', debit, null, usdg(-4), usdg(10), usdg(6)],
          ['rollback', undo, debit, usdg(4), usdg(6), usdg(10)],
        ]
        expect(
          JSON.stringify(found) === JSON.stringify(due),
          `the statement should be ${JSON.stringify(due)}, not ${JSON.stringify(found)}`,
        )
      },
    },
  ],
}

/** Builds a case with a number that floating point can't represent: one token and its smallest unit. */
function smallestUnit(currency: 'ETH' | 'USDG', decimals: number): Case {
  const unit = `0.${'1'.padStart(decimals, '0')}`
  const one = 10n ** BigInt(decimals)
  return {
    title: `the smallest unit of ${currency} is exact`,
    rule: 'Amounts are exact decimals of whole tokens: 18 decimals in ETH, 6 in USDG.',
    run: async ({ bridge }) => {
      const player = await bridge.player('0', currency)
      const credit = await bridge.transaction(player, `1${unit.slice(1)}`)
      expectMoved(credit, '0', `${one + 1n}`)
      expect(
        credit.text.includes(`"balance":1${unit.slice(1)},`),
        'balance should be the exact decimal, without exponent',
      )
      expectMoved(await bridge.transaction(player, '-1'), `${one + 1n}`, '1')
      expect(
        (await bridge.balance(player)).text.includes(`"balance":${unit},`),
        'balance should be the exact decimal, without exponent',
      )
      expectMoved(await bridge.transaction(player, `-${unit}`), '1', '0')
    },
  }
}
