import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'

let objects = 0

/** Runs work in a blank object, which does nothing of its own. */
export function inBlankObject<T>(work: (ctx: DurableObjectState) => T | Promise<T>): Promise<T> {
  objects += 1
  const stub = env.PAYMENT.getByName(`kernel:${objects}`)
  return runInDurableObject(stub, (_: unknown, ctx) => work(ctx))
}

/** Returns the first column of a query's rows. */
export function column(sql: SqlStorage, query: string): SqlStorageValue[] {
  return [...sql.exec(query).raw()].map(([value]) => value ?? null)
}
