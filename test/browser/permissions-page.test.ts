import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { sign, soundToken } from '../../src/certify/token.ts'
import { devPartnerKeys, OTHER_DEV_PARTNER } from '../../src/cli/shared/dev-partners.ts'
import { barriers, keepPicture, onEveryScreen, openPage } from './page.ts'
import { browser, giveChips, PLAYER, service, useService } from './stories.ts'

useService({ PARTNER_KEYS: devPartnerKeys() })
beforeAll(() => giveChips('USDG', 50_000_000n))

function post(path: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${service.baseUrl}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
}

/** Debits some dollars for the partner. Returns "done", or the code of the refusal. */
async function debit(amountWei: string): Promise<string> {
  const body = {
    playerId: PLAYER,
    currency: 'USDG',
    partnerTransactionId: randomUUID(),
    amountWei,
  }
  const token = sign(soundToken(OTHER_DEV_PARTNER, JSON.stringify(body)))
  const response = await post('/api/wallet/transaction', body, { authorization: `Bearer ${token}` })
  const answer: { error?: { code: string } } = await response.json()
  return answer.error?.code ?? 'done'
}

const partner = (page: Page) => page.getByRole('region', { name: 'demo-two' })

describe('a player with the development wallet', () => {
  it("permits a partner's debits on the page, sees one, and revokes the permission", async () => {
    const { page, faults } = await openPage(browser, service.baseUrl)
    await page.getByRole('banner').getByRole('button', { name: 'Development wallet' }).click()
    await page.locator('.menu summary').click()
    await page.getByRole('link', { name: 'Partner permissions' }).click()
    expect(page.url()).toContain('#/permissions')
    await page.reload()
    await partner(page).getByText('Cannot take USDG').waitFor()
    expect(await debit('-2000000')).toBe('permission_required')

    await partner(page).getByRole('button', { name: 'Allow USDG' }).click()
    await partner(page).getByRole('alert').getByText('Enter a daily limit in USDG').waitFor()
    await partner(page).getByLabel('Daily limit').fill('5')
    await partner(page).getByRole('button', { name: 'Allow USDG' }).click()
    await partner(page).getByText('Can take up to 5 USDG in 24 hours, until').waitFor()
    expect(await debit('-2000000')).toBe('done')
    expect(await debit('-3000001')).toBe('payout_limit')
    await partner(page).getByText('Taken in the last 24 hours: 2 USDG').waitFor()
    await onEveryScreen(page, async (screen) => {
      await keepPicture(page, `permissions-${screen}`)
      expect(await barriers(page)).toEqual([])
    })

    await partner(page).getByRole('button', { name: 'Revoke USDG for demo-two' }).click()
    await partner(page).getByText('Cannot take USDG').waitFor()
    expect(await debit('-1000000')).toBe('permission_required')
    expect(faults).toEqual([])
  })
})
