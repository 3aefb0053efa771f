import { randomUUID } from 'node:crypto'
import {
  expect,
  expectBalance,
  expectMoved,
  expectRefused,
  expectSame,
  tenTimes,
  usdg,
  type Group,
} from '../case.ts'

const ONCE =
  'The same id with the same contents always gets the first answer, byte for byte; nothing moves twice.'
const REFUSALS = 'A refusal for insufficient chips or for a limit stays the answer to its id.'
const CONFLICT =
  'The same id with different contents or for another player is idempotency_conflict.'

export const idempotency: Group = {
  name: 'Idempotency',
  cases: [
    {
      title: 'a repeated debit gets the same answer and moves nothing',
      rule: ONCE,
      run: async ({ bridge, id }) => {
        const player = await bridge.player('10')
        const first = await bridge.transaction(player, '-3', { id })
        expectMoved(first, usdg(10), usdg(7))
        expectSame(first, await bridge.transaction(player, '-3', { id }))
        expectBalance(await bridge.balance(player), usdg(7))
      },
    },
    {
      title: 'a repeated credit gets the same answer and moves nothing',
      rule: ONCE,
      run: async ({ bridge, id }) => {
        const player = await bridge.player()
        const first = await bridge.transaction(player, '3', { id })
        expectSame(first, await bridge.transaction(player, '3', { id }))
        expectBalance(await bridge.balance(player), usdg(3))
      },
    },
    {
      title: 'the first answer stays after the balance has changed',
      rule: ONCE,
      run: async ({ bridge, id }) => {
        const player = await bridge.player('10')
        const first = await bridge.transaction(player, '-3', { id })
        await bridge.transaction(player, '-6')
        expectSame(first, await bridge.transaction(player, '-3', { id }))
        expectBalance(await bridge.balance(player), usdg(1))
      },
    },
    {
      title: 'the same amount written differently is the same transaction',
      rule: 'Amounts are compared by their value.',
      run: async ({ bridge, id }) => {
        const player = await bridge.player('10')
        const first = await bridge.transaction(player, '-1.5', { id })
        expectSame(first, await bridge.transaction(player, '-15e-1', { id }))
        expectSame(first, await bridge.transaction(player, '-1.50', { id }))
        expectBalance(await bridge.balance(player), usdg(8.5))
      },
    },
    {
      title: 'a refusal stays, even after a top-up',
      rule: REFUSALS,
      run: async ({ bridge, id }) => {
        const player = await bridge.player('1')
        const refused = await bridge.transaction(player, '-5', { id })
        expectRefused(refused, 402, 'insufficient_chips')
        await bridge.transaction(player, '10')
        expectSame(refused, await bridge.transaction(player, '-5', { id }))
        expectMoved(await bridge.transaction(player, '-5'), usdg(11), usdg(6))
      },
    },
    {
      title: 'a credit above the limits stays refused',
      rule: REFUSALS,
      run: async ({ bridge, id }) => {
        const player = await bridge.player()
        const refused = await bridge.transaction(player, '1e30', { id })
        expectRefused(refused, 422, 'payout_limit')
        expect(
          typeof refused.body.error?.details?.['maxPayout'] === 'string',
          'the refusal should have maxPayout',
        )
        expectSame(refused, await bridge.transaction(player, '1e30', { id }))
        expectBalance(await bridge.balance(player), '0')
      },
    },
    {
      title: 'another amount under the same id is a conflict',
      rule: CONFLICT,
      run: async ({ bridge, id }) => {
        const player = await bridge.player('10')
        const first = await bridge.transaction(player, '-3', { id })
        for (const amount of ['-3.000001', '3', '0']) {
          const other = await bridge.transaction(player, amount, { id })
          expectRefused(other, 409, 'idempotency_conflict')
        }
        expectBalance(await bridge.balance(player), usdg(7))
        expectSame(first, await bridge.transaction(player, '-3', { id }))
      },
    },
    {
      title: 'another currency under the same id is a conflict',
      rule: CONFLICT,
      run: async ({ bridge, id }) => {
        const player = await bridge.player('10')
        await bridge.transaction(player, '-3', { id })
        const inEth = await bridge.transaction({ ...player, currency: 'ETH' }, '-3', { id })
        expectRefused(inEth, 409, 'idempotency_conflict')
      },
    },
    {
      title: 'another player under the same id is a conflict',
      rule: CONFLICT,
      run: async ({ bridge, id }) => {
        const [player, other] = [await bridge.player('10'), await bridge.player('10')]
        await bridge.transaction(player, '-3', { id })
        expectRefused(await bridge.transaction(other, '-3', { id }), 409, 'idempotency_conflict')
        expectBalance(await bridge.balance(other), usdg(10))
      },
    },
    {
      title: 'a rollback under the id of a transaction is a conflict, and the other way round',
      rule: 'Ids are unique across transactions and rollbacks.',
      run: async ({ bridge }) => {
        const player = await bridge.player('10')
        const [original, undo] = [randomUUID(), randomUUID()]
        await bridge.transaction(player, '-3', { id: original })
        const another = randomUUID()
        const undone = await bridge.rollback(player, another, { id: original })
        expectRefused(undone, 409, 'idempotency_conflict')
        await bridge.rollback(player, original, { id: undo })
        const repeated = await bridge.transaction(player, '-3', { id: undo })
        expectRefused(repeated, 409, 'idempotency_conflict')
        expectBalance(await bridge.balance(player), usdg(10))
      },
    },
    {
      title: 'the same id from another partner is another transaction',
      rule: 'Ids are unique per partner.',
      needs: 'other',
      run: async ({ bridge, other, id }) => {
        const player = await bridge.player('10')
        expectMoved(await bridge.transaction(player, '-3', { id }), usdg(10), usdg(7))
        const as = { id, ...(other && { as: other }) }
        if (other) await bridge.permit(player, other)
        expectMoved(await bridge.transaction(player, '-4', as), usdg(7), usdg(3))
        const mine = await bridge.statement(player, 100)
        expect(mine.length === 2, 'a statement should have no entry of another partner')
        // Restore each partner's net amount.
        expectMoved(
          await bridge.transaction(player, '4', { ...as, id: randomUUID() }),
          usdg(3),
          usdg(7),
        )
      },
    },
    {
      title: 'the first answer stays after a restart',
      rule: ONCE,
      needs: 'restart',
      run: async ({ bridge, restart, id }) => {
        const player = await bridge.player('10')
        const late = randomUUID()
        const first = await bridge.transaction(player, '-3', { id })
        const refused = await bridge.transaction(player, '-30', { id: late })
        await bridge.transaction(player, '25')
        await restart?.()
        expectSame(first, await bridge.transaction(player, '-3', { id }))
        expectSame(refused, await bridge.transaction(player, '-30', { id: late }))
        expectBalance(await bridge.balance(player), usdg(32))
      },
    },
    {
      title: 'ten identical calls at the same time have one effect',
      rule: ONCE,
      run: async ({ bridge, id }) => {
        const player = await bridge.player('10')
        const [first, ...others] = await tenTimes(() => bridge.transaction(player, '-3', { id }))
        for (const answer of others) expectSame(first!, answer)
        const credit = randomUUID()
        const credits = await tenTimes(() => bridge.transaction(player, '1', { id: credit }))
        for (const answer of credits) expectMoved(answer, usdg(7), usdg(8))
        expectBalance(await bridge.balance(player), usdg(8))
      },
    },
    {
      title: 'of ten debits at the same time with chips for four, exactly four are carried out',
      rule: 'A debit above the balance is insufficient_chips and moves nothing.',
      run: async ({ bridge }) => {
        const player = await bridge.player('4.5')
        const answers = await tenTimes(() => bridge.transaction(player, '-1'))
        const [done, refused] = [200, 402].map((status) =>
          answers.filter((answer) => answer.status === status),
        )
        expect(
          done?.length === 4 && refused?.length === 6,
          `four should be carried out and six refused, not ${done?.length} and ${refused?.length}`,
        )
        expectBalance(await bridge.balance(player), usdg(0.5))
      },
    },
  ],
}
