/** The chip tokens, which key all per-token data. */
export const TOKENS = ['ETH', 'USDG'] as const

export type Token = (typeof TOKENS)[number]

/** The unit of fun chips, which are worth nothing and exist only in a player's browser. It is no token. */
export const FUN = 'FUN'

/** The unit of an amount on the page. */
export type Unit = Token | typeof FUN

/** The decimals of each unit: its smallest part is 10^-decimals. */
export const DECIMALS: Record<Unit, number> = { ETH: 18, USDG: 6, FUN: 6 }

/** One value for each token. */
export type PerToken<T> = Record<Token, T>

/** Builds one value for each token. */
export function perToken<T>(make: (token: Token) => T): PerToken<T> {
  return { ETH: make('ETH'), USDG: make('USDG') }
}

/** Converts amounts to their form on the wire and in storage. */
export function amountTexts(amounts: PerToken<bigint>): PerToken<string> {
  return perToken((token) => amounts[token].toString())
}

/** Reverses {@link amountTexts}. @throws SyntaxError if a text is no integer */
export function readAmounts(texts: PerToken<string>): PerToken<bigint> {
  return perToken((token) => BigInt(texts[token]))
}
