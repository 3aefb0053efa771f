/** Writes rows as CSV (RFC 4180), with a header. A field that a row lacks, or that is null, is empty. */
export function csvOf<Column extends string>(
  columns: readonly Column[],
  rows: readonly Partial<Record<Column, unknown>>[],
): string {
  const lines = rows.map((row) => columns.map((column) => csvField(row[column] ?? '')))
  return [columns, ...lines].map((line) => `${line.join(',')}\r\n`).join('')
}

/** Partners choose their ids, and spreadsheets read a cell that begins like this as a formula. */
const FORMULA = /^[=@+\t\r]|^-(?!\d+$)/

function csvField(value: unknown): string {
  const text = String(value)
  const safe = FORMULA.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
