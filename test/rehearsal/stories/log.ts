import { expect } from 'vitest'
import { newLogKey } from '../site.ts'
import { expectExit, type Story, type Type } from '../story.ts'
import type { World } from '../world.ts'
import { ELSEWHERE, NOT_NEEDED, OTHER_CAUSE } from './words.ts'

/** Rounds wait for the log. The archive's silence stops it only if it had no entry in the minute before. */
const WAITING = ['BeaconLate', 'OutboxesStuck', 'LogDegraded']

export const wrongLogKey: Story = {
  alert: 'LogForked',
  fault: '`LOG_KEY` is set to another key of the site',
  remedy: 'the right key set again',
  fires: ['LogForked'],
  mayFire: WAITING,
  async make(world) {
    world.areWatching = true
    await world.minutes(2)
    await world.site.putSecret('LOG_KEY', newLogKey())
    await world.until(() => world.metric('fairhouse_log_forked') === 1, 3)
  },
  look: (world) => [
    [
      'the file that the object disagrees with',
      async () =>
        expect(world.logged('log_forked').at(-1)).toMatchObject({ key: 'log/checkpoint' }),
    ],
    ['LOG_KEY', ELSEWHERE],
    ['bookmark', OTHER_CAUSE],
  ],
  act: ({ site }) => [
    ['set the right `LOG_KEY`', (type) => type({ LOG_KEY: site.logKey })],
    ['latest bookmark', OTHER_CAUSE],
    ['A lost public log', OTHER_CAUSE],
  ],
  resolved: growsAgain,
}

/** Restores the log to its latest bookmark. */
let restoreLatest = async () => {}

export const restoredLog: Story = {
  alert: 'LogForked',
  fault: '`TransparencyLog` is restored to an earlier time',
  remedy: 'restored to its latest bookmark',
  fires: ['LogForked'],
  mayFire: WAITING,
  async make(world) {
    world.areWatching = true
    await world.minutes(1)
    const restore = await world.site.bookmark('TransparencyLog')
    await world.minutes(4)
    restoreLatest = await restore()
    await world.until(() => world.metric('fairhouse_log_forked') === 1, 3)
  },
  look: (world) => [
    [
      'the file that the object disagrees with',
      async () =>
        expect(world.logged('log_forked').at(-1)).toMatchObject({ key: 'log/checkpoint' }),
    ],
    ['LOG_KEY', OTHER_CAUSE],
    ['bookmark', ELSEWHERE],
  ],
  act: () => [
    ['set the right `LOG_KEY`', OTHER_CAUSE],
    ['latest bookmark', () => restoreLatest()],
    ['A lost public log', NOT_NEEDED],
  ],
  resolved: growsAgain,
}

export const silentArchive: Story = {
  alert: 'LogDegraded',
  fault: 'R2 does not answer for `fairhouse-exports`',
  remedy: 'waited for R2',
  fires: ['LogDegraded'],
  mayFire: ['BeaconLate', 'OutboxesStuck'],
  async make(world) {
    world.areWatching = true
    await world.minutes(1)
    await world.site.drive({ order: 'cut', bindings: ['EXPORTS'] })
    await world.until(() => !world.isUp('log'), 5)
    await world.minutes(2)
  },
  look: (world) => [
    ['log_anchor_failed', async () => expect(world.logged('log_anchor_failed')).not.toEqual([])],
    [
      'normally below 256',
      async () =>
        expect(
          world.metric('fairhouse_log_entries') - world.metric('fairhouse_log_archived_entries'),
        ).toBeGreaterThan(0),
    ],
    ['cloudflarestatus', ELSEWHERE],
  ],
  act: ({ site }) => [
    ['wait', () => site.drive({ order: 'cut', bindings: [] })],
    ['was deleted', OTHER_CAUSE],
  ],
  async resolved(world) {
    await world.until(() => world.isUp('log'), 5)
    world.areWatching = false
  },
}

async function growsAgain(world: World, type: Type): Promise<void> {
  const before = world.metric('fairhouse_log_entries')
  await world.until(() => world.metric('fairhouse_log_entries') > before, 5)
  expect(world.metric('fairhouse_log_forked')).toBe(0)
  expectExit(await type(), 0)
  world.areWatching = false
}
