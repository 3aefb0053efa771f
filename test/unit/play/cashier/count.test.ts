import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { toBase64Url } from '../../../../src/core/base64.ts'
import type { PerToken } from '../../../../src/money/token.ts'
import { judgeCount, readCount } from '../../../../src/play/cashier/count.ts'
import { keep } from '../../../../src/play/keepsakes.ts'
import { keepReceipt } from '../../../../src/play/receipts.ts'
import type { SolvencyProof, Statement } from '../../../../src/solvency/statement.ts'
import { memberAt, publish } from '../../solvency/trees.ts'

const stored = new Map<string, string>()

const { statement, proofAt } = publish([memberAt(0), memberAt(1, 500n)])
const { wallet } = memberAt(1)
const proof = proofAt(1)

describe('the cashier', () => {
  it('says that the chips are in the sum, with what was counted', () => {
    expect(judgeCount(statement, { wallet, proof }, { walletSalt: proof.walletSalt })).toEqual({
      kind: 'proven',
      at: statement.at,
      owed: { ETH: '500', USDG: '7' },
      blockNumber: 9,
    })
  })

  it('says that the chips will be in the next count', () => {
    expect(judgeCount(statement, { wallet, proof: null })).toEqual({ kind: 'absent' })
  })

  it.each<[string, Statement, SolvencyProof, string?]>([
    ["another player's proof", statement, proofAt(0)],
    ['a sum that leaves something out', { ...statement, owed: { ETH: '0', USDG: '7' } }, proof],
    ['a secret that has changed', statement, proof, 'ab'.repeat(32)],
  ])('says which check failed for %s', (_case, said, proven, walletSalt) => {
    const known = walletSalt === undefined ? {} : { walletSalt }
    const counted = judgeCount(said, { wallet, proof: proven }, known)
    expect(counted.kind === 'broken' && counted.claims.length).toBeGreaterThan(0)
  })
})

describe('the receipts that the page keeps', () => {
  const SECOND_BEFORE = Math.floor(statement.at / 1_000) - 601

  beforeEach(() => {
    stored.clear()
    vi.useFakeTimers({ now: statement.at + 60_000, toFake: ['Date'] })
    vi.stubGlobal('localStorage', {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => void stored.set(key, value),
    })
  })

  afterEach(() => void vi.useRealTimers())

  const receipt = (said: object) =>
    `eyJh.${toBase64Url(new TextEncoder().encode(JSON.stringify(said)))}.c2ln`

  /** Reads the count with one kept receipt. @param answered the proof that the service answers with */
  async function readWith(
    said: { seq: number; iat: number; owed?: PerToken<string> },
    answered: SolvencyProof | null = proof,
  ) {
    keepReceipt(wallet, 'play/0', receipt(said))
    keepReceipt(wallet, 'play/1', 'not a receipt')
    vi.stubGlobal('fetch', async () => Response.json({ ok: true, ...statement, proof: answered }))
    return readCount({ wallet, authSig: '0x' })
  }

  it('fail an older leaf', async () => {
    const counted = await readWith({ seq: proof.leaf.seq + 1, iat: SECOND_BEFORE })
    expect(counted).toEqual({
      kind: 'broken',
      claims: [
        `the leaf is of entry ${proof.leaf.seq}, no older than your receipt of entry ${proof.leaf.seq + 1}`,
      ],
    })
  })

  it('fail a leaf that owes less than the receipt of its entry', async () => {
    const { seq, owed } = proof.leaf
    const said = { seq, iat: SECOND_BEFORE }
    expect(await readWith({ ...said, owed })).toMatchObject({ kind: 'proven' })
    stored.clear()
    expect(await readWith({ ...said, owed: { ...owed, USDG: '8' } })).toMatchObject({
      claims: [expect.stringContaining(`what you were owed after entry ${seq}`)],
    })
  })

  it('fail a leaf of an entry that was made after the count', async () => {
    vi.setSystemTime(statement.at + 60 * 60_000)
    const iat = Math.floor(statement.at / 1_000) + 1_900
    expect(await readWith({ seq: proof.leaf.seq, iat })).toMatchObject({
      claims: [expect.stringContaining('which is from after the count')],
    })
  })

  it('fail a count if they are dated so far ahead that they bind none', async () => {
    const iat = SECOND_BEFORE + 31_536_000
    const counted = await readWith({ seq: proof.leaf.seq + 1, iat }, null)
    expect(counted).toMatchObject({
      claims: [expect.stringContaining('no receipt of yours is dated later than two hours after')],
    })
  })

  it('don’t save a count that is hours old', async () => {
    vi.setSystemTime(statement.at + 2 * 3_600_000 + 1)
    expect(await readWith({ seq: proof.leaf.seq, iat: SECOND_BEFORE })).toMatchObject({
      claims: [expect.stringContaining('the debts were counted at')],
    })
  })

  it('fail a count without the wallet', async () => {
    const counted = await readWith({ seq: 1, iat: SECOND_BEFORE }, null)
    expect(counted).toMatchObject({ kind: 'broken' })
  })

  it('fail any count if a later one has a lower number', async () => {
    const iat = SECOND_BEFORE - 2
    keepReceipt(wallet, 'play/2', receipt({ seq: proof.leaf.seq, iat }))
    expect(await readWith({ seq: 1, iat: iat + 1 })).toMatchObject({
      claims: [expect.stringContaining('in the order of their entries, unlike')],
    })
  })

  const LATER = Math.floor(statement.at / 1_000)

  it('are not needed to fail a count without a wallet that was in an earlier one', async () => {
    expect(await readWith({ seq: 1, iat: LATER }, null)).toEqual({ kind: 'absent' })
    expect(await readWith({ seq: 1, iat: LATER })).toMatchObject({ kind: 'proven' })
    expect(await readWith({ seq: 1, iat: LATER }, null)).toMatchObject({
      claims: ['the wallet has a leaf, since an earlier count had one'],
    })
  })

  it('agree with a count whose answer comes only after a later one, which first has the wallet', async () => {
    vi.stubGlobal('fetch', async () => {
      keep('salts', wallet, { walletSalt: proof.walletSalt })
      return Response.json({ ok: true, ...statement, proof: null })
    })
    expect(await readCount({ wallet, authSig: '0x' })).toEqual({ kind: 'absent' })
  })

  it.each([
    ['of the leaf or before it', proof.leaf.seq, SECOND_BEFORE],
    ['of the ten minutes before the count', proof.leaf.seq + 1, SECOND_BEFORE + 1],
  ])('agree if they are %s', async (_case, seq, iat) => {
    expect(await readWith({ seq, iat })).toMatchObject({ kind: 'proven' })
  })
})
