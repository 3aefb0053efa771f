import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { inPieces } from '../../../../src/api/rpc-proxy/pieces.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const TEXT = 'é'.repeat(500_000)
const sent = vi.fn<() => void>()
const answer = (text = TEXT) => new Response(inPieces(text, 20_000, sent))

describe('a large answer', () => {
  beforeEach(() => void sent.mockClear())

  it('arrives whole, and is held until its client has taken it', async () => {
    const response = answer()
    expect(sent).not.toHaveBeenCalled()
    expect(await response.text()).toBe(TEXT)
    expect(sent).toHaveBeenCalledOnce()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('breaks off if its client takes too long', async () => {
    const body = answer().body!.getReader()
    await body.read()
    vi.advanceTimersByTime(20_000)
    expect(sent).toHaveBeenCalledOnce()
    await expect(body.read()).rejects.toThrow('too slowly')
  })

  it('is held no longer once its client has hung up', async () => {
    await answer().body!.cancel()
    expect(sent).toHaveBeenCalledOnce()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('is sent at once if it is not so large', () => {
    answer('x'.repeat(262_144))
    expect(sent).toHaveBeenCalledOnce()
  })
})
