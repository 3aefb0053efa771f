import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { receiptTexts } from '../../../../src/cli/verify/receipt-sources.ts'
import { verifyReceipts } from '../../../../src/cli/verify/receipts.ts'
import { refuse } from '../../../../src/core/refusal.ts'
import { discloseWhole } from '../../../../src/crash/disclosure.ts'
import { Round } from '../../../../src/crash/round.ts'
import { commitmentOf } from '../../../../src/fairness/seed.ts'
import { settle } from '../../../../src/games/play.ts'
import { OPENED_AT, placement, roundOf, SEED, TAKEOFF_AT } from '../../support/builders.ts'
import {
  betReceipt,
  cashoutReceipt,
  ISS,
  KEYS,
  PLAY,
  playReceipt,
  rollbackReceipt,
  sign,
  transactionReceipt,
  WALLET,
  withdrawalReceipt,
} from '../../support/receipts.ts'

const RECEIPT = playReceipt(WALLET, PLAY)

const NO_LOG = refuse('not_configured', 'This site keeps no public log.')

/** A site that publishes its keys and discloses some plays and rounds. */
function serve(...disclosed: object[]): void {
  vi.stubGlobal('fetch', async ({ pathname, searchParams }: URL) => {
    if (pathname === '/api/entropy' && !searchParams.has('action')) return Response.json(counted)
    if (pathname === '/.well-known/jwks.json') return Response.json({ keys: KEYS })
    if (pathname.startsWith('/log/')) return Response.json(NO_LOG, { status: 503 })
    const name = searchParams.has('nonce') ? 'nonce' : 'roundId'
    const asked = Number(searchParams.get(name))
    const play = disclosed.find((each) => Reflect.get(each, name) === asked)
    const error = { code: 'not_found', message: 'This is not there.' }
    return play ? Response.json(play) : Response.json({ ok: false, error }, { status: 404 })
  })
}

const COUNTED = { ok: true, fairness: { nonce: PLAY.nonce + 1 } }

/** What the site says of the next play of any wallet. */
let counted: object = COUNTED

let output: string[] = []
let folder: string

beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), 'fairhouse-receipts-'))))
afterAll(() => rm(folder, { recursive: true, force: true }))
beforeEach(() => {
  output = []
  counted = COUNTED
  passSince(RECEIPT.iat, 1_000)
  vi.spyOn(console, 'log').mockImplementation((line: string) => void output.push(line))
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

/** Has this machine's clock show a time after the receipts were issued. */
function passSince(iat: number, ms: number): void {
  vi.useFakeTimers({ now: iat * 1_000 + ms, toFake: ['Date'] })
}

async function save(name: string, text: string): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, text)
  return path
}

const verify = async (texts: string[], file: string | null = null, site?: string) => {
  const exitCode = await verifyReceipts(texts, { file, logKey: null }, site).catch(
    (fault: Error) => fault.message,
  )
  return { exitCode, text: output.join('\n') }
}

const FAILED = expect.stringContaining('Not verified')

