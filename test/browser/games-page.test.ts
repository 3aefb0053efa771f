import type { BrowserContextOptions, Page, Request } from 'playwright-core'
import { parseEther } from 'viem'
import { beforeAll, describe, expect, it } from 'vitest'
import { Client } from '../../src/cli/shared/client.ts'
import { devPlayer } from '../../src/cli/shared/dev-players.ts'
import { Player } from '../../src/cli/shared/player.ts'
import type { FeedPlay } from '../../src/games/play-request.ts'
import { wholeUnits } from '../../src/money/whole-units.ts'
import {
  barriers,
  commitment,
  DESKTOP,
  keepPicture,
  openGame as openAt,
  openPage,
  PHONE,
  recordAnimations,
  SOON,
} from './page.ts'
import { browser, giveChips, recentPlays, service, useService } from './stories.ts'
import { WATCH_RESULT, WATCH_SEEDS, type SeenResult } from './watch.ts'

const CHIPS = 10n ** 18n

const GAMES = ['mines', 'limbo', 'plinko', 'keno']

useService()
beforeAll(() => giveChips('ETH', CHIPS))

const openGame = (game: string, options: BrowserContextOptions = {}) =>
  openAt(browser, `${service.baseUrl}/#/${game}`, options)

const seedHash = (page: Page) => page.getByTestId('next-seed-hash')

const clientSeed = (page: Page) => page.getByLabel('Your client seed')

const verifyLink = (page: Page, { nonce }: FeedPlay) =>
  page.getByRole('link', { name: `Verify play ${nonce}`, exact: true })

const playButton = (page: Page) => page.getByRole('button', { name: /^Play/ })

const isPlay = (request: Request) => request.postData()?.includes('"play"') ?? false

/** Plays, with the button by default, and compares the page with the public feed. */
async function playAndCompare(page: Page, act = () => playButton(page).click()): Promise<FeedPlay> {
  const shownHash = await seedHash(page).textContent()
  const shownSeed = await clientSeed(page).inputValue()
  await act()
  await expect.poll(() => seedHash(page).textContent(), SOON).not.toBe(shownHash)
  await expect.poll(async () => (await recentPlays())[0]?.seedHash, SOON).toBe(shownHash)
  const plays = await recentPlays()
  const [play] = plays
  if (!play) throw new Error('nothing was played')
  expect(play.clientSeed).toBe(shownSeed)
  const link = verifyLink(page, play)
  const paid = page.getByRole('row').filter({ has: link }).locator('.money').last()
  const paidText = `${wholeUnits(BigInt(play.payout), 'ETH')} ETH`
  expect(await paid.getAttribute('title')).toBe(paidText)
  const said = `Play ${play.nonce}: ${play.win ? 'pays' : 'lost'}`
  await page.getByRole('status').filter({ hasText: said }).waitFor()
  const won = plays.map(({ payout, amount }) => BigInt(payout) - BigInt(amount))
  const chips = won.reduce((sum, each) => sum + each, CHIPS)
  await expect.poll(() => shownChips(page), SOON).toBe(`${wholeUnits(chips, 'ETH')} ETH`)
  return play
}

const shownChips = async (page: Page) =>
  (await page.getByLabel('Your chips').locator('.money').first().getAttribute('title')) ?? ''

async function isWiderThanItsWindow(page: Page): Promise<boolean> {
  return page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth')
}

describe('mines picked all at once', () => {
  it('turns the tiles picked by mouse and all others, and the proof names the picks', async () => {
    const { page, faults } = await openGame('mines')
    await pickAllAtOnce(page)
    for (const tile of [0, 12, 24]) {
      await page.getByRole('button', { name: `Tile ${tile}`, exact: true }).click()
    }
    await page.getByRole('slider', { name: 'Mines' }).fill('2')
    const play = await playAndCompare(page)
    expect(play.meta).toMatchObject({ picked: [0, 12, 24] })
    expect(await page.getByRole('button', { name: /^Tile .*mine$/ }).count()).toBe(2)
    expect(await page.getByRole('button', { name: /^Tile .*gem$/ }).count()).toBe(23)
    await verifyLink(page, play).click()
    await page.getByText('2 mines, tiles 0, 12, 24').waitFor()
    await page.getByText(/give mines at \d+ \d+, with 0 12 24 picked$/).waitFor()
    expect(faults).toEqual([])
  })

  it('explains which choice is missing or excessive', async () => {
    const { page } = await openGame('mines')
    await pickAllAtOnce(page)
    const refusal = page.getByRole('form').getByRole('alert')
    // The button is marked as disabled, and explains why when it is pressed anyway.
    const press = () => playButton(page).click({ force: true })
    await press()
    await refusal.getByText('Pick at least one tile.').waitFor()
    await page.getByRole('button', { name: 'Pick 5 for me' }).click()
    await page.getByRole('slider', { name: 'Mines' }).fill('22')
    await press()
    await refusal.getByText('With 22 mines, pick at most 3 tiles.').waitFor()
  })
})

