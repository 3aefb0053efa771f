/** The chip tokens, which key all per-token data. */
export const TOKENS = ['ETH', 'USDG'] as const

export type Token = (typeof TOKENS)[number]

/** The decimals of each token: its smallest unit is 10^-decimals. */
export const DECIMALS: Record<Token, number> = { ETH: 18, USDG: 6 }

/** One value for each token. */
export type PerToken<T> = Record<Token, T>

/** Builds one value for each token. */
export function perToken<T>(make: (token: Token) => T): PerToken<T> {
  return { ETH: make('ETH'), USDG: make('USDG') }
}
