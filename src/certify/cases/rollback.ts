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
  'A rollback reverses its original in full, once; a second one is 200 and moves nothing.'
const TOMBSTONE =
  'The rollback of an unknown original is 200; the original is then transaction_rolled_back.'
const SPENT =
  'The rollback of a spent credit is insufficient_chips, which stays the answer to its id; try again with a new id.'
const SAME_PLAYER = 'A rollback is for the player and the currency of its original.'

export const rollback: Group = {
  name: 'Rollback',
  cases: [
    {
      title: 'a debit is rolled back',
      rule: ONCE,
      run: async ({ bridge, id }) => {
        const player = await bridge.player('10')
        const undo = randomUUID()
        await bridge.transaction(player, '-3', { id })
        const first = await bridge.rollback(player, id, { id: undo })
        expectMoved(first, usdg(7), usdg(10))
        expect(first.body.partnerTransactionId === undo, "the answer should have the rollback's id")
        expectSame(first, await bridge.rollback(player, id, { id: undo }))
        expectBalance(await bridge.balance(player), usdg(10))
      },
    },
    {
      title: 'a credit is rolled back',
      rule: ONCE,
      run: async ({ bridge, id }) => {
        const player = await bridge.player('1')
        await bridge.transaction(player, '3', { id })
        expectMoved(await bridge.rollback(player, id), usdg(4), usdg(1))
      },
    },
    {
      title: 'a second rollback of the same original moves nothing',
      rule: ONCE,
      run: async ({ bridge, id }) => {
        const player = await bridge.player('10')
        await bridge.transaction(player, '-3', { id })
        await bridge.rollback(player, id)
        expectMoved(await bridge.rollback(player, id), usdg(10), usdg(10))
      },
    },
    {
      title: 'a second rollback after a restart moves nothing',
      rule: ONCE,
      needs: 'restart',
      run: async ({ bridge, restart, id }) => {
        const player = await bridge.player('10')
        await bridge.transaction(player, '-3', { id })
        await bridge.rollback(player, id)
        await restart?.()
        expectMoved(await bridge.rollback(player, id), usdg(10), usdg(10))
      },
    },
    {
      title: 'an original repeated after its rollback gets its first answer, and stays rolled back',
      rule: ONCE,
      run: async ({ bridge, id }) => {
        const player = await bridge.player('10')
        const first = await bridge.transaction(player, '-3', { id })
        await bridge.rollback(player, id)
        expectSame(first, await bridge.transaction(player, '-3', { id }))
        expectBalance(await bridge.balance(player), usdg(10))
      },
    },
    {
      title: 'an original that arrives after its rollback is refused',
      rule: TOMBSTONE,
      run: async ({ bridge, id }) => {
        const player = await bridge.player('10')
        expectMoved(await bridge.rollback(player, id), usdg(10), usdg(10))
        const late = await bridge.transaction(player, '-3', { id })
        expectRefused(late, 409, 'transaction_rolled_back')
        expectSame(late, await bridge.transaction(player, '-3', { id }))
        expectBalance(await bridge.balance(player), usdg(10))
      },
    },
    {
      title: 'a late original is refused for any player',
      rule: `${TOMBSTONE} This holds for any player.`,
      run: async ({ bridge, id }) => {
        const [player, other] = [await bridge.player(), await bridge.player('10')]
        await bridge.rollback(player, id)
        const late = await bridge.transaction(other, '-3', { id })
        expectRefused(late, 409, 'transaction_rolled_back')
        expectBalance(await bridge.balance(other), usdg(10))
      },
    },
    {
      title: 'an original and its rollback at the same time cancel out',
      rule: 'Whichever arrives first, the original is reversed or never carried out.',
      run: async ({ bridge }) => {
        const player = await bridge.player('20')
        for (let turn = 0; turn < 5; turn++) {
          const [id, undo] = [randomUUID(), randomUUID()]
          const [done, undone] = await Promise.all([
            bridge.transaction(player, '-3', { id }),
            bridge.rollback(player, id, { id: undo }),
          ])
          expect(undone.status === 200, `the rollback should be 200, but was ${undone.status}`)
          if (done.status !== 200) expectRefused(done, 409, 'transaction_rolled_back')
          expectBalance(await bridge.balance(player), usdg(20))
          expectSame(done, await bridge.transaction(player, '-3', { id }))
          expectSame(undone, await bridge.rollback(player, id, { id: undo }))
        }
      },
    },
    {
      title: 'ten rollbacks of one original at the same time reverse it once',
      rule: ONCE,
      run: async ({ bridge, id }) => {
        const player = await bridge.player('10')
        await bridge.transaction(player, '-3', { id })
        for (const { status } of await tenTimes(() => bridge.rollback(player, id))) {
          expect(status === 200, `every rollback should be 200, but one was ${status}`)
        }
        expectBalance(await bridge.balance(player), usdg(10))
      },
    },
    {
      title: 'the rollback of a refused debit moves nothing',
      rule: 'The rollback of a refused original is 200 and moves nothing.',
      run: async ({ bridge, id }) => {
        const player = await bridge.player('1')
        const refused = await bridge.transaction(player, '-3', { id })
        expectMoved(await bridge.rollback(player, id), usdg(1), usdg(1))
        expectSame(refused, await bridge.transaction(player, '-3', { id }))
      },
    },
    {
      title: 'a spent credit is rolled back only once there are chips, under a new id',
      rule: SPENT,
      run: async ({ bridge }) => {
        const player = await bridge.player()
        const [credit, undo] = [randomUUID(), randomUUID()]
        await bridge.transaction(player, '5', { id: credit })
        await bridge.transaction(player, '-4')
        const refused = await bridge.rollback(player, credit, { id: undo })
        expectRefused(refused, 402, 'insufficient_chips')
        await bridge.transaction(player, '6')
        expectSame(refused, await bridge.rollback(player, credit, { id: undo }))
        expectBalance(await bridge.balance(player), usdg(7))
        expectMoved(await bridge.rollback(player, credit), usdg(7), usdg(2))
      },
    },
    {
      title: "another player's transaction is not rolled back",
      rule: SAME_PLAYER,
      run: async ({ bridge, id }) => {
        const [player, other] = [await bridge.player('10'), await bridge.player('10')]
        const first = await bridge.transaction(player, '-3', { id })
        expectRefused(await bridge.rollback(other, id), 409, 'idempotency_conflict')
        expectBalance(await bridge.balance(player), usdg(7))
        expectBalance(await bridge.balance(other), usdg(10))
        expectSame(first, await bridge.transaction(player, '-3', { id }))
      },
    },
    {
      title: 'a transaction is not rolled back in another currency',
      rule: SAME_PLAYER,
      run: async ({ bridge, id }) => {
        const player = await bridge.player('10')
        await bridge.transaction(player, '-3', { id })
        const inEth = await bridge.rollback({ ...player, currency: 'ETH' }, id)
        expectRefused(inEth, 409, 'idempotency_conflict')
        expectBalance(await bridge.balance(player), usdg(7))
      },
    },
    {
      title: 'another original under the same rollback id is a conflict',
      rule: 'The same id with different contents is idempotency_conflict.',
      run: async ({ bridge }) => {
        const player = await bridge.player('10')
        const [one, two, undo] = [randomUUID(), randomUUID(), randomUUID()]
        await bridge.transaction(player, '-3', { id: one })
        await bridge.transaction(player, '-2', { id: two })
        await bridge.rollback(player, one, { id: undo })
        const other = await bridge.rollback(player, two, { id: undo })
        expectRefused(other, 409, 'idempotency_conflict')
        expectBalance(await bridge.balance(player), usdg(8))
      },
    },
    {
      title: 'a rollback cannot be rolled back',
      rule: 'Only transactions are rolled back.',
      run: async ({ bridge, id }) => {
        const player = await bridge.player('10')
        const undo = randomUUID()
        await bridge.transaction(player, '-3', { id })
        await bridge.rollback(player, id, { id: undo })
        expectRefused(await bridge.rollback(player, undo), 409, 'idempotency_conflict')
        expectBalance(await bridge.balance(player), usdg(10))
      },
    },
    {
      title: "one partner cannot roll back another's transaction",
      rule: 'Ids are unique per partner.',
      needs: 'other',
      run: async ({ bridge, other, id }) => {
        const player = await bridge.player('10')
        await bridge.transaction(player, '-3', { id })
        const as = other ? { as: other } : {}
        expectMoved(await bridge.rollback(player, id, as), usdg(7), usdg(7))
        expectMoved(await bridge.rollback(player, id), usdg(7), usdg(10))
      },
    },
  ],
}
