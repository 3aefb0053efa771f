import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Posting } from '../../../src/ledger/accounts.ts'
import { depositFee, movementPostings } from '../../../src/ledger/deposit.ts'
import {
  checkWithdrawal,
  mayBecome,
  setAsidePostings,
  statusPostings,
  type WithdrawalContext,
  type WithdrawalRequest,
} from '../../../src/ledger/withdrawal.ts'
import { freshFees, highestFees, raisedFees, replacementFees } from '../../../src/relayer/fees.ts'
import { AccountShare, LATEST_PAYOUTS, type WatchedEvent } from '../../../src/vault/events.ts'
import { ALL_OPEN, TERMS } from '../support/builders.ts'
import { forAll } from '../support/for-all.ts'

const movement = { position: 0, token: 'USDG', amountWei: 1_001n } as const

describe('a deposit', () => {
  it('is credited as chips less a fee, which is rounded up', () => {
    expect(depositFee(1_001n, 25)).toBe(3n)
    expect(movementPostings({ ...movement, kind: 'deposited' }, 25)).toEqual([
      { token: 'USDG', from: 'vault', to: 'chips', amountWei: '998' },
      { token: 'USDG', from: 'vault', to: 'fees', amountWei: '3' },
    ])
  })

  it('is all chips without a fee, and all fee at 100 %', () => {
    expect(movementPostings({ ...movement, kind: 'deposited' }, 0)).toHaveLength(1)
    expect(movementPostings({ ...movement, kind: 'deposited' }, 10_000)).toEqual([
      { token: 'USDG', from: 'vault', to: 'fees', amountWei: '1001' },
    ])
  })

  it('goes into quarantine above a limit, without a fee on that part', () => {
    expect(movementPostings({ ...movement, kind: 'deposited' }, 25, 401n)).toEqual([
      { token: 'USDG', from: 'vault', to: 'chips', amountWei: '598' },
      { token: 'USDG', from: 'vault', to: 'fees', amountWei: '2' },
      { token: 'USDG', from: 'vault', to: 'quarantine', amountWei: '401' },
    ])
  })

  it('never creates or loses a unit', () => {
    forAll(
      fc.bigInt({ min: 1n, max: 10n ** 30n }),
      fc.integer({ min: 0, max: 10_000 }),
      fc.bigInt({ min: 0n, max: 10n ** 30n }),
      (amountWei, feeBps, most) => {
        const deposit = { ...movement, kind: 'deposited', amountWei } as const
        const quarantinedWei = amountWei > most ? amountWei - most : 0n
        const postings = movementPostings(deposit, feeBps, quarantinedWei)
        const sum = postings.reduce((total, posting) => total + BigInt(posting.amountWei), 0n)
        expect(sum).toBe(amountWei)
        expect(depositFee(amountWei, feeBps) * 10_000n >= amountWei * BigInt(feeBps)).toBe(true)
      },
    )
  })
})

describe('a withdrawal is checked', () => {
  const request: WithdrawalRequest = {
    token: 'USDG',
    amountWei: 10n,
    nonce: 3,
    signature: '0x',
    isSigned: true,
    min: 5n,
    isVaultPaused: false,
    terms: TERMS.hash,
    modes: ALL_OPEN,
  }
  const context: WithdrawalContext = {
    next: 3,
    available: 10n,
    inPlay: 0n,
    isUnderWay: false,
    sinceSmallMs: null,
    hasMissingDeposit: false,
  }
  it.each<[string, Partial<WithdrawalRequest>, Partial<WithdrawalContext>, string | undefined]>([
    ['and accepted', {}, {}, undefined],
    ['for its nonce first', { nonce: 4, amountWei: 0n }, {}, 'nonce_mismatch'],
    ['then its amount', { amountWei: 4n, isSigned: false }, {}, 'amount_out_of_bounds'],
    ['then its signature', { isSigned: false }, { isUnderWay: true }, 'signature_invalid'],
    [
      'then against a pending withdrawal',
      {},
      { isUnderWay: true, available: 0n },
      'withdrawal_pending',
    ],
    ['for a signature nobody could check', { isSigned: null }, {}, 'chain_unavailable'],
    ['for a paused vault', { isVaultPaused: true }, { available: 9n }, 'chain_unavailable'],
    ['for a ledger with a missing deposit', {}, { hasMissingDeposit: true }, 'chain_unavailable'],
    ['and last for the chips', {}, { available: 9n }, 'insufficient_chips'],
  ])('%s', (_what, asked, known, code) => {
    const refusal = checkWithdrawal({ ...request, ...asked }, { ...context, ...known })
    expect(refusal?.error.code).toBe(code)
  })
})

