import { describe, expect, it } from 'vitest'
import { inLanes } from '../../../../src/api/rpc-proxy/lanes.ts'

describe('lanes', () => {
  it('run at most N tasks at a time, and keep the order', async () => {
    let running = 0
    let most = 0
    const results = await inLanes(3, [5, 1, 4, 2, 3, 0], async (ticks, index) => {
      most = Math.max(most, ++running)
      for (let tick = 0; tick < ticks; tick++) await Promise.resolve()
      running--
      return index
    })
    expect(results).toEqual([0, 1, 2, 3, 4, 5])
    expect(most).toBe(3)
  })

  it('fail if one task fails', async () => {
    const failing = inLanes(2, [1, 2], () => Promise.reject(new Error('a fault')))
    await expect(failing).rejects.toThrow('a fault')
  })
})
