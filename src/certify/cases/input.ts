import { randomUUID } from 'node:crypto'
import type { Player } from '../bridge.ts'
import {
  expectBalance,
  expectMoved,
  expectRefused,
  refusedCall,
  usdg,
  type Case,
  type Group,
} from '../case.ts'

const AMOUNT = "amount is a JSON number of whole tokens with no more than the token's decimals."
const ID = 'partnerTransactionId is 1 to 128 printable ASCII characters.'
const FORM = 'A request without the documented form is invalid_request, and moves nothing.'

/** Invalid amounts, by their problem. */
const WRONG_AMOUNTS = {
  'NaN, which is not JSON,': 'NaN',
  'Infinity, which is not JSON,': 'Infinity',
  'more decimals than the token has': '-0.0000001',
  'an exponent that leaves too many decimals': '-1e-7',
  'an exponent that is too large': '1e400',
  'a number beyond 2^256': '9'.repeat(90),
  'a string': '"-1"',
  'a leading plus': '+1',
  'a leading zero': '-01',
  'a hexadecimal number': '0x1',
  null: 'null',
  'an object': '{}',
  'an array of a number': '[-1]',
  'a boolean': 'true',
  'nothing at all': '',
}

const WRONG_IDS = {
  'an empty id': '',
  'an id of 129 characters': 'x'.repeat(129),
  'an id of 10 kB': 'x'.repeat(10_240),
  'an id with a letter beyond ASCII': 'straße',
  'an id with an emoji': 'spin-🎰',
  'an id with a line break': 'spin\n1',
  'an id with a zero byte': 'spin\u00001',
}

const WRONG_PLAYERS = {
  'an address that is too short': '0x1234',
  'an address without 0x': '5aaeb6053f3e94c9b9a09f33669435e7ef1beaed',
  'an address with a wrong checksum': '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD'.replace(
    '5aA',
    '5AA',
  ),
  'an address with a letter that is not a hex digit': '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaeg',
  'an empty address': '',
}

