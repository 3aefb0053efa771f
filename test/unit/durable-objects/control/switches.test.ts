import { expect, it } from 'vitest'
import { unknownSwitch } from '../../../../durable-objects/control/switches.ts'

it('a switch is known if the service has it, or if it is not open', () => {
  const unknown = (...names: string[]) =>
    unknownSwitch(names, { partners: new Map() }, { 'partner:gone': 'closed' })
  expect(unknown('crash', 'token:ETH')).toBeNull()
  // A partner that has left the configuration can still be opened.
  expect(unknown('partner:gone')).toBeNull()
  expect(unknown('crash', 'partner:never')).toContain('There is no switch partner:never.')
})
