import { parseEther } from 'viem'
import { describe, expect, it } from 'vitest'
import {
  chain,
  DESKTOP,
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
import { barriers } from './page.ts'

useDevService()

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
    // By then the page has looked for payments to resume.
    await page.getByRole('region', { name: 'Free spin' }).locator('code').first().waitFor()
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
    const expected = [`asked ${IMAGE}`, 'status of 409', 'net::ERR_NAME_NOT_RESOLVED']
    expect(faults.filter((fault) => !expected.some((part) => fault.includes(part)))).toEqual([])
  })
})

describe('every view:', () => {
  it.each(['lootbox', 'boxes', 'advertise'])(
    '%s has no accessibility violations, signed out or in',
    lookForBarriers,
  )
})

const BANNER = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 100"><rect width="300" height="100" fill="#c96"/></svg>`

/** Writes a post on the local site. @returns its link */
async function writePost(author: string, text: string): Promise<string> {
  const body = new URLSearchParams({ author, text })
  const { url } = await fetch(`${service.manifest.posts}/posts`, { method: 'POST', body })
  return url
}
