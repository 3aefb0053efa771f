import { randomUUID } from 'node:crypto'
import {
  expect,
  expectBalance,
  expectMoved,
  expectRefused,
  expectSame,
  refusedCall,
  usdg,
  type Case,
  type Group,
} from '../case.ts'

const DECIDES = 'amountWei is the amount, with or without amount beside it.'
const AGREES = 'If amount and amountWei are both sent, they must agree to 12 significant digits.'
const TEXT = 'amountWei is a whole number of smallest units as text, optionally with a minus sign.'
const NAMES =
  'A key that differs from a known name only in letter case, _ or - is invalid_request; other unknown keys are ignored.'

/** Amounts that contradict each other, in USDG. */
const DISAGREEING = {
  'zero beside a debit': '"amount":0,"amountWei":"-1000"',
  'a debit beside zero': '"amount":-0.001,"amountWei":"0"',
  'the other sign': '"amount":1,"amountWei":"-1000000"',
  'another power of ten': '"amount":-10,"amountWei":"-1000000"',
  'another twelfth digit': '"amount":-1.00000000001,"amountWei":"-1000000"',
  'an amount that is text': '"amount":"-1","amountWei":"-1000000"',
}

const WRONG_TEXTS = {
  'a number': '-1000000',
  'a leading plus': '"+1000000"',
  'a leading zero': '"-01000000"',
  'negative zero': '"-0"',
  'a decimal point': '"-1000000.0"',
  'an exponent': '"-1e6"',
  'a hexadecimal number': '"0xf4240"',
  'an empty text': '""',
  'a space': '" -1000000"',
  null: 'null',
  'a number beyond 2^256': `"${'9'.repeat(78)}"`,
}

const NEAR_MISSES = [
  '"amount":0,"amount_wei":"-1000000"',
  '"amount":0,"amountwei":"-1000000"',
  '"amount":0,"AmountWei":"-1000000"',
  '"amount":0,"amount-wei":"-1000000"',
  '"amountWei":"0","Amount":-1',
  '"amountWei":"-1000000","player_id":"0x00"',
]

export const amounts: Group = {
  name: 'Amounts',
  cases: [
    {
      title: 'amountWei alone decides',
      rule: DECIDES,
      run: async ({ bridge }) => {
        const player = await bridge.player('3')
        expectMoved(await bridge.move(player, '"amountWei":"-1000001"'), usdg(3), '1999999')
        expectMoved(await bridge.move(player, '"amountWei":"1000001"'), '1999999', usdg(3))
        expectMoved(await bridge.move(player, '"amountWei":"0"'), usdg(3), usdg(3))
      },
    },
    {
      title: 'amountWei decides beside an amount with floating noise',
      rule: DECIDES,
      run: async ({ bridge }) => {
        const player = await bridge.player('1', 'ETH')
        const one = 10n ** 18n
        const less = `${one - 300_000_000_000_000_000n}`
        // -(0.1 + 0.2) in floating point; without amountWei it would leave 40 wei behind.
        const debit = '"amount":-0.30000000000000004,"amountWei":"-300000000000000000"'
        expectMoved(await bridge.move(player, debit), `${one}`, less)
        const credit = '"amountWei":"300000000000000000","amount":0.3'
        expectMoved(await bridge.move(player, credit), less, `${one}`)
      },
    },
    {
      title: 'an amount alone is read exactly as written',
      rule: 'Without amountWei, amount is read exactly as written.',
      run: async ({ bridge }) => {
        const player = await bridge.player('1', 'ETH')
        const answer = await bridge.transaction(player, '-0.30000000000000004')
        expectMoved(answer, `${10n ** 18n}`, '699999999999999960')
      },
    },
    {
      title: 'the same amount in either field is the same transaction',
      rule: 'Amounts are compared by their value.',
      run: async ({ bridge, id }) => {
        const player = await bridge.player('10')
        const first = await bridge.transaction(player, '-1.5', { id })
        for (const fields of ['"amountWei":"-1500000"', '"amount":-1.5,"amountWei":"-1500000"']) {
          expectSame(first, await bridge.move(player, fields, { id }))
        }
        const other = await bridge.move(player, '"amountWei":"-1500001"', { id })
        expectRefused(other, 409, 'idempotency_conflict')
        expectBalance(await bridge.balance(player), usdg(8.5))
      },
    },
    ...Object.entries(DISAGREEING).map(([what, fields]) =>
      refusedFields(`amount and amountWei that disagree, ${what}, are refused`, AGREES, fields),
    ),
    ...Object.entries(WRONG_TEXTS).map(([what, text]) =>
      refusedFields(`as amountWei: ${what} is refused`, TEXT, `"amountWei":${text}`),
    ),
    ...NEAR_MISSES.map((fields) =>
      refusedFields(`a misspelt name, ${fields}, is refused`, NAMES, fields),
    ),
    {
      title: 'a misspelt name is refused in a rollback too',
      rule: NAMES,
      run: async ({ bridge }) => {
        const player = await bridge.player('3')
        const ids = `"partnerTransactionId":"${randomUUID()}","originalTransactionId":"${randomUUID()}"`
        const who = `"playerId":"${player.address}","currency":"USDG"`
        const body = `{${who},${ids},"original_transaction_id":"x"}`
        const path = '/api/wallet/rollback'
        expectRefused(await bridge.call({ method: 'POST', path, body }), 400, 'invalid_request')
      },
    },
    {
      title: 'unknown keys are ignored',
      rule: NAMES,
      run: async ({ bridge }) => {
        const player = await bridge.player('3')
        const fields = '"amountWei":"-1000000","note":"bonus","wei":"7"'
        expectMoved(await bridge.move(player, fields), usdg(3), usdg(2))
      },
    },
    {
      title:
        'a debit far above the balance lacks chips, whatever the hourly limit, and stays refused',
      rule: 'A debit above the balance is insufficient_chips, even if it is above the hourly limit too. It stays the answer to its id.',
      run: async ({ bridge, id }) => {
        const player = await bridge.player('3')
        const refused = await bridge.transaction(player, '-1e30', { id })
        expectRefused(refused, 402, 'insufficient_chips')
        const { available } = refused.body.error?.details ?? {}
        expect(available === usdg(3), `available should be ${usdg(3)}, not ${String(available)}`)
        expectSame(refused, await bridge.transaction(player, '-1e30', { id }))
        expectBalance(await bridge.balance(player), usdg(3))
      },
    },
  ],
}

/** Builds a case: a transaction with these fields is refused. */
function refusedFields(title: string, rule: string, fields: string): Case {
  return refusedCall(title, rule, (bridge, player) => bridge.move(player, fields))
}
