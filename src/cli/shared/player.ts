import type { Hex } from 'viem'
import { privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts'
import type { z } from 'zod'
import type { BetAnswer, CashoutAnswer } from '../../api/crash/answers-schema.ts'
import type { publicConfig } from '../../api/games/config.ts'
import type { HouseTopupAnswer } from '../../api/vault/answers-schema.ts'
import type { movingState, steadyState } from '../../crash/state.ts'
import type { MinesGame } from '../../games/mines/open.ts'
import type { NextPlay, PlayAnswer, StoredPlay } from '../../games/play-request.ts'
import type { Me } from '../../ledger/me.ts'
import type { WithdrawalAnswer } from '../../ledger/withdrawal.ts'
import type { Token } from '../../money/token.ts'
import type { Client } from './client.ts'

/** The answer of GET /api/crash. */
export type CrashState = ReturnType<typeof movingState> &
  ReturnType<typeof steadyState> & { me: Me }

/** The answer of GET /api/entropy with a wallet. */
type EntropyTerms = ReturnType<typeof publicConfig> & {
  fairness: NextPlay
  openGame: MinesGame | null
}

/** A step of a game of mines that is picked tile by tile. */
type MinesStep = { ok: true; game: MinesGame } & Pick<PlayAnswer, 'me' | 'receipt'>

type MinesPick = MinesStep & { hit: boolean; play: StoredPlay | null }

/** A withdrawal with its player's signature (EIP-712). */
export interface SignedWithdrawal {
  token: Token
  amountWei: bigint
  nonce: number
  signature: Hex
}

/** A wallet at a service. Signs in once, and sends its signature with every call. */
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

  /** Reads the service's message for this wallet to sign today. */
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

  /**
   * Bets in this round only, whose commitment the player has seen. Safe to repeat.
   * @param autoCashout a multiplier, as on the wire
   */
  bet(
    roundId: number,
    token: Token,
    amountWei: bigint,
    autoCashout: number | null = null,
  ): Promise<z.infer<typeof BetAnswer>> {
    const bet = { roundId, token, amountWei: amountWei.toString(), autoCashout }
    return this.client.post('/api/crash', { action: 'bet', ...bet, ...this.#credentials() })
  }

  /** Cashes out. Safe to repeat: the first result stays. */
  cashout(roundId: number): Promise<z.infer<typeof CashoutAnswer>> {
    return this.client.post('/api/crash', { action: 'cashout', roundId, ...this.#credentials() })
  }

  /** Withdraws. Safe to repeat: after the first call the answer is the current status. */
  withdraw(withdrawal: SignedWithdrawal): Promise<WithdrawalAnswer> {
    const { amountWei, ...fields } = withdrawal
    const order = { ...fields, amountWei: amountWei.toString() }
    return this.client.post('/api/crash', { action: 'withdraw', ...order, ...this.#credentials() })
  }

  /** For the vault's owner: has the service credit the house's funding. */
  houseTopup(): Promise<z.infer<typeof HouseTopupAnswer>> {
    return this.client.post('/api/crash', { action: 'house-topup', ...this.#credentials() })
  }

  /** Reads the entropy games' terms, and the nonce and commitment of the next play. */
  terms(): Promise<EntropyTerms> {
    return this.client.get('/api/entropy', this.#credentials())
  }

  /** Plays an entropy game. Safe to repeat with the same nonce. */
  play(fields: { game: string; params: object; nonce: number }): Promise<PlayAnswer> {
    return this.#entropy({ action: 'play', ...fields })
  }

  /** Takes chips from the faucet. With an id, repeated calls credit once. */
  async takeChips(token: Token, amountWei: bigint, id?: string): Promise<void> {
    const body = { wallet: this.wallet, token, amountWei: amountWei.toString(), id }
    await this.client.post('/api/dev/faucet', body)
  }

  /** Opens a game of mines. Safe to repeat with a nonce. */
  openMines(game: object): Promise<MinesStep> {
    return this.#entropy({ action: 'mines-open', ...game })
  }

  /** Picks a tile of the open game. Safe to repeat. */
  pickMines(nonce: number, tile: number): Promise<MinesPick> {
    return this.#entropy({ action: 'mines-pick', nonce, tile })
  }

  /** Cashes out the open game. Safe to repeat. */
  cashOutMines(nonce: number): Promise<PlayAnswer> {
    return this.#entropy({ action: 'mines-cashout', nonce })
  }

  #entropy<T>(body: object): Promise<T> {
    return this.client.post('/api/entropy', { ...body, ...this.#credentials() })
  }

  #credentials() {
    return { wallet: this.wallet, authSig: this.#authSig ?? '' }
  }
}
