import { describe, expect, it, vi } from 'vitest'
import { BATCH, Tellings } from '../../durable-objects/crash-round/tellings.ts'

/** Tellings that record whom they told, and fail for whoever is deaf. */
function tellingsTo(deaf: Set<string>) {
  const told: string[] = []
  const tellings = new Tellings(async (subject) => {
    told.push(subject)
    if (deaf.has(subject)) throw new Error('does not answer')
  })
  return { tellings, told }
}

describe('what a round has to tell', () => {
  it('is told once it is due, and then forgotten', async () => {
    const { tellings, told } = tellingsTo(new Set())
    tellings.add('now', 100)
    tellings.add('later', 200)
    expect(tellings.nextDueAt(50)).toBe(100)
    await tellings.drain(100)
    expect([told, tellings.size, tellings.nextDueAt(100)]).toEqual([['now'], 1, 200])
    await tellings.drain(200)
    expect([told, tellings.size, tellings.nextDueAt(200)]).toEqual([['now', 'later'], 0, null])
  })

  it('is told again, ever later, to those who do not answer, and holds up nobody else', async () => {
    const reports = vi.spyOn(console, 'error').mockImplementation(() => {})
    const { tellings, told } = tellingsTo(new Set(['deaf']))
    tellings.add('deaf', 0)
    tellings.add('bob', 0)
    const waits: number[] = []
    for (let now = 0; waits.length < 11;) {
      await tellings.drain(now)
      const next = tellings.nextDueAt(now) ?? now
      waits.push(next - now)
      now = next
    }
    expect(told.filter((subject) => subject === 'bob')).toHaveLength(1)
    expect(waits.slice(0, 4)).toEqual([1_000, 2_000, 4_000, 8_000])
    expect(waits.slice(-2)).toEqual([300_000, 300_000])
    // From the fifth failure on.
    expect(reports).toHaveBeenCalledTimes(7)
    reports.mockRestore()
  })

  it('is told a batch at a time, the oldest first', async () => {
    const { tellings, told } = tellingsTo(new Set())
    for (let number = 0; number <= BATCH; number++) tellings.add(`${number}`, BATCH - number)
    await tellings.drain(BATCH)
    expect([told.length, told[0], told.includes('0')]).toEqual([BATCH, `${BATCH}`, false])
    expect(tellings.nextDueAt(BATCH)).toBe(BATCH)
  })

  it('is not told twice at the same time, and what a caller has told is not repeated', async () => {
    let answer = () => {}
    const answered = new Promise<void>((resolve) => (answer = resolve))
    const told: string[] = []
    const tellings = new Tellings((subject) => {
      told.push(subject)
      return answered
    })
    tellings.add('alice', 0)
    const first = tellings.drain(0)
    await tellings.drain(0)
    expect([told, tellings.nextDueAt(0)]).toEqual([['alice'], 10_000])
    answer()
    await first
    tellings.add('bob', 10)
    tellings.delete('bob')
    expect([tellings.size, tellings.nextDueAt(0)]).toEqual([0, null])
  })

  it('can be stored and taken up again', async () => {
    const { tellings } = tellingsTo(new Set())
    tellings.add('alice', 5)
    const { tellings: later, told } = tellingsTo(new Set())
    later.add('gone', 0)
    later.replace(tellings.all())
    await later.drain(5)
    expect(told).toEqual(['alice'])
  })
})
