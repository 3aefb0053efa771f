import { describe, expect, it } from 'vitest'
import type { Receipt } from '../../../src/receipts/claims.ts'
import { contradictionsOf } from '../../../src/verify/contradictions.ts'
import {
  issuedTo,
  rollbackReceipt,
  transactionReceipt,
  withdrawalReceipt,
  type Of,
} from '../support/receipts.ts'

const hash = (digit: string) => digit.repeat(64)
const ALICE = '0xa1'

const BET: Of<'bet'> = {
  ...issuedTo(ALICE),
  kind: 'bet',
  roundId: 7,
  seedHash: hash('a'),
  token: 'ETH',
  amountWei: '100',
  pepperSource: { kind: 'drand-quicknet', round: 9 },
  autoCashout: null,
}
const CASHOUT: Of<'cashout'> = {
  ...issuedTo(ALICE),
  seq: 3,
  entry: hash('3'),
  kind: 'cashout',
  roundId: 7,
  multiplier: 2,
  payout: '200',
  at: 5,
}
const PLAY: Of<'play'> = {
  ...issuedTo(ALICE),
  seq: 4,
  entry: hash('4'),
  kind: 'play',
  game: 'limbo',
  nonce: 0,
  clientSeed: 'mine',
  seedHash: hash('b'),
  nextSeedHash: hash('c'),
  params: { target: 2 },
  token: 'ETH',
  amountWei: '100',
  payout: '0',
}
const NEXT: Of<'play'> = {
  ...PLAY,
  seq: 5,
  entry: hash('5'),
  nonce: 1,
  seedHash: hash('c'),
  nextSeedHash: hash('d'),
}
const WITHDRAWAL = { ...withdrawalReceipt, sub: ALICE, seq: 6, entry: hash('6') }
const TRANSACTION = { ...transactionReceipt, sub: ALICE, seq: 7, entry: hash('7') }
const ROLLBACK = { ...rollbackReceipt, sub: ALICE, seq: 8, entry: hash('8') }

const placeOf = ({ seq, entry }: Receipt) => ({ seq, entry })

/** A pick in a game that was then cashed out, and the receipt of the cash-out, with the same entry. */
const { nonce, seedHash, nextSeedHash, clientSeed } = NEXT
const committed = { nonce, seedHash, nextSeedHash, clientSeed }
const pick = (picked: number[], next: number | null): Of<'mines-pick'> => ({
  ...issuedTo(ALICE),
  ...placeOf(NEXT),
  kind: 'mines-pick',
  game: {
    ...committed,
    token: 'ETH',
    amountWei: '100',
    mines: 3,
    maxPicks: 1,
    picked,
    next,
    multiplier: 1,
    payout: '100',
    openedAt: 1,
  },
})
const cashedOut: Of<'play'> = { ...NEXT, game: 'mines', params: { mines: 3, pick: [4] } }

const HONEST: Receipt[] = [BET, CASHOUT, PLAY, NEXT, WITHDRAWAL, TRANSACTION, ROLLBACK]

const claimsOf = (...receipts: Receipt[]) => contradictionsOf(receipts).map(({ claim }) => claim)

describe('honest receipts', () => {
  it('do not contradict each other, nor when a call is repeated', () => {
    expect(claimsOf(...HONEST, ...HONEST)).toEqual([])
  })

  it('of the pick that ends a game and of its cash-out name the same entry', () => {
    expect(claimsOf(pick([4], null), cashedOut)).toEqual([])
  })

  it('of one second may have any order', () => {
    expect(claimsOf(NEXT, PLAY, { ...WITHDRAWAL, iat: WITHDRAWAL.iat + 1 })).toEqual([])
  })

  it('of rollbacks that moved nothing may follow the one that did, or refer to an id that never arrived', () => {
    const empty = { ...ROLLBACK, amountWei: '0', seq: 9, entry: hash('9') }
    expect(
      claimsOf(
        TRANSACTION,
        ROLLBACK,
        { ...empty, partnerTransactionId: 'undo-2' },
        { ...empty, partnerTransactionId: 'undo-3', seq: 10, originalTransactionId: 'spin-9' },
      ),
    ).toEqual([])
  })

  it('of other wallets, rounds, plays and sites may differ', () => {
    const bob = { sub: '0xb0', entry: hash('9') }
    expect(
      claimsOf(
        ...HONEST,
        { ...BET, ...bob, amountWei: '5' },
        { ...BET, seq: 9, roundId: 8, seedHash: hash('8') },
        { ...PLAY, ...bob, seedHash: hash('8') },
        { ...BET, ...bob, iss: 'https://other.test', seedHash: hash('9') },
        { ...BET, iss: 'https://other.test', entry: hash('9'), seedHash: hash('9'), iat: 1 },
        { ...TRANSACTION, seq: 12, partner: 'other', amountWei: '-6' },
      ),
    ).toEqual([])
  })
})

