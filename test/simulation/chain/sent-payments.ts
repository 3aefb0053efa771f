import type { Hex } from 'viem'
import type { VaultPayment } from './payments.ts'

/** A payment that the relayer has signed and sent, perhaps several times. */
export interface SentPayment extends VaultPayment {
  /** The relayer's account, and the number of its transaction. */
  sender: string
  txNonce: number
  gasLimit: number
  /** When a node first got it, in true unix milliseconds. */
  sentAt: number
  /** When it was first mined without success, on any branch; null if never. */
  failedAt: number | null
  /**
   * Whether it was mined, on any branch, before an earlier one of its player, or in a block before which its nonce had
   * been used: the vault then does not call the wallet.
   */
  wasOutOfTurn: boolean
  /**
   * Whether it was mined, on any branch, after another transaction had used its nonce: the vault then does not call the
   * wallet.
   */
  wasLate: boolean
  /** Whether it was mined, on any branch, while the vault held less. */
  wasUncovered: boolean
  hasSucceeded: boolean
  /** Whether a transaction for something else was mined with its number, on any branch. */
  wasSuperseded: boolean
}

const JUST_SENT = {
  failedAt: null,
  wasOutOfTurn: false,
  wasLate: false,
  wasUncovered: false,
  hasSucceeded: false,
  wasSuperseded: false,
}

/** The relayer's payments from the vault that have reached a node, by the hash of their transactions. */
export class SentPayments {
  readonly #payments = new Map<Hex, SentPayment>()
  /** The highest estimate of each withdrawal's gas that a node has given. */
  readonly #estimates = new Map<string, number>()

  note(hash: Hex, sent: Omit<SentPayment, keyof typeof JUST_SENT>): void {
    if (!this.#payments.has(hash)) this.#payments.set(hash, { ...sent, ...JUST_SENT })
  }

  /** Notes that a transaction of an account, perhaps no payment, has used its number. */
  noteUsed(account: string, txNonce: number, by: Hex): void {
    const user = this.#payments.get(by)
    for (const sent of this.#payments.values()) {
      if (sent.sender !== account || sent.txNonce !== txNonce) continue
      // Another attempt of the same payment draws for both.
      const isSame = user?.player === sent.player && user.nonce === sent.nonce
      if (!isSame) sent.wasSuperseded = true
    }
  }

  /**
   * @param before what the transaction found: the nonces that each player had used before the block, and before the
   * transaction, and what the vault held
   */
  noteMined(
    hash: Hex,
    isSuccess: boolean,
    at: number,
    before: {
      nonces: ReadonlyMap<string, number>
      used: ReadonlyMap<string, number>
      heldWei: (token: VaultPayment['token']) => bigint
    },
  ): void {
    const sent = this.#payments.get(hash)
    if (!sent) return
    const isOutOfTurn = !isSuccess && (before.nonces.get(sent.player) ?? 0) !== sent.nonce
    if (isOutOfTurn) for (const attempt of this.#attemptsOf(sent)) attempt.wasOutOfTurn = true
    if (!isSuccess && (before.used.get(sent.player) ?? 0) > sent.nonce) sent.wasLate = true
    if (!isSuccess && before.heldWei(sent.token) < sent.amountWei) sent.wasUncovered = true
    if (isSuccess) sent.hasSucceeded = true
    else sent.failedAt ??= at
  }

  noteEstimate({ player, nonce }: VaultPayment, gas: number): void {
    this.#estimates.set(`${player} ${nonce}`, Math.max(gas, this.highestEstimate(player, nonce)))
  }

  /** Returns the highest estimate of a withdrawal's gas that a node has given; 0 if none has. */
  highestEstimate(player: string, nonce: number): number {
    return this.#estimates.get(`${player} ${nonce}`) ?? 0
  }

  /** Returns all attempts of a payment's transaction. */
  #attemptsOf({ sender, txNonce, player, nonce }: SentPayment): SentPayment[] {
    return this.all().filter(
      (sent) =>
        sent.sender === sender &&
        sent.txNonce === txNonce &&
        sent.player === player &&
        sent.nonce === nonce,
    )
  }

  /** Returns the payments, in the order in which they were sent. */
  all(): readonly SentPayment[] {
    return [...this.#payments.values()]
  }

  find(hash: Hex): SentPayment | null {
    return this.#payments.get(hash) ?? null
  }
}
