import { perToken, type PerToken, type Token } from '../money/token.ts'

/** An open bet, as shown to its owner. */
export interface OpenBet {
  roundId: number
  token: Token
  amountWei: string
  autoCashout: number | null
  placedAt: number
}

/** A wallet's own state, as shown to its owner. */
export interface Me {
  chips: PerToken<string>
  /** Deposits above the player's own limits, which can only be withdrawn. */
  quarantine: PerToken<string>
  openBet: OpenBet | null
  /** The nonce of the next withdrawal. */
  nonce: number
}

/** The empty account of a wallet whose ledger isn't open. */
export const EMPTY_ME: Me = {
  chips: perToken(() => '0'),
  quarantine: perToken(() => '0'),
  openBet: null,
  nonce: 0,
}
