/** Canonical decimal text of an amount in a token's smallest unit: no sign, no leading zeros. */
export const AMOUNT_PATTERN = /^(0|[1-9][0-9]{0,77})$/

/** The largest amount in the API: 2^256 - 1, the maximum of a Solidity uint256. */
export const MAX_AMOUNT_WEI = 2n ** 256n - 1n

/**
 * Parses an amount in smallest units.
 * @returns the amount, or null unless the text is canonical and at most 2^256 - 1
 */
export function parseAmount(text: string): bigint | null {
  if (!AMOUNT_PATTERN.test(text)) return null
  const amountWei = BigInt(text)
  return amountWei <= MAX_AMOUNT_WEI ? amountWei : null
}

/** {@link AMOUNT_PATTERN} with an optional minus sign, which zero never has. */
export const SIGNED_AMOUNT_PATTERN = /^(0|-?[1-9][0-9]{0,77})$/

/**
 * Parses a possibly negative amount in smallest units.
 * @returns the amount, or null unless the text is canonical and its magnitude at most 2^256 - 1
 */
export function parseSignedAmount(text: string): bigint | null {
  if (!SIGNED_AMOUNT_PATTERN.test(text)) return null
  const amountWei = BigInt(text)
  return amountWei <= MAX_AMOUNT_WEI && -amountWei <= MAX_AMOUNT_WEI ? amountWei : null
}
