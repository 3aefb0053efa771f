import { describe, expect, it } from 'vitest'
import { answerRefusal } from '../../../../src/api/http/answer.ts'
import { refuse } from '../../../../src/core/refusal.ts'

describe('the answer to a refusal', () => {
  it('is an error even if a newer version of an object refuses with a code of its own', async () => {
    const newer = refuse('sold_out' as never, 'All tickets are sold.')
    const response = answerRefusal(newer)
    expect(response.status).toBe(503)
    expect(await response.json()).toEqual(newer)
  })
})
