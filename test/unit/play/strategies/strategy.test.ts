import { describe, expect, it } from 'vitest'
import { decode, encode, MAX_MEMORY, readAction } from '../../../../src/play/strategies/strategy.ts'

describe('what comes out of a strategy', () => {
  it('is a stake in smallest units, with its state', () => {
    const action = encode({ stake: 5n, state: { list: [1, 2n], text: 'n' } })
    expect(readAction(action)).toEqual({
      kind: 'stake',
      amountWei: '5',
      memory: '{"list":[1,"2n"],"text":"n"}',
    })
    expect(decode('{"list":[1,"2n"],"text":"n"}')).toEqual({ list: [1, 2n], text: 'n' })
  })

  it('may be a stop', () => {
    expect(readAction(encode({ stop: true }))).toEqual({ kind: 'stop' })
  })

  it.each([
    ['a number', { stake: 5 }],
    ['a text', { stake: '5' }],
    ['a negative stake', { stake: -5n }],
    ['a stake of forty-one digits', { stake: 10n ** 40n }],
    ['a stop beside a stake', { stake: 5n, stop: true }],
    ['a stop that is not true', { stop: 1 }],
    ['another field', { stake: 5n, wallet: '0x' }],
    ['a list', [5n]],
    ['nothing', null],
    ['too much to remember', { stake: 5n, state: 'x'.repeat(MAX_MEMORY) }],
  ])('is refused with %s', (_name, action) => {
    expect(readAction(encode(action))).toEqual({ kind: 'failed' })
  })

  it.each([undefined, 5, {}, 'no JSON'])('is refused if it is %j', (action) => {
    expect(readAction(action)).toEqual({ kind: 'failed' })
  })
})
