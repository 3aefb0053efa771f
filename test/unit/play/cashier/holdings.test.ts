import { afterEach, expect, it, vi } from 'vitest'
import type { PublicChain } from '../../../../src/vault/table-config.ts'
import { inBrowser } from '../in-browser.ts'

const CHAIN = { usdg: `0x${'7c'.repeat(20)}` } as PublicChain
const [ALICE, BOB] = [`0x${'11'.repeat(20)}`, `0x${'22'.repeat(20)}`]

afterEach(() => void vi.unstubAllGlobals())

it('the balances of a wallet are not shown to the next one while the chain does not answer', async () => {
  inBrowser()
  const { session } = await import('../../../../src/play/session.ts')
  const { holdings, readHoldings } = await import('../../../../src/play/cashier/holdings.ts')
  vi.stubGlobal('fetch', async () => Response.json({ jsonrpc: '2.0', id: 1, result: '0x5' }))
  session.patch({ credentials: { wallet: ALICE, authSig: '0x' } })
  await readHoldings(CHAIN)
  vi.stubGlobal('fetch', async () => {
    throw new TypeError('no network')
  })
  await readHoldings(CHAIN)
  expect(holdings.value).toEqual({ ETH: 5n, USDG: 5n })
  session.patch({ credentials: { wallet: BOB, authSig: '0x' } })
  await readHoldings(CHAIN)
  expect(holdings.value).toBeNull()
})
