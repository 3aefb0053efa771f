import { runDurableObjectAlarm } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { shownPartners } from '../../src/api/operator/partners.ts'
import { control, daybook, ledger } from '../../src/calls/objects.ts'
import { DAY_MS, dateOf } from '../../src/core/utc-day.ts'
import { flightMs } from '../../src/crash/curve.ts'
import { beaconPublishedAt } from '../../src/fairness/drand.ts'
import { ROLES, type Role } from '../../src/operator/roles.ts'
import { publishedBeacon, signBeacon, useOwnBeacon } from './beacon.ts'
import { DAILY, setLimit } from './limits.ts'
import { look, OPERATORS, order, setModes, signInHeader } from './operator.ts'
import { Platform } from './partner.ts'
import {
  call,
  codeOf,
  endRound,
  fundedPlayer,
  now,
  openBeaconRound,
  openRound,
  outcomeOf,
  pass,
  Player,
  ringLedger,
  ringRound,
  secretsOf,
  setTime,
  useStories,
} from './support.ts'

useStories()

const STRANGER = new Player(3)

const lookAsSupport = async (path: string) => look(path, await signInHeader(OPERATORS.support))

describe('each role may look at what is its own, and no lower one:', () => {
  const PLAYER = `/player?wallet=${STRANGER.wallet}`
  const looks: [string, Role][] = [
    ['/stuck', 'viewer'],
    ['/partners', 'viewer'],
    ['/rounds', 'viewer'],
    ['/rounds?action=beacon&round=1', 'viewer'],
    [PLAYER, 'support'],
    [`${PLAYER}&action=verify`, 'support'],
  ]

  it.each(looks)('%s by %s', async (path, least) => {
    for (const role of ROLES) {
      const answer = await look(path, await signInHeader(OPERATORS[role]))
      const may = ROLES.indexOf(role) >= ROLES.indexOf(least)
      if (may) expect([200, 404]).toContain(answer.status)
      else expect(outcomeOf(answer)).toEqual([403, 'role_required'])
    }
    const stranger = await signInHeader(STRANGER.account)
    expect(outcomeOf(await look(path, stranger))).toEqual([403, 'role_required'])
    expect(outcomeOf(await call(`/api/operate${path}`))).toEqual([401, 'auth_required'])
    expect(codeOf(await call(`/api/operate${path}`, { method: 'POST' }))).toBe('method_not_allowed')
  })
})

describe('an operator sees stuck money:', () => {
  it('frozen wallets, with who froze them and why, until they are unfrozen', async () => {
    const [alice, bob] = [await fundedPlayer(0), await fundedPlayer(1)]
    await order('freeze', alice.wallet.toLowerCase())
    pass(1_000)
    await order('freeze', bob.wallet)
    const { stuck } = (await look('/stuck')).body
    expect(stuck).toMatchObject([
      { kind: 'freeze', isStuck: true, amountWei: null },
      {
        kind: 'freeze',
        name: bob.wallet,
        wallet: bob.wallet,
        cause: expect.stringMatching(/^An operator has frozen the wallet: order \d+$/),
        acts: [{ act: 'unfreeze', target: bob.wallet }],
      },
    ])
    await order('unfreeze', alice.wallet)
    expect((await look('/stuck')).body.stuck).toMatchObject([{ name: bob.wallet }])
    await order('unfreeze', bob.wallet)
    expect((await look('/stuck')).body.stuck).toEqual([])
  })
})

describe('an operator sees closed wallets,', () => {
  it('with who closed them and why, until they are open again', async () => {
    const [alice, bob] = [await fundedPlayer(0), await fundedPlayer(1)]
    const carol = new Player(2)
    await setModes(`wallet:${alice.wallet}=closed,wallet:${carol.wallet}=closed,crash=closed`)
    await setModes(`wallet:${carol.wallet}=open`)
    await control(env).closeWallet(bob.wallet, 'its ledger went back')
    const closed = { kind: 'closed', isStuck: true }
    expect((await look('/stuck')).body.stuck).toMatchObject([
      {
        ...closed,
        wallet: alice.wallet,
        cause: expect.stringMatching(/^An operator has closed the wallet: order \d+$/),
        acts: [
          { act: 'restore', target: alice.wallet },
          { act: 'mode', target: `wallet:${alice.wallet}=open` },
        ],
      },
      { ...closed, wallet: bob.wallet, cause: expect.stringMatching(/^The service itself/) },
    ])
    await setModes(`wallet:${alice.wallet}=open`)
    expect((await look('/stuck')).body.stuck).toMatchObject([{ wallet: bob.wallet }])
  })
})

