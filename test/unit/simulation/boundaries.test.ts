import { describe, expect, it } from 'vitest'
import { gapsIn } from '../../simulation/boundaries.ts'

const RARE = 'Exporter>node was never crossed'

describe('the boundaries that a run must reach', () => {
  it('include the common ones from 200 histories on', () => {
    expect(gapsIn({}, 199)).toEqual([])
    expect(gapsIn({}, 200)).toContain('cron>Exporter.sweep was never crossed')
  })

  it('include the rare ones from 5,000 histories on', () => {
    expect(gapsIn({}, 4_999)).not.toContain(RARE)
    expect(gapsIn({}, 5_000)).toContain(RARE)
  })
})