describe('receipts', () => {
  it('that the disclosure confirms are verified', async () => {
    serve(PLAY)
    const { exitCode, text } = await verify([await sign(RECEIPT)])
    expect(exitCode).toBe(0)
    expect(text).toContain('Verified: the house kept its word. Receipts checked: 1.')
    expect(text).toContain(`Site asked: ${ISS}.`)
    expect(text).toContain('add --site URL')
    expect(text).toContain('says that it keeps no public log')
  })

  it('of what is not disclosed yet, or not in public, say so', async () => {
    serve()
    passSince(RECEIPT.iat, 1_000)
    const receipts = [RECEIPT, withdrawalReceipt, transactionReceipt, rollbackReceipt]
    const entries = receipts.map((receipt, seq) => ({ ...receipt, seq }))
    const { exitCode, text } = await verify(await Promise.all(entries.map((each) => sign(each))))
    expect(exitCode).toBe(0)
    expect(text).toContain('Not yet: This is not there.')
    expect(text).toContain('only the wallet can see what became of its withdrawal')
    expect(text).toContain('only the partner and the wallet can see the books')
    expect(text).toContain('Only the signature checked: 4.')
  })

  it('that the disclosure contradicts are proof of a breach', async () => {
    serve(PLAY)
    const { exitCode, text } = await verify([await sign({ ...RECEIPT, payout: '1' })])
    expect(exitCode).toEqual(FAILED)
    expect(text).toContain(`the house signed its receipt with the key ${KEYS[0]?.kid}`)
    expect(text).toContain(`is 1 in the receipt and ${PLAY.payout} in the disclosure`)
  })

  it('are only those of the site that was named, which is asked in no other case', async () => {
    serve(PLAY)
    const own = await sign(RECEIPT)
    const { exitCode, text } = await verify([own], null, ISS)
    expect([exitCode, text]).toEqual([0, expect.stringContaining(`Site asked: ${ISS}.`)])
    expect(text).not.toContain('add --site')
    vi.stubGlobal('fetch', () => expect.fail('nobody is asked'))
    const mirror = await sign({ ...RECEIPT, iss: 'https://mirror.test' })
    expect((await verify([own, mirror], null, ISS)).exitCode).toContain(
      `was issued by https://mirror.test, not by ${ISS}`,
    )
  })

  it.each(['/', '/path', '?', ':8787/', ' '])(
    'name exactly an origin, not one with %j',
    async (more) => {
      const receipt = await sign({ ...RECEIPT, iss: `${ISS}${more}` })
      const { exitCode, text } = await verify([receipt])
      expect(exitCode).toEqual(FAILED)
      expect(text).toContain('must be exactly the origin of a site')
    },
  )

  it('of a cash-out leave it to the player whether it was asked for, because the house signs them', async () => {
    const { record } = roundOf(300)
    const round = new Round({ ...record, plan: { ...record.plan, edgeBps: 100 } }, [])
    round.place(placement({ wallet: WALLET }), OPENED_AT)
    round.advance(TAKEOFF_AT + 5_000)
    round.cashOut(WALLET, TAKEOFF_AT + 5_000)
    round.advance(TAKEOFF_AT + 600_000)
    const { betsRoot } = round.fixedBets
    const whole = discloseWhole(
      round.result()!,
      { plan: round.record.plan, betsRoot },
      round.bets,
      0,
    )
    serve(whole)
    const receipts = [betReceipt(whole, 0), cashoutReceipt(whole, 0)]
    const { exitCode, text } = await verify(await Promise.all(receipts.map((each) => sign(each))))
    expect(exitCode).toBe(0)
    expect(text).toContain('says that it cashed out at 1.34x on request')
    expect(text).toContain('The receipt proves the payout, not who asked.')
  })

  it('that contradict each other are proof of a breach', async () => {
    serve(PLAY)
    const other = { ...withdrawalReceipt, seq: RECEIPT.seq, entry: 'e9'.repeat(32) }
    const { exitCode, text } = await verify([await sign(RECEIPT), await sign(other)])
    expect(exitCode).toEqual(FAILED)
    expect(text).toContain('Proof of a breach: entry 2 of the journal of')
    expect(text).toContain('The house signed both receipts')
  })

  it('that the house did not sign are no proof, whatever they say', async () => {
    serve(PLAY)
    const forged = await sign({ ...RECEIPT, payout: '1' }, KEYS[1]?.kid)
    const { exitCode, text } = await verify([forged, await sign(RECEIPT)])
    expect(exitCode).toEqual(FAILED)
    expect(text).toContain('No proof of anything')
    expect(text).not.toContain('breach')
  })

  it('that the house signed and does not disclose in time are proof of a breach', async () => {
    serve()
    passSince(RECEIPT.iat, 60_001)
    const { exitCode, text } = await verify([await sign(RECEIPT)])
    expect(exitCode).toEqual(FAILED)
    expect(text).toContain('Proof of a breach')
    expect(text).toContain('it signed this and does not: This is not there.')
  })

  it.each([
    ['with', [PLAY]],
    ['without', []],
  ])('dated in the future are not believed %s a disclosure', async (_with, plays) => {
    serve(...plays)
    passSince(RECEIPT.iat, -61_000)
    const { exitCode, text } = await verify([await sign(RECEIPT)])
    expect(exitCode).toEqual(FAILED)
    expect(text).toContain("later than this machine's clock")
    expect(text).not.toContain('breach')
  })

  it('are not verified, and prove nothing, while the site is silent', async () => {
    vi.stubGlobal('fetch', () => Promise.reject(new Error('no network')))
    const keys = await save('jwks.json', JSON.stringify({ keys: KEYS }))
    passSince(RECEIPT.iat, 600_000)
    const { exitCode, text } = await verify([await sign(RECEIPT)], keys)
    expect(exitCode).toEqual(FAILED)
    expect(text).toContain('could not be reached: http://localhost:8787 does not answer')
    expect(text).not.toContain('breach')
  })

  it('are not verified, and prove nothing, while the service fails', async () => {
    vi.stubGlobal('fetch', async () => Response.json({ ok: false }, { status: 500 }))
    const keys = await save('jwks.json', JSON.stringify({ keys: KEYS }))
    passSince(RECEIPT.iat, 600_000)
    const { exitCode, text } = await verify([await sign(RECEIPT)], keys)
    expect(exitCode).toEqual(FAILED)
    expect(text).toContain('could not be reached')
    expect(text).not.toContain('breach')
  })

  it('fail with claims of another form, and the others are verified all the same', async () => {
    serve(PLAY)
    const odd = { ...RECEIPT, seq: 'two' } as unknown as typeof RECEIPT
    const lied = { ...RECEIPT, payout: '1' }
    const { exitCode, text } = await verify([await sign(odd), 'no receipt', await sign(lied)])
    expect(exitCode).toEqual(FAILED)
    expect(text).toContain('not those of a receipt')
    expect(text).toContain('This is not a receipt: no receipt')
    expect(text).toContain(`is 1 in the receipt and ${PLAY.payout} in the disclosure`)
  })

  it('are evidence with claims of another form only if the house signed those', async () => {
    serve(PLAY)
    const odd = { ...RECEIPT, seq: 'two' } as unknown as typeof RECEIPT
    const signed = await sign(odd)
    expect((await verify([signed])).exitCode).toEqual(FAILED)
    const [header, , signature] = signed.split('.')
    const other = Buffer.from(JSON.stringify({ ...odd, seq: 'three' })).toString('base64url')
    for (const text of [`${header}.${other}.${signature}`, signed.slice(0, -90), 'no receipt']) {
      const { exitCode } = await verify([await sign(RECEIPT), text])
      expect(exitCode).toContain("can't read receipt 2 of 2")
      expect(exitCode).not.toContain('evidence')
    }
  })
})

