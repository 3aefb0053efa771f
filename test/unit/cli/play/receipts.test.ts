import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { Receipts, type KnownFacts } from '../../../../src/cli/play/receipts.ts'
import { ISS, KEYS, sign, withdrawalReceipt } from '../../support/receipts.ts'

const WALLET = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const KNOWN: KnownFacts = { kind: 'withdrawal', nonce: 0, token: 'ETH', amountWei: '5' }

let folder: string

beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), 'fairhouse-receipts-'))))
afterAll(() => rm(folder, { recursive: true, force: true }))

beforeEach(() => passSince(0))
afterEach(() => void vi.useRealTimers())

/** Has this machine's clock show a time after the receipts were issued. */
function passSince(ms: number): void {
  vi.useFakeTimers({ now: withdrawalReceipt.iat * 1_000 + ms, toFake: ['Date'] })
}

const receiptsAt = (origin: string, keys = KEYS, wallet = WALLET) =>
  new Receipts(wallet, { origin: new URL(origin), keys, folder })

const failed = async (receipts: Receipts, text?: string, known = KNOWN) =>
  (await receipts.check(text, known)).flatMap(({ claim, holds }) => (holds ? [] : [claim]))

describe('the receipts of a player in the terminal', () => {
  it('pass, and are saved by their key', async () => {
    const text = await sign(withdrawalReceipt)
    const [check, ...others] = await receiptsAt(ISS).check(text, KNOWN)
    expect(others).toEqual([])
    expect(check).toEqual({
      claim: 'the receipt of your withdrawal is signed and says what you sent and saw',
      holds: true,
    })
    const saved = await readFile(join(folder, `${KEYS[0]?.kid}.txt`), 'utf8')
    expect(saved.split('\n')).toContain(text)
  })

  it('fail if they say something else, or are of another wallet or site', async () => {
    const text = await sign(withdrawalReceipt)
    const asked = { ...KNOWN, amountWei: '6' }
    expect(await failed(receiptsAt(ISS), text, asked)).toEqual([
      'the receipt of your withdrawal has another amountWei: "5"',
    ])
    const other = `0x${'1'.repeat(40)}`
    expect(await failed(receiptsAt(ISS, KEYS, other), text)).toEqual([
      expect.stringContaining('has another sub'),
    ])
    expect(await failed(receiptsAt('https://other.test'), text)).toEqual([
      `the receipt of your withdrawal is of ${ISS}`,
    ])
  })

  it('fail if another key signed them', async () => {
    const text = await sign(withdrawalReceipt)
    expect(await failed(receiptsAt(ISS, KEYS.slice(1)), text)).toEqual([
      expect.stringContaining('it is signed with the key'),
    ])
  })

  it('fail if they are dated later than the clock of this machine, by more than clocks differ', async () => {
    const text = await sign(withdrawalReceipt)
    passSince(-3_600_000)
    expect(await failed(receiptsAt(ISS), text)).toEqual([])
    passSince(-3_600_001)
    expect(await failed(receiptsAt(ISS), text)).toEqual([
      'the receipt of your withdrawal is dated 2027-01-15T08:00:00.000Z, later than your own clock',
    ])
  })

  it('are missing only at a site with keys', async () => {
    expect(await failed(receiptsAt(ISS))).toEqual(['you got a receipt of your withdrawal'])
    expect(await receiptsAt(ISS, []).check(undefined, KNOWN)).toEqual([])
  })
})
