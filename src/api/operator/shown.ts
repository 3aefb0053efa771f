import { perToken } from '../../money/token.ts'
import type { DriftRecord, StoredDrift } from '../../reconciliation/drift.ts'

/** Amounts as decimal text. */
export type Texts<T> = { [Field in keyof T]: T[Field] extends bigint ? string : T[Field] }

/** Returns an object with its amounts as decimal text. */
export function texts<T extends object>(fields: T): Texts<T> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === 'bigint' ? value.toString() : value,
    ]),
  ) as Texts<T>
}

/** Returns a reconciliation as the operator's API shows it. */
export function shownReconciliation({
  at,
  block,
  blockHash,
  books,
  drifts,
  ended,
  drifting,
}: DriftRecord) {
  const shown = ({ token, place, amountWei, since, until }: StoredDrift) =>
    texts({ token, place, amountWei, since, until })
  return {
    at,
    block,
    blockHash,
    books: perToken((token) => ({
      ...texts(books[token]),
      driftingSince: drifting.find((one) => one.token === token)?.since ?? null,
    })),
    drifts: drifts.map(shown),
    ended: ended.map(shown),
  }
}