describe('a breach', () => {
  it('is an entry of the journal with two hashes', () => {
    expect(claimsOf(BET, { ...WITHDRAWAL, seq: BET.seq })).toEqual([
      `entry 2 of the journal of 0xa1: entry is "${BET.entry}" in one and "${hash('6')}" in the other`,
    ])
  })

  it.each<[string, Receipt, Receipt]>([
    ['a bet and its cash-out', BET, { ...CASHOUT, ...placeOf(BET) }],
    ['two bets', BET, { ...BET, roundId: 8 }],
    ['two plays', PLAY, { ...NEXT, ...placeOf(PLAY) }],
    ['a pick that does not end its game, and the cash-out', pick([4], 2), cashedOut],
    ['two picks', pick([4], 2), pick([4, 5], 3)],
    ['a bet and a withdrawal', BET, { ...WITHDRAWAL, ...placeOf(BET) }],
  ])('is an entry of the journal for both: %s', (_name, one, other) => {
    expect(claimsOf(one, other)).toEqual([
      expect.stringMatching(/^entry \d of the journal of 0xa1: operation is /),
    ])
  })

  it.each<[string, Partial<Of<'bet'>>]>([
    ['stake', { amountWei: '99' }],
    ['automatic cash-out', { autoCashout: 1.5 }],
    ['entry', { seq: 9, entry: hash('9') }],
    ['hash of the terms', { terms: hash('0') }],
    ['seed hash', { seedHash: hash('9') }],
    ['source of the pepper', { pepperSource: { kind: 'drand-quicknet', round: 10 } }],
  ])('is a bet with another %s', (_name, change) => {
    expect(claimsOf(BET, { ...BET, ...change })).toHaveLength(1)
  })

  it('is a round whose seed hash two players were told differently', () => {
    const bobs = { ...BET, sub: '0xb0', entry: hash('9'), seedHash: hash('9') }
    expect(claimsOf(BET, bobs)).toEqual([
      `the plan of round 7: seedHash is "${hash('a')}" in one and "${hash('9')}" in the other`,
    ])
  })

  it.each<[string, Partial<Of<'cashout'>>]>([
    ['multiplier', { multiplier: 1.99 }],
    ['payout', { payout: '199' }],
    ['time', { at: 6 }],
  ])('is a cash-out with another %s', (_name, change) => {
    expect(claimsOf(CASHOUT, { ...CASHOUT, ...change })).toHaveLength(1)
  })

  it.each<[string, Partial<Of<'play'>>]>([
    ['seed hash', { seedHash: hash('9') }],
    ['payout', { payout: '200' }],
    ['choice', { params: { target: 3 } }],
    ['client seed', { clientSeed: 'theirs' }],
    ['next seed hash', { nextSeedHash: hash('9') }],
    ['hash of the terms', { terms: hash('0') }],
  ])('is a play with another %s', (_name, change) => {
    expect(claimsOf(PLAY, { ...PLAY, ...change })).toHaveLength(1)
  })

  it('is a play under another seed hash than the one before promised, in either order', () => {
    const next = { ...NEXT, seedHash: hash('9') }
    expect(claimsOf(PLAY, next)).toEqual([
      `the commitment of play 1 of 0xa1: seedHash is "${hash('c')}" in one and "${hash('9')}" in the other`,
    ])
    expect(claimsOf(next, PLAY)).toHaveLength(1)
  })

  it.each<[string, Partial<Of<'mines-pick'>['game']>]>([
    ['time of its opening', { openedAt: 2 }],
    ['last pick', { maxPicks: 2 }],
    ['number of mines', { mines: 4 }],
    ['token', { token: 'USDG' }],
    ['stake', { amountWei: '99' }],
    ['client seed', { clientSeed: 'theirs' }],
  ])('is a game of mines with another %s in one of its picks', (_name, change) => {
    const [first, second] = [pick([4], 2), pick([4, 5], 3)]
    const later = { ...second, ...placeOf(WITHDRAWAL), game: { ...second.game, ...change } }
    expect(claimsOf(first, later)).toEqual([
      expect.stringMatching(`^game 1 of 0xa1: ${Object.keys(change)[0]} is `),
    ])
  })

  it('is a withdrawal with another amount', () => {
    expect(claimsOf(WITHDRAWAL, { ...WITHDRAWAL, amountWei: '6' })).toHaveLength(1)
  })

  it.each<[string, Partial<Of<'transaction'>>]>([
    ['amount', { amountWei: '-6' }],
    ['balance', { balanceWei: '94' }],
    ['player', { sub: '0xb0' }],
  ])('is a partner’s transaction with another %s', (_name, change) => {
    expect(claimsOf(TRANSACTION, { ...TRANSACTION, ...change })).toHaveLength(1)
  })

  it('is an entry after which two amounts were owed', () => {
    const owing = (ETH: string) => ({ ...PLAY, owed: { ETH, USDG: '0' } })
    expect(claimsOf(owing('5'), owing('4'))).toEqual([
      'what 0xa1 was owed after entry 4: owed is {"ETH":"5","USDG":"0"} in one and {"ETH":"4","USDG":"0"} in the other',
    ])
  })

  it.each<[string, Receipt, Receipt, string]>([
    ['of another amount', TRANSACTION, { ...ROLLBACK, amountWei: '4' }, 'amountWei is "-5"'],
    [
      'and another one of the same original',
      ROLLBACK,
      { ...ROLLBACK, partnerTransactionId: 'undo-2', seq: 9, entry: hash('9') },
      'rollback is "undo-1" in one and "undo-2" in the other',
    ],
    ['of another original', ROLLBACK, { ...ROLLBACK, originalTransactionId: 'spin-2' }, 'original'],
    [
      'and a transaction of the same id',
      ROLLBACK,
      { ...TRANSACTION, ...placeOf(ROLLBACK), partnerTransactionId: 'undo-1' },
      'kind is "rollback" in one and "transaction" in the other',
    ],
  ])('is a rollback %s', (_name, one, other, claim) => {
    expect(claimsOf(one, other)).toEqual([expect.stringContaining(claim)])
  })

  it('is an entry that was made after another one, under a lower number', () => {
    const won = { ...WITHDRAWAL, seq: 1, iat: PLAY.iat + 1 }
    expect(claimsOf(won, PLAY)).toEqual([
      'the journal of 0xa1: entry 4 was made at 2027-01-15T08:00:00.000Z, and entry 1 only later, at 2027-01-15T08:00:01.000Z',
    ])
    expect(contradictionsOf([CASHOUT, won, PLAY])[0]?.between).toEqual([1, 2])
  })

  it('is an entry with two dates, in the receipts of the last pick and of the cash-out', () => {
    expect(claimsOf(pick([4], null), { ...cashedOut, iat: cashedOut.iat + 1 })).toEqual([
      expect.stringMatching(/^the journal of 0xa1: entry 5 was made at .*, and entry 5 only later/),
    ])
  })

  it('names the two receipts', () => {
    const receipts = [CASHOUT, BET, PLAY, { ...BET, amountWei: '99' }]
    expect(contradictionsOf(receipts).map(({ between }) => between)).toEqual([[1, 3]])
  })
})
