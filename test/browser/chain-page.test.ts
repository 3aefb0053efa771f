import { mkdir } from 'node:fs/promises'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { type Address, parseEther, parseUnits } from 'viem'
import { afterAll, beforeAll, describe, expect, it, onTestFailed } from 'vitest'
import { openBrowser } from './browser.ts'
import { Chain, startDevService, type DevService } from './dev-service.ts'
import { barriers, declineLimits, onEveryScreen, openPage } from './page.ts'

const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  colorScheme: 'dark',
  hasTouch: true,
}
const DESKTOP: BrowserContextOptions = { viewport: { width: 1280, height: 900 } }

/** The relayer looks at the chain every two seconds. */
const SLOW = { timeout: 90_000 }
/** How many characters of the service's output a failure shows. */
const LAST_WORDS = 4_000

let service: DevService
let chain: Chain
let browser: Browser

beforeAll(async () => {
  service = await startDevService()
  chain = new Chain(service.manifest)
  browser = await openBrowser()
  await mkdir('test-output', { recursive: true })
})

afterAll(async () => {
  await browser?.close()
  await service?.stop()
})

async function openView(path: string, options = DESKTOP) {
  const opened = await openPage(browser, `${service.manifest.baseUrl}/#/${path}`, options)
  opened.page.setDefaultTimeout(SLOW.timeout)
  await declineLimits(opened.page)
  onTestFailed(() => console.log(service.output().slice(-LAST_WORDS)))
  return opened
}

/** @param index of the development player */
async function signIn(page: Page, index: number): Promise<Address> {
  const { address } = service.manifest.players[index]!
  await page.getByRole('banner').getByRole('button', { name: 'Development wallet' }).click()
  await page.getByLabel('Your chips').waitFor()
  if (index > 0) await playAs(page, address)
  return address
}

/** Switches the page to another development player. */
async function playAs(page: Page, address: Address): Promise<void> {
  const menu = page.getByRole('banner').locator('summary')
  const shown = `${address.slice(0, 6)}…${address.slice(-4)}`
  await menu.click()
  await page.getByRole('button', { name: `Play as ${shown}` }).click()
  await menu.getByText(shown).waitFor()
}

async function shoot(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: `test-output/${name}.png`, fullPage: true })
}

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
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('main')
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

  it('takes a deposit of ETH and shows its chips', async () => {
    const { page, faults } = await openView('cashier')
    const player = await signIn(page, 0)
    const before = await chain.sent(player)
    const panel = page.getByRole('region', { name: 'Deposit', exact: true })
    await panel.getByLabel('Amount', { exact: true }).fill('1.5')
    await panel.getByText('You get 1.5 ETH in chips.').waitFor()
    await panel.getByRole('button', { name: 'Deposit ETH' }).click()
    await panel.getByText('+1.5 ETH in chips').waitFor(SLOW)
    await page.getByLabel('Your chips').getByText('11.5 ETH').waitFor()
    expect(await chain.sent(player)).toBe(before + 1)
    expect(faults).toEqual([])
  })

  /** Has the service count its debts now, with the present chips of a player. */
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
    const chips = page.getByLabel('Your chips')
    let click = () => {}
    const clicked = new Promise<void>((resolve) => (click = resolve))
    let stale: Promise<string> | undefined = undefined
    let isBehind = true
    await page.route('**/api/crash?wallet=*', async (route) => {
      await clicked
      stale ??= route.fetch().then((answer) => answer.text())
      const body = await stale
      await (isBehind ? route.fulfill({ body }) : route.continue())
    })
    await signIn(page, 0)
    const panel = page.getByRole('region', { name: 'Deposit', exact: true })
    await panel.getByLabel('Amount', { exact: true }).fill('2')
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
  })
})

/** The colours of the tiers in a prize table. */
const TIER_COLOURS = `Array.from(
  document.querySelector('.prize-table').querySelectorAll('.dot'),
  (dot) => getComputedStyle(dot).backgroundColor)`