describe('limbo', () => {
  it('counts up to the result', async () => {
    const { page, faults } = await openGame('limbo')
    await page.getByLabel('Target', { exact: true }).fill('1.5')
    await page.getByText('66%').waitFor()
    const play = await playAndCompare(page)
    if (play.game !== 'limbo') throw new Error('this is not limbo')
    const decimals = { minimumFractionDigits: 2, maximumFractionDigits: 2 }
    const result = play.meta.result.toLocaleString('en-US', decimals)
    const shown = new RegExp(`^${result}x$`)
    await page.locator('.limbo-number .big').filter({ hasText: shown }).waitFor()
    expect(faults).toEqual([])
  })

  it('plays once if the answer is lost, even when the player presses again', async () => {
    const { page } = await openGame('limbo')
    let lost = 0
    await page.route('**/api/entropy', async (route) => {
      if (!isPlay(route.request()) || lost > 1) return route.continue()
      lost++
      await route.fetch()
      return route.abort()
    })
    const before = (await recentPlays()).length
    await playAndCompare(page, async () => {
      await playButton(page).click()
      await page.getByRole('alert').getByText('The service didn’t answer. Press again').waitFor()
      await playButton(page).click()
    })
    expect(lost).toBe(2)
    expect(await recentPlays()).toHaveLength(before + 1)
  })

  it('explains in plain words what the service refuses', async () => {
    const { page } = await openGame('limbo')
    const refusal = page.getByRole('form').getByRole('alert')
    await page.getByLabel('Amount', { exact: true }).fill('3')
    await playButton(page).click()
    await refusal.getByText('Choose an amount from 0.00005 ETH to 0.2 ETH.').waitFor()
    await page.getByRole('radio', { name: 'USDG' }).check()
    await playButton(page).click()
    await refusal.getByText('You have 0 USDG in chips. Deposit more or bet less.').waitFor()
  })
})

describe('plinko', () => {
  it("drops the ball into the bucket that pays, and shows the table's return", async () => {
    const { page, faults } = await openGame('plinko')
    await page.getByRole('radio', { name: 'high' }).check()
    await page.getByRole('slider', { name: 'Rows' }).fill('8')
    await page.getByText('Returns on average99.0625%').waitFor()
    const play = await playAndCompare(page)
    expect(play.meta).toMatchObject({ rows: 8, risk: 'high' })
    await page.locator('.bucket.landed').waitFor()
    expect(await page.locator('.bucket.landed').textContent()).toBe(`${play.multiplier}`)
    expect(await page.locator('.ball').count()).toBe(1)
    if (play.game !== 'plinko') throw new Error('this is not plinko')
    await page.getByText(`Bucket ${play.meta.bucket} (0 to 8)`, { exact: true }).waitFor()
    expect(faults).toEqual([])
  })

  it('shows one board, however quickly the rows are chosen', async () => {
    const { page } = await openGame('plinko')
    // A drag reports several values within a frame.
    await page.evaluate(`(async () => {
      const slider = document.querySelector('input[type=range]')
      for (const rows of [8, 9, 10, 11]) {
        slider.value = rows
        slider.dispatchEvent(new Event('input', { bubbles: true }))
        await new Promise((resolve) => setTimeout(resolve))
      }
    })()`)
    for (const rows of ['12', '13', '14']) {
      await page.getByRole('slider', { name: 'Rows' }).fill(rows)
      await page.getByLabel(`${rows} rows;`).waitFor()
    }
    expect(await page.locator('.plinko-board').count()).toBe(1)
  })

  it('updates the chips and the last plays once the ball has landed', async () => {
    const { page } = await openGame('plinko', { reducedMotion: 'no-preference' })
    await page.evaluate(WATCH_RESULT)
    const { payout, nonce } = await playAndCompare(page)
    const after = await shownChips(page)
    const staked = `${wholeUnits(parseEther(after.replace(' ETH', '')) - BigInt(payout), 'ETH')} ETH`
    const seen = await page.evaluate<SeenResult[]>('seen')
    const falling = seen.findIndex(({ chips }) => chips === staked)
    expect(seen[falling]).toMatchObject({ chips: staked, hasLanded: false })
    expect(seen.at(-1)).toEqual({ chips: after, newest: `Verify play ${nonce}`, hasLanded: true })
    expect(seen.slice(falling + 1).every(({ hasLanded }) => hasLanded)).toBe(true)
  })

  it('shows the ball in place at once for players who prefer reduced motion', async () => {
    const { page } = await openGame('plinko', { reducedMotion: 'reduce' })
    await recordAnimations(page)
    await playButton(page).click()
    await page.locator('.bucket.landed').waitFor()
    expect(await page.evaluate('durations')).toEqual([0])
  })
})

