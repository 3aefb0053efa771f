import type { PerToken, Token } from '../money/token.ts'

/** An unresolved bet, as its owner sees it. */
export interface OpenBet {
  roundId: number
  token: Token
  amountWei: string
  autoCashout: number | null
  placedAt: number
}

/** What a wallet sees of itself. */
export interface Me {
  chips: PerToken<string>
  openBet: OpenBet | null
  /** The nonce of the next withdrawal. */
  nonce: number
}
