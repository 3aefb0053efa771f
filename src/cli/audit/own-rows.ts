import { findingsOf, type Finding } from '../../audit/finding.ts'
import { canonicalJson } from '../../core/canonical-json.ts'
import { DAY_MS } from '../../core/utc-day.ts'
import type { Check } from '../../fairness/check.ts'
import { LONGEST_GAME_MS } from '../../games/mines/open.ts'
import type { Receipt } from '../../receipts/claims.ts'
import { nameOf } from '../../verify/contradictions.ts'
import { READER_CLOCK_SKEW_MS } from '../../verify/opening.ts'
import { verifyGameReceipt, verifyPlayReceipt } from '../../verify/receipt.ts'
import { jsonIn } from '../shared/json.ts'
import { readBet, readPlay, readRound } from './rows.ts'

/** The receipts of operations that are exported as rows of their own. */
type Promised = Extract<Receipt, { kind: 'bet' | 'cashout' | 'play' | 'mines-open' | 'mines-pick' }>

const AHEAD =
  "a receipt that is dated later than this machine's clock promises it, and it is not exported. Check the clock"

const WALLET = /"wallet":"(0x[0-9a-fA-F]{40})"/

/** The rows that a player's receipts promise: the house has signed them, so its export must have them. */
export class OwnRows {
  /** By dataset and key, in lower case. */
  readonly #promised = new Map<string, Promised[]>()
  readonly #wallets: ReadonlySet<string>
  /** The receipts of bets, by the numbers of their rounds. */
  readonly #bets = new Map<number, Extract<Receipt, { kind: 'bet' }>[]>()
  readonly #seen = new Set<string>()

  constructor(receipts: readonly Receipt[]) {
    const own = receipts.filter((receipt): receipt is Promised => keyOf(receipt) !== null)
    this.#wallets = new Set(own.map(({ sub }) => sub))
    for (const receipt of own) {
      const key = keyOf(receipt) ?? ''
      this.#promised.set(key, [...(this.#promised.get(key) ?? []), receipt])
      if (receipt.kind !== 'bet') continue
      const { roundId } = receipt
      this.#bets.set(roundId, [...(this.#bets.get(roundId) ?? []), receipt])
    }
  }

  /** Compares a line of a dataset's file with the receipts for it, if there are any. */
  check(dataset: string | undefined, line: string): Finding[] {
    if (dataset === 'rounds') return this.#checkRound(line)
    if (dataset !== 'plays' && dataset !== 'bets') return []
    const wallet = WALLET.exec(line)?.[1]?.toLowerCase()
    if (wallet === undefined || !this.#wallets.has(wallet)) return []
    return dataset === 'plays' ? this.#checkPlay(line) : this.#checkBet(line)
  }

  /**
   * Returns the promised rows that the export does not have.
   * @param from the start of its first day @param to the end of its last one; rows may come a day late
   * @param now by this machine's clock, in unix milliseconds. A receipt from the future would be due at its date only.
   */
  missing(from: number, to: number, now: number): Finding[] {
    return [...this.#promised].flatMap(([key, receipts]) => {
      if (this.#seen.has(key)) return []
      const found = receipts.flatMap((receipt) => {
        const at = receipt.iat * 1_000
        if (at < from) return []
        if (at > now + READER_CLOCK_SKEW_MS) return [{ where: nameOf(receipt), problem: AHEAD }]
        // A game is exported once it has ended.
        const isStep = receipt.kind === 'mines-open' || receipt.kind === 'mines-pick'
        const endsAt = isStep ? at + LONGEST_GAME_MS : at
        if (endsAt >= to - DAY_MS) return []
        return [
          { where: nameOf(receipt), problem: 'a receipt promises it, and it is not exported' },
        ]
      })
      return found.slice(0, 1)
    })
  }

  /** Compares a round with the commitments under which bets were placed. */
  #checkRound(line: string): Finding[] {
    if (this.#bets.size === 0) return []
    const { roundId } = (jsonIn(line) ?? {}) as { roundId?: number }
    const receipts = this.#bets.get(roundId ?? -1) ?? []
    const read = receipts.length > 0 ? readRound(line) : { problem: 'nobody needs it' }
    if ('problem' in read) return []
    const { seedHash, pepperSource, plan } = read.row
    return receipts.flatMap((receipt) =>
      findingsOf(nameOf(receipt), [
        same('the seed hash is that of its receipt', receipt.seedHash, seedHash),
        same(
          'the source of the pepper is that of its receipt',
          canonicalJson(receipt.pepperSource),
          canonicalJson(pepperSource),
        ),
        same('the terms are those of its receipt', receipt.terms, plan?.terms),
      ]),
    )
  }

  #checkPlay(line: string): Finding[] {
    const read = readPlay(line)
    if ('problem' in read) return []
    const { row } = read
    return this.#of(`plays ${row.wallet}:${row.nonce}`).flatMap((receipt) => {
      if (receipt.kind === 'bet' || receipt.kind === 'cashout') return []
      const checks =
        receipt.kind === 'play' ? verifyPlayReceipt(receipt, row) : verifyGameReceipt(receipt, row)
      const terms = same('the terms are those of its receipt', receipt.terms, row.terms)
      return findingsOf(nameOf(receipt), [...checks, terms])
    })
  }

  #checkBet(line: string): Finding[] {
    const read = readBet(line)
    if ('problem' in read) return []
    const { row } = read
    return this.#of(`bets ${row.roundId}:${row.wallet}`).flatMap((receipt) => {
      if (receipt.kind !== 'bet' && receipt.kind !== 'cashout') return []
      const checks =
        receipt.kind === 'bet'
          ? [
              same('the token is that of its receipt', receipt.token, row.token),
              same('the stake is that of its receipt', receipt.amountWei, row.amountWei),
              same('the target is that of its receipt', receipt.autoCashout, row.autoCashout),
            ]
          : [
              same('the multiplier is that of its receipt', receipt.multiplier, row.multiplier),
              same('the payout is that of its receipt', receipt.payout, row.payout),
              same('the time is that of its receipt', receipt.at, row.at),
            ]
      return findingsOf(nameOf(receipt), checks)
    })
  }

  #of(key: string): readonly Promised[] {
    this.#seen.add(key.toLowerCase())
    return this.#promised.get(key.toLowerCase()) ?? []
  }
}

/** Returns the dataset and the key of the row that a receipt promises; null if it promises none. */
function keyOf(receipt: Receipt): string | null {
  if (receipt.kind === 'play') return `plays ${receipt.sub}:${receipt.nonce}`
  if (receipt.kind === 'bet' || receipt.kind === 'cashout')
    return `bets ${receipt.roundId}:${receipt.sub}`
  if (receipt.kind === 'mines-open' || receipt.kind === 'mines-pick')
    return `plays ${receipt.sub}:${receipt.game.nonce}`
  return null
}

function same(claim: string, signed: unknown, exported: unknown): Check {
  return { claim, holds: signed === exported }
}
