import { describe, expect, it } from 'vitest'
import {
  ACCOUNTS,
  assertSound,
  emptyBalances,
  post,
  type Account,
  type Posting,
} from '../../../src/ledger/accounts.ts'
import { TOKENS, type Token } from '../../../src/money/token.ts'
import { anyPostings, posting } from '../support/builders.ts'
import { forMany } from '../support/for-all.ts'

const PLAYERS_OWN: Account[] = ['chips', 'in_play', 'withdrawing', 'quarantine']

function balanceOf(postings: Posting[], token: Token, account: Account): bigint {
  return postings.reduce((balance, moved) => {
    if (moved.token !== token) return balance
    const amount = BigInt(moved.amountWei)
    return balance + (moved.to === account ? amount : 0n) - (moved.from === account ? amount : 0n)
  }, 0n)
}

describe('posting', () => {
  it('moves an amount from one account to another, in one token', () => {
    const funded = post(emptyBalances(), [posting('faucet', 'chips', 100n)])
    const held = post(funded, [posting('chips', 'in_play', 30n)])
    expect(held.ETH).toMatchObject({ faucet: -100n, chips: 70n, in_play: 30n })
    expect(held.USDG).toEqual(emptyBalances().USDG)
  })

  it('does not modify the balances passed in', () => {
    const before = post(emptyBalances(), [posting('faucet', 'chips', 100n)])
    post(before, [posting('chips', 'in_play', 30n)])
    expect(before.ETH).toMatchObject({ chips: 100n, in_play: 0n })
  })

  it.each(PLAYERS_OWN)('never takes %s below zero', (account) => {
    const one = post(emptyBalances(), [posting('faucet', account, 1n)])
    expect(post(one, [posting(account, 'house', 1n)]).ETH[account]).toBe(0n)
    expect(() => post(one, [posting(account, 'house', 2n)])).toThrow('is negative')
  })

  it.each(['0', '-1'])('of %s throws and moves nothing', (amountWei) => {
    const nothing = { ...posting('faucet', 'chips', 1n), amountWei }
    expect(() => post(emptyBalances(), [nothing])).toThrow('moves nothing')
  })

  it('from an account to itself throws', () => {
    expect(() => post(emptyBalances(), [posting('house', 'house', 1n)])).toThrow('moves nothing')
  })

  it('is refused unless every sum stays zero and the player stays at zero or more', () => {
    forMany(500, anyPostings, (postings) => {
      const overdrawn = TOKENS.some((token) =>
        PLAYERS_OWN.some((account) => balanceOf(postings, token, account) < 0n),
      )
      if (overdrawn) {
        expect(() => post(emptyBalances(), postings)).toThrow('is negative')
        return
      }
      const balances = post(emptyBalances(), postings)
      for (const token of TOKENS) {
        const sum = Object.values(balances[token]).reduce((total, wei) => total + wei, 0n)
        expect(sum).toBe(0n)
        for (const account of ACCOUNTS) {
          expect(balances[token][account]).toBe(balanceOf(postings, token, account))
        }
      }
    })
  })
})

describe('balances', () => {
  it('throw if they do not sum to zero', () => {
    const balances = emptyBalances()
    balances.USDG.chips = 1n
    expect(() => assertSound(balances)).toThrow('the USDG accounts sum to 1')
  })
})
