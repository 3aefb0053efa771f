import { p256 } from '@noble/curves/nist'
import { sha256 } from '@noble/hashes/sha2'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { toBase64Url } from '../../../src/core/base64.ts'
import { utf8 } from '../../../src/core/utf8.ts'
import { thumbprintOf } from '../../../src/receipts/jws.ts'
import { inBrowser } from './in-browser.ts'

const WALLET = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const FACTS = { kind: 'bet', roundId: 7, token: 'ETH', amountWei: '100', autoCashout: null }

const [house, stranger] = [keyOf(1), keyOf(2)]

function keyOf(secret: number) {
  const key = Uint8Array.from({ length: 32 }, (_, index) => (index === 31 ? secret : 0))
  const point = p256.getPublicKey(key, false)
  const [x, y] = [toBase64Url(point.slice(1, 33)), toBase64Url(point.slice(33))]
  return { key, x, y, kid: thumbprintOf({ x, y }) }
}

function signed(claims: object, by = house, kid = by.kid): string {
  const part = (value: object) => toBase64Url(utf8(JSON.stringify(value)))
  const text = `${part({ alg: 'ES256', typ: 'fairhouse-receipt+jwt', kid })}.${part(claims)}`
  const signature = p256.sign(sha256(utf8(text)), by.key).toCompactRawBytes()
  return `${text}.${toBase64Url(signature)}`
}

const ISSUED = {
  iss: 'https://play.test',
  chainId: 1,
  seq: 1,
  entry: 'ab'.repeat(32),
  owed: { ETH: '5', USDG: '0' },
  terms: 'cd'.repeat(32),
}
const CLAIMS = { sub: WALLET.toLowerCase(), iat: 1, ...ISSUED, ...FACTS }

let published: object[]
let problemOf: typeof import('../../../src/play/receipt-check.ts').problemOf

beforeEach(async () => {
  inBrowser()
  published = [house]
  vi.stubGlobal('fetch', async () => Response.json({ keys: published }))
  ;({ problemOf } = await import('../../../src/play/receipt-check.ts'))
})

describe('a receipt, as soon as it arrives', () => {
  it('is fine if the house has signed what the page was told', async () => {
    expect(await problemOf(signed(CLAIMS), WALLET, FACTS)).toBeNull()
  })

  it.each([
    ['another stake', { amountWei: '99' }, 'amountWei'],
    ['another wallet', { sub: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8' }, 'sub'],
    ['an auto-cash-out that was not set', { autoCashout: 2 }, 'autoCashout'],
    ['nothing about the round', { roundId: undefined }, 'roundId'],
  ])('proves nothing with %s', async (_what, change, name) => {
    const problem = await problemOf(signed({ ...CLAIMS, ...change }), WALLET, FACTS)
    expect(problem).toContain(`“${name}”`)
  })

  it.each([
    ['the key of somebody else', signed(CLAIMS, stranger)],
    ['the key of somebody else under the name of the house’s', signed(CLAIMS, stranger, house.kid)],
    ['no key', 'not a receipt'],
  ])('proves nothing if it is signed with %s', async (_what, receipt) => {
    expect(await problemOf(receipt, WALLET, FACTS)).toBe('no key of the house has signed it')
  })

  it('proves nothing without what every receipt says, or once its key had expired', async () => {
    const { entry: _, ...lacking } = CLAIMS
    expect(await problemOf(signed(lacking), WALLET, FACTS)).toBe('it is not a receipt')
    expect(await problemOf(signed({}), WALLET, FACTS)).toBe('it is not a receipt')
    published = [{ ...house, exp: 0 }]
    vi.resetModules()
    ;({ problemOf } = await import('../../../src/play/receipt-check.ts'))
    expect(await problemOf(signed(CLAIMS), WALLET, FACTS)).toBe('its key had expired')
  })

  it.each([
    ['a time that is no number', { iat: 'soon' }],
    ['text in place of a number', { seq: 'one' }],
    ['an entry that is no hash', { entry: 0 }],
    ['terms that are no hash', { terms: 'x' }],
    ['no chain', { chainId: 0 }],
    ['nothing owed', { owed: undefined }],
    ['a negative amount owed', { owed: { ETH: '5', USDG: '-1' } }],
    ['nothing owed of a token', { owed: { ETH: '5' } }],
    ['an amount owed for both tokens', { owed: '5' }],
  ])('proves nothing with %s, because the verifier refuses it', async (_what, change) => {
    const receipt = signed({ ...CLAIMS, ...change })
    expect(await problemOf(receipt, WALLET, FACTS)).toBe('it is not a receipt')
  })

  it.each(['https://mirror.test', 'https://play.test/'])(
    'proves nothing if it is issued by %s, which is not the origin of the page',
    async (iss) => {
      const receipt = signed({ ...CLAIMS, iss })
      expect(await problemOf(receipt, WALLET, FACTS)).toBe('it is of another site')
    },
  )

  it('is dated at most a day later than the device’s clock, which may be wrong by hours', async () => {
    vi.useFakeTimers({ now: 0, toFake: ['Date'] })
    const dated = (iat: number) => problemOf(signed({ ...CLAIMS, iat }), WALLET, FACTS)
    expect(await dated(86_400)).toBeNull()
    expect(await dated(86_401)).toContain('more than a day later')
    vi.useRealTimers()
  })

  it('is missed if the house has keys, or has had any', async () => {
    expect(await problemOf(undefined, WALLET, FACTS)).toBe('the house has not signed it')
    published = []
    expect(await problemOf(undefined, WALLET, FACTS)).toBe('the house has not signed it')
  })

  it('is not missed at a house without keys, unless it has given receipts', async () => {
    published = []
    expect(await problemOf(undefined, WALLET, FACTS)).toBeNull()
    const { keepReceipt } = await import('../../../src/play/receipts.ts')
    keepReceipt(WALLET, 'bet/6', signed(CLAIMS))
    expect(await problemOf(undefined, WALLET, FACTS)).toBe('the house has not signed it')
  })

  it('may be signed with a key that was published since the page was opened', async () => {
    await problemOf(signed(CLAIMS), WALLET, FACTS)
    published = [stranger, house]
    expect(await problemOf(signed(CLAIMS, stranger), WALLET, FACTS)).toBeNull()
  })

  it('is not doubted while the keys can’t be read', async () => {
    vi.stubGlobal('fetch', async () => Response.json({ ok: false, error: {} }, { status: 503 }))
    expect(await problemOf(signed(CLAIMS), WALLET, FACTS)).toBeNull()
  })
})
