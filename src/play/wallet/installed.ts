import { untilAnswered } from '../pause.ts'
import { readKept, writeKept } from '../storage.ts'
import { Store } from '../store.ts'
import type { Provider } from './wallet.ts'

/** A wallet in this browser. Everything except its provider is the wallet's own claim. */
export interface InstalledWallet {
  /** Identifies the wallet while the page is open. */
  id: string
  name: string
  /** A data URI of an image; null if the wallet announced none. */
  icon: string | null
  /** Identifies the wallet across visits, such as `io.metamask`; null if it doesn't announce itself. */
  rdns: string | null
  provider: Provider
}

const MAX_WALLETS = 20
const MAX_NAME_CHARS = 40
const MAX_RDNS_CHARS = 100
const MAX_ICON_CHARS = 200_000

/** Only ever the source of an `<img>`, where an SVG neither runs scripts nor loads anything. */
const ICON = /^data:image\/(?:png|svg\+xml|webp|jpeg|gif)[;,]/i

/** Invisible characters and those that change the direction of text, with which one name can imitate another. */
const UNSEEN = /[\p{Cc}\p{Cf}]/gu

/** How long a wallet that was used before may take to announce itself. */
const ANNOUNCED_WITHIN_MS = 2_000

const LAST_USED = 'fairhouse.wallet'

/** The wallets that announced themselves (EIP-6963), the last used first. */
export const announced = new Store<InstalledWallet[]>([])

/** Collects wallets as they announce themselves, and asks those that did so earlier to repeat it. */
export function watchWallets(page: EventTarget): void {
  page.addEventListener('eip6963:announceProvider', (event) => {
    const wallet = readAnnouncement((event as CustomEvent<unknown>).detail)
    if (wallet) announced.set(withWallet(announced.value, wallet, readKept(LAST_USED)))
  })
  page.dispatchEvent(new Event('eip6963:requestProvider'))
}

/**
 * Returns the browser's wallets: those announced, and the one that injects itself in the old way, unless it is one of
 * them.
 */
export function installedWallets(): InstalledWallet[] {
  const { ethereum: provider } = globalThis as { ethereum?: Provider }
  const isKnown = announced.value.some((wallet) => wallet.provider === provider)
  if (!provider || isKnown) return announced.value
  const injected = { id: 'ethereum', name: 'Browser wallet', icon: null, rdns: null, provider }
  return [...announced.value, injected]
}

/** Puts this wallet first from now on. */
export function rememberWallet({ rdns }: InstalledWallet): void {
  writeKept(LAST_USED, rdns)
}

/**
 * Returns the wallet of an earlier visit, which may not have announced itself yet; null if it is gone.
 * @param rdns null for the one that injected itself, whether or not it announces itself today
 */
export function findWallet(rdns: string | null): Promise<InstalledWallet | null> {
  const { ethereum } = globalThis as { ethereum?: Provider }
  const isIt = (wallet: InstalledWallet) =>
    rdns === null ? wallet.provider === ethereum : wallet.rdns === rdns
  const find = async () => installedWallets().find(isIt) ?? null
  return untilAnswered(find, rdns === null ? 0 : ANNOUNCED_WITHIN_MS)
}

/** Reads a wallet's announcement, which any script of the page may have made; null if it isn't a wallet. */
export function readAnnouncement(detail: unknown): InstalledWallet | null {
  const { info, provider } = (detail ?? {}) as {
    info?: Record<string, unknown>
    provider?: Provider
  }
  const id = text(info?.['uuid'], MAX_RDNS_CHARS)
  const name = text(info?.['name'], MAX_NAME_CHARS)
  const rdns = text(info?.['rdns'], MAX_RDNS_CHARS)
  if (!id || !name || !rdns || typeof provider?.request !== 'function') return null
  const icon = info?.['icon']
  const isImage = typeof icon === 'string' && icon.length <= MAX_ICON_CHARS && ICON.test(icon)
  return { id, name, icon: isImage ? icon : null, rdns, provider }
}

/** Returns the list with one wallet more. A repeated announcement changes nothing. */
export function withWallet(
  wallets: InstalledWallet[],
  wallet: InstalledWallet,
  lastUsed: string | null,
): InstalledWallet[] {
  const isKnown = wallets.some(({ id }) => id === wallet.id)
  if (isKnown || wallets.length === MAX_WALLETS) return wallets
  return wallet.rdns === lastUsed ? [wallet, ...wallets] : [...wallets, wallet]
}

function text(value: unknown, maxChars: number): string {
  return typeof value === 'string' ? value.replace(UNSEEN, '').trim().slice(0, maxChars) : ''
}
