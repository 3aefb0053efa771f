import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { utf8ToBytes } from '@noble/hashes/utils'
import { formatUnits } from 'viem'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { verifySolvencyCommand } from '../../../../src/cli/verify/solvency.ts'
import { refuse } from '../../../../src/core/refusal.ts'
import type { Receipt } from '../../../../src/receipts/claims.ts'
import type { SolvencyProof, Statement } from '../../../../src/solvency/statement.ts'
import { entryText, type LogEntry } from '../../../../src/transparency/entry.ts'
import { leafHash } from '../../../../src/transparency/merkle.ts'
import { signerKey, writeVerifierKey } from '../../../../src/transparency/note.ts'
import { memberAt, publish } from '../../solvency/trees.ts'
import { issuedTo, sign, withdrawalReceipt } from '../../support/receipts.ts'
import { exported, House, SITE } from '../monitor/house.ts'

const { statement, proofAt } = publish([memberAt(0), memberAt(1, 500n)])
const { wallet } = memberAt(1)
const proof = proofAt(1)
const ELEVEN_MINUTES_S = 660

const entryOf = ({ epoch, ...said }: Statement): LogEntry => ({
  kind: 'solvency',
  id: String(epoch),
  epoch,
  ...said,
})

let house: House
let output: string[]
let folder: string
/** What the site answers to the player. */
let answered: { statement: Statement; proof: SolvencyProof | null }
let hasLog: boolean

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairhouse-solvency-'))
  house = new House().append(exported(1), entryOf(statement), exported(2))
  answered = { statement, proof }
  hasLog = true
  output = []
  vi.useFakeTimers({ now: statement.at + 60_000, toFake: ['Date'] })
  vi.spyOn(console, 'log').mockImplementation((line: string) => void output.push(line))
  vi.stubGlobal('fetch', async (url: URL) => {
    if (url.pathname.startsWith('/log/')) {
      if (hasLog) return house.fetch(url)
      return Response.json(refuse('not_configured', 'No log.'), { status: 503 })
    }
    const { proof: own, ...said } = { proof: answered.proof, ...answered.statement }
    const isOwn = url.searchParams.has('wallet')
    return Response.json({ ok: true, ...said, ...(isOwn && { proof: own }) })
  })
})
afterEach(async () => {
  vi.restoreAllMocks()
  vi.useRealTimers()
  await rm(folder, { recursive: true, force: true })
})

const OWN = ['--wallet', wallet, '--auth-sig', '0x']

/** Runs the command. Returns what it printed, and its exit code or failure. */
async function verify(...args: string[]) {
  const ended = await verifySolvencyCommand(args).catch((fault: Error) => fault.message)
  return { ended, text: output.join('\n') }
}

const failed = '\nSome checks failed.'

