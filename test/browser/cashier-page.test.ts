import type { Page, Route } from 'playwright-core'
import { type Address, parseEther, parseUnits } from 'viem'
import { describe, expect, it } from 'vitest'
import {
  browser,
  chain,
  lookForBarriers,
  openView,
  PHONE,
  playAs,
  service,
  shoot,
  signIn,
  SLOW,
  useDevService,
} from './chain-stories.ts'
import { barriers, onEveryScreen, openPage, SOON } from './page.ts'

useDevService()

describe('the cashier', () => {
  const deciding = (page: Page) => page.getByRole('region', { name: 'Set a deposit limit' })
  const depositing = (page: Page) => page.getByRole('region', { name: 'Deposit', exact: true })

  it('asks for a limit before the first deposit, and takes no for an answer', async () => {
    const { page, faults } = await openPage(browser, `${service.manifest.baseUrl}/#/cashier`, PHONE)
    await signIn(page, 3)
    await deciding(page).getByRole('button', { name: 'Set limit' }).waitFor()
    expect(await depositing(page).count()).toBe(0)
    await onEveryScreen(page, async (screen) => {
      expect(await barriers(page), screen).toEqual([])
      await shoot(page, `cashier-limit-${screen}`)
    })
    await deciding(page).getByRole('button', { name: 'Continue without a limit' }).click()
    await depositing(page).getByRole('button', { name: 'Deposit ETH' }).waitFor()
    await expect.poll(() => page.evaluate('document.activeElement.id'), SOON).toBe('main')
    await page.reload()
    await depositing(page).getByRole('button', { name: 'Deposit ETH' }).waitFor()
    expect(await deciding(page).count()).toBe(0)
    expect(faults).toEqual([])
  })

  it('holds a first deposit to the limit that was set when asked', async () => {
    const { page, faults } = await openPage(browser, `${service.manifest.baseUrl}/#/cashier`)
    const player = await signIn(page, 4)
    const before = await chain.sent(player)
    await deciding(page).getByRole('radio', { name: 'ETH' }).check()
    await deciding(page).getByLabel('At most').fill('10.5')
    await deciding(page).getByRole('button', { name: 'Set limit' }).click()
    await depositing(page).getByLabel('Amount', { exact: true }).fill('1')
    await depositing(page).getByRole('button', { name: 'Deposit ETH' }).click()
    const refusal = depositing(page).getByRole('alert')
    await refusal.getByText('Your daily deposit limit has 0.5 ETH left. Deposit less.').waitFor()
    expect(await chain.sent(player)).toBe(before)
    expect(faults).toEqual([])
  })

  it('has no accessibility violations, signed out or in', () => lookForBarriers('cashier'))

  it('takes a deposit of ETH and shows its chips', async () => {
    const { page, faults } = await openView('cashier')
    const player = await signIn(page, 0)
    const before = await chain.sent(player)
    const panel = page.getByRole('region', { name: 'Deposit', exact: true })
    await panel.getByLabel('Amount', { exact: true }).fill('1.5')
    await panel.getByText('You get 1.5 ETH in chips.').waitFor()
    await panel.getByRole('button', { name: 'Deposit ETH' }).click()
    await panel.getByText('+1.5 ETH in chips').waitFor(SLOW)
    expect(await panel.getByLabel('Amount', { exact: true }).inputValue()).toBe('')
    await page.getByLabel('Your chips').getByText('11.5 ETH').waitFor()
    expect(await chain.sent(player)).toBe(before + 1)
    expect(faults).toEqual([])
  })

  /** Has the service count its debts now, with the current chips of a player. */
  async function count(wallet: Address): Promise<void> {
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ wallet })
    const url = new URL('/api/dev/solvency', service.manifest.baseUrl)
    expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(200)
  }

  it('says that the chips are in the sum of what is owed, once it has checked that', async () => {
    const { page, faults } = await openView('cashier')
    await count(service.manifest.players[0]!.address)
    await signIn(page, 0)
    const panel = page.getByRole('region', { name: 'What we owe' })
    await panel.getByText('Your chips are in the sum of what we owe').waitFor()
    await panel.getByText('10,000 USDG').waitFor()
    await shoot(page, 'cashier-owed')
    expect(faults).toEqual([])
  })

  it('says which check failed for a count that leaves something out', async () => {
    const { page } = await openView('cashier')
    await page.route('**/api/solvency?*', async (route) => {
      const answer = (await (await route.fetch()).json()) as { owed: object }
      await route.fulfill({ json: { ...answer, owed: { ...answer.owed, USDG: '1' } } })
    })
    await count(service.manifest.players[0]!.address)
    await signIn(page, 0)
    const panel = page.getByRole('region', { name: 'What we owe' })
    await panel.getByText('what is owed in USDG, 1, is the sum of the tree').waitFor()
    expect(await panel.getByText('Your chips are in the sum').count()).toBe(0)
  })

  it('does not report chips while the service does not have them', async () => {
    const { page, faults } = await openView('cashier')
    await signIn(page, 0)
    const chips = page.getByLabel('Your chips')
    const panel = page.getByRole('region', { name: 'Deposit', exact: true })
    await panel.getByLabel('Amount', { exact: true }).fill('2')
    let click = () => {}
    const clicked = new Promise<void>((resolve) => (click = resolve))
    const stale = new Map<string, Promise<string>>()
    let isBehind = true
    await page.route(/\/api\/(crash|history)\?wallet=/, async (route) => {
      await clicked
      const url = route.request().url()
      if (!stale.has(url))
        stale.set(
          url,
          route.fetch().then((answer) => answer.text()),
        )
      const body = (await stale.get(url)) ?? ''
      await (isBehind ? route.fulfill({ body }) : route.continue())
    })
    await panel.getByRole('button', { name: 'Deposit ETH' }).click()
    click()
    await panel.getByText('Waiting for your chips').waitFor(SLOW)
    for (let readings = 0; readings < 3; readings++) await page.waitForResponse(/wallet=/)
    expect(await panel.getByText('+2 ETH in chips').count()).toBe(0)
    isBehind = false
    await panel.getByText('+2 ETH in chips').waitFor(SLOW)
    expect(await chips.textContent()).toContain('13.5 ETH')
    expect(faults).toEqual([])
  })

  it("does not show an earlier player's answer to the current player", async () => {
    const { page, faults } = await openView('cashier')
    const earlier = await signIn(page, 0)
    const { address } = service.manifest.players[1]!
    const sent = await chain.sent(address)
    let answer = () => {}
    const answered = new Promise<void>((resolve) => (answer = resolve))
    await page.route(`**/api/crash?wallet=${earlier}*`, async (route) => {
      const response = await route.fetch()
      const state = await response.json()
      state.me.chips.ETH = parseEther('77').toString()
      await answered
      await route.fulfill({ response, json: state })
    })
    const panel = page.getByRole('region', { name: 'Deposit', exact: true })
    await panel.getByLabel('Amount', { exact: true }).fill('2')
    const asked = page.waitForRequest(new RegExp(`crash\\?wallet=${earlier}`))
    await panel.getByRole('button', { name: 'Deposit ETH' }).click()
    await asked
    await playAs(page, address)
    const told = page.waitForResponse(new RegExp(`crash\\?wallet=${earlier}`))
    answer()
    await told
    await panel.getByRole('button', { name: 'Deposit ETH' }).waitFor(SLOW)
    expect(await chain.sent(address)).toBe(sent)
    expect(await page.getByLabel('Your chips').textContent()).not.toContain('77')
    expect(faults).toEqual([])
  })

  it('takes a deposit of USDG with a permit, in one transaction without an approval', async () => {
    const { page, faults } = await openView('cashier', PHONE)
    const player = await signIn(page, 0)
    const { usdg } = service.manifest.contracts
    const [sent, held] = [await chain.sent(player), await chain.tokens(usdg, player)]
    const panel = page.getByRole('region', { name: 'Deposit', exact: true })
    await panel.getByRole('radio', { name: 'USDG' }).check()
    await panel.getByLabel('Amount', { exact: true }).fill('250')
    await panel.getByRole('button', { name: 'Deposit USDG' }).click()
    await panel.getByText('+250 USDG in chips').waitFor(SLOW)
    await page.getByLabel('Your chips').getByText('10,250 USDG').waitFor()
    expect(await chain.sent(player)).toBe(sent + 1)
    expect(held - (await chain.tokens(usdg, player))).toBe(parseUnits('250', 6))
    expect(faults).toEqual([])
  })

  it('pays a withdrawal, and the wallet receives exactly that amount on chain', async () => {
    const { page, faults } = await openView('cashier')
    const player = await signIn(page, 0)
    const before = await chain.eth(player)
    const panel = page.getByRole('region', { name: 'Withdraw' })
    await panel.getByLabel('Amount', { exact: true }).fill('0.25')
    await panel.getByRole('button', { name: 'Withdraw ETH' }).click()
    await panel.getByText('+0.25 ETH in your wallet').waitFor(SLOW)
    expect((await chain.eth(player)) - before).toBe(parseEther('0.25'))
    await shoot(page, 'cashier-desktop')
    expect(faults).toEqual([])
  })

  it('resumes a withdrawal after a reload', async () => {
    const { page, faults } = await openView('cashier', PHONE)
    const player = await signIn(page, 0)
    const before = await chain.eth(player)
    const panel = page.getByRole('region', { name: 'Withdraw' })
    await panel.getByLabel('Amount', { exact: true }).fill('0.5')
    await panel.getByRole('button', { name: 'Withdraw ETH' }).click()
    await panel.getByText(/Sending|Waiting for the chain/).waitFor()
    await page.reload()
    await panel.getByText('+0.5 ETH in your wallet').waitFor(SLOW)
    expect((await chain.eth(player)) - before).toBe(parseEther('0.5'))
    await shoot(page, 'cashier-phone')
    expect(faults).toEqual([])
  })

  it('opens after its first read has failed, and forgets a pause once the vault is open again', async () => {
    const { page } = await openView('crash')
    await signIn(page, 0)
    let isReachable = false
    let isPaused = true
    await page.route(/\/api\/crash\?(action=watch|wallet=)/, async (route) => {
      if (!isReachable) return route.abort()
      const response = await route.fetch()
      const state = (await response.json()) as { config: { chain: object } }
      Object.assign(state.config.chain, { isPaused })
      await route.fulfill({ response, json: state })
    })
    await page.getByRole('link', { name: 'Cashier' }).click()
    const unreachable = page.getByRole('main').getByText('The service did not answer.')
    await unreachable.waitFor()
    isReachable = true
    const panel = page.getByRole('region', { name: 'Withdraw' })
    await panel.getByLabel('Amount', { exact: true }).fill('0.25')
    expect(await unreachable.count()).toBe(0)
    await panel.getByRole('button', { name: 'Withdraw ETH' }).click()
    const paused = panel.getByText('Withdrawals are paused.')
    await paused.waitFor()
    await depositing(page).getByLabel('Amount', { exact: true }).fill('0.25')
    await depositing(page).getByRole('button', { name: 'Deposit ETH' }).click()
    const closed = depositing(page).getByText('Deposits are paused.')
    await closed.waitFor()
    isPaused = false
    await paused.waitFor({ state: 'detached' })
    await closed.waitFor({ state: 'detached' })
    expect(await panel.getByLabel('Amount', { exact: true }).inputValue()).toBe('0.25')
  })

  it('warns of an announced relayer, on every view', async () => {
    const { page } = await openView('limbo')
    const address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
    const from = Date.parse('2031-05-06T12:00Z')
    await page.route(/\/api\/crash\?(action=watch|wallet=)/, async (route) => {
      const response = await route.fetch()
      const state = (await response.json()) as { config: { chain: object } }
      Object.assign(state.config.chain, { nextRelayer: { address, from, until: from + 1 } })
      await route.fulfill({ response, json: state })
    })
    await signIn(page, 0)
    const warning = page.getByRole('complementary', { name: 'An announced relayer' })
    await warning.getByText(/From .*2031.*, another account \(0x7099…79C8\)/).waitFor()
    await warning.getByRole('link', { name: 'Withdraw' }).click()
    await page.getByRole('heading', { name: 'Deposit & withdraw', level: 1 }).waitFor()
    await onEveryScreen(page, async (screen) => {
      expect(await barriers(page), screen).toEqual([])
      await shoot(page, `cashier-relayer-${screen}`)
    })
  })

  it('can be used again once the player has cancelled what the wallet does not answer', async () => {
    const { page } = await openView('cashier')
    await signIn(page, 0)
    await page.route('**/api/rpc', () => new Promise(() => {}))
    await depositing(page).getByLabel('Amount', { exact: true }).fill('0.25')
    const deposit = depositing(page).getByRole('button', { name: 'Deposit ETH' })
    await deposit.click()
    await depositing(page).getByText('Confirm in your wallet…').waitFor()
    await shoot(page, 'cashier-cancel')
    await depositing(page).getByRole('button', { name: 'Cancel' }).click()
    await depositing(page).getByText('Decline the request in your wallet, too.').waitFor()
    await page.unroute('**/api/rpc')
    await deposit.click()
    await depositing(page).getByText('+0.25 ETH in chips').waitFor(SLOW)
  })

  it('stays closed when its reads fail after the player has left it', async () => {
    const { page } = await openView('help')
    await signIn(page, 0)
    await page.clock.install()
    const reads: Route[] = []
    await page.route('**/api/crash?wallet=*', (route) => void reads.push(route))
    const visit = async (link: string, heading: string) => {
      await page.getByRole('link', { name: link, exact: true }).click()
      await page.getByRole('heading', { name: heading, level: 1 }).waitFor()
    }
    await visit('Cashier', 'Deposit & withdraw')
    await expect.poll(() => reads.length, SOON).toBe(1)
    await page.clock.fastForward(5_000)
    await expect.poll(() => reads.length, SOON).toBe(2)
    await visit('Rules', 'Rules')
    for (const read of reads) await read.abort()
    await visit('Status', 'Status')
    expect(await page.locator('main h1').allTextContents()).toEqual(['Status'])
  })

  it('explains in plain words why it refuses', async () => {
    const { page, faults } = await openView('cashier')
    await signIn(page, 0)
    const withdraw = page.getByRole('region', { name: 'Withdraw' })
    await withdraw.getByText(/^You have [\d.]+ ETH in chips/).waitFor()
    await withdraw.getByLabel('Amount', { exact: true }).fill('1000')
    await withdraw.getByRole('button', { name: 'Withdraw ETH' }).click()
    await withdraw
      .getByRole('alert')
      .getByText(/^You have [\d.]+ ETH in chips/)
      .waitFor()
    const deposit = page.getByRole('region', { name: 'Deposit', exact: true })
    await deposit.getByText('Your wallet has').getByText('ETH').waitFor()
    await deposit.getByLabel('Amount', { exact: true }).fill('99999999')
    await deposit.getByRole('button', { name: 'Deposit ETH' }).click()
    await deposit.getByRole('alert').getByText('Your wallet has').waitFor()
    await deposit.getByLabel('Amount', { exact: true }).fill('much')
    await deposit.getByRole('button', { name: 'Deposit ETH' }).click()
    await deposit.getByRole('alert').getByText('Enter an amount of ETH').waitFor()
    expect(faults).toEqual([])
  })
})

