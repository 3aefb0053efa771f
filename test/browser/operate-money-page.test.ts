import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { answerWith, expectSuitable, openAs, sign } from './operators.ts'
import { PLAYER, useService } from './stories.ts'

useService((origin) => ({ SITE_DOMAIN: new URL(origin).host, SITE_ORIGIN: origin }))

const AT = Date.UTC(2026, 10, 22, 12)

const EVEN = {
  holdings: '0',
  unbooked: '0',
  owed: '0',
  partners: '0',
  house: '0',
  faucet: '0',
  inFlight: '0',
  drift: '0',
  driftingSince: null,
}

const USDG = {
  ...EVEN,
  holdings: '100000000',
  owed: '75000000',
  partners: '-500000',
  house: '25500005',
  drift: '-5',
  driftingSince: AT,
  unbooked: '2000000',
}

const drift = { token: 'USDG', place: PLAYER, amountWei: '-5', since: AT, until: null }

const reconciliation = {
  at: AT,
  block: 21_000_000,
  blockHash: `0x${'a'.repeat(64)}`,
  books: { ETH: EVEN, USDG },
  drifts: [drift],
  ended: [{ ...drift, place: 'vault', until: AT + 60_000 }],
}

const row = {
  day: '2026-11-21',
  asset: 'USDG',
  kind: 'game',
  name: 'keno',
  wagered: '123456789',
  returned: '100000000',
  ggr: '23456789',
  fees: '0',
  prizes: '0',
  gas: '0',
  losses: '0',
  restored: '0',
}

const books = {
  days: [
    {
      day: '2026-11-21',
      countedAt: AT,
      isClosed: true,
      wallets: 2,
      entries: 9,
      problems: [`${PLAYER}: wagered of USDG`],
    },
  ],
  rows: [
    row,
    { ...row, kind: 'partner', name: 'acme', wagered: '7', returned: '0', ggr: '7' },
    { ...row, asset: 'AAPL', kind: 'house', name: 'house', prizes: '1000', ggr: '0' },
  ],
  lines: [],
}

it('shows what the vault holds and who owns it, each drift, and the books of each day', async () => {
  const { page, faults } = await openAs('Viewer')
  await answerWith(page, /operate\/reconciliation/, { reconciliation })
  await answerWith(page, /operate\/books/, books)
  await page.clock.install()
  await page.getByRole('link', { name: 'Money' }).click()
  const vault = page.getByRole('region', { name: 'The vault against the ledgers' })
  await vault.getByText('-0.000005 USDG').first().waitFor()
  const now = vault.getByRole('table', { name: 'Drifts now' })
  expect(await now.getByRole('link').getAttribute('href')).toBe(`#/players/${PLAYER}`)
  const table = page.getByRole('table', { name: /^Books by day/ })
  const cells = await table.getByRole('row').nth(1).getByRole('cell').allInnerTexts()
  expect(cells).toEqual([
    'USDG',
    'keno',
    '123.456789',
    '100',
    '23.456789',
    ...Array.from({ length: 5 }, () => '–'),
  ])
  await page.getByText('2026-11-21 is not what the journals amount to:').waitFor()
  expect(await page.getByRole('button', { name: /Count/ }).count()).toBe(0)
  await expectSuitable(page, 'operate-money')
  const late = { ...reconciliation, books: { ETH: EVEN, USDG: { ...USDG, holdings: '777000000' } } }
  await answerWith(page, /operate\/reconciliation/, { reconciliation: late })
  await page.clock.fastForward(30_000)
  await vault.getByText('777', { exact: true }).waitFor()
  const busy = { ok: false, error: { code: 'internal', message: 'Try again.' } }
  await answerWith(page, /operate\/reconciliation/, busy)
  await page.clock.fastForward(30_000)
  await page.getByText(busy.error.message).waitFor()
  await vault.getByText('777', { exact: true }).waitFor()
  expect(faults).toEqual([])
})

it('saves the books that are shown as CSV, in smallest units', async () => {
  const { page } = await openAs('Viewer', 'money')
  await answerWith(page, /operate\/books/, books)
  await page.getByLabel('From').fill('2026-11-01')
  await page.getByLabel('Of').selectOption('Partners')
  await page.getByText('Partner acme').waitFor()
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download CSV' }).click()
  const file = await readFile(await (await saved).path(), 'utf8')
  expect(file).toBe(
    'day,asset,kind,name,wagered,returned,ggr,fees,prizes,gas,losses,restored\r\n2026-11-21,USDG,partner,acme,7,0,7,0,0,0,0,0\r\n',
  )
})

it('says what a service without a vault lacks', async () => {
  const { page } = await openAs('Viewer', 'money')
  await page.getByText('Configure VAULT_ADDRESS').waitFor()
  await page.getByText(/^Nothing was counted on these days/).waitFor()
})

it('has an admin count a day again', async () => {
  const { page } = await openAs('Admin', 'money')
  await answerWith(page, /operate\/books/, books)
  await page.getByLabel('From').fill('2026-11-01')
  await page.getByRole('button', { name: 'Count 2026-11-21 again' }).click()
  await sign(page, 'reproject books:2026-11-21')
  await page.getByText(/The books of 2026-11-21 are being counted/).waitFor()
})
