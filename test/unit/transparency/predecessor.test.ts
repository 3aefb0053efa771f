import { describe, expect, it } from 'vitest'
import { logOrigin, signCheckpoint } from '../../../src/transparency/checkpoint.ts'
import { signerKey } from '../../../src/transparency/note.ts'
import { predecessorEntry, predecessorOf } from '../../../src/transparency/predecessor.ts'

const AT = Date.UTC(2040, 0, 1)

describe('the first entry of a log that succeeds another one', () => {
  it('names the other by the host that it had, as its last checkpoint does', () => {
    const old = signerKey(logOrigin('https://old.fairhouse.test'), new Uint8Array(32).fill(7))
    const checkpoint = signCheckpoint({ size: 3, root: new Uint8Array(32) }, old)
    const entry = predecessorEntry('new.fairhouse.test/log', checkpoint, AT)
    expect(predecessorOf(entry)).toEqual({ name: 'old.fairhouse.test/log', at: AT, size: 3 })
  })

  it('names it by the present host if no checkpoint was kept', () => {
    const entry = predecessorEntry('new.fairhouse.test/log', null, AT)
    expect(predecessorOf(entry)).toEqual({ name: 'new.fairhouse.test/log', at: AT, size: null })
  })
})