describe('keno', () => {
  it("is played with the keyboard alone, and shows the table's return", async () => {
    const { page, faults } = await openGame('keno')
    const one = page.getByRole('button', { name: '1', exact: true })
    await one.focus()
    await page.keyboard.press('Space')
    for (const key of ['ArrowRight', 'ArrowDown', 'Space', 'End', 'Space']) {
      await page.keyboard.press(key)
    }
    await page.getByText('Returns on average99.0182%').waitFor()
    const pressed = page.getByRole('button', { pressed: true })
    expect(await pressed.allTextContents()).toEqual(['1', '10', '16'])
    await page.keyboard.press('Tab')
    expect(await page.locator(':focus').getAttribute('value')).toBe('ETH')
    await page.keyboard.press('Tab')
    const play = await playAndCompare(page, () => page.keyboard.press('Enter'))
    expect(play.meta).toMatchObject({ picks: [1, 10, 16] })
    if (play.game !== 'keno') throw new Error('this is not keno')
    const opened = page.getByRole('button', { name: /^\d+, (hit|drawn)$/ })
    expect(await opened.allTextContents()).toEqual(
      play.meta.draws.toSorted((a, b) => a - b).map((number) => `${number}`),
    )
    // One after the other, in the order of the draw.
    await page.emulateMedia({ reducedMotion: 'no-preference' })
    const delays = await page.evaluate<string[]>(
      `[...document.querySelectorAll('.cell.drawn .cell-face, .cell.hit .cell-face')]
        .map((face) => getComputedStyle(face).animationDelay)`,
    )
    expect(new Set(delays).size).toBe(play.meta.draws.length)
    expect(faults).toEqual([])
  })

  it('takes at most ten numbers', async () => {
    const { page } = await openGame('keno')
    await page.getByRole('button', { name: 'Pick 10 for me' }).click()
    await page.getByRole('button', { pressed: false, name: /^\d+$/ }).first().click()
    expect(await page.getByRole('button', { pressed: true }).count()).toBe(10)
    await page.getByText('Remove one first').waitFor()
  })
})

describe('every play', () => {
  it('can be verified from the list, by its number, and against the commitment seen before it', async () => {
    const { page, faults } = await openGame('limbo')
    const play = await playAndCompare(page)
    await page.getByText(`before play ${play.nonce + 1} `).waitFor()
    await page.getByRole('cell', { name: `Limbo ${play.nonce}`, exact: true }).waitFor()
    await verifyLink(page, play).click()
    await page.getByRole('heading', { name: `Limbo, play ${play.nonce}`, exact: true }).waitFor()
    await page.getByText('Verified: the result is correct.').waitFor()
    await page.getByText('its seed hash is the one you saw before you played').waitFor()
    await page.getByText('its client seed is the one you sent').waitFor()
    expect(faults).toEqual([])
  })
})