describe('a withdrawal below the minimum', () => {
  const refused = (
    amountWei: bigint,
    sinceSmallMs: number | null,
    available = amountWei,
    inPlay = 0n,
  ) =>
    checkWithdrawal(
      {
        token: 'USDG',
        nonce: 0,
        signature: '0x',
        isSigned: true,
        amountWei,
        min: 5n,
        isVaultPaused: false,
        terms: TERMS.hash,
        modes: ALL_OPEN,
      },
      {
        next: 0,
        available,
        inPlay,
        isUnderWay: false,
        hasMissingDeposit: false,
        sinceSmallMs,
      },
    )?.error
  const small = (...asked: Parameters<typeof refused>) => refused(...asked)?.code

  it('is allowed for the whole balance, once a day', () => {
    expect(small(4n, null)).toBeUndefined()
    expect(small(4n, 86_400_000)).toBeUndefined()
    expect(small(4n, 86_399_999)).toBe('amount_out_of_bounds')
    expect(small(4n, null, 6n)).toBe('amount_out_of_bounds')
    expect(small(4n, null, 4n, 1n)).toBe('amount_out_of_bounds')
  })

  it('names the bounds only if an amount is within them', () => {
    expect(refused(4n, null, 5n)?.message).toContain('Withdraw an amount between min and max.')
    expect(refused(3n, null, 4n)?.message).toMatch(
      /^Your balance is below the minimum\. Once a day/,
    )
  })

  it('is never zero', () => {
    expect(small(0n, null)).toBe('amount_out_of_bounds')
  })

  it('does not count against one above the minimum', () => {
    expect(small(5n, 0)).toBeUndefined()
  })
})

describe('a failed withdrawal', () => {
  it.each(['pending', 'submitted', 'confirmed'] as const)('never becomes %s', (to) => {
    expect(mayBecome('failed', to)).toBe(false)
    expect(() => statusPostings({ token: 'ETH', amountWei: '1' }, 'failed', to)).toThrow()
  })

  it('stays failed, and later ones may proceed', () => {
    expect(mayBecome('failed', 'failed')).toBe(true)
    for (const from of ['pending', 'submitted', 'confirmed'] as const) {
      for (const to of ['pending', 'submitted', 'confirmed', 'failed'] as const) {
        expect(mayBecome(from, to)).toBe(true)
      }
    }
  })
})

describe('the funds held by a withdrawal', () => {
  const held = { token: 'USDG', amountWei: '5' } as const
  it.each([
    ['pending', 'submitted', []],
    ['submitted', 'confirmed', [['withdrawing', 'vault']]],
    ['submitted', 'failed', [['withdrawing', 'chips']]],
    ['confirmed', 'failed', [['vault', 'chips']]],
    ['confirmed', 'confirmed', []],
  ] as const)('move from %s to %s', (from, to, moves) => {
    expect(statusPostings(held, from, to).map((posting) => [posting.from, posting.to])).toEqual(
      moves,
    )
  })
})

describe('the part of a withdrawal from quarantine', () => {
  const held = { token: 'USDG', amountWei: '5' } as const
  const movesOf = (postings: Posting[]) =>
    postings.map(({ from, to, amountWei }) => [from, to, amountWei])

  it('is set aside first, and never becomes chips', () => {
    expect(movesOf(setAsidePostings('USDG', 5n, 3n))).toEqual([
      ['quarantine', 'withdrawing', '3'],
      ['chips', 'withdrawing', '2'],
    ])
    expect(movesOf(statusPostings(held, 'submitted', 'failed', 3n))).toEqual([
      ['withdrawing', 'quarantine', '3'],
      ['withdrawing', 'chips', '2'],
    ])
    expect(movesOf(statusPostings(held, 'confirmed', 'failed', 5n))).toEqual([
      ['vault', 'quarantine', '5'],
    ])
  })
})