describe('an injected wallet', () => {
  it('signs in, deposits and withdraws', async () => {
    const { page, faults } = await openView('cashier')
    const player = service.manifest.players[1]!.address
    await inject(page, player)
    await page.getByRole('banner').getByRole('button', { name: 'Connect wallet' }).click()
    await page.getByLabel('Your chips').waitFor()
    const deposit = page.getByRole('region', { name: 'Deposit', exact: true })
    await deposit.getByRole('radio', { name: 'USDG' }).check()
    await deposit.getByLabel('Amount', { exact: true }).fill('40')
    await deposit.getByRole('button', { name: 'Deposit USDG' }).click()
    await deposit.getByText('+40 USDG in chips').waitFor(SLOW)
    const { usdg } = service.manifest.contracts
    const before = await chain.tokens(usdg, player)
    const withdraw = page.getByRole('region', { name: 'Withdraw' })
    await withdraw.getByRole('radio', { name: 'USDG' }).check()
    await withdraw.getByLabel('Amount', { exact: true }).fill('10040')
    await withdraw.getByRole('button', { name: 'Withdraw USDG' }).click()
    await withdraw.getByText('+10,040 USDG in your wallet').waitFor(SLOW)
    expect((await chain.tokens(usdg, player)) - before).toBe(parseUnits('10040', 6))
    await page.getByLabel('Your chips').getByText('0 USDG').waitFor()
    expect(faults).toEqual([])
  })

  it('can decline, and nothing happens', async () => {
    const { page, faults } = await openView('cashier')
    const player = service.manifest.players[1]!.address
    await inject(page, player, 'eth_sendTransaction')
    await page.getByRole('banner').getByRole('button', { name: 'Connect wallet' }).click()
    const deposit = page.getByRole('region', { name: 'Deposit', exact: true })
    await deposit.getByLabel('Amount', { exact: true }).fill('1')
    await deposit.getByRole('button', { name: 'Deposit ETH' }).click()
    await deposit.getByRole('alert').getByText('You declined in your wallet.').waitFor()
    await deposit.getByRole('button', { name: 'Deposit ETH' }).waitFor()
    expect(faults).toEqual([])
    await page.route('**/api/rpc', (route) => route.abort())
    await deposit.getByRole('button', { name: 'Max: all ETH in your wallet' }).click()
    await deposit.getByRole('alert').getByText('The service did not answer.').waitFor()
  })
})

/** Gives the page the node's own EIP-1193 wallet, whose accounts are unlocked. */
async function inject(page: Page, account: Address, declines = ''): Promise<void> {
  await page.exposeFunction('askNode', (method: string, params: unknown[]) =>
    chain.request(method, params),
  )
  await page.addInitScript(
    `globalThis.ethereum = {
      async request({ method, params = [] }) {
        if (method === '${declines}') throw { code: 4001, message: 'User rejected the request.' }
        if (method === 'eth_requestAccounts' || method === 'eth_accounts') return ['${account}'.toLowerCase()]
        if (method === 'wallet_switchEthereumChain') return null
        return askNode(method, params)
      },
    }`,
  )
  await page.reload()
}
