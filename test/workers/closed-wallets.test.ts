import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, it, vi } from 'vitest'
import { LoggedVersions } from '../../durable-objects/control/logged-versions.ts'
import { MAX_OF_OPERATORS, MAX_CLOSED_WALLETS } from '../../durable-objects/control/settings.ts'
import { control, crashTable } from '../../src/calls/objects.ts'
import { HOUR_MS } from '../../src/core/utc-day.ts'
import { modeSettings } from '../../src/operator/act.ts'
import { LEAD_MS, type ModesChange } from '../../src/operator/modes.ts'
import { nextVersion, type ModesVersion } from '../../src/operator/versions.ts'
import { walletAt } from '../shared/wallets.ts'
import { OPERATORS, order, setModes, signAct } from './operator.ts'
import { loggedOf } from './public-log.ts'
import {
  codeOf,
  fundedPlayer,
  get,
  now,
  openRound,
  outcomeOf,
  pass,
  post,
  useStories,
  watch,
} from './support.ts'

useStories()

/** The most wallets that fit into the target of an act. */
const MAX_AT_ONCE = 35

/** Returns the target that gives some wallets a mode. */
function targetOf(mode: string, from: number, count: number): string {
  const wallets = Array.from({ length: count }, (_, at) => walletAt(from + at))
  return wallets.map((wallet) => `wallet:${wallet}=${mode}`).join(',')
}

/** Has an operator close wallets by one act. */
async function close(signer: keyof typeof OPERATORS, from: number, count: number) {
  const target = targetOf('closed', from, count)
  return post('/api/operate', await signAct({ target }, OPERATORS[signer]))
}

/** Has Control begin with a version by which some wallets are closed. */
async function haveClosed(count: number): Promise<void> {
  const modes = Object.fromEntries(modeSettings(targetOf('closed', 0, count)))
  const version = nextVersion(null, { modes }, now())
  await runInDurableObject(control(env), (_, { storage }) => {
    storage.sql.exec(
      "INSERT INTO versions (number, act_id, takes_effect_at, version) VALUES (1, 'first', ?, ?)",
      version.takesEffectAt,
      JSON.stringify(version),
    )
  })
  await evictDurableObject(control(env))
}

async function newest(): Promise<ModesVersion> {
  return (await get('/api/operate?action=modes')).body.version
}

it('an operator closes a hundred wallets an hour at most, however many acts that takes', async () => {
  expect((await close('support', 0, MAX_AT_ONCE)).status).toBe(200)
  expect((await close('support', 35, MAX_AT_ONCE)).status).toBe(200)
  // To open them is one act, so that two can undo all of it.
  await setModes(targetOf('open', 0, MAX_AT_ONCE))
  await setModes(targetOf('open', 35, MAX_AT_ONCE))
  expect((await newest()).modes).toEqual({})
  const refused = await close('support', 0, MAX_AT_ONCE)
  expect(outcomeOf(refused)).toEqual([429, 'rate_limited'])
  expect(refused.body.error.message).toContain('each wallet that an act closes counts as one')
  expect((await close('support', 0, 30)).status).toBe(200)
  expect(codeOf(await close('support', 30, 1))).toBe('rate_limited')
  expect((await close('treasurer', 30, 1)).status).toBe(200)
  pass(HOUR_MS)
  expect((await close('support', 31, MAX_AT_ONCE)).status).toBe(200)
})

