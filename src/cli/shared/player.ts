import { privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts'
import type { Hex } from 'viem'
import type { movingState, steadyState } from '../../crash/state.ts'
import type { publicConfig } from '../../api/games/config.ts'
import type { Me } from '../../ledger/me.ts'
import type { NextPlay, PlayAnswer } from '../../games/placement.ts'
import type { WithdrawalAnswer } from '../../ledger/withdrawal.ts'
import type { PerToken, Token } from '../../money/token.ts'
import type { Client } from './client.ts'

/** The answer of GET /api/crash. */
export type CrashState = ReturnType<typeof movingState> &
  ReturnType<typeof steadyState> & { me: Me }

/** The answer of GET /api/entropy with a wallet. */
export type EntropyTerms = ReturnType<typeof publicConfig> & { fairness: NextPlay }

export interface BetAnswer {
  roundId: number
  me: Me
}

export interface CashoutAnswer {
  roundId: number
  multiplier: number
  payout: string
  me: Me
}

/** A withdrawal as the vault's player has signed it (EIP-712). */
export interface SignedWithdrawal {
  token: Token
  amountWei: bigint
  nonce: number
  signature: Hex
}

/** The answer to `house-topup`: the house's bankroll, in smallest units. */
export interface HouseAnswer {
  houseNeedsFunding: boolean
  house: PerToken<string>
}

/** A wallet at a service: it signs in once and sends its signature with every call. */
export class Player {
  readonly client: Client
  readonly #account: PrivateKeyAccount
  #authSig: Hex | null = null

  constructor(client: Client, privateKey: Hex) {
    this.client = client
    this.#account = privateKeyToAccount(privateKey)
  }

  /** In EIP-55 form. */
  get wallet(): string {
    return this.#account.address
  }

  /** What the service asks this wallet to sign today. */
  async signInMessage(): Promise<string> {
    const query = { wallet: this.wallet }
    const { message } = await this.client.get<{ message: string }>('/api/auth/message', query)
    return message
  }

  async signIn(message: string): Promise<void> {
    this.#authSig = await this.#account.signMessage({ message })
  }

  state(): Promise<CrashState> {
    return this.client.get('/api/crash', this.#credentials())
  }

  /** Bets in this round and no other: the one whose commitment the player has seen. */
  bet(roundId: number, token: Token, amountWei: bigint): Promise<BetAnswer> {
    const bet = { action: 'bet', roundId, token, amountWei: amountWei.toString() }
    return this.client.post('/api/crash', { ...bet, ...this.#credentials() })
  }

  /** Safe to repeat: the first result stays. */
  cashout(roundId: number): Promise<CashoutAnswer> {
    return this.client.post('/api/crash', { action: 'cashout', roundId, ...this.#credentials() })
  }

  /** Safe to repeat: once it is accepted the answer says how it is doing. */
  withdraw(withdrawal: SignedWithdrawal): Promise<WithdrawalAnswer> {
    const { amountWei, ...fields } = withdrawal
    const order = { ...fields, amountWei: amountWei.toString() }
    return this.client.post('/api/crash', { action: 'withdraw', ...order, ...this.#credentials() })
  }

  /** For the vault's owner: has the service count what the house was funded with. */
  houseTopup(): Promise<HouseAnswer> {
    return this.client.post('/api/crash', { action: 'house-topup', ...this.#credentials() })
  }

  /** The entropy games' terms, the number of the next play, and what it is committed to. */
  terms(): Promise<EntropyTerms> {
    return this.client.get('/api/entropy', this.#credentials())
  }

  /** Plays an entropy game. Safe to repeat with one nonce. */
  play(fields: { game: string; params: object; nonce: number }): Promise<PlayAnswer> {
    return this.client.post('/api/entropy', { action: 'play', ...fields, ...this.#credentials() })
  }

  /** Development chips. With an id they are given once, however often it is asked. */
  async takeChips(token: Token, amountWei: bigint, id?: string): Promise<void> {
    const wallet = this.wallet
    await this.client.post('/api/dev/faucet', {
      wallet,
      token,
      amountWei: amountWei.toString(),
      id,
    })
  }

  #credentials() {
    return { wallet: this.wallet, authSig: this.#authSig ?? '' }
  }
}
