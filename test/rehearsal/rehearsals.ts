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

    let hasFailed = false
    for (const story of Object.values(stories)) {
      it(`${story.alert} fires, and its runbook ends it: ${story.fault}`, async ({ skip }) => {
        skip(hasFailed, 'an earlier story has left its fault behind')
        try {
          await rehearse(world, story)
        } catch (fault) {
          hasFailed = true
          console.error(await world.report())
          throw fault
        }
      })
    }
  })
}
