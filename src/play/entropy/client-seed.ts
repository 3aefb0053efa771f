import { Store } from '../store.ts'

const KEY = 'fairhouse.clientSeed'
const RANDOM_BYTES = 8

/** The player's part in every result: a random one until the player writes another. */
export const clientSeed = new Store(localStorage.getItem(KEY) ?? keep(randomClientSeed()))

export function setClientSeed(text: string): void {
  clientSeed.set(keep(text))
}

/** What the service takes: 1 to 64 printable ASCII characters. */
export function isClientSeed(text: string): boolean {
  return /^[\x20-\x7e]{1,64}$/.test(text)
}

export function randomClientSeed(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(RANDOM_BYTES))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** What the service would not take is not kept beyond this page. */
function keep(text: string): string {
  if (isClientSeed(text)) localStorage.setItem(KEY, text)
  return text
}
