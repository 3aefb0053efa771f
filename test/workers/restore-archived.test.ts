import { runDurableObjectAlarm } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { control, ledger } from '../../src/calls/objects.ts'
import { LAST_KNOWN_MS } from '../../src/operator/modes.ts'
import { archived, grow, keys, play, useShortSegments } from './archive.ts'
import { entriesOf } from './journals.ts'
import { look, order, setModes } from './operator.ts'
import { fundedPlayer, now, pass, type Player, useStories } from './support.ts'

useStories()
useShortSegments()

/** The entries at a time in the third segment, the first of which is a deposit. */
const THEN = 23

let alice: Player
let time: number
/** The hash of the entry then. */
let hash: string

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
  hash = (await entriesOf(ledger(env, alice.wallet))).at(-1)?.hash ?? ''
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

describe('a ledger in whose archive D1’s entry is, because D1 was restored', () => {
  const isWhole = { isDone: false, message: expect.stringContaining('has every entry') }

  beforeEach(async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    await env.DB.prepare('UPDATE ledger_positions SET version = ?, head_hash = ?')
      .bind(THEN, hash)
      .run()
    await setModes(`wallet:${alice.wallet}=closed`)
    pass(LAST_KNOWN_MS)
  })

  it('is restored only once the archive answers, and by itself', async () => {
    const down = vi.spyOn(env.ARCHIVE, 'get').mockRejectedValue(new Error('R2 is down'))
    const { act } = (await order('restore', alice.wallet)).body
    expect(act.result).toBeNull()
    down.mockRestore()
    pass(60_000)
    await runDurableObjectAlarm(control(env))
    expect((await look()).body.acts.decided[0].result).toMatchObject(isWhole)
  })

  it('is restored by itself if the archive has lost the file', async () => {
    const putBack = await loseFile()
    expect((await order('restore', alice.wallet)).body.act.result).toMatchObject(isWhole)
    await putBack()
  })
})