it('later orders are carried out, however many wallets leaked keys close', async () => {
  let closed = 0
  for (const count of [35, 35, 30]) {
    expect((await close('support', closed, count)).status).toBe(200)
    closed += count
  }
  expect(closed).toBe(MAX_OF_OPERATORS)
  pass(HOUR_MS)
  const refused = await close('support', closed, 1)
  expect(outcomeOf(refused)).toEqual([400, 'invalid_request'])
  expect(refused.body.error.message).toMatch(
    /^At most 100 wallets can be closed by operators, and 100 are closed now\. Have two/,
  )

  const alice = await fundedPlayer(0)
  await setModes('withdrawals=closed,limbo=closed')
  expect(codeOf(await alice.play())).toBe('closed')
  await control(env).closeWallet(alice.wallet, 'its ledger went back')
  pass(LEAD_MS)
  expect(codeOf(await alice.play({ game: 'keno', params: { picks: [1], risk: 'low' } }))).toBe(
    'closed',
  )
  await setModes(targetOf('open', 0, MAX_AT_ONCE))
  const logged = await loggedOf('control')
  expect(logged.at(-1)?.['hash']).toBe((await newest()).hash)
})

it('if more ledgers go back than can be closed one by one, the house closes everything', async () => {
  const alice = await fundedPlayer(0)
  await haveClosed(MAX_CLOSED_WALLETS - 1)
  await control(env).closeWallet(walletAt(MAX_CLOSED_WALLETS), 'its ledger went back')
  expect((await newest()).modes).not.toHaveProperty('all')
  await control(env).closeWallet(alice.wallet, 'its ledger went back')
  pass(LEAD_MS)
  expect(codeOf(await alice.play())).toBe('closed')
  const { modes } = await newest()
  expect(modes).toMatchObject({ all: 'closed', withdrawals: 'closed' })
  // Once there is room, the next one is closed by itself.
  await setModes(targetOf('open', 0, 1))
  await control(env).closeWallet(alice.wallet, 'its ledger went back again')
  expect((await newest()).modes).toHaveProperty(`wallet:${alice.wallet}`, 'closed')
  expect((await loggedOf('control')).at(-1)?.['hash']).toBe((await newest()).hash)
})

it('an order for which a delayed one left no room is not carried out, and says why', async () => {
  await haveClosed(MAX_OF_OPERATORS - 1)
  vi.spyOn(LoggedVersions.prototype, 'catchUp').mockRejectedValueOnce(new Error('no answer'))
  const delayed = await close('support', MAX_OF_OPERATORS, 1)
  expect(delayed.body.act.result).toBeNull()
  const { body } = await close('support', MAX_OF_OPERATORS + 1, 1)
  expect(body.act.result).toMatchObject({
    isDone: false,
    message: expect.stringContaining('At most 100 wallets'),
  })
  expect((await newest()).modes).toHaveProperty(`wallet:${walletAt(MAX_OF_OPERATORS)}`)
  expect((await order('mode', 'withdrawals=closed')).body.act.result.isDone).toBe(true)
})

it('the table hears of a closure whatever has been closed just before', async () => {
  await openRound()
  const at = now()
  const wallets = Array.from({ length: MAX_CLOSED_WALLETS }, (_, number) => [
    `wallet:${walletAt(number)}`,
    'closed' as const,
  ])
  const changes = Array.from({ length: 1_000 }, (_, index): ModesChange => {
    const modes = { ...Object.fromEntries(wallets), ...(index === 999 && { crash: 'closed' }) }
    return { number: index + 1, takesEffectAt: at + index, modes, terms: {} }
  })
  await crashTable(env).takeModes(changes)
  expect((await watch()).mode).toBe('closed')
})

it('a player whose wallet is closed can still exclude themselves, and the log has for how long', async () => {
  const alice = await fundedPlayer(0)
  await setModes(`wallet:${alice.wallet}=closed`)
  pass(LEAD_MS)
  expect(codeOf(await alice.play())).toBe('closed')
  const logged = vi.spyOn(console, 'log')
  const { wallet } = alice
  const authSig = await alice.authSig()
  const excluded = await post('/api/limits', { action: 'exclude', wallet, authSig, days: 30 })
  expect(excluded.status).toBe(200)
  const line = logged.mock.calls.flat().find((text) => String(text).includes('limits_changed'))
  expect(JSON.parse(String(line))).toMatchObject({ change: '{"action":"exclude","days":30}' })
})
