import { expect } from 'vitest'
import type { Story } from '../story.ts'
import type { World } from '../world.ts'
import { ELSEWHERE, NOT_NEEDED, OTHER_CAUSE } from './words.ts'

/** Puts another relay first, as an operator edits wrangler.toml. */
async function useOtherRelay(world: World): Promise<void> {
  world.swap('relays')
  await world.site.edit({ DRAND_RELAYS: JSON.stringify([world.relays[0].url]) })
}

export const silentRelay: Story = {
  alert: 'BeaconLate',
  fault: 'The only drand relay does not answer',
  remedy: 'another relay deployed',
  fires: ['BeaconLate'],
  async make(world) {
    world.areWatching = true
    await world.minutes(1)
    world.relays[0].fails = () => true
    await world.until(() => !world.isUp('beacon'), 4)
    await world.minutes(1)
  },
  look: (world) => [
    [
      'asks each relay',
      async (type) =>
        expect((await type()).output).toContain(
          `${world.relays[0].url} does not answer with a valid beacon`,
        ),
    ],
    ['status.drand.love', ELSEWHERE],
    ['voided', async (type) => expect((await type()).output).toContain('"voided"')],
  ],
  act: (world) => [
    [
      'add other relays',
      async (type) => {
        await useOtherRelay(world)
        await type()
      },
    ],
    ['Never set `CRASH_PEPPER`', OTHER_CAUSE],
    ['Tell players', ELSEWHERE],
  ],
  async resolved(world) {
    await world.until(() => world.isUp('beacon'), 12)
    world.areWatching = false
  },
}

export const unreliableRelay: Story = {
  alert: 'RoundsVoided',
  fault: 'The relay answers for every other beacon only',
  remedy: 'a better relay put first',
  fires: ['RoundsVoided'],
  mayFire: ['BeaconLate'],
  async make(world) {
    const before = world.metric('fairhouse_rounds_voided_total')
    const asked: string[] = []
    world.areWatching = true
    world.relays[0].fails = (path) => {
      if (asked.at(-1) !== path) asked.push(path)
      return asked.length % 2 === 0
    }
    const voided = () => world.metric('fairhouse_rounds_voided_total') - before
    await world.until(() => voided() >= 3, 25)
  },
  look: () => [
    [
      'several times',
      async (type) => {
        await type()
      },
    ],
    ['voided', async (type) => expect((await type()).output).toContain('"voided"')],
  ],
  act: (world) => [
    [
      'the most reliable relay first',
      async (type) => {
        await useOtherRelay(world)
        await type()
      },
    ],
  ],
  async resolved(world) {
    world.areWatching = false
    await world.leap(30 * 60_000)
    await world.minutes(1)
  },
}

export const stuckTable: Story = {
  alert: 'TableStuck',
  fault: 'A version is deployed that cannot open a round',
  remedy: 'rolled back',
  fires: ['TableStuck'],
  async make(world) {
    world.areWatching = true
    await world.site.deploy([
      [
        'durable-objects/crash-round.ts',
        'async open(setTerms: SetTerms): Promise<RoundView | RoundResult> {',
        "async open(setTerms: SetTerms): Promise<RoundView | RoundResult> {\n    if (this.env) throw new Error('a bug')",
      ],
    ])
    await world.until(() => !world.isUp('table'), 4)
    await world.minutes(1)
  },
  look: (world) => [
    ['is degraded too', async (type) => expect((await type()).output).toContain('No round opens.')],
    ['request_failed', async () => expect(world.logged('request_failed')).not.toEqual([])],
    ['number and phase', async (type) => expect((await type()).output).toContain('"ok":false')],
  ],
  act: ({ site }) => [
    [
      'roll back',
      async (type) => {
        await type()
        await site.deploy()
      },
    ],
    ['wait for D1', OTHER_CAUSE],
    ['deploy again', NOT_NEEDED],
  ],
  async resolved(world) {
    await world.until(() => world.isUp('table'), 2)
    const before = world.metric('fairhouse_rounds_total')
    const hasEnded = () => world.metric('fairhouse_rounds_total') > before
    // The round that was stuck may have waited for its beacon until now.
    await world.until(() => hasEnded() && world.isUp('beacon'), 12)
    world.areWatching = false
  },
}
