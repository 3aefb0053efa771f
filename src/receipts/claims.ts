import type { PepperSource } from '../fairness/pepper.ts'
import { selectionOf, wireParams } from '../games/games.ts'
import type { MinesGame } from '../games/mines/open.ts'
import type { StoredPlay } from '../games/play-request.ts'
import type { PerToken, Token, Unit } from '../money/token.ts'

/** The claims of each kind of receipt, besides those of every receipt. */
export type OperationClaims =
  | {
      kind: 'bet'
      roundId: number
      seedHash: string
      pepperSource: PepperSource
      token: Token
      amountWei: string
      autoCashout: number | null
    }
  | {
      kind: 'cashout'
      roundId: number
      multiplier: number
      payout: string
      /** When the bet was cashed out, in unix milliseconds. */
      at: number
    }
  | {
      kind: 'play'
      game: string
      nonce: number
      seedHash: string
      nextSeedHash: string
      clientSeed: string
      params: object
      token: Token
      amountWei: string
      payout: string
    }
  | { kind: 'mines-open'; game: MinesGame }
  | { kind: 'mines-pick'; game: MinesGame }
  | { kind: 'withdrawal'; nonce: number; token: Token; amountWei: string }
  | ({ kind: 'transaction' } & Moved)
  /** A rollback that moved nothing has buried its original, or found it undone or refused. */
  | ({ kind: 'rollback'; originalTransactionId: string } & Moved)

/** The movement by a partner's transaction or rollback. */
interface Moved {
  partner: string
  partnerTransactionId: string
  currency: Token
  /** Negative if it took chips from the player. */
  amountWei: string
  /** The player's chips afterwards. */
  balanceWei: string
}

/** The claims of every receipt. */
interface Issued {
  /** The site's origin. */
  iss: string
  /** The wallet, in lower case. */
  sub: string
  /** When the operation was carried out, in unix seconds. */
  iat: number
  chainId: number
  /** The number and the hash of the operation's entry in the wallet's journal. */
  seq: number
  entry: string
  /** The debt to the wallet after that entry, in smallest units; absent in partners' receipts. */
  owed?: PerToken<string>
  /** The sha256 of the terms that were in force, in hex. */
  terms: string
}

/** The claims of a receipt: the house accepted this, under these commitments and terms. */
export type Receipt = Issued & OperationClaims

/** The `typ` of a receipt's header. */
export const RECEIPT_TYPE = 'fairhouse-receipt+jwt'

/** Returns the claims of a play's receipt. */
export function claimsOf<U extends Unit>(
  play: StoredPlay<U>,
): Omit<Extract<OperationClaims, { kind: 'play' }>, 'token'> & { token: U } {
  const { game, nonce, seedHash, nextSeedHash, clientSeed, token, amount, payout } = play
  const params = wireParams(selectionOf(play))
  return {
    kind: 'play',
    game,
    nonce,
    seedHash,
    nextSeedHash,
    clientSeed,
    params,
    token,
    amountWei: amount,
    payout,
  }
}
