import type { BrowserContextOptions, Page } from 'playwright-core'
import { hexToString, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { devPlayer } from '../../src/cli/shared/dev-players.ts'
import { announceWallets, svg, WalletFault, type TestWallet } from './announced-wallets.ts'
import { barriers, DESKTOP, keepPicture, onEveryScreen, openPage, PHONE } from './page.ts'
import { browser, service, useService } from './stories.ts'

useService()

/** Opens a view as on a site that isn't on this machine: without development wallets. */
async function openView(path: string, options: BrowserContextOptions = DESKTOP) {
  const opened = await openPage(browser, `${service.baseUrl}/#/${path}`, options)
  await opened.page.route('**/api/dev/players', (route) =>
    route.fulfill({ json: { ok: true, players: [], logKey: null } }),
  )
  await opened.page.reload()
  return opened
}

/** A wallet with a development player's key, and what it was asked to do. */
function keyWallet(name: string, index: number, more: Partial<TestWallet> = {}) {
  const account = privateKeyToAccount(devPlayer(index).privateKey)
  const asked: string[] = []
  const request = async (method: string, params: unknown[]) => {
    asked.push(method)
    if (method === 'eth_requestAccounts') return [account.address.toLowerCase()]
    if (method === 'personal_sign')
      return account.signMessage({ message: hexToString(params[0] as Hex) })
    throw new WalletFault(4200, `The wallet has no ${method}.`)
  }
  const wallet = { name, rdns: `test.${name.toLowerCase()}`, request, ...more }
  return { wallet, asked, address: account.address }
}

const connectButton = (page: Page) =>
  page.getByRole('banner').getByRole('button', { name: 'Connect wallet' })
const shown = (address: string) => `${address.slice(0, 6)}…${address.slice(-4)}`

describe('a player with several wallets', () => {
  it('chooses one with the keyboard, and finds it first the next time', async () => {
    const { page, faults } = await openView('crash')
    const fox = keyWallet('Fox', 0, { icon: svg('orange') })
    const owl = keyWallet('Owl', 1, { icon: svg('rebeccapurple') })
    await announceWallets(page, [fox.wallet, owl.wallet])
    await connectButton(page).focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Choose your wallet' })
    await dialog.getByRole('button', { name: 'Fox' }).waitFor()
    await onEveryScreen(page, async (screen) => {
      await keepPicture(page, `wallets-${screen}`)
      expect(await barriers(page), screen).toEqual([])
    })
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    expect(await page.evaluate('document.activeElement.innerText')).toBe('Connect wallet')
    await page.keyboard.press('Enter')
    await dialog.getByRole('button', { name: 'Owl' }).waitFor()
    expect(await page.evaluate('document.activeElement.innerText')).toBe('Fox')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByText(shown(owl.address)).first().waitFor()
    expect(fox.asked).toEqual([])
    expect(owl.asked).toEqual(['eth_requestAccounts', 'personal_sign'])

    await page.reload()
    await page.getByText(shown(owl.address)).first().waitFor()
    await page.locator('.menu summary').click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await connectButton(page).click()
    await dialog.getByRole('button', { name: 'Fox' }).waitFor()
    const names = await dialog.getByRole('listitem').allTextContents()
    expect(names).toEqual(['Owl', 'Fox'])
    expect(faults).toEqual([])
  })

  it('sees one that announces itself late', async () => {
    const { page, faults } = await openView('crash')
    const fox = keyWallet('Fox', 0)
    const owl = keyWallet('Owl', 1, { isLate: true })
    const twin = keyWallet('Twin', 2, { name: 'Owl', isLate: true })
    await announceWallets(page, [{ ...fox.wallet, isLate: true }, owl.wallet, twin.wallet])
    await connectButton(page).click()
    await page.getByRole('dialog', { name: 'Get a wallet' }).waitFor()
    await page.evaluate('announceLate()')
    const dialog = page.getByRole('dialog', { name: 'Choose your wallet' })
    await dialog.getByRole('button', { name: 'Fox' }).waitFor()
    // Two of the same name are told apart.
    await dialog.getByRole('button', { name: 'test.twin' }).click()
    await page.getByText(shown(twin.address)).first().waitFor()
    expect([...fox.asked, ...owl.asked]).toEqual([])
    expect(faults).toEqual([])
  })

  it('shows nothing of an icon that is no image in a data URI', async () => {
    const { page, faults } = await openView('crash')
    const bad = { icon: `${service.baseUrl}/icon.svg?tracked` }
    const [fox, owl] = [keyWallet('Fox', 0, bad), keyWallet('Owl', 1)]
    await announceWallets(page, [fox.wallet, owl.wallet])
    await connectButton(page).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Fox' }).waitFor()
    expect(await page.getByRole('dialog').locator('img').count()).toBe(1)
    expect(faults).toEqual([])
  })
})

describe('a player with one wallet', () => {
  it('is not asked which', async () => {
    const { page, faults } = await openView('crash')
    const fox = keyWallet('Fox', 0)
    await announceWallets(page, [fox.wallet])
    await connectButton(page).click()
    await page.getByText(shown(fox.address)).first().waitFor()
    expect(faults).toEqual([])
  })
})

describe('a player whose wallet does not answer', () => {
  it('can cancel, and sign in later', async () => {
    const { page, faults } = await openView('crash')
    const fox = keyWallet('Fox', 0)
    let isSilent = true
    const request: typeof fox.wallet.request = (method, params) =>
      isSilent ? new Promise(() => {}) : fox.wallet.request(method, params)
    await announceWallets(page, [{ ...fox.wallet, request }])
    // Once the terms are known, which offer it.
    const forFun = page.getByRole('button', { name: 'Try with fun chips' })
    await forFun.waitFor()
    await connectButton(page).click()
    const header = page.getByRole('banner')
    await header.getByRole('button', { name: 'Signing in…' }).waitFor()
    await onEveryScreen(page, async (screen) => {
      await keepPicture(page, `signing-in-${screen}`)
      expect(await barriers(page), screen).toEqual([])
    })
    expect(await forFun.isVisible()).toBe(false)
    await header.getByRole('button', { name: 'Cancel' }).click()
    await forFun.waitFor()
    isSilent = false
    await connectButton(page).click()
    await page.getByText(shown(fox.address)).first().waitFor()
    expect(faults).toEqual([])
  })
})

describe('a player whose page has been replaced by a deployment', () => {
  it('is offered to reload it when the script of a button or of a view is gone', async () => {
    const { page } = await openView('crash')
    await page.route('**/assets/chooser-*', (route) => route.fulfill({ status: 404 }))
    await connectButton(page).click()
    const note = page.getByRole('complementary', { name: 'Reload the page' })
    await note.getByText('A part of this page did not load.').waitFor()
    expect(await barriers(page)).toEqual([])
    await page.unroute('**/assets/chooser-*')
    await note.getByRole('button', { name: 'Reload' }).click()
    await note.waitFor({ state: 'detached' })
    await connectButton(page).click()
    await page.getByRole('dialog', { name: 'Get a wallet' }).waitFor()
    await page.keyboard.press('Escape')
    await page.route('**/assets/view-*', (route) => route.fulfill({ status: 404 }))
    await page.getByRole('link', { name: 'Mines', exact: true }).click()
    await note.getByText('A part of this page did not load.').waitFor()
  })
})

describe('a player without a wallet', () => {
  it('finds links into wallets’ own browsers on a phone, which keep the view', async () => {
    const userAgent = 'Mozilla/5.0 (Linux; Android 15; Pixel 9) Chrome/140 Mobile'
    const { page, faults } = await openView('mines', { ...PHONE, userAgent })
    await connectButton(page).click()
    const dialog = page.getByRole('dialog', { name: 'Open your wallet app' })
    const { host } = new URL(service.baseUrl)
    const link = dialog.getByRole('link', { name: 'Open in MetaMask' })
    expect(await link.getAttribute('href')).toBe(`https://link.metamask.io/dapp/${host}/#/mines`)
    expect(await dialog.getByRole('link', { name: /^Open in/ }).count()).toBe(5)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await keepPicture(page, `no-wallet-phone-${colorScheme}`)
      expect(await barriers(page)).toEqual([])
    }
    expect(faults).toEqual([])
  })

  it('reads on a computer what a wallet is and where to find one', async () => {
    const { page, faults } = await openView('crash')
    await connectButton(page).click()
    const dialog = page.getByRole('dialog', { name: 'Get a wallet' })
    await dialog.getByText('Fairhouse has no accounts.').waitFor()
    expect(await dialog.getByRole('link', { name: /^Open in/ }).count()).toBe(0)
    await keepPicture(page, 'no-wallet-desktop')
    expect(await barriers(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(faults).toEqual([])
  })
})