describe('receipts of plays', () => {
  const COUNTS = `${ISS} counts plays of ${RECEIPT.sub} of which no receipt is here`

  const playOf = (nonce: number) => ({
    ...PLAY,
    ...settle(
      { game: 'limbo', params: { target: 150 } },
      { token: 'USDG', amountWei: 1_000_000n },
      { seed: SEED, seedHash: commitmentOf(SEED), clientSeed: 'mine', nonce },
      { edgeBps: 100, tables: 1 },
    ),
    nextSeedHash: commitmentOf(SEED),
  })

  /** Verifies receipts of the plays with these numbers, of which the site counts so many. */
  async function toldOf(nonces: number[], count: number | null) {
    const plays = nonces.map(playOf)
    serve(...plays)
    counted = { ok: true, fairness: count === null ? null : { nonce: count } }
    const receipts = plays.map((play, seq) => ({
      ...playReceipt(WALLET, play),
      seq,
      entry: `${10 + seq}`.repeat(32),
    }))
    return verify(await Promise.all(receipts.map((each) => sign(each))))
  }

  it('name the numbers that the house counts and that have none', async () => {
    const { exitCode, text } = await toldOf([7, 9, 12], 14)
    expect(exitCode).toBe(0)
    expect(text).toContain(`${COUNTS}, by their numbers: 8, 10 to 11, 13. If you did not make`)
  })

  it('name those in between even if the house does not say how many it counts', async () => {
    expect((await toldOf([7, 9], null)).text).toContain(`${COUNTS}, by their numbers: 8.`)
  })

  it('leave no doubt if each number has one', async () => {
    expect((await toldOf([9, 7, 8], 10)).text).not.toContain(COUNTS)
  })

  it.each<[string, object]>([
    ['the house gives another answer', { ok: false, error: { code: 'unavailable', message: '' } }],
    ['the house says none', { ok: true, fairness: null }],
    ['the house says fewer than it has signed', { ok: true, fairness: { nonce: PLAY.nonce } }],
  ])('are not verified, and prove nothing, if of how many it counts %s', async (_what, answer) => {
    serve(PLAY)
    counted = answer
    const { exitCode, text } = await verify([await sign(RECEIPT)])
    expect(exitCode).toContain(
      `Not verified, which proves nothing yet: ${ISS} does not say that it counts 8 plays of`,
    )
    expect(text).not.toContain('breach')
  })

  it.each<[string, () => Response]>([
    ['does not answer', () => Response.error()],
    [
      'is overloaded',
      () => Response.json(refuse('archive_unavailable', 'Later.'), { status: 503 }),
    ],
  ])(
    'fail if the house %s, because it could not be asked for its count of plays',
    async (_what, answer) => {
      serve(PLAY)
      const served = fetch
      vi.stubGlobal('fetch', async (url: URL) => {
        if (url.pathname !== '/api/entropy' || url.searchParams.has('action')) return served(url)
        const response = answer()
        if (response.type === 'error') throw new TypeError('fetch failed')
        return response
      })
      const { exitCode } = await verify([await sign(RECEIPT)])
      expect(exitCode).toContain(`${ISS} could not be asked how many plays of`)
      expect(exitCode).not.toContain('does not say')
    },
  )
})

describe('the sources of receipts', () => {
  it('are receipts, and files with one a line, an answer or an array', async () => {
    const [first, second, third] = await Promise.all(
      [1, 2, 3].map((seq) => sign({ ...RECEIPT, seq })),
    )
    const lines = await save('lines.txt', `${first}\n${second}\n`)
    const answer = await save('answer.json', JSON.stringify({ ok: true, receipt: third }))
    const list = await save('list.json', JSON.stringify([second, { receipt: third }]))
    expect(await receiptTexts([first!])).toEqual([first])
    expect(await receiptTexts([lines])).toEqual([first, second])
    expect(await receiptTexts([answer])).toEqual([third])
    expect(await receiptTexts([list])).toEqual([second, third])
    expect(await receiptTexts([first!, lines, answer])).toEqual([first, second, third])
  })

  it('are not other files, URLs or names', async () => {
    const other = await save('other.json', JSON.stringify(PLAY))
    for (const source of [other, 'https://house.test', 'missing.json']) {
      expect(await receiptTexts([source])).toBeNull()
    }
    await expect(receiptTexts([await sign(RECEIPT), other])).rejects.toThrow('has no receipt')
  })
})