describe('the logs of an account', () => {
  const settled = { block: 10, net: { ETH: 0n, USDG: 100n } }
  const old = (block: number, own: Partial<WatchedEvent> = {}): WatchedEvent => ({
    txHash: '0x',
    position: 0,
    block,
    blockHash: '0x',
    kind: 'deposited',
    account: '0xP',
    token: 'USDG',
    amountWei: 5n,
    nonce: null,
    seenAt: 0,
    toldAt: 0,
    isRepeated: false,
    ...own,
  })
  const logsOf = (...logs: WatchedEvent[]) => {
    const share = new AccountShare('0xP', settled, 10 ** 9)
    for (const log of logs) share.add(log)
    return share.events()
  }

  it('count once, whether they are settled or later', () => {
    expect(logsOf(old(9), old(10)).net).toEqual(settled.net)
    expect(logsOf(old(10), old(11)).net).toEqual({ ETH: 0n, USDG: 105n })
    expect(logsOf(old(11, { kind: 'withdrawn', nonce: 0 })).net.USDG).toBe(95n)
    expect(logsOf(old(11, { kind: 'house-withdrawn' })).net.USDG).toBe(95n)
  })

  it('keep the latest payouts of any age, and what the ledger was not told', () => {
    const nonces = Array.from({ length: LATEST_PAYOUTS + 2 }, (_, nonce) => nonce)
    const payouts = nonces.map((nonce) => old(11, { kind: 'withdrawn', nonce }))
    const { fresh } = logsOf(...payouts, old(9, { toldAt: null }), old(9))
    expect(fresh.flatMap(({ nonce }) => nonce ?? [])).toEqual(nonces.slice(2))
    expect(fresh.filter(({ kind }) => kind === 'deposited')).toMatchObject([{ isRecent: true }])
  })

  it('are added up if a position can only lack them together, but for payouts', () => {
    const now = 10 ** 9
    const dust = [
      { seenAt: now, toldAt: null },
      { seenAt: now, toldAt: now },
      { seenAt: now - 1, toldAt: now },
      { seenAt: now, toldAt: now, isRepeated: true },
      { seenAt: now, toldAt: now, token: 'ETH' },
      { seenAt: now, toldAt: now, kind: 'house-withdrawn' },
    ] as const
    const { net, fresh } = logsOf(...[dust, dust, dust].flat().map((own) => old(11, own)))
    expect(fresh).toHaveLength(dust.length)
    expect(fresh).toMatchObject(dust.map((own) => ({ ...own, amountWei: 15n })))
    expect(net).toEqual({ ETH: 15n, USDG: 100n + 45n })

    const paid = [0, 1].map((nonce) => old(11, { kind: 'withdrawn', nonce, seenAt: now }))
    expect(logsOf(...paid).fresh).toMatchObject(paid.map(({ nonce }) => ({ nonce, amountWei: 5n })))
  })
})

describe('fees', () => {
  const market = { baseFeePerGas: 100n, priorityFeePerGas: 3n }

  it('leave room for the base fee to double, up to the cap', () => {
    expect(freshFees(market, 1_000n)).toEqual({ maxFeePerGas: 203n, maxPriorityFeePerGas: 3n })
    expect(freshFees(market, 2n)).toEqual({ maxFeePerGas: 2n, maxPriorityFeePerGas: 2n })
  })

  it('of a replacement are at least a tenth higher, or null if that exceeds the cap', () => {
    forAll(
      fc.bigInt({ min: 1n, max: 10n ** 12n }),
      fc.bigInt({ min: 1n, max: 10n ** 12n }),
      (fee, tip) => {
        const stuck = { maxFeePerGas: fee + tip, maxPriorityFeePerGas: tip }
        const next = replacementFees(stuck, market, 10n ** 12n)
        if (next === null) return
        expect(next.maxFeePerGas * 10n >= stuck.maxFeePerGas * 11n).toBe(true)
        expect(next.maxFeePerGas <= 10n ** 12n).toBe(true)
      },
    )
    const stuck = { maxFeePerGas: 900n, maxPriorityFeePerGas: 1n }
    expect(replacementFees(stuck, market, 1_000n)).toBeNull()
    expect(replacementFees(stuck, market, 1_013n)).toMatchObject({ maxFeePerGas: 1_013n })
    expect(highestFees(stuck, 1_000n).maxFeePerGas).toBe(1_000n)
  })

  it.each([
    ['a usual market', { baseFeePerGas: 10n ** 9n, priorityFeePerGas: 10n ** 8n }],
    ['a node that suggests no tip', { baseFeePerGas: 10n ** 7n, priorityFeePerGas: 0n }],
    ['a chain without fees', { baseFeePerGas: 0n, priorityFeePerGas: 0n }],
  ])('of a stuck transaction rise to about ten times those of %s, and no further', (_, now) => {
    const cap = 10n ** 12n
    let [fees, raises] = [freshFees(now, cap), 0]
    for (let next = raisedFees(fees, now, cap); next; next = raisedFees(next, now, cap)) {
      expect(next.maxFeePerGas * 10n >= fees.maxFeePerGas * 11n).toBe(true)
      fees = next
      raises += 1
    }
    expect(raises).toBeGreaterThan(10)
    const mostTip = 10n * now.priorityFeePerGas + 1_000_000n
    expect(fees.maxPriorityFeePerGas).toBeLessThanOrEqual(mostTip)
    expect(fees.maxFeePerGas).toBeLessThanOrEqual(20n * now.baseFeePerGas + mostTip)
    const dearer = {
      baseFeePerGas: 8n * now.baseFeePerGas + 10n ** 7n,
      priorityFeePerGas: 10n ** 9n,
    }
    expect(raisedFees(fees, dearer, cap)).not.toBeNull()
  })

  it('of a transaction that blocks no longer take rise, however low the suggested tip has fallen', () => {
    const stuck = { maxFeePerGas: 11n * 10n ** 9n, maxPriorityFeePerGas: 10n ** 9n }
    const dearer = { baseFeePerGas: 12n * 10n ** 9n, priorityFeePerGas: 0n }
    expect(raisedFees(stuck, dearer, 10n ** 12n)).not.toBeNull()
    expect(raisedFees(stuck, { ...dearer, baseFeePerGas: 10n ** 9n }, 10n ** 12n)).toBeNull()
  })
})
