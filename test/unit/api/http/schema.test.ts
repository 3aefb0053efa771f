import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { RentBody } from '../../../../src/api/ad-rental/schema.ts'
import { BetBody } from '../../../../src/api/crash/schema.ts'
import {
  AmountWei,
  Multiplier,
  RoundId,
  TokenName,
  validate,
  Wallet,
} from '../../../../src/api/http/schema.ts'
import { SetBody } from '../../../../src/api/protection/schema.ts'
import { parseJson } from '../../../../src/core/json.ts'
import { isRefusal } from '../../../../src/core/refusal.ts'
import { MAX_AUTO_CASHOUT, MIN_AUTO_CASHOUT } from '../../../../src/crash/bet.ts'
import { codeOf } from '../../support/builders.ts'

/** Returns a schema's output for a JSON value, or the code of its refusal. */
function read<T>(schema: z.ZodType<T>, json: string): unknown {
  const answer = validate(schema, parseJson(json))
  return 'value' in answer ? answer.value : codeOf(answer)
}

const REFUSED = 'invalid_request'

describe('a wallet', () => {
  /** The example addresses from EIP-55. */
  const checksummed = [
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
    '0x52908400098527886E0F7030069857D2E4169EE7',
    '0xde709f2102306220921060314715629080e2fb77',
  ]

  it.each(checksummed)('is accepted in any single case and returned as %s', (wallet) => {
    const upper = `0x${wallet.slice(2).toUpperCase()}`
    for (const spelling of [wallet, wallet.toLowerCase(), upper, wallet.toUpperCase()]) {
      expect(read(Wallet, JSON.stringify(spelling))).toBe(wallet)
    }
  })

  it.each([
    ['a wrong checksum', '"0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed"'],
    ['its cases swapped', '"0x5AaEB6053f3e94c9B9a09F33669435e7eF1bEaED"'],
    ['a digit too few', '"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAe"'],
    ['a digit too many', '"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAedd"'],
    ['no 0x', '"5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"'],
    ['a non-hex digit', '"0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaeg"'],
    ['a space', '"0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed "'],
    ['no characters', '""'],
    ['a number', '5'],
    ['null', 'null'],
  ])('with %s is refused', (_what, json) => {
    expect(read(Wallet, json)).toBe(REFUSED)
  })

  it('takes no memory of an isolate while it is text of another length', () => {
    const remembered = vi.spyOn(Map.prototype, 'set')
    expect(read(Wallet, `"0x${'a'.repeat(10_000)}"`)).toBe(REFUSED)
    const keys = remembered.mock.calls.map(([key]) => String(key).length)
    remembered.mockRestore()
    expect(keys.filter((length) => length > 1_000)).toEqual([])
  })
})

describe('a token', () => {
  it('is ETH or USDG, in capitals', () => {
    expect(read(TokenName, '"ETH"')).toBe('ETH')
    expect(read(TokenName, '"USDG"')).toBe('USDG')
    for (const json of ['"eth"', '"BTC"', '""', 'null', '{}'])
      expect(read(TokenName, json)).toBe(REFUSED)
  })
})

describe('an amount', () => {
  it('is decimal text, exact to the last unit', () => {
    expect(read(AmountWei, '"0"')).toBe(0n)
    expect(read(AmountWei, '"9007199254740993"')).toBe(9_007_199_254_740_993n)
    expect(read(AmountWei, `"${2n ** 256n - 1n}"`)).toBe(2n ** 256n - 1n)
  })

  it.each([`"${2n ** 256n}"`, '"01"', '"-1"', '"1.5"', '""', '5', 'null', '["5"]'])(
    'in another form is refused: %s',
    (json) => {
      expect(read(AmountWei, json)).toBe(REFUSED)
    },
  )
})

