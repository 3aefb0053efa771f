import { expect, it } from 'vitest'
import { wrongSwitch } from '../../../../durable-objects/control/switches.ts'

const wrong = (...names: string[]) =>
  wrongSwitch(names, { partners: new Map() }, { 'partner:gone': 'closed' })

it('a switch is known if the service has it, or if it is not open', () => {
  expect(wrong('crash', 'token:ETH')).toBeNull()
  // A partner that has left the configuration can still be opened.
  expect(wrong('partner:gone')).toBeNull()
  expect(wrong('crash', 'partner:never')).toContain('There is no switch partner:never.')
})

it('every wallet has a switch, by its one name', () => {
  const wallet = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
  expect(wrong(`wallet:${wallet}`)).toBeNull()
  for (const name of [wallet.toLowerCase(), wallet.slice(0, -1), 'house', '']) {
    expect(wrong(`wallet:${name}`)).toContain('There is no switch')
  }
})

it('every rental has a switch, by its id in lower case', () => {
  const id = `0x${'0a'.repeat(32)}`
  expect(wrong(`ad:${id}`)).toBeNull()
  for (const name of [id.toUpperCase(), id.slice(0, -1), '']) {
    expect(wrong(`ad:${name}`)).toContain('There is no switch')
  }
})

it('a switch that is named twice is wrong, because only one of its modes could count', () => {
  expect(wrong('crash', 'mines', 'crash')).toBe('Name each switch once.')
})
