import { afterEach, describe, expect, it, vi } from 'vitest'
import { fetchBeacon } from '../../../src/calls/beacon.ts'
import { QUICKNET } from '../../../src/fairness/drand.ts'
import { BEACON_1000, DRAND_QUICKNET } from '../support/vectors.ts'

const { round, signature } = BEACON_1000
const PUBLISHED = JSON.stringify({ round, signature })

/** Stubs the network with each relay's answer or failure. Returns the relays that were asked. */
function relaysAnswer(answers: Record<string, Response | Error>): string[] {
  const asked: string[] = []
  vi.stubGlobal('fetch', async (url: string) => {
    asked.push(url)
    const answer = answers[new URL(url).host]
    if (answer instanceof Response) return answer
    throw answer ?? new Error('nobody there')
  })
  return asked
}

afterEach(() => {
  vi.unstubAllGlobals()
})

describe('fetching a beacon', () => {
  it('asks a relay for that round of the chain', async () => {
    const asked = relaysAnswer({ one: new Response(PUBLISHED) })
    expect(await fetchBeacon(['https://one', 'https://two'], round)).toBe(signature)
    expect(asked).toEqual([`https://one/${QUICKNET.chainHash}/public/1000`])
  })

  it.each<[string, Response | Error]>([
    ['cannot be reached', new Error('refused')],
    ['does not have it yet', new Response(PUBLISHED, { status: 404 })],
    ['answers something else', new Response('<html>')],
    ['answers nothing', new Response('null')],
    ['answers without a signature', new Response('{"round":1000}')],
    ['answers a signature that is not text', new Response('{"signature":5}')],
    ['answers far too much', new Response(PUBLISHED + ' '.repeat(5_000))],
    [
      'answers another round’s signature',
      new Response(JSON.stringify({ round, signature: DRAND_QUICKNET.beacons[1].signature })),
    ],
  ])('tries the next relay if one %s', async (_what, answer) => {
    const asked = relaysAnswer({ one: answer, two: new Response(PUBLISHED) })
    expect(await fetchBeacon(['https://one', 'https://two'], round)).toBe(signature)
    expect(asked).toHaveLength(2)
  })

  it('stops reading an endless answer', async () => {
    let chunks = 0
    const endless = new ReadableStream({
      pull: (controller) => {
        if (++chunks > 100) controller.close()
        else controller.enqueue(new Uint8Array(1_024).fill(32))
      },
    })
    relaysAnswer({ one: new Response(endless), two: new Response(PUBLISHED) })
    expect(await fetchBeacon(['https://one', 'https://two'], round)).toBe(signature)
    expect(chunks).toBeLessThan(10)
  })

  it('returns null when no relay has it', async () => {
    relaysAnswer({ one: new Response('{}') })
    expect(await fetchBeacon(['https://one', 'https://two'], round)).toBeNull()
  })
})
