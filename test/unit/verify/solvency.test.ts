import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MINUTE_MS } from '../../../src/core/utc-day.ts'
import { ratioOf, type SolvencyProof, type Statement } from '../../../src/solvency/statement.ts'
import { verifySolvency, type KnownOfSolvency } from '../../../src/verify/solvency.ts'
import { anyMembers, AT, memberAt, publish, VAULT } from '../solvency/trees.ts'
import { forAll } from '../support/for-all.ts'

const members = Array.from({ length: 5 }, (_, index) => memberAt(index, 1_000n))
const { statement, proofAt } = publish(members)
const { wallet } = members[2]!
const proof = proofAt(2)

/** The claims that don't hold. */
function failing(
  changes: { statement?: Partial<Statement>; proof?: Partial<SolvencyProof> | null } = {},
  known: KnownOfSolvency = {},
): string[] {
  const changed = changes.proof === null ? null : { ...proof, ...changes.proof }
  return verifySolvency({ ...statement, ...changes.statement }, { wallet, proof: changed }, known)
    .filter(({ holds }) => !holds)
    .map(({ claim }) => claim)
}

describe('an honest statement', () => {
  it('passes every check of every wallet', () => {
    forAll(anyMembers, (some) => {
      const published = publish(some)
      for (const [index, member] of some.entries()) {
        const proven = { wallet: member.wallet, proof: published.proofAt(index) }
        const checks = verifySolvency(published.statement, proven)
        expect(checks.filter(({ holds }) => !holds)).toEqual([])
      }
    })
  })

  it('passes with receipts of its last stage, half an hour after it began by another clock', () => {
    const from = AT + 31 * MINUTE_MS
    const receipts = [{ seq: proof.leaf.seq, from, at: from + 999, owed: proof.leaf.owed }]
    expect(failing({}, { receipts })).toEqual([])
  })

  it('passes with an old receipt whose player only knows when it was there', () => {
    expect(failing({}, { receipts: [{ seq: 1, at: AT + 90 * MINUTE_MS }] })).toEqual([])
  })

  it('passes with receipts of one second in any order, and one whose player only knows when it was there', () => {
    const from = AT - 60 * MINUTE_MS
    const receipts = [3, 1, 2].map((seq) => ({ seq, from, at: from + 999 }))
    expect(failing({}, { receipts: [...receipts, { seq: 1, at: AT }] })).toEqual([])
  })

  it('passes with a receipt, the earlier secret and the chain', () => {
    const known = {
      receipts: [
        { seq: proof.leaf.seq, at: AT - 11 * MINUTE_MS },
        { seq: proof.leaf.seq + 9, at: AT - 9 * MINUTE_MS },
      ],
      walletSalt: proof.walletSalt,
      chain: { ...statement.vault, contract: VAULT, madeAt: AT, confirmedAt: null },
    }
    expect(failing({}, known)).toEqual([])
  })

  it('can be checked without a wallet: its ratio, and that everything is held', () => {
    expect(verifySolvency(statement, null)).toHaveLength(4)
    expect(verifySolvency(statement, null).every(({ holds }) => holds)).toBe(true)
  })
})

describe('a count', () => {
  const HOUR_MS = 60 * MINUTE_MS

  it.each([0, 2 * HOUR_MS])('is new enough %i ms after it was made', (afterMs) => {
    expect(failing({}, { askedAt: AT + afterMs })).toEqual([])
  })

  it.each([
    ['is no longer made', AT + 2 * HOUR_MS + 1],
    ['is dated ahead', AT - 2 * HOUR_MS - 1],
  ])('fails if it %s', (_case, askedAt) => {
    expect(failing({}, { askedAt })).toEqual([expect.stringContaining('within two hours of')])
  })
})

