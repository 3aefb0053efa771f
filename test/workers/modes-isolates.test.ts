import { env } from 'cloudflare:workers'
import { expect, it, vi } from 'vitest'
import { control } from '../../src/calls/objects.ts'
import {
  LAST_KNOWN_MS,
  LEAD_MS,
  READ_AGE_MS,
  type KnownModes,
  type ModesChange,
} from '../../src/operator/modes.ts'
import { startIsolate, type Isolate } from './isolate.ts'
import { order, setModes } from './operator.ts'
import { codeOf, fundedPlayer, now, pass, useStories, type Player } from './support.ts'

useStories()

/** Returns the code of the refusal of a play through an isolate; undefined if it was taken. */
async function play(
  isolate: Isolate,
  { wallet, authSig }: { wallet: string; authSig: string },
  vars: object = {},
): Promise<string | undefined> {
  const stake = { game: 'limbo', token: 'USDG', amountWei: '1000000', params: { target: 2 } }
  const body = JSON.stringify({ action: 'play', wallet, authSig, ...stake })
  const headers = { 'content-type': 'application/json' }
  return codeOf(await isolate.call('/api/entropy', { method: 'POST', headers, body }, vars))
}

/** Returns what an isolate knows if Control answers like this. */
function modesOf(isolate: Isolate, modes: () => Promise<ModesChange[]>): Promise<KnownModes> {
  return isolate.currentModes({ ...env, CONTROL: { getByName: () => ({ modes }) } as never })
}

const none = () => Promise.resolve([])

async function signedIn(player: Player) {
  return { wallet: player.wallet, authSig: await player.authSig() }
}

it('a switch takes effect ten seconds after the act, for every isolate at once', async () => {
  const [early, late] = [await startIsolate(), await startIsolate()]
  const alice = await signedIn(await fundedPlayer(0))
  expect(await play(early, alice)).toBeUndefined()
  await order('mode', 'limbo=closed')
  pass(READ_AGE_MS - 1)
  expect(await play(early, alice)).toBeUndefined()
  pass(LEAD_MS - READ_AGE_MS)
  expect([await play(early, alice), await play(late, alice)]).toEqual([undefined, undefined])
  pass(1)
  expect([await play(early, alice), await play(late, alice)]).toEqual(['closed', 'closed'])
})

it('what is closed stays closed for a ledger whose clock is behind, while something else changes', async () => {
  const isolate = await startIsolate()
  await setModes('limbo=closed')
  await order('mode', 'plinko=closed')
  pass(LEAD_MS)
  // The change is in force by Control's clock, but not yet by the clock of the player's ledger.
  await control(env).modes()
  pass(-1)
  const alice = await signedIn(await fundedPlayer(0))
  expect(await play(isolate, alice)).toBe('closed')
})

it('an isolate that has never read the switches takes no stakes until it can', async () => {
  const isolate = await startIsolate()
  const alice = await signedIn(await fundedPlayer(0))
  const silent = { modes: () => Promise.reject(new Error('no answer')) }
  const CONTROL = { getByName: () => silent }
  expect(await play(isolate, alice, { CONTROL })).toBe('closed')
  pass(1_000)
  expect(await play(isolate, alice)).toBeUndefined()
})

it('a control that never answers holds up no call for more than two seconds', async () => {
  const isolate = await startIsolate()
  const never = () => new Promise<never>(() => {})
  expect(await modesOf(isolate, never)).toEqual({ changes: [], holdsUntil: 0 })
  const readAt = now()
  await modesOf(isolate, none)
  pass(60_000)
  const known = { changes: [], holdsUntil: readAt + LAST_KNOWN_MS }
  expect(await modesOf(isolate, never)).toEqual(known)
})

it('an isolate asks a failing control once a second, whatever it knows', async () => {
  const isolate = await startIsolate()
  await modesOf(isolate, none)
  pass(60_000)
  const fails = vi.fn(() => Promise.reject(new Error('no answer')))
  for (let asked = 1; asked <= 3; asked++) {
    for (let call = 0; call < 5; call++) await modesOf(isolate, fails)
    expect(fails).toHaveBeenCalledTimes(asked)
    pass(1_000)
  }
})

it('an isolate asks a control that hangs once a second', async () => {
  const isolate = await startIsolate()
  await modesOf(isolate, none)
  pass(60_000)
  await modesOf(isolate, () => Promise.reject(new Error('no answer')))
  pass(1_000)
  const never = vi.fn(() => new Promise<never>(() => {}))
  await Promise.all(Array.from({ length: 5 }, () => modesOf(isolate, never)))
  expect(never).toHaveBeenCalledTimes(1)
})

it('a reading that is about to end is used by nobody, even while a request reads', async () => {
  const isolate = await startIsolate()
  await modesOf(isolate, none)
  let answer = () => {}
  const slow = () => new Promise<[]>((resolve) => (answer = () => resolve([])))
  for (const [ageMs, isShared] of [
    [READ_AGE_MS, true],
    [LEAD_MS - 200, false],
  ] as const) {
    pass(ageMs)
    const asking = modesOf(isolate, slow)
    const { holdsUntil } = await modesOf(isolate, none)
    expect(holdsUntil - now()).toBe(isShared ? LEAD_MS - ageMs : LEAD_MS)
    answer()
    await asking
  }
})

it('an isolate whose clock has stepped back uses what it reads then', async () => {
  const isolate = await startIsolate()
  await modesOf(isolate, none)
  pass(-60_000)
  const closed: ModesChange[] = [
    { number: 1, takesEffectAt: now(), modes: { all: 'closed' }, terms: {} },
  ]
  const known = { changes: closed, holdsUntil: now() + LEAD_MS }
  expect(await modesOf(isolate, () => Promise.resolve(closed))).toEqual(known)
})
