/** A wallet app with a browser of its own, in which the page finds its wallet. */
interface WalletApp {
  name: string
  /** Returns the documented link that opens a page in the app, or the app's download page. */
  link: (page: URL) => string
}

const part = encodeURIComponent

/**
 * Only links that the wallets document. Each keeps the hash, which selects the page's view. Rainbow documents links
 * for WalletConnect only.
 */
export const WALLET_APPS: WalletApp[] = [
  {
    // https://docs.metamask.io/metamask-connect/evm/guides/metamask-exclusive/use-deeplinks/
    // The address follows as it is, without its scheme: MetaMask doesn't decode it.
    name: 'MetaMask',
    link: ({ host, pathname, search, hash }) =>
      `https://link.metamask.io/dapp/${host}${pathname}${search}${hash}`,
  },
  {
    // https://docs.cdp.coinbase.com/coinbase-wallet/developer-guidance/mobile-dapp-integration
    name: 'Coinbase Wallet',
    link: ({ href }) => `https://go.cb-w.com/dapp?cb_url=${part(href)}`,
  },
  {
    // https://developer.trustwallet.com/developer/develop-for-trust/deeplinking (60 is Ethereum in SLIP-44)
    name: 'Trust Wallet',
    link: ({ href }) => `https://link.trustwallet.com/open_url?coin_id=60&url=${part(href)}`,
  },
  {
    // https://web3.okx.com/build/docs/waas/app-universal-link
    name: 'OKX Wallet',
    link: ({ href }) =>
      `https://web3.okx.com/download?deeplink=${part(`okx://wallet/dapp/url?dappUrl=${part(href)}`)}`,
  },
  {
    // https://docs.phantom.com/phantom-deeplinks/other-methods/browse
    name: 'Phantom',
    link: ({ href, origin }) => `https://phantom.app/ul/browse/${part(href)}?ref=${part(origin)}`,
  },
]

/** Returns whether a device is a phone or tablet, where a wallet is an app and not an extension. */
export function isPhone({ userAgent, maxTouchPoints }: Device): boolean {
  // An iPad says that it is a Mac. No Mac has a touch screen.
  const isPad = userAgent.includes('Macintosh') && maxTouchPoints > 1
  return isPad || /Android|iPhone|iPad|iPod/i.test(userAgent)
}

/** The part of the browser's `navigator` that tells. */
interface Device {
  userAgent: string
  maxTouchPoints: number
}
