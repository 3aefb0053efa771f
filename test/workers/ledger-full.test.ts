import { describe, expect, it, vi } from 'vitest'
import { LEDGER_LIMIT_BYTES, LEDGER_RESERVE_BYTES } from '../../src/ledger/capacity.ts'
import { grant, Platform, revoke } from './partner.ts'
import {
  fundedPlayer,
  openRound,
  pass,
  reportSize,
  useStories,
  endRound,
  outcomeOf,
} from './support.ts'

useStories()

const platform = new Platform()

const FULL = [503, 'ledger_full']
const DONE = [200, undefined]

describe('a ledger whose journal is full', () => {
  it('refuses a play without drawing another seed', async () => {
    const alice = await fundedPlayer(0)
    const committed = await alice.nextPlay()
    await reportSize(LEDGER_LIMIT_BYTES)
    expect(outcomeOf(await alice.play({ nonce: 0 }))).toEqual(FULL)
    expect(await alice.nextPlay()).toEqual(committed)
    expect(await alice.chips()).toBe('1000000000')
  })

  it('refuses a bet', async () => {
    const alice = await fundedPlayer(0)
    await openRound()
    await reportSize(LEDGER_LIMIT_BYTES)
    expect(outcomeOf(await alice.bet('1000000'))).toEqual(FULL)
    expect(await alice.chips()).toBe('1000000000')
  })

  it('refuses a partner’s debit, even of zero, and accepts it once there is room', async () => {
    const alice = await fundedPlayer(0)
    await reportSize(LEDGER_LIMIT_BYTES)
    const debit = () => platform.transact(alice, '-1', { partnerTransactionId: 'spin-1' })
    expect(outcomeOf(await debit())).toEqual(FULL)
    expect(outcomeOf(await platform.transact(alice, '0'))).toEqual(FULL)
    await reportSize(LEDGER_LIMIT_BYTES - 1)
    expect((await debit()).body).toMatchObject({ balanceBefore: 1000, balance: 999 })
  })

  it('refuses a permission, but ends one', async () => {
    vi.spyOn(console, 'log').mockImplementation(() => {})
    const alice = await fundedPlayer(0)
    await grant(alice)
    await reportSize(LEDGER_LIMIT_BYTES)
    expect(outcomeOf(await grant(alice))).toEqual(FULL)
    expect(outcomeOf(await revoke(alice))).toEqual(DONE)
  })

  it('accepts everything up to the limit', async () => {
    const alice = await fundedPlayer(0)
    await openRound()
    await reportSize(LEDGER_LIMIT_BYTES - 1)
    expect(outcomeOf(await alice.play())).toEqual(DONE)
    expect(outcomeOf(await alice.bet('1000000'))).toEqual(DONE)
    expect(outcomeOf(await platform.transact(alice, '-1'))).toEqual(DONE)
  })

  it('repeats its earlier answers', async () => {
    const alice = await fundedPlayer(0)
    await openRound()
    const play = await alice.play({ nonce: 0 })
    await alice.bet('1000000')
    const debit = () => platform.transact(alice, '-1', { partnerTransactionId: 'spin-1' })
    const debited = await debit()
    await reportSize(LEDGER_LIMIT_BYTES)
    expect((await alice.play({ nonce: 0 })).body.seed).toBe(play.body.seed)
    expect(outcomeOf(await alice.bet('1000000'))).toEqual(DONE)
    expect((await debit()).text).toBe(debited.text)
  })

  it('settles open bets, won and lost', async () => {
    const [alice, bob] = [await fundedPlayer(0), await fundedPlayer(1)]
    const plan = await openRound({ min: 300, max: 1_000 })
    await alice.bet('1000000', { autoCashout: 2 })
    await bob.bet('1000000')
    await reportSize(LEDGER_LIMIT_BYTES)
    await endRound(plan)
    pass(1_000)
    expect(await alice.chips()).toBe('1001000000')
    expect(await bob.chips()).toBe('999000000')
  })

  it('accepts a partner’s credits and rollbacks', async () => {
    const alice = await fundedPlayer(0)
    await platform.transact(alice, '-1', { partnerTransactionId: 'spin-1' })
    await reportSize(LEDGER_LIMIT_BYTES)
    expect((await platform.transact(alice, '5')).body).toMatchObject({ balance: 1004 })
    expect((await platform.rollBack(alice, 'spin-1')).body).toMatchObject({ balance: 1005 })
  })

  it('keeps its last gigabyte from partners, and settles open bets in it', async () => {
    const alice = await fundedPlayer(0)
    const plan = await openRound({ min: 300, max: 1_000 })
    await alice.bet('1000000', { autoCashout: 2 })
    await platform.transact(alice, '-1', { partnerTransactionId: 'spin-1' })
    await reportSize(LEDGER_RESERVE_BYTES)
    expect(outcomeOf(await platform.transact(alice, '5'))).toEqual(FULL)
    expect(outcomeOf(await platform.rollBack(alice, 'spin-1'))).toEqual(FULL)
    await endRound(plan)
    pass(1_000)
    expect(await alice.chips()).toBe('1000000000')
    await reportSize(LEDGER_RESERVE_BYTES - 1)
    expect((await platform.rollBack(alice, 'spin-1')).body).toMatchObject({ balance: 1001 })
  })
})
