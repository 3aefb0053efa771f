import { findingsOf, type Finding } from '../../audit/finding.ts'
import { DAY_MS } from '../../core/utc-day.ts'
import type { Check } from '../../fairness/check.ts'
import type { Receipt } from '../../receipts/claims.ts'
import { nameOf } from '../../verify/contradictions.ts'
import { CLOCKS_MS } from '../../verify/opening.ts'
import { verifyPlayReceipt } from '../../verify/receipt.ts'
import { readBet, readPlay } from './rows.ts'

/** The receipts of what is exported as a row of its own. */
type Promised = Extract<Receipt, { kind: 'bet' | 'cashout' | 'play' }>

const AHEAD =
  "a receipt that is dated later than this machine's clock promises it, and it is not exported. Check the clock"

const WALLET = /"wallet":"(0x[0-9a-fA-F]{40})"/

/** The rows that a player's receipts promise: the house has signed them, so its export must have them. */
export class OwnRows {
  /** By dataset and key, in lower case. */
  readonly #promised = new Map<string, Promised[]>()
  readonly #wallets: ReadonlySet<string>
  readonly #seen = new Set<string>()

  constructor(receipts: readonly Receipt[]) {
    const own = receipts.filter((receipt): receipt is Promised => keyOf(receipt) !== null)
    this.#wallets = new Set(own.map(({ sub }) => sub))
    for (const receipt of own) {
      const key = keyOf(receipt) ?? ''
      this.#promised.set(key, [...(this.#promised.get(key) ?? []), receipt])
    }
  }

  /** Compares a line of a dataset's file with the receipts for it, if there are any. */
  check(dataset: 'bets' | 'plays', line: string): Finding[] {
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
    return [...this.#promised].flatMap(([key, [receipt]]) => {
      const at = (receipt?.iat ?? 0) * 1_000
      if (!receipt || this.#seen.has(key) || at < from) return []
      if (at > now + CLOCKS_MS) return [{ where: nameOf(receipt), problem: AHEAD }]
      if (at >= to - DAY_MS) return []
      return [{ where: nameOf(receipt), problem: 'a receipt promises it, and it is not exported' }]
    })
  }

  #checkPlay(line: string): Finding[] {
    const read = readPlay(line)
    if ('problem' in read) return []
    const { row } = read
    return this.#of(`plays ${row.wallet}:${row.nonce}`).flatMap((receipt) =>
      receipt.kind !== 'play'
        ? []
        : findingsOf(nameOf(receipt), [
            ...verifyPlayReceipt(receipt, row),
            same('the terms are those of its receipt', receipt.terms, row.terms),
          ]),
    )
  }

  #checkBet(line: string): Finding[] {
    const read = readBet(line)
    if ('problem' in read) return []
    const { row } = read
    return this.#of(`bets ${row.roundId}:${row.wallet}`).flatMap((receipt) => {
      if (receipt.kind === 'play') return []
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
  return null
}

function same(claim: string, signed: unknown, exported: unknown): Check {
  return { claim, holds: signed === exported }
}
