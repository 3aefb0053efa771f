import { Worker } from 'node:worker_threads'
import type { Played } from './history.ts'
import type { SettingData } from './setting.ts'

/** A history leaves little behind. With room for young objects, few of them are copied before they die. */
const resourceLimits = { maxYoungGenerationSizeMb: 192 }

/**
 * Plays histories on several threads.
 * @param next returns the next seed to play, or null at the end
 * @param take receives each history. If it returns false, no more are begun.
 */
export async function playOnThreads(
  data: SettingData,
  threads: number,
  next: () => number | null,
  take: (played: Played) => boolean,
): Promise<void> {
  let isOpen = true
  await Promise.all(
    Array.from({ length: threads }, () =>
      playOnThread(
        data,
        () => (isOpen ? next() : null),
        (played) => {
          isOpen = take(played) && isOpen
        },
      ),
    ),
  )
}

function playOnThread(
  workerData: SettingData,
  next: () => number | null,
  take: (played: Played) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('worker.ts', import.meta.url), { workerData, resourceLimits })
    worker.once('error', reject)
    worker.on('message', (message: Played | 'ready') => {
      if (message !== 'ready') take(message)
      const seed = next()
      if (seed !== null) return worker.postMessage(seed)
      worker.terminate().then(() => resolve(), reject)
    })
  })
}