describe('the statement of a site', () => {
  it('is held against the entry of its public log', async () => {
    const { ended, text } = await verify(SITE, ...OWN)
    expect([ended, text]).toEqual([0, expect.stringContaining('the public log is the signed one')])
    expect(text).toContain('it says the same as the statement you see')
    expect(text).toContain(`the one that the site shows now`)
    expect(text).toContain(house.verifier)
  })

  it('fails if the site has not made another one for hours', async () => {
    vi.setSystemTime(statement.at + 3 * 3_600_000)
    const { ended, text } = await verify(SITE, ...OWN)
    expect([ended, text]).toEqual([failed, expect.stringContaining('✗ the debts were counted at')])
  })

  it('fails if the log has a newer one, which other players may be in', async () => {
    house.append(entryOf({ ...statement, epoch: statement.epoch + 2, at: statement.at + 1 }))
    const { ended, text } = await verify(SITE, ...OWN)
    expect([ended, text]).toEqual([failed, expect.stringContaining('✗ it has no newer one than 3')])
  })

  it('fails if the log has another one of the same hour, which other players may be in', async () => {
    const other = { ...statement, epoch: statement.epoch - 1, at: statement.at - 1 }
    house = new House().append(entryOf(other), entryOf(statement))
    const { ended, text } = await verify('https://house.test', ...OWN)
    expect([ended, text]).toEqual([failed, expect.stringContaining('✗ it has no other one of')])
    expect((await verify(SITE, ...OWN)).ended).toBe(0)
  })

  it('fails if that one is behind entries that are dated back', async () => {
    const other = { ...statement, epoch: statement.epoch - 1, at: statement.at - 1 }
    const between = Array.from({ length: 511 }, (_, day) => ({ ...exported(day + 1), at: 0 }))
    house = new House().append(entryOf(other), ...between, entryOf(statement))
    const { ended, text } = await verify('https://house.test', ...OWN)
    expect([ended, text]).toEqual([failed, expect.stringContaining('✗ it has no other one of')])
  })

  it('fails if the log lacks the one before, and has an earlier one', async () => {
    const earlier = { ...statement, epoch: statement.epoch - 2, at: statement.at - 1 }
    house = new House().append(entryOf(earlier), entryOf(statement))
    const { ended, text } = await verify(SITE, ...OWN)
    expect([ended, text]).toEqual([
      failed,
      expect.stringContaining('✗ it leaves none out before 3'),
    ])
  })

  it('may be the first one of a log', async () => {
    const { ended, text } = await verify(SITE, ...OWN)
    expect([ended, text]).toEqual([0, expect.stringContaining('✓ it leaves none out before 3')])
  })

  it('is asked for again if another one has been published meanwhile', async () => {
    const next = { ...statement, epoch: statement.epoch + 1, at: statement.at + 1 }
    const readLog = house.fetch.bind(house)
    vi.spyOn(house, 'fetch').mockImplementation((url) => {
      if (answered.statement !== next) {
        answered = { ...answered, statement: next }
        house.append(entryOf(next))
      }
      return readLog(url)
    })
    const { text } = await verify(SITE)
    expect(text).toContain('Count 4 of')
    expect(text).toContain('✓ it has no newer one than 4')
  })

  it('fails if it is shown to one player alone, with a tree of their own leaf', async () => {
    const own = publish([memberAt(1, 500n)])
    answered = { statement: own.statement, proof: own.proofAt(0) }
    const { ended, text } = await verify(SITE, ...OWN)
    expect(ended).toBe(failed)
    expect(text).toContain(
      'it says the same as the statement you see: root, owed, vault, leaves, ratio',
    )
  })

  it.each(['at', 'root', 'owed', 'partners', 'vault', 'contract', 'leaves', 'ratio'] as const)(
    'fails if the log has another %s',
    async (part) => {
      const other = { ...entryOf(statement), [part]: part === 'at' ? 1 : 'another' }
      house = new House().append(other)
      const { ended, text } = await verify(SITE)
      expect([ended, text]).toEqual([failed, expect.stringContaining(`you see: ${part}`)])
    },
  )

  /** Lets waits end at once. @param then what has happened meanwhile */
  const skipWaits = (then: () => void) =>
    vi.spyOn(globalThis, 'setTimeout').mockImplementation((goOn) => {
      then()
      queueMicrotask(goOn)
      return 0 as never
    })

  it('is looked for in the log again, because the site may show a checkpoint of a moment before', async () => {
    house.size = 1
    const waits = skipWaits(() => (house.size = null))
    const { ended, text } = await verify(SITE)
    expect([ended, text]).toEqual([
      0,
      expect.stringContaining('✓ the public log has the statement'),
    ])
    expect(waits).toHaveBeenCalledOnce()
  })

  it('is not verified yet, rather than false, while it may still have to be logged', async () => {
    house.size = 1
    skipWaits(() => {})
    const { ended, text } = await verify(SITE)
    expect(ended).toContain('Not verified yet: the public log does not have count 3.')
    expect(text).not.toContain('✗')
    vi.setSystemTime(statement.at + 35 * 60_000)
    expect((await verify(SITE)).ended).toBe(failed)
    vi.setSystemTime(statement.at + 60_000)
    house = new House().append(entryOf({ ...statement, epoch: 4, at: statement.at + 1 }))
    expect((await verify(SITE)).ended).toBe(failed)
  })

  it('fails if the log has no entry of its epoch', async () => {
    house = new House().append(exported(1), entryOf({ ...statement, epoch: 2 }))
    vi.setSystemTime(statement.at + 40 * 60_000)
    const { ended, text } = await verify(SITE)
    expect([ended, text]).toEqual([failed, expect.stringContaining('the statement of epoch 3')])
  })

  it('fails if the signed tree does not have the entry that the log serves', async () => {
    house.leaves = house.entries.map(leafHash).with(1, new Uint8Array(32))
    const { ended, text } = await verify(SITE)
    expect([ended, text]).toEqual([
      failed,
      expect.stringMatching(/✗.* entries 0 to 2 of the log are not/),
    ])
  })

  it.each([
    [
      'a newer one',
      [entryOf(statement), entryOf({ ...statement, epoch: 4, at: statement.at + 1 })],
      1,
    ],
    [
      'one of the same hour',
      [entryOf({ ...statement, epoch: 2, at: statement.at - 1 }), entryOf(statement)],
      0,
    ],
  ] as const)(
    'fails if the log hides %s behind an entry that it did not sign',
    async (_, counts, hidden) => {
      const ORIGIN = 'https://house.test'
      const others = Array.from({ length: 300 }, (__, day) => exported(day + 1))
      house = new House().append(...others, ...counts, exported(400))
      expect((await verify(ORIGIN)).text).toMatch(/✗ it has no (newer|other) one/)
      output = []
      house.leaves = house.entries.map(leafHash)
      house.entries[others.length + hidden] = utf8ToBytes(entryText(exported(301)))
      const { ended, text } = await verify(ORIGIN)
      expect([ended, text]).toEqual([
        failed,
        expect.stringContaining(
          '✗ the public log can be believed: entries 256 to 302 of the log are not',
        ),
      ])
    },
  )

  it('fails if the checkpoint is not signed with the key from elsewhere', async () => {
    expect((await verify(SITE, '--log-key', house.verifier)).ended).toBe(0)
    const other = signerKey(house.key.verifier.name, new Uint8Array(32).fill(8))
    const { ended, text } = await verify(SITE, '--log-key', writeVerifierKey(other.verifier))
    expect([ended, text]).toEqual([failed, expect.stringContaining('the key that you gave')])
  })

  it('is found in a log that has grown by several bundles since', async () => {
    const later = Array.from({ length: 600 }, (_, day) => exported(day + 3))
    house.append(...later.map((entry) => ({ ...entry, at: statement.at + 1 })))
    const { ended, text } = await verify(SITE)
    expect([ended, text]).toEqual([0, expect.stringContaining('has 603 entries, the newest of 20')])
  })

  it('cannot be compared by anybody if the site has no log', async () => {
    hasLog = false
    const { ended, text } = await verify(SITE)
    expect([ended, text]).toEqual([0, expect.stringContaining('says that it keeps no public log')])
  })

  it('fails if the log whose key is known from elsewhere is gone', async () => {
    hasLog = false
    const { ended, text } = await verify(SITE, '--log-key', house.verifier)
    expect([ended, text]).toEqual([failed, expect.stringContaining('keeps no public log')])
  })

  it('is compared with the log if it was saved, once its site is named', async () => {
    const file = join(folder, 'solvency.json')
    await writeFile(file, JSON.stringify({ ok: true, ...statement, leaves: 3 }))
    expect(await verify(file)).toMatchObject({ ended: 0, text: expect.stringContaining('--site') })
    expect((await verify(file, '--site', SITE)).ended).toBe(failed)
  })
})

