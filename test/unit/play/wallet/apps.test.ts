import { describe, expect, it } from 'vitest'
import { isPhone, WALLET_APPS } from '../../../../src/play/wallet/apps.ts'

describe('a link into a wallet’s own browser', () => {
  it('keeps the page and its view, in the form that the wallet documents', () => {
    const page = new URL('https://play.example.com/?a=1&b=2#/mines')
    expect(WALLET_APPS.map(({ name, link }) => [name, link(page)])).toEqual([
      ['MetaMask', 'https://link.metamask.io/dapp/play.example.com/?a=1&b=2#/mines'],
      [
        'Coinbase Wallet',
        'https://go.cb-w.com/dapp?cb_url=https%3A%2F%2Fplay.example.com%2F%3Fa%3D1%26b%3D2%23%2Fmines',
      ],
      [
        'Trust Wallet',
        'https://link.trustwallet.com/open_url?coin_id=60&url=https%3A%2F%2Fplay.example.com%2F%3Fa%3D1%26b%3D2%23%2Fmines',
      ],
      [
        'OKX Wallet',
        'https://web3.okx.com/download?deeplink=okx%3A%2F%2Fwallet%2Fdapp%2Furl%3FdappUrl%3Dhttps%253A%252F%252Fplay.example.com%252F%253Fa%253D1%2526b%253D2%2523%252Fmines',
      ],
      [
        'Phantom',
        'https://phantom.app/ul/browse/https%3A%2F%2Fplay.example.com%2F%3Fa%3D1%26b%3D2%23%2Fmines?ref=https%3A%2F%2Fplay.example.com',
      ],
    ])
  })
})

describe('a phone or tablet', () => {
  it.each<[string, number, boolean]>([
    ['Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X)', 5, true],
    ['Mozilla/5.0 (Linux; Android 15; Pixel 9)', 5, true],
    ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)', 5, true],
    ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)', 0, false],
    ['Mozilla/5.0 (Windows NT 10.0; Win64; x64)', 10, false],
  ])('is told apart from a computer: %s with %d touch points', (userAgent, maxTouchPoints, is) => {
    expect(isPhone({ userAgent, maxTouchPoints })).toBe(is)
  })
})