export const input: Group = {
  name: 'Input',
  cases: [
    {
      title: 'negative zero is zero',
      rule: AMOUNT,
      run: async ({ bridge }) => {
        const player = await bridge.player('3')
        expectMoved(await bridge.transaction(player, '-0'), usdg(3), usdg(3))
        expectMoved(await bridge.transaction(player, '-0.000'), usdg(3), usdg(3))
      },
    },
    {
      title: 'exponents are read exactly',
      rule: AMOUNT,
      run: async ({ bridge }) => {
        const player = await bridge.player('3')
        expectMoved(await bridge.transaction(player, '1e-6'), usdg(3), usdg(3.000001))
        expectMoved(await bridge.transaction(player, '-1E-6'), usdg(3.000001), usdg(3))
        expectMoved(await bridge.transaction(player, '2.5e+0'), usdg(3), usdg(5.5))
      },
    },
    ...Object.entries(WRONG_AMOUNTS).map(([what, amount]) =>
      refusedBody(`as amount: ${what}`, AMOUNT, (player) =>
        fields(player, `"partnerTransactionId":"${randomUUID()}","amount":${amount}`),
      ),
    ),
    ...Object.entries(WRONG_IDS).map(([what, id]) =>
      refusedBody(what, ID, (player) =>
        fields(player, `"partnerTransactionId":${JSON.stringify(id)},"amount":-1`),
      ),
    ),
    {
      title: 'an id of 128 printable characters is accepted',
      rule: ID,
      run: async ({ bridge }) => {
        const player = await bridge.player('3')
        const id = ` !"#$%&'()*+,-./:;<=>?@[\\]^_\`{|}~${randomUUID()}`.padEnd(128, 'x')
        expectMoved(await bridge.transaction(player, '-1', { id }), usdg(3), usdg(2))
        expectMoved(await bridge.rollback(player, id), usdg(2), usdg(3))
      },
    },
    ...Object.entries(WRONG_PLAYERS).map(([what, address]) =>
      refusedBody(what, 'playerId is a wallet address; a wrong EIP-55 checksum is refused.', () =>
        fields({ address, currency: 'USDG' }, `"partnerTransactionId":"x","amount":-1`),
      ),
    ),
    ...['BTC', 'usdg', ''].map((currency) =>
      refusedBody(
        `the currency "${currency}"`,
        'currency is ETH or USDG.',
        ({ address }) =>
          `{"playerId":"${address}","currency":"${currency}","partnerTransactionId":"x","amount":-1}`,
      ),
    ),
    refusedBody('the same key twice', FORM, (player) =>
      fields(player, `"partnerTransactionId":"${randomUUID()}","amount":1,"amount":-1`),
    ),
    refusedBody('a missing amount', FORM, (player) =>
      fields(player, `"partnerTransactionId":"${randomUUID()}"`),
    ),
    refusedBody('a missing id', FORM, (player) => fields(player, `"amount":-1`)),
    refusedBody('half a body', FORM, (player) => fields(player, `"amount":-1`).slice(0, -1)),
    refusedBody('an empty body', FORM, () => ''),
    refusedBody('a list', FORM, (player) => `[${fields(player, `"amount":-1`)}]`),
    {
      title: 'a body that is not UTF-8 is refused',
      rule: FORM,
      run: async ({ bridge }) => {
        const body = new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])
        const path = '/api/wallet/transaction'
        expectRefused(await bridge.call({ method: 'POST', path, body }), 400, 'invalid_request')
      },
    },
    {
      title: 'another content type is refused',
      rule: 'Bodies are application/json.',
      run: async ({ bridge }) => {
        const player = await bridge.player('3')
        for (const contentType of [
          'text/plain',
          'application/x-www-form-urlencoded',
          'text/json',
        ]) {
          const answer = await bridge.transaction(player, '-1', { contentType })
          expectRefused(answer, 415, 'unsupported_media_type')
        }
        expectBalance(await bridge.balance(player), usdg(3))
      },
    },
    {
      title: 'a body above 64 KiB is refused',
      rule: 'A body has at most 64 KiB.',
      run: async ({ bridge }) => {
        const body = fields(await bridge.player(), `"note":"${'x'.repeat(70_000)}"`)
        const path = '/api/wallet/transaction'
        expectRefused(await bridge.call({ method: 'POST', path, body }), 413, 'body_too_large')
      },
    },
    {
      title: 'a rollback of itself is refused',
      rule: 'A rollback has an id of its own; one with the id of its original is idempotency_conflict and uses up no id.',
      run: async ({ bridge, id }) => {
        const player = await bridge.player('3')
        expectRefused(await bridge.rollback(player, id, { id }), 409, 'idempotency_conflict')
        expectMoved(await bridge.transaction(player, '-1', { id }), usdg(3), usdg(2))
        expectRefused(await bridge.rollback(player, id, { id }), 409, 'idempotency_conflict')
        expectBalance(await bridge.balance(player), usdg(2))
      },
    },
    ...['', '?currency=USDG', '?playerId=0x12&currency=USDG'].map((query): Case => ({
      title: `the balance of "${query}" is refused`,
      rule: 'A balance needs playerId and currency.',
      run: async ({ bridge }) => {
        const answer = await bridge.call({ path: `/api/wallet/balance${query}` })
        expectRefused(answer, 400, 'invalid_request')
      },
    })),
    {
      title: 'an invalid call leaves its id free',
      rule: '400 does not use up the id: correct the call and send it again under the same id.',
      run: async ({ bridge, id }) => {
        const player = await bridge.player('3')
        expectRefused(await bridge.transaction(player, '"-1"', { id }), 400, 'invalid_request')
        expectMoved(await bridge.transaction(player, '-1', { id }), usdg(3), usdg(2))
      },
    },
  ],
}

/** Builds a case: a transaction with this body is refused. */
function refusedBody(what: string, rule: string, body: (player: Player) => string): Case {
  return refusedCall(`${what} is refused`, rule, (bridge, player) =>
    bridge.call({ method: 'POST', path: '/api/wallet/transaction', body: body(player) }),
  )
}

function fields({ address, currency }: Player, others: string): string {
  return `{"playerId":"${address}","currency":"${currency}",${others}}`
}
