import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  barriers,
  commitment,
  DESKTOP,
  keepPicture,
  onEveryScreen,
  openGame,
  openPage,
  PHONE,
  recordAnimations,
  SOON,
} from './page.ts'
import { browser, giveChips, service, useService } from './stories.ts'

useService()
beforeAll(() => giveChips('ETH', 123_000_000_000_000_000n))

const open = (game: string, options = DESKTOP) =>
  openGame(browser, `${service.baseUrl}/#/${game}`, options)

const amount = (page: Page) => page.getByLabel('Amount', { exact: true })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const rows = (page: Page) => page.locator('.plays tbody tr')

describe('the stake', () => {
  it('is set to all chips or to the limit, halved and doubled within the bounds', async () => {
    const { page, faults } = await open('limbo')
    await button(page, 'All in').click()
    expect(await amount(page).inputValue()).toBe('0.123')
    await button(page, 'Max stake').click()
    expect(await amount(page).inputValue()).toBe('0.2')
    await button(page, '2× the amount').click()
    expect(await amount(page).inputValue()).toBe('0.2')
    await button(page, '½ the amount').click()
    expect(await amount(page).inputValue()).toBe('0.1')
    await page.getByLabel('Target', { exact: true }).fill('1000000')
    await button(page, 'Max stake').click()
    expect(await amount(page).inputValue()).toBe('0.0002')
    expect(faults).toEqual([])
  })

  it('is set to the limit at the crash table', async () => {
    const { page } = await openPage(browser, service.baseUrl, PHONE)
    await page.getByRole('banner').getByRole('button', { name: 'Development wallet' }).tap()
    await button(page, 'All in').tap()
    expect(await amount(page).inputValue()).toBe('0.123')
  })
})

describe('hotkeys', () => {
  it('are off until the player turns them on in their list, and then survive a reload', async () => {
    const { page, faults } = await open('limbo')
    await page.getByRole('heading', { name: 'Your last plays' }).click()
    await page.keyboard.press('d')
    expect(await amount(page).inputValue()).toBe('0.001')
    await page.keyboard.press('?')
    const list = page.getByRole('dialog', { name: 'Hotkeys' })
    await list.getByText('Double the stake').waitFor()
    await list.getByRole('checkbox', { name: 'Use hotkeys' }).check()
    await onEveryScreen(page, async (screen) => {
      await keepPicture(page, `hotkeys-${screen}`)
      expect(await barriers(page)).toEqual([])
    })
    await page.keyboard.press('d')
    await page.keyboard.press('Escape')
    expect(await amount(page).inputValue()).toBe('0.001')
    await page.reload()
    // The keys of the stake work as soon as its buttons are shown, which takes the player's chips.
    await button(page, 'Max stake').waitFor()
    await commitment(page)
    await page.getByRole('heading', { name: 'Your last plays' }).click()
    const steps = { d: '0.002', D: '0.004', h: '0.002', m: '0.2' }
    for (const [key, stake] of Object.entries(steps)) {
      await page.keyboard.press(key)
      await expect.poll(() => amount(page).inputValue(), SOON).toBe(stake)
    }
    await amount(page).fill('0.001')
    await page.getByRole('heading', { name: 'Your last plays' }).click()
    await page.keyboard.press('Space')
    await rows(page).first().waitFor()
    expect(await rows(page).count()).toBe(1)
    expect(faults).toEqual([])
  })

  it('can all be turned off, even those that stake nothing', async () => {
    const { page, faults } = await open('limbo')
    const list = page.getByRole('dialog', { name: 'Hotkeys' })
    await page.keyboard.press('?')
    await list.getByRole('checkbox', { name: 'Use only those that stake nothing' }).uncheck()
    await page.keyboard.press('Escape')
    await list.waitFor({ state: 'hidden' })
    await page.reload()
    await commitment(page)
    await page.keyboard.press('?')
    expect(await list.isVisible()).toBe(false)
    await button(page, 'Hotkeys').click()
    await list.getByRole('checkbox', { name: 'Use only those that stake nothing' }).check()
    await page.keyboard.press('Escape')
    await page.keyboard.press('?')
    await list.waitFor()
    expect(faults).toEqual([])
  })

  it('do nothing while the player types', async () => {
    const { page } = await open('limbo')
    await page.keyboard.press('?')
    await page.getByRole('checkbox', { name: 'Use hotkeys' }).check()
    await page.keyboard.press('Escape')
    await page.getByLabel('Keep mine for every play').check()
    const seed = page.getByLabel('Your client seed')
    await seed.fill('')
    await seed.pressSequentially('mad h?')
    expect(await seed.inputValue()).toBe('mad h?')
    expect(await amount(page).inputValue()).toBe('0.001')
    expect(await page.getByRole('dialog').count()).toBe(0)
  })
})

describe('instant results', () => {
  it('show a play without its animation', async () => {
    const { page } = await open('plinko', { ...DESKTOP, reducedMotion: 'no-preference' })
    await recordAnimations(page)
    await page.getByRole('checkbox', { name: 'Instant results' }).check()
    await page.getByRole('button', { name: /^Play for/ }).click()
    await page.locator('.bucket.landed').waitFor()
    expect(await page.evaluate('durations')).toEqual([0])
    const name = await page.evaluate(
      `getComputedStyle(document.querySelector('.bucket.landed rect')).animationName + getComputedStyle(document.querySelector('.outcome.told')).animationName`,
    )
    expect(name).toBe('nonenone')
  })
})

/** Counts the tones that start, as `tones` in the page. Headless browsers have no speaker to listen to. */
const COUNT_TONES = `{
  globalThis.tones = 0
  const { start } = OscillatorNode.prototype
  OscillatorNode.prototype.start = function (...at) {
    tones++
    return start.apply(this, at)
  }
}`

describe('sound', () => {
  const tones = (page: Page) => page.evaluate<number>('tones')
  const sound = (page: Page) => page.getByRole('checkbox', { name: 'Sound' })
  const playOnce = async (page: Page) => {
    await commitment(page)
    const told = page.getByRole('status').filter({ hasText: /^Play \d+/ })
    const before = await told.allTextContents()
    await page.getByRole('button', { name: /^Play for/ }).click()
    await expect.poll(() => told.allTextContents(), SOON).not.toEqual(before)
  }

  it('is off by default; turned on, it is heard with each result, and survives a reload', async () => {
    const { page, faults } = await open('limbo')
    await page.context().addInitScript(COUNT_TONES)
    await page.reload()
    expect(await sound(page).isChecked()).toBe(false)
    await page.getByRole('button', { name: /^Play for/ }).waitFor()
    await playOnce(page)
    expect(await tones(page)).toBe(0)
    await sound(page).check()
    await expect.poll(() => tones(page), SOON).toBe(1)
    await playOnce(page)
    await expect.poll(() => tones(page), SOON).toBeGreaterThan(2)
    await page.reload()
    expect(await sound(page).isChecked()).toBe(true)
    expect(faults).toEqual([])
  })

  it('has a key, like the other options', async () => {
    const { page } = await open('limbo')
    await page.keyboard.press('?')
    const list = page.getByRole('dialog', { name: 'Hotkeys' })
    await list.getByText('Turn sound on or off').waitFor()
    await list.getByRole('checkbox', { name: 'Use hotkeys' }).check()
    await list.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('heading', { name: 'Your last plays' }).click()
    await page.keyboard.press('s')
    await expect.poll(() => sound(page).isChecked(), SOON).toBe(true)
    await page.keyboard.press('s')
    await expect.poll(() => sound(page).isChecked(), SOON).toBe(false)
  })
})
