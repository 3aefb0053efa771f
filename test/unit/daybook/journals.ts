import * as fc from 'fast-check'
import { min } from '../../../src/core/bigint.ts'
import { settlementPostings, stakePostings } from '../../../src/crash/hold.ts'
import {
  emptyBalances,
  HOUSE,
  post,
  postingsOf,
  type Posting,
} from '../../../src/ledger/accounts.ts'
import { movementPostings, writeOffPostings } from '../../../src/ledger/deposit.ts'
import {
  GENESIS_HASH,
  digestOf,
  entryHash,
  type JournalEntry,
  type JournalState,
} from '../../../src/ledger/journal.ts'
import { addToTotals, emptyTotals } from '../../../src/ledger/totals.ts'
import { transferPostings } from '../../../src/ledger/transfer.ts'
import { setAsidePostings, statusPostings } from '../../../src/ledger/withdrawal.ts'
import { TOKENS, type Token } from '../../../src/money/token.ts'

/** Half an hour between two operations, so that a few dozen make a day. */
const STEP_MS = 1_800_000
const FEE_BPS = 50
const HEAD_DIGEST = digestOf(Uint8Array.of(0))

/** A journal as its ledger would write it, and what it amounts to. */
export class Journal {
  readonly entries: JournalEntry[] = []
  /** What it amounts to after each number of entries. */
  readonly standings: Pick<JournalState, 'balances' | 'totals'>[] = [
    { balances: emptyBalances(), totals: emptyTotals() },
  ]

  get latest() {
    return this.standings[this.standings.length - 1]!
  }

  append(operationId: string, at: number, postings: Posting[], request = ''): void {
    const { balances, totals } = this.latest
    const entry = {
      seq: this.entries.length + 1,
      operationId,
      request,
      postings,
      result: 'null',
      at,
      headDigest: HEAD_DIGEST,
      previousHash: this.entries.at(-1)?.hash ?? GENESIS_HASH,
    }
    this.entries.push({ ...entry, hash: entryHash(entry) })
    this.standings.push({
      balances: post(balances, postings),
      totals: addToTotals(totals, entry),
    })
  }
}

const KINDS = [
  ...(['deposit', 'faucet', 'fund', 'bet', 'keno', 'limbo', 'mines', 'pick', 'cash-out'] as const),
  ...(['debit', 'credit', 'withdraw', 'pay', 'fail', 'write-off', 'house-withdraw'] as const),
]

export interface Step {
  wallet: number
  kind: (typeof KINDS)[number]
  token: Token
  amountWei: bigint
  factor: number
}

export const anyStep: fc.Arbitrary<Step> = fc.record({
  wallet: fc.nat(11),
  kind: fc.constantFrom(...KINDS),
  token: fc.constantFrom(...TOKENS),
  amountWei: fc.bigInt({ min: 1n, max: 10n ** 19n }),
  factor: fc.constantFrom(0, 0, 0, 1, 2, 9),
})

/** Some wallets and the house, which move money by the service's own rules. */
export class House {
  readonly journals = new Map<string, Journal>()
  now = 0
  #number = 0
  readonly #games = new Map<string, { token: Token; stakeWei: bigint; heldWei: bigint }>()
  readonly #pending = new Map<string, { token: Token; amountWei: string }>()

  take({ wallet: index, kind, token, amountWei, factor }: Step): void {
    this.now += STEP_MS / 12
    const number = ++this.#number
    const wallet = `0x${index}`
    const book = (id: string, postings: Posting[], request?: string, account = wallet) => {
      const journal = this.journals.get(account) ?? new Journal()
      this.journals.set(account, journal)
      journal.append(id, this.now, postings, request)
    }
    const chips = this.journals.get(wallet)?.latest.balances[token].chips ?? 0n
    const stakeWei = min(amountWei, chips)
    const payoutWei = stakeWei * BigInt(factor)
    const movement = { position: 0, token, amountWei }
    const mines = JSON.stringify(['mines', [], token])
    const game = this.#games.get(wallet)
    const pending = this.#pending.get(wallet)
    switch (kind) {
      case 'deposit': {
        const id = `deposited:1:0x${number}:0`
        return book(id, movementPostings({ kind: 'deposited', ...movement }, FEE_BPS))
      }
      case 'faucet':
        return book(`faucet:${number}`, postingsOf(token, ['faucet', 'chips', amountWei]))
      case 'fund':
      case 'house-withdraw': {
        const moved = { kind: kind === 'fund' ? 'funded' : 'house-withdrawn', ...movement } as const
        return book(
          `${moved.kind}:1:0x${number}:0`,
          movementPostings(moved, FEE_BPS),
          undefined,
          HOUSE,
        )
      }
      case 'bet': {
        if (stakeWei === 0n) return
        const stake = { token, amountWei: stakeWei }
        book(`bet:${number}:0`, stakePostings(stake))
        const won = {
          kind: 'won',
          multiplier: 100 * factor,
          payoutWei: payoutWei.toString(),
        } as const
        const outcome =
          factor === 0
            ? ({ kind: 'lost' } as const)
            : factor === 9
              ? ({ kind: 'voided' } as const)
              : won
        return book(`settle:${number}:0`, settlementPostings(stake, outcome))
      }
      case 'keno':
      case 'limbo': {
        if (stakeWei === 0n) return
        const moves = postingsOf(token, ['chips', 'house', stakeWei], ['house', 'chips', payoutWei])
        return book(`entropy:${number}`, moves, JSON.stringify([kind, [], token]))
      }
      case 'mines':
        if (stakeWei === 0n || game) return
        this.#games.set(wallet, { token, stakeWei, heldWei: stakeWei })
        return book(`mines:${number}`, postingsOf(token, ['chips', 'in_play', stakeWei]), mines)
      case 'pick': {
        if (!game) return
        const rise = BigInt(factor)
        game.heldWei += rise
        return book(`pick:${number}:3`, postingsOf(game.token, ['house', 'in_play', rise]))
      }
      case 'cash-out': {
        if (!game) return
        this.#games.delete(wallet)
        const paid = factor === 0 ? 0n : game.heldWei
        const postings = postingsOf(
          game.token,
          ['in_play', 'house', game.heldWei - game.stakeWei],
          ['in_play', 'chips', game.stakeWei],
          ['chips', 'house', game.stakeWei],
          ['house', 'chips', paid],
        )
        return book(`entropy:${number}`, postings, JSON.stringify(['mines', [], game.token]))
      }
      case 'debit':
        return book(`bridge:acme:${number}`, transferPostings(token, -stakeWei))
      case 'credit':
        return book(
          `bridge:${factor === 0 ? 'acme' : 'zeta'}:${number}`,
          transferPostings(token, amountWei),
        )
      case 'withdraw': {
        if (stakeWei === 0n || pending) return
        this.#pending.set(wallet, { token, amountWei: stakeWei.toString() })
        return book(`withdraw:1:0xv:${number}`, setAsidePostings(token, stakeWei, 0n))
      }
      case 'pay':
      case 'fail': {
        if (!pending) return
        this.#pending.delete(wallet)
        const end = kind === 'pay' ? 'confirmed' : 'failed'
        return book(`withdrawal:1:0xv:${number}`, statusPostings(pending, 'submitted', end))
      }
      case 'write-off':
        return book(`write-off:act${number}`, writeOffPostings({ kind: 'deposited', ...movement }))
    }
  }
}