describe('an understated liability is caught:', () => {
  it('a sum below that of the tree', () => {
    const owed = { ...statement.owed, ETH: '4000' }
    const ratio = { ...statement.ratio, ETH: ratioOf(5_005n, 4_000n) }
    expect(failing({ statement: { owed, ratio } })).toEqual([
      'what is owed in ETH, 4000, is the sum of the tree',
    ])
  })

  it('a sibling whose sum was lowered, with the sum of the statement', () => {
    const level = proof.siblings.findIndex(({ ETH }) => BigInt(ETH) >= 1_000n)
    const siblings = proof.siblings.map((sibling, index) =>
      index === level ? { ...sibling, ETH: `${BigInt(sibling.ETH) - 1_000n}` } : sibling,
    )
    const owed = { ...statement.owed, ETH: '4000' }
    const ratio = { ...statement.ratio, ETH: ratioOf(5_005n, 4_000n) }
    expect(failing({ statement: { owed, ratio }, proof: { siblings } })).toEqual([
      expect.stringContaining('leads to the top'),
      expect.stringContaining('give the root'),
    ])
  })

  it('a leaf with less than the player has', () => {
    const less = { ...proof.leaf, owed: { ...proof.leaf.owed, ETH: '999' } }
    expect(failing({ proof: { leaf: less } })).not.toEqual([])
  })

  it('a wallet that is missing, although a receipt is old enough', () => {
    const early = { receipts: [{ seq: 1, at: AT - 10 * MINUTE_MS - 1 }] }
    expect(failing({ proof: null }, early)).toHaveLength(1)
    const late = { receipts: [{ seq: 1, at: AT - 10 * MINUTE_MS }] }
    expect(failing({ proof: null }, late)).toEqual([])
    expect(failing({ proof: null })).toEqual([])
  })

  it('a leaf from before a receipt that is old enough', () => {
    const receipts = [{ seq: proof.leaf.seq + 1, at: AT - 11 * MINUTE_MS }]
    expect(failing({}, { receipts })).toEqual([
      `the leaf is of entry ${proof.leaf.seq}, no older than your receipt of entry ${proof.leaf.seq + 1}`,
    ])
  })

  it.each([0, 1, 10 ** 12])(
    'a leaf of an entry that was made after the count, %i entries ahead',
    (ahead) => {
      const from = AT + 31 * MINUTE_MS + 1
      const [seq, at] = [proof.leaf.seq - ahead, from + 999]
      const receipts = [{ seq, from, at }]
      expect(failing({}, { receipts })).toEqual([
        `the leaf is of entry ${proof.leaf.seq}, older than your receipt of entry ${seq}, which is from after the count`,
      ])
      expect(failing({}, { receipts: [{ seq: proof.leaf.seq + 1, from, at }] })).toEqual([])
    },
  )

  it('a win that was signed under a number from before the leaf, which no receipt has', () => {
    const DAY_MS = 1_440 * MINUTE_MS
    const { seq, owed } = proof.leaf
    const entry = (number: number, from: number) => ({ seq: number, from, at: from + 999, owed })
    const before = entry(seq, AT - 3 * DAY_MS)
    const won = { ...entry(1, AT - 2 * DAY_MS), owed: { ...owed, ETH: '1000000' } }
    expect(failing({}, { receipts: [won, before] })).toEqual([
      `the dates of your receipts are in the order of their entries, unlike entry ${seq} of 2026-11-15T11:06:40.000Z and entry 1 of 2026-11-16T11:06:40.000Z`,
    ])
  })

  it('a wallet that is missing, although an earlier count had it', () => {
    const known = { walletSalt: proof.walletSalt }
    expect(failing({ proof: null }, known)).toEqual([
      'the wallet has a leaf, since an earlier count had one',
    ])
  })

  it.each(['ETH', 'USDG'] as const)(
    'a leaf with less %s than the receipt of its entry',
    (token) => {
      const { seq, owed } = proof.leaf
      const receipts = [
        { seq: seq - 1, at: AT - 2, owed: { ETH: '1', USDG: '2' } },
        { seq, at: AT - 1, owed: { ...owed, [token]: `${BigInt(owed[token]) + 1n}` } },
      ]
      expect(failing({}, { receipts })).toEqual([
        expect.stringContaining(
          `what you were owed after entry ${seq} is as in your receipt of it`,
        ),
      ])
      expect(failing({}, { receipts: [{ seq, at: AT - 1, owed }] })).toEqual([])
    },
  )

  it.each([
    [
      'the clock that is given',
      { clockAt: AT + 120 * MINUTE_MS },
      AT + 121 * MINUTE_MS,
      'your clock, 2026-',
    ],
    [
      'two hours after the count, by a slow clock',
      { clockAt: 0 },
      AT + 120 * MINUTE_MS,
      'two hours',
    ],
    ['two hours after the newest count', { askedAt: AT + 1 }, AT + 120 * MINUTE_MS, 'two hours'],
  ])(
    'a receipt that binds nothing, because it is dated later than %s',
    (_case, of, until, limit) => {
      const receiptOf = (at: number) => ({ ...of, receipts: [{ seq: proof.leaf.seq + 1, at }] })
      expect(failing({}, receiptOf(until))).toEqual([])
      expect(failing({}, receiptOf(until + 1))).toEqual([
        expect.stringMatching(
          `^no receipt of yours is dated later than ${limit}.*, as that of entry 13 is`,
        ),
      ])
      expect(failing({ proof: null }, receiptOf(AT * 1_000))).toHaveLength(1)
    },
  )

  it('no receipt by a device whose clock is wrong, while a count is made each hour', () => {
    const receipts = [{ seq: proof.leaf.seq, at: AT + 70 * MINUTE_MS }]
    for (const askedAt of [0, AT - 119 * MINUTE_MS, AT + 300 * MINUTE_MS])
      expect(failing({}, { askedAt, receipts }).join()).not.toContain('no receipt of yours')
  })

  it('a salt that does not follow from the secret, or a secret that has changed', () => {
    expect(failing({ proof: { salt: 'ab'.repeat(32) } })).not.toEqual([])
    expect(failing({ proof: { walletSalt: 'ab'.repeat(32) } })).toEqual([
      "the wallet's secret and epoch 3 give the salt of its leaf",
    ])
    expect(failing({}, { walletSalt: 'ab'.repeat(32) })).toEqual([
      "the wallet's secret is as before",
    ])
  })

  it('debts to partners that are left out of the ratio, and holdings below the debts', () => {
    const partners = { ETH: '1000', USDG: '0' }
    expect(failing({ statement: { partners } })).toEqual([
      "the ratio of ETH, 1.001000, is that of the vault's holdings to all debts",
      'the vault holds all ETH that is owed',
    ])
  })

  it.each(['-4000', '', '0x10', 'none', ' 1'])(
    'debts that are not amounts, such as what partners owe to the house: %j',
    (amount) => {
      const partners = { ETH: amount, USDG: '0' }
      const vault = { ...statement.vault, holdings: { ...statement.vault.holdings, ETH: '0' } }
      expect(failing({ statement: { partners, vault } })).toEqual([
        'what is owed and held in ETH are amounts',
      ])
    },
  )

  it('holdings or a block that the chain does not have', () => {
    const { holdings, blockHash } = statement.vault
    const poorer = { ...holdings, USDG: '1' }
    const confirmedAt = AT
    const at = { contract: VAULT, madeAt: AT - MINUTE_MS, confirmedAt }
    expect(failing({}, { chain: { ...at, holdings: poorer, blockHash } })).toEqual([
      `the vault's contract held ${holdings.USDG} of USDG (${VAULT.usdg}) after it: ${VAULT.address} on chain 1`,
    ])
    const elsewhere = `0x${'aa'.repeat(32)}`
    expect(failing({}, { chain: { ...at, holdings, blockHash: elsewhere } })).toHaveLength(1)
  })

  it.each<[string, Partial<typeof VAULT>]>([
    ['chain', { chainId: 2 }],
    ['vault', { address: VAULT.usdg }],
    ['token', { usdg: VAULT.address }],
  ])('another %s than the one that was read', (_what, change) => {
    const { holdings, blockHash } = statement.vault
    const read = { holdings, blockHash, madeAt: AT, confirmedAt: null }
    expect(failing({}, { chain: { ...read, contract: { ...VAULT, ...change } } })).toEqual([
      `the count is of the vault ${VAULT.address} with the USDG ${VAULT.usdg} on chain 1, which was read`,
    ])
  })

  it('holdings of a time when the vault had more', () => {
    const { holdings, blockHash, blockNumber } = statement.vault
    const upTo = (confirmedAt: number) =>
      failing({}, { chain: { contract: VAULT, holdings, blockHash, madeAt: 0, confirmedAt } })
    expect(upTo(AT - 60 * MINUTE_MS)).toEqual([])
    expect(upTo(AT - 60 * MINUTE_MS - 1)).toEqual([
      `block ${blockNumber} was one of the newest 64 within the hour before the count`,
    ])
  })

  it('holdings of a block that was made after the count, which has deposits since', () => {
    const { holdings, blockHash, blockNumber } = statement.vault
    const madeAt = (time: number) => {
      const chain = { contract: VAULT, holdings, blockHash, madeAt: time, confirmedAt: null }
      return failing({}, { chain })
    }
    expect(madeAt(AT + 5 * MINUTE_MS)).toEqual([])
    expect(madeAt(AT + 5 * MINUTE_MS + 1)).toEqual([
      `block ${blockNumber} was made at 2026-11-18T11:11:40.001Z, at most 5 minutes after the count began`,
    ])
  })
})