describe('an answer without the proof that was requested', () => {
  beforeEach(() => {
    vi.stubGlobal('fetch', async (url: URL) =>
      url.pathname.startsWith('/log/')
        ? house.fetch(url)
        : Response.json({ ok: true, ...statement }),
    )
  })

  it('fails, whether the sign-in is in the options or in the URL', async () => {
    const signedIn = `${SITE}/api/solvency?wallet=${wallet}&authSig=0x`
    for (const args of [[SITE, ...OWN], [signedIn]])
      expect((await verify(...args)).ended).toContain('The answer has no proof')
    expect((await verify(SITE)).ended).toBe(0)
  })

  it('fails if it was saved', async () => {
    const file = join(folder, 'solvency.json')
    await writeFile(file, JSON.stringify({ ok: true, ...statement }))
    expect((await verify(file, '--wallet', wallet)).ended).toContain('The answer has no proof')
  })
})

describe('a leaf', () => {
  const { seq, owed } = proof.leaf
  const receiptFile = async (claims: Partial<Receipt>) => {
    const iat = Math.floor(statement.at / 1_000) - 60
    const receipt = { ...withdrawalReceipt, ...issuedTo(wallet), iat, seq, ...claims } as Receipt
    const file = join(folder, 'receipts.txt')
    await writeFile(file, `${await sign(receipt)}\n`)
    return ['--receipts', file]
  }

  it('is compared with what the receipt of its entry says was owed', async () => {
    const { ended, text } = await verify(SITE, ...OWN, ...(await receiptFile({ owed })))
    expect([ended, text]).toEqual([0, expect.not.stringContaining('No receipt here says')])
    const more = { ...owed, ETH: `${BigInt(owed.ETH) + 1n}` }
    expect((await verify(SITE, ...OWN, ...(await receiptFile({ owed: more })))).ended).toBe(failed)
  })

  it('is to be compared with the balance if no receipt says what was owed then', async () => {
    for (const receipts of [[], await receiptFile({}), await receiptFile({ seq: seq - 1, owed })]) {
      const { ended, text } = await verify(SITE, ...OWN, ...receipts)
      expect(ended).toBe(0)
      const amounts = `${formatUnits(BigInt(owed.ETH), 18)} ETH and ${formatUnits(BigInt(owed.USDG), 6)} USDG`
      expect(text).toContain(`Verified: ${amounts} are counted as owed`)
      expect(text).toContain(`No receipt here says what you were owed after entry ${seq}.`)
    }
  })

  it('is older than the receipts of later entries', async () => {
    const iat = Math.floor(statement.at / 1_000) + 1_900
    vi.setSystemTime(iat * 1_000)
    const { ended, text } = await verify(SITE, ...OWN, ...(await receiptFile({ iat })))
    expect([ended, text]).toEqual([
      failed,
      expect.stringContaining('which is from after the count'),
    ])
    const named = ['--seq', String(seq), '--seen-at', String(iat * 1_000)]
    expect((await verify(SITE, ...OWN, ...named)).ended).toBe(0)
  })

  it('is not older than the later receipts of another site in the same file', async () => {
    const iat = Math.floor(statement.at / 1_000) - ELEVEN_MINUTES_S
    const own = { ...withdrawalReceipt, ...issuedTo(wallet), iat, seq } as Receipt
    const other = { ...own, iss: 'https://other.test', seq: seq + 1_000 }
    const file = join(folder, 'receipts.txt')
    await writeFile(file, `${await sign(own)}\n${await sign(other)}\n`)
    expect((await verify(SITE, ...OWN, '--receipts', file)).ended).toBe(0)
    const saved = join(folder, 'answer.json')
    await writeFile(saved, JSON.stringify({ ok: true, ...statement, proof }))
    const { ended } = await verify(saved, '--wallet', wallet, '--receipts', file)
    expect(ended).toContain('receipts of several sites')
  })
})