describe('a multiplier', () => {
  const AutoCashout = Multiplier(MIN_AUTO_CASHOUT, MAX_AUTO_CASHOUT)

  it.each([
    ['1.01', 101],
    ['1.010', 101],
    ['2', 200],
    ['2.5', 250],
    ['1.15', 115],
    ['1e3', 100_000],
    ['1000000', 100_000_000],
    ['1000000.00', 100_000_000],
  ])('of %s is %i hundredths', (json, hundredths) => {
    expect(read(AutoCashout, json)).toBe(hundredths)
  })

  it.each([
    '1',
    '1.00',
    '1.009',
    '1.011',
    '2.345',
    '1000000.01',
    '1e99',
    '-2',
    '0',
    '"2"',
    'null',
    'true',
  ])('that is out of bounds or too precise is refused: %s', (json) => {
    expect(read(AutoCashout, json)).toBe(REFUSED)
  })
})

describe('a round number', () => {
  it.each([
    ['1', 1],
    ['7.0', 7],
    ['1e3', 1_000],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
  ])('of %s is %i', (json, roundId) => {
    expect(read(RoundId, json)).toBe(roundId)
  })

  it.each(['0', '-1', '1.5', '9007199254740992', '9007199254740993', '1e50', '"1"', 'null'])(
    'that is invalid is refused: %s',
    (json) => {
      expect(read(RoundId, json)).toBe(REFUSED)
    },
  )
})

describe('a bet', () => {
  it('is parsed without omitted optional fields and unknown keys', () => {
    expect(read(BetBody, '{"token":"ETH","amountWei":"5","extra":[1]}')).toEqual({
      token: 'ETH',
      amountWei: 5n,
    })
    const whole = '{"token":"USDG","amountWei":"5","autoCashout":1.5,"roundId":3}'
    expect(read(BetBody, whole)).toEqual({
      token: 'USDG',
      amountWei: 5n,
      autoCashout: 150,
      roundId: 3,
    })
    expect(read(BetBody, '{"token":"ETH","amountWei":"5","autoCashout":null}')).toMatchObject({
      autoCashout: null,
    })
  })

  it('is refused in plain words for a missing field, an unknown value and another type', () => {
    const wrong = (body: string) => {
      const answer = validate(BetBody, parseJson(body))
      return isRefusal(answer) ? answer.error.details : null
    }
    expect(wrong('{"token":"BTC"}')).toEqual([
      { path: 'token', message: 'must be ETH or USDG' },
      { path: 'amountWei', message: 'is missing' },
    ])
    expect(wrong('{"token":"ETH","amountWei":5,"roundId":"3"}')).toEqual([
      { path: 'amountWei', message: 'must be a string' },
      { path: 'roundId', message: 'must be a number' },
    ])
    expect(wrong('[]')).toEqual([{ path: '', message: 'must be an object' }])
  })

  it.each([
    [SetBody, '{"kind":"exclusion"}', 'must be loss, wager, deposit or session'],
    [RentBody.pick({ date: true }), '{"date":"30.11.2026"}', 'must be a date as YYYY-MM-DD'],
    [RentBody.pick({ date: true }), '{}', 'is missing'],
    [RentBody.pick({ hours: true }), '{}', 'is missing'],
    [RentBody.pick({ title: true }), '{"title":" "}', 'must have at least 1 character'],
    [
      RentBody.pick({ title: true }),
      `{"title":"${'a'.repeat(81)}"}`,
      'must have at most 80 characters',
    ],
  ] as const)('or another request says what a field must be: %#', (schema, json, message) => {
    const answer = validate<unknown>(schema, parseJson(json))
    expect(answer).toMatchObject({ error: { details: [{ message }] } })
  })

  it('that is wrong in several places gets an error for each', () => {
    const answer = validate(BetBody, parseJson('{"token":"BTC","amountWei":5,"autoCashout":1}'))
    expect(answer).toMatchObject({
      ok: false,
      error: {
        code: 'invalid_request',
        details: [{ path: 'token' }, { path: 'amountWei' }, { path: 'autoCashout' }],
      },
    })
  })
})
