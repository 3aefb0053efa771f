import { findingsOf, type Finding } from '../../audit/finding.ts'
import type { ExportedOpening } from '../../audit/openings.ts'
import { checkPaidDay } from '../../verify/opening.ts'
import { verifyPayment } from '../../verify/payment.ts'
import type { ReadPayment } from '../verify/payments.ts'

/** How many payments the node is asked for at a time. */
const AT_ONCE = 10

/** The payments of an export's openings, compared with the chain as far as a node shows them. */
export class AuditedPayments {
  readonly #read: ReadPayment | null
  /** The number of payments that were compared. */
  compared = 0
  /** The number of those that were not: all without a node. */
  uncompared = 0

  constructor(read: ReadPayment | null) {
    this.#read = read
  }

  /** Compares the payments of some openings. */
  async check(openings: readonly ExportedOpening[]): Promise<Finding[]> {
    const findings: Finding[] = []
    for (let at = 0; at < openings.length; at += AT_ONCE) {
      const some = openings.slice(at, at + AT_ONCE)
      findings.push(...(await Promise.all(some.map((opening) => this.#check(opening)))).flat())
    }
    return findings
  }

  async #check({ id, from, day, wallet }: ExportedOpening): Promise<Finding[]> {
    if ('pepper' in from) return []
    const paid = this.#read && (await this.#read(from))
    if (paid === null || typeof paid === 'string') {
      this.uncompared++
      return []
    }
    this.compared++
    const checks = [
      ...verifyPayment(from.blockHash, paid, wallet),
      checkPaidDay(day, paid.mined.paidAt),
    ]
    return findingsOf(`opening ${id}`, checks)
  }
}
