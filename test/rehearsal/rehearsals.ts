import { afterAll, beforeAll, describe, it } from 'vitest'
import { rehearse, type Story } from './story.ts'
import { World } from './world.ts'

/** Tests stories one after the other on one started service. */
export function describeStories(stories: Record<string, Story>): void {
  describe('on a started service', () => {
    let world: World
    beforeAll(async () => {
      world = await World.open()
    })
    afterAll(() => world?.close())

    for (const story of Object.values(stories)) {
      it(`${story.alert} fires, and its runbook ends it: ${story.fault}`, async () => {
        try {
          await rehearse(world, story)
        } catch (fault) {
          console.error(await world.report())
          throw fault
        }
      })
    }
  })
}
