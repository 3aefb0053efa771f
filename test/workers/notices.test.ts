import { afterEach, describe, expect, it, vi } from 'vitest'
import { BATCH, Notices } from '../../durable-objects/crash-round/notices.ts'
import { NOBODY } from './nobody.ts'

/** Records every notice, and fails for the deaf recipients. */
function noticesTo(deaf: Set<string>) {
  const told: string[] = []
  const notices = new Notices(async (recipient) => {
    told.push(recipient)
    if (deaf.has(recipient)) throw new Error('does not answer')
  }, NOBODY)
  return { notices, told }
}

/** Records every notice. The deaf recipient never answers. */
function noticesBesidesDeaf() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const told: string[] = []
  const notices = new Notices(async (recipient) => {
    told.push(recipient)
    if (recipient === 'deaf') await new Promise(() => {})
  }, NOBODY)
  notices.add('deaf', 0)
  return { notices, told }
}

afterEach(() => void vi.useRealTimers())

describe('a pending notice', () => {
  it('is sent when it is due, then removed', async () => {
    const { notices, told } = noticesTo(new Set())
    notices.add('now', 100)
    notices.add('later', 200)
    expect(notices.nextDueAt(50)).toBe(100)
    await notices.drain(100)
    expect([told, notices.size, notices.nextDueAt(100)]).toEqual([['now'], 1, 200])
    await notices.drain(200)
    expect([told, notices.size, notices.nextDueAt(200)]).toEqual([['now', 'later'], 0, null])
  })

  it('is retried with a growing delay if it fails, and delays no other notice', async () => {
    const reports = vi.spyOn(console, 'error').mockImplementation(() => {})
    const { notices, told } = noticesTo(new Set(['deaf']))
    notices.add('deaf', 0)
    notices.add('bob', 0)
    const waits: number[] = []
    for (let now = 0; waits.length < 11;) {
      await notices.drain(now)
      const next = notices.nextDueAt(now) ?? now
      waits.push(next - now)
      now = next
    }
    expect(told.filter((recipient) => recipient === 'bob')).toHaveLength(1)
    for (const [index, planned] of [1_000, 2_000, 4_000, 8_000].entries()) {
      expect(waits[index]).toBeGreaterThanOrEqual(planned / 2)
      expect(waits[index]).toBeLessThanOrEqual(planned)
    }
    expect(Math.min(...waits.slice(-2))).toBeGreaterThanOrEqual(150_000)
    expect(Math.max(...waits.slice(-2))).toBeLessThanOrEqual(300_000)
    // From the fifth failure on.
    expect(reports).toHaveBeenCalledTimes(7)
    reports.mockRestore()
  })

  it('is sent in batches, the oldest first', async () => {
    const { notices, told } = noticesTo(new Set())
    for (let number = 0; number <= BATCH; number++) notices.add(`${number}`, BATCH - number)
    await notices.drain(BATCH)
    expect([told.length, told[0], told.includes('0')]).toEqual([BATCH, `${BATCH}`, false])
    expect(notices.nextDueAt(BATCH)).toBe(BATCH)
  })

  it('is sent before those of bets if everyone waits for it, however many are due', async () => {
    const { notices, told } = noticesTo(new Set())
    for (let number = 0; number < BATCH; number++) notices.add(`7:0x${number}:0`, 0)
    for (const recipient of ['history', 'table']) notices.add(recipient, 100)
    await notices.drain(100)
    expect([told.length, ...told.slice(0, 2)]).toEqual([BATCH, 'history', 'table'])
  })

  it('is not sent twice at once, nor after its caller has sent it', async () => {
    let answer = () => {}
    const answered = new Promise<void>((resolve) => (answer = resolve))
    const told: string[] = []
    const notices = new Notices((recipient) => {
      told.push(recipient)
      return answered
    }, NOBODY)
    notices.add('alice', 0)
    const first = notices.drain(0)
    await notices.drain(0)
    expect([told, notices.nextDueAt(0)]).toEqual([['alice'], 10_000])
    answer()
    await first
    notices.add('bob', 10)
    notices.delete('bob')
    expect([notices.size, notices.nextDueAt(0)]).toEqual([0, null])
  })

  it('is sent once if another notice of its batch sends it first', async () => {
    const told: string[] = []
    const notices: Notices = new Notices(async (recipient) => {
      told.push(recipient)
      if (recipient === 'end') await notices.send('plan', 0)
    }, NOBODY)
    notices.add('end', 0)
    notices.add('plan', 0)
    await notices.drain(0)
    expect([told, notices.size]).toEqual([['end', 'plan'], 0])
  })

  it('is not pending again if it fails after its caller has sent it', async () => {
    let fail = () => {}
    const failed = new Promise<void>((_, reject) => (fail = () => reject(new Error('late'))))
    const notices = new Notices(() => failed, NOBODY)
    notices.add('alice', 0)
    const drained = notices.drain(0)
    notices.delete('alice')
    fail()
    await drained
    expect(notices.size).toBe(0)
  })

  it('holds up the batches after its own for half a second if its recipient does not answer', async () => {
    const { notices, told } = noticesBesidesDeaf()
    for (let number = 1; number < 3 * BATCH; number++) notices.add(`7:0x${number}:0`, 0)
    const drainBatches = async () => {
      for (const now of [0, 500, 500]) await notices.drain(now)
    }
    void drainBatches()
    await vi.advanceTimersByTimeAsync(500)
    expect([told.length, new Set(told).size]).toEqual([3 * BATCH, 3 * BATCH])
    expect(notices.nextDueAt(500)).toBe(10_500)
    await vi.advanceTimersByTimeAsync(9_500)
    expect(notices.all()).toEqual([['deaf', expect.any(Number), 1]])
  })

  it('does not hold up the next step of the round', async () => {
    const { notices } = noticesBesidesDeaf()
    let hasReturned = false
    void notices.drain(0, { nextDueAt: () => 300 }).then(() => (hasReturned = true))
    await vi.advanceTimersByTimeAsync(300)
    expect([hasReturned, notices.has('deaf')]).toEqual([true, true])
  })

  it('can be stored and restored', async () => {
    const { notices } = noticesTo(new Set())
    notices.add('alice', 5)
    const { notices: later, told } = noticesTo(new Set())
    later.add('gone', 0)
    later.replace(notices.all())
    await later.drain(5)
    expect(told).toEqual(['alice'])
  })
})