describe('the lootbox', () => {
  it.each(['light', 'dark'] as const)(
    'gives every tier a colour of its own in the %s',
    async (colorScheme) => {
      const { page } = await openView('lootbox', { ...DESKTOP, colorScheme })
      await page.getByRole('cell', { name: 'Legendary' }).first().waitFor()
      const colours = await page.evaluate<string[]>(TIER_COLOURS)
      expect(colours).toHaveLength(5)
      expect(new Set(colours).size).toBe(5)
    },
  )

  it('says what a stock is worth in ETH, by which feed, and what that leaves open', async () => {
    const { page, faults } = await openView('lootbox')
    const prizes = page.getByRole('region', { name: 'Prizes', exact: true })
    await prizes.getByRole('cell', { name: /2 STK\s*≈ 0.008 ETH/ }).waitFor()
    await prizes.getByText('≈ by the price feed of STK').waitFor()
    await prizes.getByText('REWARD has no published price').waitFor()
    await prizes.getByRole('link', { name: 'Rules, return and limits' }).click()
    const returns = page.getByRole('region', { name: 'What it returns' })
    await returns.getByText('≈ 38.6% of the price on average').waitFor()
    await page.getByRole('link', { name: 'Boxes', exact: true }).last().click()
    await returns.getByText('REWARD has no published price').waitFor()
    expect(await barriers(page)).toEqual([])
    expect(faults).toEqual([])
  })

  it('is paid for and opened, and its prize arrives on chain', async () => {
    const { page, faults } = await openView('lootbox')
    const player = await signIn(page, 2)
    const { rewardToken, stock } = service.manifest.contracts
    const holds = async () => ({
      ETH: await chain.eth(player),
      REWARD: await chain.tokens(rewardToken, player),
      STK: await chain.tokens(stock, player),
    })
    const before = await holds()
    const panel = page.getByRole('region', { name: 'Open a lootbox' })
    await panel.getByRole('button', { name: 'Open for 0.01 ETH' }).waitFor()
    const days = await page.evaluate<unknown[]>(`JSON.parse(localStorage['fairhouse.seen.days'])`)
    // The payment's block may belong to tomorrow.
    expect(days.length).toBeGreaterThanOrEqual(2)
    await panel.getByRole('button', { name: 'Open for 0.01 ETH' }).click()
    await panel.getByText('Sent to your wallet', { exact: true }).waitFor(SLOW)
    const [amount = '', asset] = (await panel.locator('.amount').textContent())!.split(' ')
    const after = await holds()
    const won = after[asset as keyof typeof after] - before[asset as keyof typeof after]
    // A prize in ETH arrives after the price and its gas were paid.
    if (asset === 'ETH') expect(won).toBeGreaterThan(parseEther(amount) - parseEther('0.011'))
    else expect(won).toBe(parseEther(amount))
    await panel.getByRole('link', { name: 'Verify' }).waitFor()
    await page
      .getByRole('region', { name: 'Your openings' })
      .getByText('Paid', { exact: true })
      .waitFor()
    await shoot(page, 'lootbox-desktop')
    expect(faults).toEqual([])
  })

  it('opens with a payment made before a reload', async () => {
    const { page, faults } = await openView('lootbox', PHONE)
    const player = await signIn(page, 3)
    await page.route('**/api/lootbox', (route) =>
      route.request().method() === 'POST' ? route.abort() : route.continue(),
    )
    const panel = page.getByRole('region', { name: 'Open a lootbox' })
    const before = await chain.sent(player)
    await panel.getByRole('button', { name: 'Open for 0.01 ETH' }).click()
    await panel.getByRole('alert').getByText('The service did not answer.').waitFor()
    await page.unroute('**/api/lootbox')
    await page.reload()
    await panel.getByText('Sent to your wallet', { exact: true }).waitFor(SLOW)
    expect(await chain.sent(player)).toBe(before + 1)
    await shoot(page, 'lootbox-phone')
    expect(faults.filter((fault) => !fault.includes('net::ERR_FAILED'))).toEqual([])
  })

  it('opens with an earlier payment once it is found, and does not pay again', async () => {
    const { page, faults } = await openView('lootbox')
    const player = await signIn(page, 4)
    const { pool } = service.manifest.lootbox
    const txHash = await chain.pay(player, pool, parseEther('0.01'))
    const kept = JSON.stringify({ txHashes: [txHash] })
    await page.evaluate(
      ([key, text]) => localStorage.setItem(key!, text!),
      [`fairhouse.lootbox-payments.${player}`, kept],
    )
    const before = await chain.sent(player)
    const panel = page.getByRole('region', { name: 'Open a lootbox' })
    await panel.getByRole('button', { name: 'Open for 0.01 ETH' }).click()
    await panel.getByText('Sent to your wallet', { exact: true }).waitFor(SLOW)
    expect(await chain.sent(player)).toBe(before)
    expect(faults).toEqual([])
  })

  it('never charges another player when the first leaves during the search for an earlier payment', async () => {
    const { page, faults } = await openView('lootbox')
    const earlier = await signIn(page, 4)
    const { address } = service.manifest.players[1]!
    await page.evaluate(
      ([key, text]) => localStorage.setItem(key!, text!),
      [
        `fairhouse.lootbox-payments.${earlier}`,
        JSON.stringify({ txHashes: [`0x${'1'.repeat(64)}`] }),
      ],
    )
    let answer = () => {}
    const answered = new Promise<void>((resolve) => (answer = resolve))
    await page.route('**/api/lootbox', async (route) => {
      if (route.request().method() === 'POST') await answered
      await route.continue()
    })
    const panel = page.getByRole('region', { name: 'Open a lootbox' })
    const asked = page.waitForRequest((request) => request.method() === 'POST')
    await panel.getByRole('button', { name: 'Open for 0.01 ETH' }).click()
    await asked
    await playAs(page, address)
    const sent = await chain.sent(address)
    const told = page.waitForResponse((response) => response.request().method() === 'POST')
    answer()
    await told
    await panel.getByRole('button', { name: 'Open for 0.01 ETH' }).click()
    await panel.getByText('Sent to your wallet', { exact: true }).waitFor(SLOW)
    expect(await chain.sent(address)).toBe(sent + 1)
    expect(faults.filter((fault) => !fault.includes('422'))).toEqual([])
  })

  it('gives a free spin for a post with the share code, once a day', async () => {
    const { page, faults } = await openView('lootbox')
    await signIn(page, 4)
    const panel = page.getByRole('region', { name: 'Free spin' })
    const code = (await panel.locator('code').first().textContent())!
    const link = panel.getByLabel('Paste the link to your post')
    await link.fill(await writePost('anna', 'nothing of it'))
    await panel.getByRole('button', { name: 'Spin for free' }).click()
    await panel.getByRole('alert').getByText('does not contain your share code').waitFor()
    await link.fill('https://elsewhere.test/anna/status/1')
    await panel.getByRole('button', { name: 'Spin for free' }).click()
    await panel
      .getByRole('alert')
      .getByText(/^Use a post on localhost/)
      .waitFor()
    await link.fill(await writePost('anna', `Fair games: ${code}`))
    await panel.getByRole('button', { name: 'Spin for free' }).click()
    await panel.getByText('Sent to your wallet', { exact: true }).waitFor(SLOW)
    await shoot(page, 'free-spin-desktop')
    await page.reload()
    await panel.getByText('You have used today’s free spin.').waitFor()
    expect(faults.filter((fault) => !fault.includes('status of 422'))).toEqual([])
  })
})

