import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { verifyResultsCommand } from '../../../../src/cli/verify/results.ts'
import { commitmentOf } from '../../../../src/fairness/seed.ts'
import { seedEntry, seedHashEntry } from '../../../../src/lootbox/log-entries.ts'
import { paymentMessage, rollOf, tierOfRoll } from '../../../../src/lootbox/prizes.ts'
import { spinId, spinMessage } from '../../../../src/lootbox/spin.ts'
import type { LogEntry } from '../../../../src/transparency/entry.ts'
import { predecessorEntry } from '../../../../src/transparency/predecessor.ts'
import { PaymentNode } from '../../support/payment-node.ts'
import { House, SITE } from '../monitor/house.ts'

const WALLET = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const STRANGER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const POOL = '0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0'
const DAY = '2026-11-20'
const PAID_AT = Date.parse(`${DAY}T12:00Z`)
const DISCLOSED_AT = Date.parse('2026-11-21T00:10Z')
const SEED = '5e'.repeat(32)
const PAYMENT = `0x${'ab'.repeat(32)}`
const ODDS = [6_000, 3_000, 990, 10]
const TIERS = ODDS.map((bps) => ({ bps }))
const MINED_IN = `0x${'cd'.repeat(32)}`
const OTHER_BLOCK = `0x${'ef'.repeat(32)}`

/** Returns the opening that a block gives. */
function openedIn(blockHash: string) {
  const roll = rollOf(SEED, paymentMessage(PAYMENT, blockHash))
  const rolled = { roll: Number(roll), tier: tierOfRoll(roll, TIERS), odds: ODDS, label: 'Low' }
  const committed = { day: DAY, seedHash: commitmentOf(SEED), seed: SEED as string | null }
  const won = { prize: '7', asset: 'ETH' }
  return { id: PAYMENT, txHash: PAYMENT, blockHash, ...committed, ...rolled, ...won }
}

/** Returns the opening with a block that the house, which knows the seed, has made up so that a tier wins. */
function inventedFor(tier: number) {
  for (let n = 1; ; n++) {
    const opening = openedIn(`0x${n.toString(16).padStart(64, '0')}`)
    if (opening.tier === tier) return opening
  }
}

let node: PaymentNode
let opening: object
let house: House
let output: string[]
let folder: string

beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), 'fairhouse-openings-'))))
afterAll(() => rm(folder, { recursive: true, force: true }))
beforeEach(() => {
  house = houseCommittedAt(Date.parse('2026-11-18'))
  opening = openedIn(MINED_IN)
  node = new PaymentNode({
    txHash: PAYMENT,
    blockHash: MINED_IN,
    wallet: WALLET,
    to: POOL,
    paidAt: PAID_AT,
  })
  output = []
  vi.useFakeTimers({ now: DISCLOSED_AT, toFake: ['Date'] })
  for (const method of ['log', 'error'] as const) {
    vi.spyOn(console, method).mockImplementation((line: string) => void output.push(line))
  }
  vi.stubGlobal('fetch', async (input: URL | string, { body = '{}' }: { body?: string } = {}) => {
    const url = new URL(input)
    if (url.href === node.url) return node.fetch(body)
    if (url.pathname === '/api/lootbox') return Response.json({ ok: true, open: opening })
    return house.fetch(url)
  })
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

/** Returns a house whose log has a seed of the day. @param committedAt in unix milliseconds */
function houseCommittedAt(committedAt: number, seed = SEED): House {
  const seedHash = commitmentOf(seed)
  const hash = seedHashEntry({ day: DAY, seedHash, pepperHash: seedHash, committedAt })
  return new House().append(hash, seedEntry(DAY, seed, DISCLOSED_AT))
}

/** Runs `npm run verify` for the payment's opening at the site. Returns what it printed, and how it ended. */
async function verify(...options: string[]) {
  return verifyWith(SITE, '--opening', PAYMENT, '--wallet', WALLET, ...options)
}

async function verifyWith(...options: string[]) {
  vi.spyOn(process, 'argv', 'get').mockReturnValue(['node', 'verify', ...options])
  const ended = await verifyResultsCommand().catch((fault: Error) => fault.message)
  return { ended, text: output.join('\n') }
}

const WITH_NODE = ['--rpc', 'https://node.test/']
const FAILED = expect.stringContaining('Some checks failed')
const UNDECIDED = expect.stringContaining('Not verified, which proves nothing yet')

describe('an opening of a payment', () => {
  it('is verified if a node has the payment in its block', async () => {
    const { ended, text } = await verify(...WITH_NODE)
    expect([ended, text]).toEqual([0, expect.stringContaining('Verified: the result is correct. ')])
    expect(text).toContain(`its block is the one in which the chain has the payment, ${MINED_IN}`)
    expect(text).toContain(`a plain transfer that succeeded, of 0.01 ETH to ${POOL}`)
    expect(text).toContain(`its wallet ${WALLET} sent the payment`)
    expect(text).toContain("its seed is of the day of its payment's block")
  })

  it.each([0, 1, 2, 3])(
    'fails if the house has made up a block so that tier %i wins',
    async (tier) => {
      opening = inventedFor(tier)
      const { ended, text } = await verify(...WITH_NODE)
      expect([ended, text]).toEqual([FAILED, expect.stringContaining('✗ its block is the one')])
    },
  )

  it('fails before its seed is disclosed if the house has made up its block', async () => {
    vi.setSystemTime(PAID_AT)
    opening = { ...inventedFor(0), seed: null }
    expect(await verify(...WITH_NODE)).toEqual({
      ended: FAILED,
      text: expect.stringContaining('✗ its block is the one'),
    })
  })

  it.each([
    ['another wallet has sent the payment', { from: STRANGER }, {}],
    ['the payment called a contract', { input: '0x01' }, {}],
    ['the payment failed', {}, { status: '0x0' }],
  ])('fails if %s', async (_what, transaction, receipt) => {
    node.change('eth_getTransactionByHash', transaction)
    node.change('eth_getTransactionReceipt', receipt)
    expect((await verify(...WITH_NODE)).ended).toEqual(FAILED)
  })

  it('fails with the seed of another day than that of its block', async () => {
    node.change('eth_getBlockByNumber', { timestamp: '0x0' })
    const { ended, text } = await verify(...WITH_NODE)
    expect([ended, text]).toEqual([FAILED, expect.stringContaining('✗ its seed is of the day')])
  })

  it('is neither verified nor fails if the node does not have the payment', async () => {
    node.answers['eth_getTransactionByHash'] = null
    const { ended, text } = await verify(...WITH_NODE)
    const why = 'The node of chain 1 does not have payment'
    expect([ended, text]).toEqual([UNDECIDED, expect.stringContaining(why)])
  })

  it('is neither verified nor fails if a reorganisation has moved the payment since', async () => {
    node.answers['eth_getBlockByHash'] = node.answers['eth_getBlockByNumber']
    node.change('eth_getTransactionReceipt', { blockHash: OTHER_BLOCK })
    node.change('eth_getBlockByNumber', { hash: OTHER_BLOCK })
    const { ended, text } = await verify(...WITH_NODE)
    const why = 'The chain has dropped block'
    expect([ended, text]).toEqual([UNDECIDED, expect.stringContaining(why)])
  })

  it('is neither verified nor fails if the node does not answer', async () => {
    node.answers['eth_getTransactionByHash'] = undefined
    const { ended, text } = await verify(...WITH_NODE)
    const why = 'The node did not say which block'
    expect([ended, text]).toEqual([UNDECIDED, expect.stringContaining(why)])
  })

  it('is correct without a node only if its block has the payment, which the verdict says', async () => {
    const { ended, text } = await verify()
    expect(ended).toBe(0)
    expect(text).toContain('Not compared with the chain. The house could have named a block')
    expect(text).toContain('Verified: the result is correct, if its block has the payment.')
  })

  it('is correct only if its seed hash was shown before, if that was logged after the payment', async () => {
    const condition = 'Verified: the result is correct, if its seed hash was shown beforehand.'
    house = houseCommittedAt(PAID_AT + 1)
    const { ended, text } = await verify(...WITH_NODE)
    expect([ended, text]).toEqual([0, expect.stringContaining(condition)])
    expect(text).toContain('is in the public log only since 2026-11-20T12:00:00.001Z')
    expect((await verify('--paid-at', String(PAID_AT))).text).toContain(
      'in the public log only since',
    )
  })

  it('is correct only if its seed hash was shown before, if that was logged late and is dated back', async () => {
    const logged = (day: number, at: number): LogEntry => ({ kind: 'export', id: `${day}`, at })
    const { entries: committed } = houseCommittedAt(Date.parse('2026-11-18'))
    const doubt = 'only since 2026-11-20T12:00:00.001Z, after the payment at'
    // A bundle has 256 entries.
    for (const before of [0, 255]) {
      const old = Array.from({ length: before }, (_, day) => logged(day, 1))
      for (const at of [PAID_AT, PAID_AT + 1]) {
        house = new House().append(...old, logged(before, at))
        house.entries.push(...committed)
        output = []
        expect((await verify(...WITH_NODE)).text.includes(doubt)).toBe(at > PAID_AT)
      }
    }
  })

  it('is not doubted if its seed hash was repeated by a log that succeeds another one', async () => {
    house = new House().append(predecessorEntry('localhost:8787/log', null, PAID_AT + 1))
    house.entries.push(...houseCommittedAt(Date.parse('2026-11-18')).entries)
    const { ended, text } = await verify(...WITH_NODE)
    expect([ended, text]).toEqual([0, expect.stringContaining('Verified: the result is correct. ')])
  })

  it('is correct if its seed hash, logged only after the payment, is the one that its player saw', async () => {
    house = houseCommittedAt(PAID_AT + 1)
    const { ended, text } = await verify(...WITH_NODE, '--seed-hash', commitmentOf(SEED))
    expect([ended, text]).toEqual([0, expect.stringContaining('Verified: the result is correct. ')])
  })

  it('is shown with what an explorer tells of it, and with its odds and its prize', async () => {
    const { text } = await verify()
    for (const shown of [PAYMENT, MINED_IN, ODDS.join(', '), '7 smallest units of ETH']) {
      expect(text).toContain(shown)
    }
  })

  it('of a saved answer is compared with the chain, too', async () => {
    opening = inventedFor(3)
    const path = join(folder, 'opening.json')
    await writeFile(path, JSON.stringify({ ok: true, open: opening }))
    const provided = 'correct, by what this site alone told you, if its block has the payment'
    expect((await verifyWith(path)).text).toContain(provided)
    expect((await verifyWith(path, ...WITH_NODE)).ended).toEqual(FAILED)
  })

  it('of a saved answer is compared with the public log of a site that is named', async () => {
    const path = join(folder, 'opening.json')
    await writeFile(path, JSON.stringify({ ok: true, open: opening }))
    const alone = await verifyWith(path, ...WITH_NODE)
    expect(alone.text).toContain('Compared with no public log. For a saved opening, add --site URL')
    const key = ['--log-key', house.verifier]
    const { ended, text } = await verifyWith(path, ...WITH_NODE, '--site', SITE, ...key)
    expect([ended, text]).toEqual([0, expect.stringContaining('Verified: the result is correct. ')])
    house = houseCommittedAt(PAID_AT, '6f'.repeat(32))
    expect((await verifyWith(path, '--site', SITE)).ended).toEqual(FAILED)
    house.isSilent = true
    expect((await verifyWith(path, '--site', SITE)).ended).toEqual(UNDECIDED)
  })
})

describe('a saved free spin', () => {
  const acceptedAt = PAID_AT
  const pepper = '9e'.repeat(32)

  /** Verifies a spin of some wallet as that of another one. */
  async function verifySpin(of: string, wallet: string, ...options: string[]) {
    const id = spinId(of, DAY)
    const roll = rollOf(SEED, spinMessage(id, pepper))
    const pepperSource = { kind: 'committed', pepperHash: commitmentOf(pepper) }
    const rolled = { roll: Number(roll), tier: tierOfRoll(roll, TIERS), odds: ODDS, label: 'Low' }
    const seeded = { day: DAY, seedHash: commitmentOf(SEED), seed: SEED }
    const path = join(folder, 'spin.json')
    const open = { id, acceptedAt, pepper, pepperSource, signature: '', ...rolled, ...seeded }
    await writeFile(path, JSON.stringify({ ok: true, open }))
    return verifyWith(path, '--wallet', wallet, ...options)
  }

  it('is verified as the spin of its wallet, in any letter case, with the log of its site', async () => {
    const wallet = WALLET.toUpperCase().replace('X', 'x')
    const { ended, text } = await verifySpin(WALLET, wallet, '--site', SITE)
    expect([ended, text]).toEqual([0, expect.stringContaining('Verified: the result is correct. ')])
    expect(text).toContain(`✓ the public log has the seed hash of ${DAY}, and it is this one`)
  })

  it('is correct only by what its site told, if that is not named', async () => {
    const { ended, text } = await verifySpin(WALLET, WALLET)
    const provided = 'Verified: the result is correct, by what this site alone told you.'
    expect([ended, text]).toEqual([0, expect.stringContaining(provided)])
    expect(text).toContain('Compared with no public log. For a saved opening, add --site URL')
  })

  it('fails with a seed that the public log of its site does not have', async () => {
    house = houseCommittedAt(Date.parse('2026-11-18'), '6f'.repeat(32))
    const { ended, text } = await verifySpin(WALLET, WALLET, '--site', SITE)
    expect([ended, text]).toEqual([
      FAILED,
      expect.stringContaining('✗ the public log has the seed'),
    ])
  })

  it('is correct only if its seed hash was shown before, if that was logged after the spin', async () => {
    const condition = 'Verified: the result is correct, if its seed hash was shown beforehand.'
    house = houseCommittedAt(acceptedAt)
    expect((await verifySpin(WALLET, WALLET, '--site', SITE)).text).not.toContain(condition)
    house = houseCommittedAt(acceptedAt + 1)
    expect((await verifySpin(WALLET, WALLET, '--site', SITE)).text).toContain(condition)
    output = []
    const seen = ['--seed-hash', commitmentOf(SEED)]
    const { text } = await verifySpin(WALLET, WALLET, '--site', SITE, ...seen)
    expect(text).toContain('Verified: the result is correct. ')
  })

  it('of a site that is not on this machine must have its pepper from a beacon', async () => {
    const { ended, text } = await verifySpin(WALLET, WALLET, '--site', 'https://house.test')
    expect([ended, text]).toEqual([FAILED, expect.stringContaining('comes from a public beacon')])
  })

  it('fails if it was rolled for another wallet, which the house could choose', async () => {
    const { ended, text } = await verifySpin(STRANGER, WALLET)
    expect([ended, text]).toEqual([FAILED, expect.stringContaining(`✗ the spin is of ${WALLET}`)])
  })
})

it('a site is refused for anything but saved openings', async () => {
  const path = join(folder, 'disclosure.json')
  await writeFile(path, JSON.stringify({ ok: true, rounds: [], voided: [] }))
  for (const source of [path, SITE])
    expect((await verifyWith(source, '--site', SITE)).ended).toContain('--site needs receipts, or')
})

it('a node is refused for other results than openings, and with the time of a block', async () => {
  const ended = async (...options: string[]) => (await verifyWith(SITE, ...options)).ended
  expect(await ended('--box', '1', ...WITH_NODE)).toContain('Add --opening')
  expect(await verify('--paid-at', '1732190000000', ...WITH_NODE)).toMatchObject({
    ended: expect.stringContaining('Remove --paid-at'),
  })
})
