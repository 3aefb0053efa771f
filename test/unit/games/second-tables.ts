import { PAY_TABLES, type PayTables } from '../../../src/games/tables.ts'

/** Version 1 with every cell one hundredth higher: no play that wins pays as it did. */
function raised(): PayTables {
  const [first] = PAY_TABLES
  return JSON.parse(
    JSON.stringify(first, (_, value: unknown) => (typeof value === 'number' ? value + 1 : value)),
  ) as PayTables
}

/** Registers a second version of the pay tables. Returns how to take it back. */
export function registerSecondTables(): () => void {
  const tables = PAY_TABLES as PayTables[]
  tables.push(raised())
  return () => void tables.splice(1)
}