describe('boxes', () => {
  it('are bought, revealed and claimed with exactly three transactions', async () => {
    const { page, faults } = await openView('boxes')
    const player = await signIn(page, 2)
    const { rewardToken } = service.manifest.contracts
    const [sent, held] = [await chain.sent(player), await chain.tokens(rewardToken, player)]
    const panel = page.getByRole('region', { name: 'Buy, reveal, claim' })
    await panel.getByRole('button', { name: /^Buy a box/ }).click()
    await panel.getByRole('button', { name: 'Reveal · step 2 of 3' }).click(SLOW)
    await panel.getByRole('button', { name: 'Claim · step 3 of 3' }).click(SLOW)
    await panel.getByText('Sent to your wallet', { exact: true }).waitFor(SLOW)
    const [amount = ''] = (await panel.locator('.amount').textContent())!.split(' ')
    expect(await chain.sent(player)).toBe(sent + 3)
    expect((await chain.tokens(rewardToken, player)) - held).toBe(parseEther(amount))
    const own = page.getByRole('region', { name: 'Your boxes' })
    await own.getByText('1 bought · 1 revealed · 1 claimed').waitFor()
    await shoot(page, 'boxes-desktop')
    expect(faults).toEqual([])
  })

  it('stay closed until their owner comes back', async () => {
    const { page, faults } = await openView('boxes', PHONE)
    await signIn(page, 3)
    const panel = page.getByRole('region', { name: 'Buy, reveal, claim' })
    await panel.getByRole('button', { name: /^Buy a box/ }).click()
    await panel.getByRole('button', { name: 'Reveal · step 2 of 3' }).waitFor(SLOW)
    await page.reload()
    const own = page.getByRole('region', { name: 'Your boxes' })
    await own.getByText('Closed box').waitFor()
    await own.getByRole('button', { name: 'Reveal' }).click()
    await panel.getByRole('button', { name: 'Claim · step 3 of 3' }).waitFor(SLOW)
    await shoot(page, 'boxes-phone')
    expect(faults).toEqual([])
  })
})

