import { afterEach, expect, it, vi } from 'vitest'
import { inBrowser } from '../in-browser.ts'

const load = () => import('../../../../src/play/games/client-seed.ts')

afterEach(() => void vi.unstubAllGlobals())

it('a client seed of the player’s own is read back as it was typed', async () => {
  inBrowser().set('fairhouse.keptClientSeed', '007')
  const { keptSeed, keepSeed } = await load()
  expect(keptSeed.value).toBe('007')
  keepSeed('mine')
  expect(localStorage.getItem('fairhouse.keptClientSeed')).toBe('mine')
})

it('a client seed can be chosen where the browser blocks storage', async () => {
  inBrowser()
  Object.defineProperty(globalThis, 'localStorage', {
    configurable: true,
    get() {
      throw new DOMException('denied', 'SecurityError')
    },
  })
  const { keptSeed, keepSeed } = await load()
  expect(keptSeed.value).toBeNull()
  keepSeed('mine')
  expect(keptSeed.value).toBe('mine')
})
