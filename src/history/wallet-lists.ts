/** Wallets in one list: D1 and objects take strings of up to 2,000,000 bytes, and anybody can make many wallets. */
const MAX_LISTED = 20_000

/** Splits wallets into JSON lists that each fit into one parameter of a statement; at least one. */
export function listsOf(wallets: readonly string[]): string[] {
  const count = Math.max(1, Math.ceil(wallets.length / MAX_LISTED))
  return Array.from({ length: count }, (_, index) =>
    JSON.stringify(wallets.slice(index * MAX_LISTED, (index + 1) * MAX_LISTED)),
  )
}