describe('the advertising slot', () => {
  const IMAGE = 'https://cdn.example.com/banner.svg'

  it('is rented for today and shown on the page, with no request to another host', async () => {
    const { page, faults } = await openView('advertise')
    await page.route(IMAGE, (route) =>
      route.fulfill({ contentType: 'image/svg+xml', body: BANNER }),
    )
    const player = await signIn(page, 4)
    const { protocolWallet } = service.manifest
    const before = await chain.eth(protocolWallet)
    const panel = page.getByRole('region', { name: 'Rent the slot' })
    await panel.getByRole('button', { name: 'Rent for 0.01 ETH' }).click()
    await panel.getByRole('alert').getByText('Enter a title for your advertisement.').waitFor()
    await panel.getByLabel('Title').fill('Tea that tastes of tea')
    await panel.getByLabel('Image').fill(IMAGE)
    await panel.getByLabel('Link URL').fill('http://example.com/tea')
    await panel.getByRole('button', { name: 'Rent for 0.01 ETH' }).click()
    await panel.getByRole('alert').getByText('Enter a link URL').waitFor()
    expect(await chain.eth(protocolWallet)).toBe(before)
    await panel.getByLabel('Link URL').fill('https://example.com/tea')
    const sent = await chain.sent(player)
    await panel.getByRole('button', { name: 'Rent for 0.01 ETH' }).click()
    await page.getByRole('region', { name: 'The slot is yours' }).waitFor(SLOW)
    expect((await chain.eth(protocolWallet)) - before).toBe(parseEther('0.01'))
    expect(await chain.sent(player)).toBe(sent + 1)
    const ad = page.getByRole('complementary', { name: 'Advertisement' })
    const link = ad.getByRole('link', { name: 'Tea that tastes of tea' })
    await link.scrollIntoViewIfNeeded()
    expect(await link.getAttribute('href')).toBe('https://example.com/tea')
    expect(await link.getAttribute('rel')).toBe('sponsored noopener noreferrer nofollow')
    await shoot(page, 'advertise-desktop')
    expect(faults).toEqual([`asked ${IMAGE}`])
  })

  it('keeps a payment whose day was taken, so it can pay for another day', async () => {
    const { page, faults } = await openView('advertise', PHONE)
    await page.route(IMAGE, (route) => route.abort())
    const player = await signIn(page, 3)
    const panel = page.getByRole('region', { name: 'Rent the slot' })
    await panel.getByLabel('Title').fill('Late')
    await panel.getByLabel('Image').fill(IMAGE)
    await panel.getByLabel('Link URL').fill('https://example.com/late')
    // As if this page had looked before another renter took the day.
    const today = new Date().toISOString().slice(0, 10)
    await page.route('**/api/ad-rental', (route) => {
      if (route.request().method() !== 'POST') return route.continue()
      const body = { ...(route.request().postDataJSON() as object), date: today }
      return route.continue({ postData: JSON.stringify(body) })
    })
    const sent = await chain.sent(player)
    await panel.getByRole('button', { name: 'Rent for 0.01 ETH' }).click()
    await panel.getByRole('alert').getByText('Your payment is still valid').waitFor(SLOW)
    await page.unroute('**/api/ad-rental')
    await page.reload()
    await panel.getByText('You have an unused payment:').waitFor()
    await panel.getByLabel('Title').fill('Late')
    await panel.getByLabel('Image').fill(IMAGE)
    await panel.getByLabel('Link URL').fill('https://example.com/late')
    await panel.getByRole('button', { name: 'Rent with your earlier payment' }).click()
    await page.getByRole('region', { name: 'The slot is yours' }).waitFor(SLOW)
    expect(await chain.sent(player)).toBe(sent + 1)
    await shoot(page, 'advertise-phone')
    const expected = [`asked ${IMAGE}`, 'status of 409', 'net::ERR_FAILED']
    expect(faults.filter((fault) => !expected.some((part) => fault.includes(part)))).toEqual([])
  })
})

describe('every view:', () => {
  it.each(['cashier', 'lootbox', 'boxes', 'advertise'])(
    '%s has no accessibility violations, signed out or in',
    async (path) => {
      const { page } = await openView(path)
      await page.getByRole('main').getByRole('button', { name: 'Development wallet' }).waitFor()
      expect(await barriers(page)).toEqual([])
      await signIn(page, 0)
      await page.getByRole('main').locator('button.wide').first().waitFor()
      await onEveryScreen(page, async (screen) => {
        expect(await barriers(page), screen).toEqual([])
        const width = await page.evaluate<number>('document.documentElement.scrollWidth')
        expect(width, screen).toBeLessThanOrEqual(page.viewportSize()!.width)
      })
    },
  )
})

const BANNER = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 100"><rect width="300" height="100" fill="#c96"/></svg>`

/** Writes a post on the local site. @returns its link */
async function writePost(author: string, text: string): Promise<string> {
  const body = new URLSearchParams({ author, text })
  const { url } = await fetch(`${service.manifest.posts}/posts`, { method: 'POST', body })
  return url
}

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
