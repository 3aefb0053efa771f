/**
 * The platform's list prices in US dollars, November 2026.
 * Sources: https://developers.cloudflare.com/durable-objects/platform/pricing/,
 * https://developers.cloudflare.com/workers/platform/pricing/
 */
export const DOLLARS_PER_MILLION = {
  /** A row of a table or of an index, or an alarm set. */
  rowsWritten: 1,
  rowsRead: 0.001,
  /** A call to an object, or an alarm that ran. */
  objectCalls: 0.15,
  workerRequests: 0.3,
  /** Of the time that objects are awake, with 128 MB each. */
  gigabyteSeconds: 12.5,
}

/** Returns the price of a million operations with these rows and calls, in dollars. */
export function priceOfMillion({ rows, calls }: { rows: number; calls: number }): number {
  return rows * DOLLARS_PER_MILLION.rowsWritten + calls * DOLLARS_PER_MILLION.objectCalls
}
