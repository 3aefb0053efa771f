import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  announced,
  findWallet,
  installedWallets,
  readAnnouncement,
  watchWallets,
  withWallet,
  type InstalledWallet,
} from '../../../../src/play/wallet/installed.ts'

const provider = { request: async () => null }
const icon = 'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg"/>'
const info = { uuid: '1', name: 'Fox', rdns: 'test.fox', icon }

const read = (fields: object) => readAnnouncement({ info: { ...info, ...fields }, provider })
const wallet = (id: string, rdns: string): InstalledWallet => ({
  id,
  rdns,
  provider,
  name: id,
  icon: null,
})

afterEach(() => {
  announced.set([])
  vi.unstubAllGlobals()
})

describe('an announcement of a wallet', () => {
  it('is read with its name, icon and identity', () => {
    expect(read({})).toEqual({ id: '1', name: 'Fox', icon, rdns: 'test.fox', provider })
  })

  it.each<[string, unknown]>([
    ['is empty', undefined],
    ['has no provider', { info }],
    ['has a provider without requests', { info, provider: {} }],
    ['has no name', { info: { ...info, name: ' ' }, provider }],
    ['has a name that is no text', { info: { ...info, name: 7 }, provider }],
    ['has no identity', { info: { ...info, rdns: '' }, provider }],
    ['has no uuid', { info: { ...info, uuid: undefined }, provider }],
  ])('is ignored if it %s', (_what, detail) => {
    expect(readAnnouncement(detail)).toBeNull()
  })

  it.each([
    'https://wallet.test/icon.png',
    'javascript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    ' data:image/png;base64,AA==',
    `data:image/png;base64,${'A'.repeat(200_000)}`,
    undefined,
  ])('shows no icon that is not a small image in a data URI: %.40s', (untrusted) => {
    expect(read({ icon: untrusted })?.icon).toBeNull()
  })

  it('loses invisible characters and what is too long in its name', () => {
    expect(read({ name: 'F\u202eo\u200bx\u0007' })?.name).toBe('Fox')
    expect(read({ name: 'x'.repeat(1_000) })?.name).toHaveLength(40)
  })
})

describe('the list of wallets', () => {
  it('has each announced wallet once, the last used first', () => {
    const fox = wallet('1', 'test.fox')
    const owl = wallet('2', 'test.owl')
    expect(withWallet([fox], wallet('1', 'test.other'), null)).toEqual([fox])
    expect(withWallet([fox], owl, null)).toEqual([fox, owl])
    expect(withWallet([fox], owl, 'test.owl')).toEqual([owl, fox])
  })

  it('does not grow without end', () => {
    let wallets: InstalledWallet[] = []
    for (let at = 0; at < 1_000; at++) wallets = withWallet(wallets, wallet(`${at}`, 'a.b'), null)
    expect(wallets).toHaveLength(20)
  })

  it('has the wallet that injects itself beside those announced, but none twice', async () => {
    expect(installedWallets()).toEqual([])
    const injected = { request: async () => null }
    vi.stubGlobal('ethereum', injected)
    expect(installedWallets()).toMatchObject([{ rdns: null, name: 'Browser wallet' }])
    announced.set([wallet('1', 'test.fox')])
    expect(installedWallets().map(({ rdns }) => rdns)).toEqual(['test.fox', null])
    announced.set([wallet('1', 'test.fox'), { ...wallet('2', 'test.owl'), provider: injected }])
    expect(installedWallets().map(({ rdns }) => rdns)).toEqual(['test.fox', 'test.owl'])
    expect(await findWallet(null)).toMatchObject({ rdns: 'test.owl' })
  })

  it('gets wallets that announce themselves early, on request, and late', () => {
    const page = new EventTarget()
    const announce = (uuid: string) => {
      const detail = { info: { ...info, uuid, rdns: `test.${uuid}` }, provider }
      page.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
    }
    page.addEventListener('eip6963:requestProvider', () => announce('early'))
    watchWallets(page)
    expect(installedWallets().map(({ rdns }) => rdns)).toEqual(['test.early'])
    announce('late')
    expect(installedWallets().map(({ rdns }) => rdns)).toEqual(['test.early', 'test.late'])
  })
})
