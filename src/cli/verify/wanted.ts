export type Kind = 'round' | 'bet' | 'play' | 'opening' | 'box'

/** The results to check. */
export interface VerifyTargets {
  /** Null for all kinds. */
  only: Kind | null
  roundId?: number
  nonce?: number
  /** The hash of an opening's payment. */
  payment?: string
  boxId?: bigint
  wallet?: string
}
