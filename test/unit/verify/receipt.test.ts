import { describe, expect, it } from 'vitest'
import { discloseWhole, type WholeRound } from '../../../src/crash/disclosure.ts'
import { Round } from '../../../src/crash/round.ts'
import { commitmentOf } from '../../../src/fairness/seed.ts'
import type { Selection } from '../../../src/games/games.ts'
import { settle } from '../../../src/games/play.ts'
import type { Receipt } from '../../../src/receipts/claims.ts'
import { parseJws } from '../../../src/receipts/jws.ts'
import { verifySignature } from '../../../src/verify/receipt-signature.ts'
import {
  verifyBetReceipt,
  verifyCashoutReceipt,
  verifyPlayReceipt,
} from '../../../src/verify/receipt.ts'
import { OPENED_AT, placement, recordOf, SEED, VOID_AT } from '../support/builders.ts'
import {
  betReceipt,
  cashoutReceipt,
  ISSUED_AT,
  KEYS,
  playReceipt,
  sign,
  withdrawalReceipt,
} from '../support/receipts.ts'

const OTHER = '00'.repeat(32)

function disclosed(round: Round): WholeRound {
  const { betsRoot } = round.fixedBets
  return discloseWhole(round.result()!, { plan: round.record.plan, betsRoot }, round.bets, 0)
}

function ended(): WholeRound {
  const round = new Round(recordOf('committed', 300), [])
  round.place(placement({ wallet: 'alice', autoCashout: 200 }), OPENED_AT)
  round.place(placement({ wallet: 'bob' }), OPENED_AT)
  round.advance(OPENED_AT + 600_000)
  return disclosed(round)
}

const ROUND = ended()
const BET = betReceipt(ROUND, 0)
const CASHOUT = cashoutReceipt(ROUND, 0)

type Checks = { claim: string; holds: boolean }[]
const failed = (checks: Checks) => checks.flatMap(({ claim, holds }) => (holds ? [] : [claim]))

describe('the signature of a receipt', () => {
  const signed = async (receipt: Receipt, kid?: string) => {
    const jws = parseJws(await sign(receipt, kid))!
    const { kid: named } = jws.header as { kid: string }
    return { receipt, kid: named, jws }
  }

  it('verifies with the published key', async () => {
    expect(failed(verifySignature(await signed(withdrawalReceipt), KEYS))).toEqual([])
  })

  it('fails without its key, and with another key published under its name', async () => {
    const receipt = await signed(withdrawalReceipt)
    const [newest, old] = KEYS
    const isNotSigned = [expect.stringContaining('it is signed with the key')]
    expect(failed(verifySignature(receipt, []))).toEqual(isNotSigned)
    const exchanged = [{ ...old!, kid: newest!.kid }]
    expect(failed(verifySignature(receipt, exchanged))).toEqual(isNotSigned)
    const misnamed = await signed(withdrawalReceipt, old!.kid)
    expect(failed(verifySignature(misnamed, KEYS))).toContainEqual(isNotSigned[0])
  })

  it('fails after its key has expired', async () => {
    const receipt = await signed(withdrawalReceipt)
    const keys = (exp: number) => [{ ...KEYS[0]!, exp }]
    const { iat } = withdrawalReceipt
    expect(failed(verifySignature(receipt, keys(iat)))).toEqual([])
    expect(failed(verifySignature(receipt, keys(iat - 1)))).toEqual([
      'the key had not expired by then',
    ])
  })
})