describe("a player's books", () => {
  it('is named in the log beside the operator who looked', async () => {
    const logged = vi.spyOn(console, 'log')
    await lookAsSupport(`/player?wallet=${STRANGER.wallet}`)
    const [operator, wallet] = [OPERATORS.support.address, STRANGER.wallet]
    const line = JSON.stringify({ level: 'info', event: 'player_inspected', operator, wallet })
    expect(logged.mock.calls.flat()).toEqual([line])
  })

  it('show balances, totals, limits, the freeze and the journal, page by page', async () => {
    const alice = await fundedPlayer(0)
    await alice.play({ game: 'keno', params: { picks: [1], risk: 'low' } })
    await setLimit(alice, 'wager', '5000000')
    await order('freeze', alice.wallet)
    const { body } = await lookAsSupport(`/player?wallet=${alice.wallet.toLowerCase()}`)
    expect(body).toMatchObject({ wallet: alice.wallet, isFrozen: true, missingDeposits: 0 })
    expect(body.totals.USDG).toMatchObject({ wagered: '1000000', bets: '1' })
    const sum = Object.values(body.balances.USDG as Record<string, string>)
      .map(BigInt)
      .reduce((total, amount) => total + amount, 0n)
    expect(sum).toBe(0n)
    expect(body.protection.limits).toMatchObject([{ kind: 'wager', ...DAILY, used: '1000000' }])
    expect(body.journal).toHaveLength(body.entries)
    expect(body.journal.map(({ seq }: { seq: number }) => seq)).toEqual(
      Array.from({ length: body.entries }, (_, index) => body.entries - index),
    )
    expect(body.next).toBeNull()
    const older = await lookAsSupport(`/player?wallet=${alice.wallet}&before=2`)
    expect(older.body.journal).toEqual([body.journal.at(-1)])
  })

  it('say nothing that only the player may know: no seed, no request, no answer', async () => {
    const alice = await fundedPlayer(0)
    await alice.play({ game: 'keno', params: { picks: [1], risk: 'low' } })
    const { text, body } = await lookAsSupport(`/player?wallet=${alice.wallet}`)
    for (const entry of body.journal) {
      expect(Object.keys(entry).toSorted()).toEqual([
        'at',
        'hash',
        'operationId',
        'postings',
        'seq',
      ])
    }
    expect(text).not.toMatch(/seed|signature/i)
  })

  it('have pages of at most fifty entries, which together are the journal', async () => {
    const alice = await fundedPlayer(0)
    for (let play = 0; play < 55; play++) {
      await ledger(env, alice.wallet).faucet(`more ${play}`, 'USDG', 1n)
    }
    const { entries } = (await lookAsSupport(`/player?wallet=${alice.wallet}`)).body
    const seen: number[] = []
    for (let before: number | null = entries + 1; before !== null;) {
      const { body } = await lookAsSupport(`/player?wallet=${alice.wallet}&before=${before}`)
      const page = (body.journal as { seq: number }[]).map(({ seq }) => seq)
      expect(page.length).toBeGreaterThan(0)
      expect(page.length).toBeLessThanOrEqual(50)
      seen.push(...page)
      before = body.next
    }
    expect(seen).toEqual(Array.from({ length: entries }, (_, index) => entries - index))
  })

  it('are verified by replaying the journal', async () => {
    const alice = await fundedPlayer(0)
    await alice.play({ game: 'keno', params: { picks: [1], risk: 'low' } })
    const { body } = await lookAsSupport(`/player?action=verify&wallet=${alice.wallet}`)
    expect(body).toMatchObject({ isRight: true, problem: null, archived: 0 })
  })

  it('do not exist for a wallet that never had chips, and looking makes none', async () => {
    for (const action of ['', '&action=verify']) {
      const answer = await lookAsSupport(`/player?wallet=${STRANGER.wallet}${action}`)
      expect(outcomeOf(answer)).toEqual([404, 'not_found'])
    }
    expect(await ledger(env, STRANGER.wallet).position()).toBeNull()
  })
})

