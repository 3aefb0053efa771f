import { expect, it } from 'vitest'
import { devPlayer } from '../../src/cli/shared/dev-players.ts'
import { answerWith, expectSuitable, openAs, sign } from './operators.ts'
import { giveChips, PLAYER, service, useService } from './stories.ts'

useService((origin) => ({ SITE_DOMAIN: new URL(origin).host, SITE_ORIGIN: origin }))

/** How often the page looks at a player again. */
const LOOK_MS = 30_000
const AGO = Date.now() - 3_600_000

const WITHDRAWAL = {
  kind: 'withdrawal',
  name: `${PLAYER}:4`,
  wallet: PLAYER,
  asset: 'USDG',
  amountWei: '1500000',
  since: AGO,
  isStuck: true,
  cause: 'The vault paid something else with the nonce of a withdrawal.',
  remedy: "Find out who has the relayer's key.",
  acts: ['confirm-withdrawal', 'release-withdrawal'].map((act) => ({ act, target: `${PLAYER}:4` })),
}

const STUCK = [
  WITHDRAWAL,
  {
    kind: 'prize',
    name: `0x${'a'.repeat(64)}`,
    wallet: PLAYER,
    asset: 'AAPL',
    acts: [],
    amountWei: '1000000000000000000',
    since: AGO,
    isStuck: true,
    cause: 'The pool refuses to pay a prize. It stays owed until it is paid.',
    remedy: 'See the runbook PrizesLate: fund the pool, or wait for the exchange.',
  },
  {
    kind: 'messages',
    name: 'CrashRound 81',
    wallet: null,
    asset: null,
    amountWei: null,
    since: AGO,
    isStuck: true,
    acts: [],
    cause: 'Messages that failed five times or more: 3.',
    remedy: 'See the runbook OutboxesStuck.',
  },
  { ...WITHDRAWAL, name: `${PLAYER}:5`, isStuck: false, acts: [], cause: 'Its turn comes.' },
]

it('shows stuck money with its cause, and to each role the buttons that it may use', async () => {
  const { page, faults } = await openAs('Viewer')
  await answerWith(page, /operate\/stuck/, { stuck: STUCK })
  await page.getByRole('link', { name: 'Stuck' }).click()
  const stuck = page.getByRole('region', { name: 'Stuck' })
  await stuck.getByText('Withdrawal of 1.5 USDG').waitFor()
  await stuck.getByText('(1 hour ago)').first().waitFor()
  await stuck.getByText('CrashRound 81').waitFor()
  expect(await stuck.getByRole('listitem').count()).toBe(3)
  expect(await page.getByRole('region', { name: 'On its way' }).getByRole('listitem').count()).toBe(
    1,
  )
  expect(await page.getByRole('main').getByRole('button').count()).toBe(0)
  await expectSuitable(page, 'operate-stuck')
  expect(faults).toEqual([])

  const { page: treasurer } = await openAs('Treasurer')
  await answerWith(treasurer, /operate\/stuck/, { stuck: STUCK })
  await treasurer.getByRole('link', { name: 'Stuck' }).click()
  await treasurer.getByRole('button', { name: `It was paid ${PLAYER}:4` }).waitFor()
  await treasurer.getByRole('button', { name: `Refund it ${PLAYER}:4` }).click()
  await sign(treasurer, `release-withdrawal ${PLAYER}:4`, 'Sign and propose')
  await treasurer.getByText(/^Proposed: release-withdrawal/).waitFor()
})

it('finds a player, verifies the journal, and freezes the wallet until two end that', async () => {
  await giveChips('USDG', 2_500_000n)
  const { page, faults } = await openAs('Support', 'players')
  await page.getByLabel('Wallet').fill('everybody')
  await page.getByRole('button', { name: 'Show' }).click()
  await page.getByText('Enter 0x and 40 hex digits.').waitFor()
  await page.getByLabel('Wallet').fill(PLAYER.toLowerCase())
  await page.getByRole('button', { name: 'Show' }).click()
  const balances = page.getByRole('table', { name: 'Balances and totals by token' })
  await balances.getByRole('cell', { name: '2.5' }).first().waitFor()
  const journal = page.getByRole('table', { name: /^Journal/ })
  await journal.getByText('2.5 USDG faucet → chips').waitFor()
  await page.getByRole('button', { name: 'Verify the journal' }).click()
  await page.getByText(/^Verified: the journal’s entries add up to the balances/).waitFor()
  await page.getByRole('button', { name: /^Freeze/ }).click()
  await sign(page, `freeze ${PLAYER}`)
  await page.getByRole('definition').filter({ hasText: 'yes' }).waitFor()
  expect(await page.getByRole('button', { name: /^End the freeze/ }).count()).toBe(0)
  await expectSuitable(page, 'operate-player')
  expect(faults).toEqual([])

  const { page: treasurer } = await openAs('Treasurer', 'stuck')
  await treasurer.getByText('An operator has frozen the wallet: A story.').waitFor()
  await treasurer.getByRole('link', { name: /^0x/ }).click()
  await treasurer.getByRole('button', { name: /^End the freeze/ }).click()
  await sign(treasurer, `unfreeze ${PLAYER}`, 'Sign and propose')
  const { page: admin } = await openAs('Admin')
  await admin.getByRole('button', { name: 'Confirm' }).first().click()
  await admin.getByText('The wallet is no longer frozen').first().waitFor()
})

