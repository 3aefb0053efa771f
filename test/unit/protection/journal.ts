import { invariant } from '../../../src/core/invariant.ts'
import type { FinalOutcome } from '../../../src/crash/bet.ts'
import { settlementPostings, stakePostings } from '../../../src/crash/hold.ts'
import { post, type Posting } from '../../../src/ledger/accounts.ts'
import { EMPTY_HEAD, type Head, type HeldBet } from '../../../src/ledger/head.ts'
import {
  NO_PROTECTION_COUNTERS,
  type ProtectionCounters,
} from '../../../src/ledger/protection-counters.ts'
import { addToTotals } from '../../../src/ledger/totals.ts'
import { transactionText } from '../../../src/ledger/transfer.ts'
import type { JournalTimes } from '../../../src/protection/check.ts'
import { afterStake } from '../../../src/protection/session.ts'
import { posting } from '../support/builders.ts'

const inEth = (amountWei: bigint) => ({ token: 'ETH', amountWei }) as const

/** What an entry changes in the head, and its request if that matters. */
type Change = Partial<Head> & { request?: string }

/** A journal of a player with limits, in ETH, for what checks read from it. */
export class TestJournal implements JournalTimes {
  readonly #heads: { at: number; head: Head }[] = []

  latest(): Head & { at: number } {
    const none = { at: 0, head: { ...EMPTY_HEAD, guarded: NO_PROTECTION_COUNTERS } }
    const { at, head } = this.#heads.at(-1) ?? none
    return { ...head, at }
  }

  headBy(unixMs: number): Head {
    return this.#heads.findLast(({ at }) => at <= unixMs)?.head ?? EMPTY_HEAD
  }

  firstAt(afterMs: number, has: (head: Head) => boolean): number {
    const found = this.#heads.find(({ at, head }) => at > afterMs && has(head))
    invariant(found, 'the latest head has the property')
    return found.at
  }

  deposit(at: number, amountWei: bigint, quarantinedWei = 0n): void {
    const toChips = amountWei - quarantinedWei
    this.#add(
      at,
      'deposited:0',
      [
        ...(toChips > 0n ? [posting('vault', 'chips', toChips)] : []),
        ...(quarantinedWei > 0n ? [posting('vault', 'quarantine', quarantinedWei)] : []),
      ],
      { guarded: this.#quarantining(quarantinedWei) },
    )
  }

  play(at: number, amountWei: bigint, payoutWei = 0n): void {
    const paid = payoutWei > 0n ? [posting('house', 'chips', payoutWei)] : []
    this.#stake(at, 'entropy:0', [posting('chips', 'house', amountWei), ...paid])
  }

  /** Places a bet that stays open. */
  bet(at: number, amountWei: bigint): HeldBet {
    const bet: HeldBet = {
      roundId: 1,
      attempt: 0,
      token: 'ETH',
      amountWei,
      autoCashout: null,
      target: null,
      placedAt: at,
      closesAt: at,
    }
    this.#stake(at, 'bet:1:0', stakePostings(bet), { openBets: [...this.latest().openBets, bet] })
    return bet
  }

  settle(at: number, bet: HeldBet, payoutWei: bigint | null): void {
    const outcome: FinalOutcome =
      payoutWei === null
        ? { kind: 'voided' }
        : { kind: 'won', multiplier: 100, payoutWei: payoutWei.toString() }
    this.#add(at, 'settle:1:0', settlementPostings(bet, outcome), {
      openBets: this.latest().openBets.filter((other) => other !== bet),
    })
  }

  debit(at: number, amountWei: bigint): void {
    const postings = [posting('chips', 'partner', amountWei)]
    this.#stake(at, 'bridge:demo:1', postings, { request: transactionText(inEth(-amountWei)) })
  }

  credit(at: number, amountWei: bigint): void {
    const postings = [posting('partner', 'chips', amountWei)]
    this.#add(at, 'bridge:demo:2', postings, { request: transactionText(inEth(amountWei)) })
  }

  #quarantining(amountWei: bigint): ProtectionCounters {
    const guarded = this.latest().guarded ?? NO_PROTECTION_COUNTERS
    const { ETH, USDG } = guarded.quarantinedWei
    return { ...guarded, quarantinedWei: { ETH: ETH + amountWei, USDG } }
  }

  #stake(at: number, id: string, postings: Posting[], change: Change = {}): void {
    const guarded = this.latest().guarded ?? NO_PROTECTION_COUNTERS
    this.#add(at, id, postings, { ...change, guarded: afterStake(guarded, at) })
  }

  #add(at: number, operationId: string, postings: Posting[], change: Change = {}): void {
    const { request = '', ...changed } = change
    const before = this.latest()
    const head: Head = {
      ...before,
      ...changed,
      balances: post(before.balances, postings),
      totals: addToTotals(before.totals, { operationId, request, postings }),
    }
    this.#heads.push({ at, head })
  }
}