describe('a play older than the newest hundred', () => {
  it('can be verified by its link, with the pay tables that paid it', async () => {
    const { address, privateKey } = devPlayer(1)
    await giveChips('ETH', CHIPS, 1)
    const player = new Player(new Client(service.baseUrl), privateKey)
    await player.signIn(await player.signInMessage())
    const game = { game: 'plinko', params: { risk: 'low' } }
    const stake = { token: 'ETH', amountWei: '50000000000000' }
    for (let nonce = 0; nonce <= 100; nonce++) await player.play({ ...game, ...stake, nonce })
    const { page, faults } = await openPage(
      browser,
      `${service.baseUrl}/#/verify/play/${address}/0`,
    )
    await page.getByText('Verified: the result is correct.').waitFor()
    await page.getByText('What the pay tables, version 1, pay for it').waitFor()
    await page.goto(`${service.baseUrl}/#/verify/play/${address}/101`)
    await page.getByRole('alert').getByText('has not made a play with this number').waitFor()
    expect(faults.filter((fault) => !fault.includes('404'))).toEqual([])
  })
})

describe('the button that plays', () => {
  it('waits for the commitment of the play', async () => {
    const { page } = await openGame('limbo')
    let letThrough = () => {}
    const held = new Promise<void>((resolve) => (letThrough = resolve))
    await page.route('**/api/entropy?**', async (route) => {
      await held
      await route.continue()
    })
    await page.reload()
    const button = page.getByRole('button', { name: /^Play for/ })
    expect(await button.getAttribute('aria-disabled')).toBe('true')
    letThrough()
    await button.click()
    await page
      .getByRole('status')
      .filter({ hasText: /Play \d+:/ })
      .waitFor()
  })
})

describe('the client seed', () => {
  it('is drawn for every play, after its commitment was shown', async () => {
    const { page } = await openGame('limbo')
    await page.addInitScript(WATCH_SEEDS)
    await page.reload()
    await commitment(page)
    const plays = [await playAndCompare(page), await playAndCompare(page)]
    const seen = await page.evaluate<string[]>('seen')
    for (const { seedHash: hash, clientSeed: seed } of plays) {
      const order = [`saw ${hash}`, `drew ${seed}`, `sent ${seed}`].map((step) =>
        seen.indexOf(step),
      )
      expect(order[0]).toBeGreaterThanOrEqual(0)
      expect(order).toEqual(order.toSorted((a, b) => a - b))
    }
    expect(plays[0]?.clientSeed).not.toBe(plays[1]?.clientSeed)
  })

  it('can be kept for every play, and the page explains the cost', async () => {
    const { page } = await openGame('limbo')
    const keep = page.getByLabel('Keep mine for every play')
    await keep.check()
    await page.getByText('the house knows this seed before it fixes its own').waitFor()
    await clientSeed(page).fill('mine, for luck')
    const first = await playAndCompare(page)
    await page.reload()
    await commitment(page)
    const second = await playAndCompare(page)
    expect([first.clientSeed, second.clientSeed]).toEqual(['mine, for luck', 'mine, for luck'])
    await keep.uncheck()
    expect((await playAndCompare(page)).clientSeed).toMatch(/^[0-9a-f]{16}$/)
  })
})

describe('every game:', () => {
  it.each(GAMES)('%s fits a phone in dark mode, with its button in reach', async (game) => {
    const { page, faults } = await openGame(game, PHONE)
    await pickIfThereArePicks(page, game)
    await playAndCompare(page, () => playButton(page).tap())
    await keepPicture(page, `${game}-phone`)
    expect(await isWiderThanItsWindow(page)).toBe(false)
    const picture = await page.getByRole('region', { name: game }).boundingBox()
    const button = await playButton(page).boundingBox()
    if (!picture || !button) throw new Error('the game is out of sight')
    expect(picture.y).toBeGreaterThanOrEqual(0)
    expect(picture.y + picture.height).toBeLessThanOrEqual(button.y)
    expect(button.y + button.height).toBeLessThanOrEqual(844)
    expect(await barriers(page)).toEqual([])
    expect(faults).toEqual([])
  })

  it.each(GAMES)('%s has no accessibility violations in light mode', async (game) => {
    const { page } = await openGame(game, DESKTOP)
    await pickIfThereArePicks(page, game)
    expect(await barriers(page)).toEqual([])
    await playAndCompare(page)
    await keepPicture(page, `${game}-desktop`)
    expect(await barriers(page)).toEqual([])
  })
})

async function pickAllAtOnce(page: Page): Promise<void> {
  await page.getByRole('radio', { name: 'all at once' }).check()
}

async function pickIfThereArePicks(page: Page, game: string): Promise<void> {
  if (game === 'mines') await pickAllAtOnce(page)
  const pick = page.getByRole('button', { name: /for me$/ })
  if ((await pick.count()) > 0) await pick.click()
}