describe('a wallet without a leaf', () => {
  const receiptFile = async (iat: number, owner = wallet, iss = SITE) => {
    const receipt = { ...withdrawalReceipt, ...issuedTo(owner), iss, iat, seq: 4 }
    const file = join(folder, 'receipts.txt')
    await writeFile(file, `${await sign(receipt)}\n`)
    return ['--receipts', file]
  }
  const NOW = Math.floor(statement.at / 1_000) + 60
  const early = Math.floor(statement.at / 1_000) - ELEVEN_MINUTES_S

  beforeEach(() => {
    answered = { statement, proof: null }
  })

  it('was left out if it has a receipt that is old enough', async () => {
    const { ended, text } = await verify(SITE, ...OWN, ...(await receiptFile(early)))
    expect([ended, text]).toEqual([failed, expect.stringMatching(/✗.*the wallet has no leaf/)])
    const named = ['--seq', '4', '--seen-at', String(early * 1_000)]
    expect((await verify(SITE, ...OWN, ...named)).ended).toBe(failed)
  })

  it('may have been left out if a receipt is dated later than this machine’s clock and the count', async () => {
    const { ended, text } = await verify(SITE, ...OWN, ...(await receiptFile(NOW + 31_536_000)))
    expect(ended).toBe(failed)
    expect(text).toMatch(
      /✗ no receipt of yours is dated later than two hours after the newest count.*, as that of entry 4 is/,
    )
    expect((await verify(SITE, ...OWN, ...(await receiptFile(NOW + 30)))).ended).toBe(0)
  })

  it('may be in the next count if its receipts are newer', async () => {
    const { ended, text } = await verify(SITE, ...OWN, ...(await receiptFile(early + 120)))
    expect([ended, text]).toEqual([0, expect.stringContaining('add --receipts')])
  })

  it('was left out if an earlier answer showed its secret', async () => {
    const { ended, text } = await verify(SITE, ...OWN, '--wallet-salt', proof.walletSalt)
    expect([ended, text]).toEqual([failed, expect.stringContaining('✗ the wallet has a leaf')])
  })

  it('is not judged by receipts of another site', async () => {
    const others = await receiptFile(early, wallet, 'https://other.test')
    expect((await verify(SITE, ...OWN, ...others)).ended).toContain(`no receipt of ${wallet} at`)
  })

  it('is not judged by receipts of another wallet, or without its proof', async () => {
    const others = await receiptFile(early, memberAt(0).wallet)
    expect((await verify(SITE, ...OWN, ...others)).ended).toContain('no receipt of')
    expect((await verify(SITE, ...(await receiptFile(early)))).ended).toContain('--auth-sig')
  })
})
