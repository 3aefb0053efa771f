import { describe, expect, it } from 'vitest'
import { isThrownByObject } from '../../../src/calls/call.ts'

describe('a fault that an object’s own code has thrown', () => {
  const fault = (marks: object) => Object.assign(new Error('internal error'), marks)

  it('differs from one that never reached the object', () => {
    expect(isThrownByObject(fault({ remote: true }))).toBe(true)
    expect(isThrownByObject(fault({}))).toBe(false)
    expect(isThrownByObject('internal error')).toBe(false)
  })

  it.each(['retryable', 'overloaded', 'durableObjectReset'])(
    'differs from the platform’s own faults, which are remote too: %s',
    (mark) => {
      expect(isThrownByObject(fault({ remote: true, [mark]: true }))).toBe(false)
    },
  )
})
