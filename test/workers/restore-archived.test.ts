import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { ledger } from '../../src/calls/objects.ts'
import { archived, grow, keys, play, useShortSegments } from './archive.ts'
import { fundedPlayer, now, pass, type Player, useStories } from './support.ts'

useStories()
await useShortSegments()

/** The entries at a time in the third segment, the first of which is a deposit. */
const THEN = 23

let alice: Player
let time: number

const standing = () => ledger(env, alice.wallet).standing(time)

/** Removes the file with the entry from the archive, until it is put back. */
async function loseFile() {
  const key = (await keys())[2] ?? ''
  const file = await (await env.ARCHIVE.get(key))!.arrayBuffer()
  await env.ARCHIVE.delete(key)
  return () => env.ARCHIVE.put(key, file)
}

beforeEach(async () => {
  alice = await fundedPlayer(0)
  await play(alice, THEN - 1)
  time = now() + 500
  pass(1_000)
  await play(alice, 18)
  await grow(alice)
  expect(await archived(alice)).toBe(4)
})

describe('what a restore to a time whose entries are in the archive would lose', () => {
  it('is counted from the entry of that time', async () => {
    expect(await standing()).toMatchObject({ seq: 41, seqThen: THEN })
  })

  it('is counted without a file, unless the ledger is asked about a time', async () => {
    const get = vi.spyOn(env.ARCHIVE, 'get')
    expect(await ledger(env, alice.wallet).standing(0)).toMatchObject({ seq: 41, seqThen: 0 })
    expect(get).not.toHaveBeenCalled()
  })

  it('is counted only afterwards if the archive doesn’t answer, or has lost the file', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const down = vi.spyOn(env.ARCHIVE, 'get').mockRejectedValue(new Error('R2 is down'))
    expect(await standing()).toMatchObject({ seqThen: 41 })
    down.mockRestore()
    const putBack = await loseFile()
    expect(await standing()).toMatchObject({ seqThen: 41 })
    await putBack()
  })
})
