import type { Asked } from './wallet-code.ts'

/** A signature that a contract has accepted when a node was asked. */
interface Consent extends Asked {
  /** In true unix milliseconds. */
  at: number
  /** The gas that the contract was given. */
  gas: number
}

/** What wallets' contracts have decided, on any branch that some node had. */
export class Consents {
  readonly #consents: Consent[] = []
  /** The payments that a wallet's code has let fail, in a node's answer or in a block. */
  readonly #refused = new Set<string>()

  note(consent: Consent): void {
    this.#consents.push(consent)
  }

  /** Returns whether a contract has accepted a signature after a time, with no more gas than this. */
  has({ wallet, hash, signature }: Asked, after: number, most: number): boolean {
    return this.#consents.some(
      (each) =>
        each.wallet === wallet &&
        each.hash === hash &&
        each.signature === signature &&
        each.at > after &&
        each.gas <= most,
    )
  }

  noteRefused(player: string, nonce: number): void {
    this.#refused.add(`${player} ${nonce}`)
  }

  /** Returns whether a wallet's code has ever let a payment with this nonce fail. */
  wasRefused(player: string, nonce: number): boolean {
    return this.#refused.has(`${player} ${nonce}`)
  }
}