describe('the receipt of a bet', () => {
  it('agrees with the disclosure of its round', () => {
    expect(failed(verifyBetReceipt(BET, ROUND))).toEqual([])
    expect(failed(verifyBetReceipt(betReceipt(ROUND, 1), ROUND))).toEqual([])
  })

  it('agrees with the disclosure of a voided round', () => {
    const round = new Round(recordOf('drand-quicknet', 200), [])
    round.place(placement(), OPENED_AT)
    round.advance(VOID_AT)
    const whole = disclosed(round)
    const claims = failed(verifyBetReceipt(betReceipt(whole, 0), whole))
    expect(claims).toEqual([])
  })

  it.each([
    ['the token', { token: 'USDG' as const }],
    ['the stake in smallest units', { amountWei: '99' }],
    ['the automatic cash-out', { autoCashout: null }],
    ['the seed hash', { seedHash: OTHER }],
    ['the plan’s seed hash', { seedHash: OTHER }],
    [
      'the source of the pepper',
      { pepperSource: { kind: 'committed' as const, pepperHash: OTHER } },
    ],
    [
      'the plan’s source of the pepper',
      { pepperSource: { kind: 'drand-quicknet' as const, round: 1 } },
    ],
  ])('is contradicted by another value of %s', (fact, change) => {
    expect(failed(verifyBetReceipt({ ...BET, ...change }, ROUND))).toContainEqual(
      expect.stringMatching(new RegExp(`^${fact} is .* in the receipt and .* in the disclosure$`)),
    )
  })

  it.each<[string, WholeRound]>([
    ['without its bet', { ...ROUND, bets: ROUND.bets.slice(1) }],
    ['of another round', { ...ROUND, roundId: ROUND.roundId + 1 }],
    ['without any bet', { ...ROUND, bets: [], betCount: 0 }],
  ])('is contradicted by a disclosure %s', (_name, round) => {
    expect(failed(verifyBetReceipt(BET, round))).toContainEqual(
      expect.stringMatching(/^the bet of alice is among/),
    )
  })

  it('is contradicted by a round that does not verify', () => {
    const seed = `0${SEED.slice(1)}`
    const claims = failed(verifyBetReceipt(BET, { ...ROUND, seed }))
    expect(claims).toContainEqual(expect.stringContaining('the seed matches its seed hash'))
    const [first, ...others] = ROUND.bets
    const bets = [{ ...first!, payout: '199' }, ...others]
    expect(failed(verifyBetReceipt(BET, { ...ROUND, bets }))).toEqual([
      expect.stringContaining('each bet ended as'),
    ])
  })
})

describe('the receipt of a cash-out', () => {
  it('agrees with the disclosure of its round', () => {
    expect(failed(verifyCashoutReceipt(CASHOUT, ROUND))).toEqual([])
  })

  it.each([
    ['the multiplier', { multiplier: 2.01 }],
    ['the payout in smallest units', { payout: '201' }],
    ['the time in unix milliseconds', { at: CASHOUT.at - 1 }],
  ])('is contradicted by another value of %s', (fact, change) => {
    expect(failed(verifyCashoutReceipt({ ...CASHOUT, ...change }, ROUND))).toEqual([
      expect.stringMatching(new RegExp(`^${fact} is .* in the receipt and .* in the disclosure$`)),
    ])
  })

  it('is contradicted by a bet that lost', () => {
    const sub = ROUND.bets[1]!.wallet
    expect(failed(verifyCashoutReceipt({ ...CASHOUT, sub }, ROUND))).toHaveLength(3)
  })
})

describe('the receipt of a play', () => {
  const played = (selection: Selection) => ({
    ...settle(
      selection,
      { token: 'USDG', amountWei: 1_000_001n },
      { seed: SEED, seedHash: commitmentOf(SEED), clientSeed: 'mine', nonce: 7 },
      { edgeBps: 100, tables: 1 },
    ),
    nextSeedHash: commitmentOf(OTHER),
    settledAt: ISSUED_AT + 999,
  })
  const PLAY = played({ game: 'limbo', params: { target: 150 } })
  const RECEIPT = playReceipt('alice', PLAY)

  it.each<Selection>([
    { game: 'mines', params: { mines: 3, picked: [0, 1] } },
    { game: 'limbo', params: { target: 150 } },
    { game: 'plinko', params: { risk: 'low', rows: 12 } },
    { game: 'keno', params: { picks: [19, 29, 5], risk: 'classic' } },
  ])('of $game agrees with its disclosure', (selection) => {
    const play = played(selection)
    expect(failed(verifyPlayReceipt(playReceipt('alice', play), play))).toEqual([])
  })

  it.each([
    ['the time in unix seconds', { iat: ISSUED_AT / 1_000 - 86_400 }],
    ['the game', { game: 'keno' }],
    ['the nonce', { nonce: 8 }],
    ['the choice', { params: { target: 1.51 } }],
    ['the token', { token: 'ETH' as const }],
    ['the stake in smallest units', { amountWei: '1' }],
    ['the payout in smallest units', { payout: '1' }],
    ['the client seed', { clientSeed: 'theirs' }],
    ['the seed hash', { seedHash: OTHER }],
    ['the seed hash of the next play', { nextSeedHash: OTHER }],
  ])('is contradicted by another value of %s', (fact, change) => {
    expect(failed(verifyPlayReceipt({ ...RECEIPT, ...change }, PLAY))).toEqual([
      expect.stringMatching(new RegExp(`^${fact} is .* in the receipt and .* in the disclosure$`)),
    ])
  })

  it('is contradicted by a play that does not verify', () => {
    const claims = failed(verifyPlayReceipt(RECEIPT, { ...PLAY, seed: OTHER }))
    expect(claims).toContainEqual(expect.stringContaining('the seed matches its seed hash'))
  })
})
