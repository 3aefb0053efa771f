// Both read a query to its end. SQLite drops no table while a query is open, until its garbage collection.

/** Returns the first row of a query, or null. */
export function firstRow<Row extends Record<string, SqlStorageValue>>(
  rows: SqlStorageCursor<Row>,
): Row | null {
  return rows.toArray()[0] ?? null
}

/** Returns whether a query finds any row. */
export function hasRow(rows: SqlStorageCursor<Record<string, SqlStorageValue>>): boolean {
  return rows.toArray().length > 0
}