describe('a malformed proof', () => {
  it.each<[string, Partial<SolvencyProof>]>([
    ['with an index outside the tree', { index: 8 }],
    ['with a negative index', { index: -1 }],
    ['with a broken index', { index: 1.5 }],
    ['with fewer siblings', { siblings: proof.siblings.slice(1), index: 0 }],
    ['with too many siblings', { siblings: Array.from({ length: 41 }, () => proof.siblings[0]!) }],
    ['with a short hash', { siblings: [{ hash: 'ab', ETH: '0', USDG: '0' }] }],
    ['with an amount that is none', { siblings: [{ hash: proof.top, ETH: '-1', USDG: '0' }] }],
    ['with a short salt', { salt: 'abcd' }],
    ['with a huge amount', { siblings: [{ hash: proof.top, ETH: `${2n ** 128n}`, USDG: '0' }] }],
  ])('fails, %s', (_case, change) => {
    expect(failing({ proof: change })).not.toEqual([])
  })

  it('fails wherever one digit of a hash was changed', () => {
    forAll(fc.nat({ max: 63 }), fc.nat({ max: proof.siblings.length - 1 }), (at, level) => {
      const siblings = proof.siblings.map((sibling, index) => {
        const digit = sibling.hash[at] === '0' ? '1' : '0'
        const hash = sibling.hash.slice(0, at) + digit + sibling.hash.slice(at + 1)
        return index === level ? { ...sibling, hash } : sibling
      })
      expect(failing({ proof: { siblings } })).not.toEqual([])
    })
  })
})

describe('a ratio', () => {
  it.each([
    [0n, 0n, '1'],
    [5n, 0n, '1'],
    [0n, 5n, '0.000000'],
    [2n, 3n, '0.666666'],
    [3n, 2n, '1.500000'],
    [10n ** 30n - 1n, 10n ** 30n, '0.999999'],
    [10n ** 30n, 1n, `${10n ** 30n}.000000`],
  ])('of %i to %i is %s, rounded down', (held, owed, ratio) => {
    expect(ratioOf(held, owed)).toBe(ratio)
  })
})