it('reads older entries of a long journal', async () => {
  for (let credit = 0; credit < 51; credit++) await giveChips('ETH', 1n, 1)
  const { page } = await openAs('Support')
  await page.clock.install()
  await page.goto(`${service.baseUrl}/operate#/players/${devPlayer(1).address}`)
  const entries = page.getByRole('table', { name: /^Journal/ }).getByRole('row')
  await entries.nth(50).waitFor()
  expect(await entries.count()).toBe(51)
  await page.getByRole('button', { name: 'Show older entries' }).click()
  await entries.nth(51).waitFor()
  expect(await page.getByRole('button', { name: 'Show older entries' }).count()).toBe(0)

  // The next look at the player doesn't throw them away with a new entry, and one that fails after an act keeps all.
  await giveChips('ETH', 1n, 1)
  await page.clock.fastForward(LOOK_MS)
  await page.getByRole('definition').filter({ hasText: /^52$/ }).waitFor()
  expect(await entries.count()).toBe(52)
  await page.route(/operate\/player/, (route) => route.abort())
  await page.getByRole('button', { name: /^Freeze/ }).click()
  await sign(page, `freeze ${devPlayer(1).address}`)
  await page.getByRole('alert').filter({ hasText: /\w/ }).waitFor()
  expect(await entries.count()).toBe(52)
})

it('says so for a wallet that never had chips', async () => {
  const wallet = `0x${'1'.repeat(40)}`
  const { page } = await openAs('Support', `players/${wallet}`)
  await page.getByText('This wallet has never had chips').waitFor()
  const { page: viewer } = await openAs('Viewer', `players/${wallet}`)
  await viewer.getByText('It takes the role support').waitFor()
})

it('shows partners with their limits and what is owed, and drains one', async () => {
  const { page, faults } = await openAs('Viewer', 'partners')
  await page.getByRole('heading', { name: 'demo', exact: true }).waitFor()
  const table = page.getByRole('table', { name: 'Statement and settlement of demo', exact: true })
  expect(await table.getByRole('row').count()).toBe(3)
  expect(await page.getByRole('main').getByRole('button').count()).toBe(0)
  await expectSuitable(page, 'operate-partners')
  expect(faults).toEqual([])

  const { page: admin } = await openAs('Admin', 'partners')
  await admin.getByRole('button', { name: 'Drain partner:demo partner:demo=draining' }).click()
  await sign(admin, 'Drain partner:demo')
  await admin.getByRole('definition').filter({ hasText: 'draining' }).waitFor()
})

it("shows rounds and voids, and compares them with drand's own record", async () => {
  const { page, faults } = await openAs('Viewer')
  const round = {
    roundId: 812,
    kind: 'settled',
    endedAt: AGO,
    betCount: 4,
    crash: 1.85,
    reason: null,
    beacon: 4_242_424,
  }
  const reason = 'The beacon did not come in time.'
  const voided = { ...round, roundId: 790, kind: 'voided', crash: null, reason }
  const compared = { roundId: 790, kind: 'voided', beacon: 4_242_424, publishedAt: AGO }
  await answerWith(page, /operate\/rounds$/, { newest: [round, voided], voided: [voided] })
  await page.route(/operate\/rounds\?action=beacon/, (route) => {
    const isVoid = route.request().url().endsWith('790')
    const found = { signature: 'ab'.repeat(48), isSame: isVoid ? null : true }
    return route.fulfill({ json: { ok: true, ...compared, ...found } })
  })
  await page.getByRole('link', { name: 'Rounds' }).click()
  await page.getByRole('button', { name: 'Compare round 812' }).click()
  await page.getByText('the same').waitFor()
  const voids = page.getByRole('table', { name: 'The newest voided rounds' })
  await voids.getByRole('button', { name: 'Compare round 790' }).click()
  await voids.getByText('has it: it came too late for us').waitFor()
  await expectSuitable(page, 'operate-rounds')
  expect(faults).toEqual([])
})
