import { describe, expect, it, vi } from 'vitest'
import { Alarm, earliest } from '../../../durable-objects/kernel/alarm.ts'
import { inBlankObject } from './support.ts'

/** Far in the future, so that no alarm fires automatically. */
const NOW = Date.UTC(2040, 0, 1)

function inAlarm(
  work: (alarm: Alarm, storage: DurableObjectStorage, set: () => number) => Promise<void>,
) {
  return inBlankObject(async ({ storage }) => {
    const setAlarm = vi.spyOn(storage, 'setAlarm')
    await work(new Alarm(storage), storage, () => setAlarm.mock.calls.length)
    setAlarm.mockRestore()
  })
}

const retry = (retryCount: number): AlarmInvocationInfo => ({
  retryCount,
  isRetry: retryCount > 0,
  scheduledTime: NOW,
})

describe('the alarm of an object', () => {
  it('fires at the earliest due time', async () => {
    await inAlarm(async (alarm, storage) => {
      alarm.wakeBy(NOW + 20_000, NOW)
      expect(await storage.getAlarm()).toBe(NOW + 20_000)
      alarm.wakeBy(NOW + 30_000, NOW)
      expect(await storage.getAlarm()).toBe(NOW + 20_000)
      alarm.wakeBy(NOW + 10_000, NOW)
      expect(await storage.getAlarm()).toBe(NOW + 10_000)
    })
  })

  it('is not rewritten for a later time or for none', async () => {
    await inAlarm(async (alarm, _, set) => {
      alarm.wakeBy(NOW + 10_000, NOW)
      alarm.wakeBy(NOW + 10_000, NOW)
      alarm.wakeBy(NOW + 11_000, NOW)
      alarm.wakeBy(null, NOW)
      expect(set()).toBe(1)
    })
  })

  it('is known after a restart', async () => {
    await inAlarm(async (alarm, storage, set) => {
      alarm.wakeBy(NOW + 10_000, NOW)
      const restarted = new Alarm(storage)
      await restarted.load()
      restarted.wakeBy(NOW + 20_000, NOW)
      expect(set()).toBe(1)
    })
  })

  it('is set again if it has not fired in time', async () => {
    await inAlarm(async (alarm, storage) => {
      alarm.wakeBy(NOW, NOW)
      alarm.wakeBy(NOW + 60_000, NOW + 5_000)
      expect(await storage.getAlarm()).toBe(NOW)
      alarm.wakeBy(NOW + 60_000, NOW + 5_001)
      expect(await storage.getAlarm()).toBe(NOW + 60_000)
    })
  })

  it('is set only at the end of its own work, to the next due time', async () => {
    await inAlarm(async (alarm, storage, set) => {
      await alarm.run(retry(0), NOW, async () => {
        alarm.wakeBy(NOW + 1, NOW)
        expect(set()).toBe(0)
        return NOW + 10_000
      })
      expect(await storage.getAlarm()).toBe(NOW + 10_000)
      await alarm.run(retry(0), NOW, async () => null)
      expect(set()).toBe(1)
    })
  })

  it('fails with its work so that the platform retries it, and can be set afterwards', async () => {
    await inAlarm(async (alarm, storage, set) => {
      const failing = alarm.run(retry(0), NOW, async () => {
        throw new Error('the work fails')
      })
      await expect(failing).rejects.toThrow('the work fails')
      expect(set()).toBe(0)
      alarm.wakeBy(NOW + 10_000, NOW)
      expect(await storage.getAlarm()).toBe(NOW + 10_000)
    })
  })

  it('is replaced by a new one before the platform drops it', async () => {
    await inAlarm(async (alarm, storage) => {
      const work = vi.fn(async () => null)
      await alarm.run(retry(4), NOW, work)
      expect(work).toHaveBeenCalledTimes(1)
      await alarm.run(retry(5), NOW, work)
      expect(work).toHaveBeenCalledTimes(1)
      expect(await storage.getAlarm()).toBe(NOW + 5_000)
    })
  })
})

describe('the earliest of several times', () => {
  it.each<[(number | null)[], number | null]>([
    [[], null],
    [[null], null],
    [[3, null, 1, 2], 1],
    [[0, 1], 0],
  ])('of %j is %j', (times, expected) => {
    expect(earliest(...times)).toBe(expected)
  })
})
