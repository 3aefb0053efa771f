import type { Page } from 'playwright-core'

/** What answers a wallet's requests, in the test's own process. */
export type Request = (method: string, params: unknown[]) => Promise<unknown>

export interface TestWallet {
  name: string
  rdns: string
  icon?: string
  request: Request
  /** Announces itself only when `announceLate()` is called in the page. */
  isLate?: boolean
}

/** An error of EIP-1193. */
export class WalletFault extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

export const svg = (colour: string): string =>
  `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" fill="${colour}"/></svg>`)}`

/** Gives a page wallets that announce themselves (EIP-6963), and reloads it. */
export async function announceWallets(page: Page, wallets: TestWallet[]): Promise<void> {
  const answer = async (rdns: string, method: string, params: unknown[]) => {
    try {
      return { result: await wallets.find((each) => each.rdns === rdns)?.request(method, params) }
    } catch (fault) {
      const { code = -32_603, message } = fault as { code?: number; message: string }
      return { error: { code, message } }
    }
  }
  await page.exposeFunction('askWallet', answer)
  const infos = wallets.map(({ name, rdns, icon = svg('green'), isLate = false }) => ({
    name,
    rdns,
    icon,
    isLate,
    uuid: `uuid of ${rdns}`,
  }))
  await page.addInitScript(`{
    const announce = ({ isLate, ...info }) => {
      const provider = {
        async request({ method, params = [] }) {
          const { result, error } = await askWallet(info.rdns, method, params)
          if (error) throw error
          return result
        },
      }
      const detail = Object.freeze({ info, provider })
      dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
    }
    const infos = ${JSON.stringify(infos)}
    addEventListener('eip6963:requestProvider', () =>
      infos.filter(({ isLate }) => !isLate).forEach(announce))
    globalThis.announceLate = () => infos.forEach(announce)
  }`)
  await page.reload()
}