it('partners are shown with their limits, their switch, and what the house owes them', async () => {
  await daybook(env).sweep()
  const platform = new Platform()
  const alice = await fundedPlayer(0)
  await platform.transact(alice, '-1.5')
  await platform.transact(alice, '0.5')
  await setModes('partner:demo=draining')
  const day = dateOf(now())
  setTime(Date.parse(day) + DAY_MS + 300_000)
  await ringLedger(alice)
  setTime(Date.parse(day) + DAY_MS + 900_000)
  await runDurableObjectAlarm(daybook(env))
  const { body } = await look('/partners')
  expect(body.countedTo).toBe(day)
  const demo = body.partners.find(({ id }: { id: string }) => id === 'demo')
  expect(demo).toMatchObject({ mode: 'draining' })
  expect(demo.tokens.USDG).toMatchObject({ wagered: '1500000', returned: '500000' })
  const { owedWei, settledWei } = demo.tokens.USDG
  expect(BigInt(owedWei) + BigInt(settledWei)).toBe(1_000_000n)
  expect(body.unlisted).toEqual([])
  expect(await shownPartners({ ...env, PARTNERS: {} })).toMatchObject({
    partners: [],
    unlisted: ['demo'],
  })
})

describe("rounds and drand's own record:", () => {
  useOwnBeacon()

  const compared = async (roundId: number) =>
    (await look(`/rounds?action=beacon&round=${roundId}`)).body

  it('a settled round has the signature that the relays have', async () => {
    const plan = await openBeaconRound(publishedBeacon)
    await (await fundedPlayer(0)).bet('1000000')
    setTime(plan.flightAt)
    await ringRound(plan.roundId)
    pass(flightMs((await secretsOf(plan.roundId)).crash))
    await ringRound(plan.roundId)
    const { body } = await look('/rounds')
    expect(body.voided).toEqual([])
    const [newest] = body.newest
    expect(newest).toMatchObject({ roundId: plan.roundId, kind: 'settled', beacon: plan.beacon })
    expect(await compared(plan.roundId)).toMatchObject({
      beacon: plan.beacon,
      publishedAt: beaconPublishedAt(plan.beacon),
      signature: signBeacon(plan.beacon),
      isSame: true,
    })
  })

  it('a void says why, and whether the relays have its beacon by now', async () => {
    const plan = await openBeaconRound(() => new Response('not yet', { status: 404 }))
    await (await fundedPlayer(0)).bet('1000000')
    setTime(plan.voidAt)
    await ringRound(plan.roundId)
    const { body } = await look('/rounds')
    expect(body.voided).toMatchObject([
      { roundId: plan.roundId, kind: 'voided', crash: null, beacon: plan.beacon },
    ])
    expect(body.voided[0].reason).not.toBe('')
    expect(body.newest).toEqual(body.voided)
    expect(await compared(plan.roundId)).toMatchObject({ signature: null, isSame: null })
    vi.mocked(fetch).mockImplementation(async () => publishedBeacon(plan.beacon))
    const found = await compared(plan.roundId)
    expect(found).toMatchObject({ signature: signBeacon(plan.beacon), isSame: null })
  })

  it('a round without a beacon has nothing to be compared with', async () => {
    const { roundId } = await openRound()
    const path = `/rounds?action=beacon&round=${roundId}`
    expect(outcomeOf(await look(path))).toEqual([404, 'not_found'])
    await endRound(await openRound())
    expect((await look(path)).text).toContain('from no beacon')
  })
})
