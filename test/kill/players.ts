import { randomUUID } from 'node:crypto'
import { keccak256, toHex, type Hex } from 'viem'
import { privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts'
import { signInMessage } from '../../src/auth/message.ts'
import { withdrawalHash } from '../../src/chain/vault.ts'
import { devPlayers } from '../../src/cli/shared/dev-players.ts'
import { dayAt } from '../../src/core/utc-day.ts'
import { TOKENS } from '../../src/money/token.ts'
import type { Random } from '../live/random.ts'
import { SITE, type Setting } from '../live/setting.ts'
import type { Kind, Order } from './orders.ts'

/** The round of the table, as last seen. */
export interface Table {
  roundId: number
  phase: string
}

const STRANGERS = 11
/** The house pays for chips that no vault backs: so few leave it its bankroll. */
const CHIPS = { ETH: '1000000000000000000', USDG: '1000000000' }
const STAKES = { ETH: '50000000000000', USDG: '10000' }

/** Returns the five players of the local chain, who can withdraw, and others. */
export async function gatherPlayers({ vault }: Setting): Promise<KillPlayer[]> {
  const dev = devPlayers().map(({ privateKey }) => privateKey)
  const others = Array.from({ length: STRANGERS }, (_, number) =>
    keccak256(toHex(`fairhouse kill player ${number}`)),
  )
  return Promise.all(
    [...dev, ...others].map((key) => KillPlayer.signIn(key, vault, dev.includes(key))),
  )
}

/** A player who orders one thing after another, each safe to repeat. */
export class KillPlayer {
  readonly account: PrivateKeyAccount
  /** The next nonces, as far as answers have said. */
  readonly next = { play: 0, withdrawal: 0 }
  readonly #authSig: Hex
  readonly #vault: Setting['vault']
  readonly #hasTokens: boolean
  #betRound = 0
  #cashedRound = 0
  readonly #transactions: string[] = []

  private constructor(
    account: PrivateKeyAccount,
    authSig: Hex,
    vault: Setting['vault'],
    hasTokens: boolean,
  ) {
    this.account = account
    this.#authSig = authSig
    this.#vault = vault
    this.#hasTokens = hasTokens
  }

  static async signIn(key: Hex, vault: Setting['vault'], hasTokens: boolean): Promise<KillPlayer> {
    const account = privateKeyToAccount(key)
    const message = signInMessage(SITE, account.address, dayAt(Date.now()))
    return new KillPlayer(account, await account.signMessage({ message }), vault, hasTokens)
  }

  get wallet(): string {
    return this.account.address
  }

  /** The path of the player's state. */
  get statePath(): string {
    return `/api/crash?wallet=${this.wallet}&authSig=${this.#authSig}`
  }

  chips(): Order[] {
    return TOKENS.map((token) => {
      const body = { wallet: this.wallet, token, amountWei: CHIPS[token], id: randomUUID() }
      return { kind: 'faucet', wallet: this.wallet, path: '/api/dev/faucet', body }
    })
  }

  /** Returns what the player orders now. */
  async order(random: Random, { roundId, phase }: Table): Promise<Order> {
    const token = random.pick(TOKENS)
    if (phase === 'betting' && this.#betRound < roundId) {
      this.#betRound = roundId
      const auto = random.chance(0.5) ? { autoCashout: random.between(101, 400) / 100 } : {}
      return this.#signed('bet', '/api/crash', {
        token,
        amountWei: STAKES[token],
        roundId,
        ...auto,
      })
    }
    const mayCashOut = this.#betRound === roundId && this.#cashedRound < roundId
    if (phase === 'flight' && mayCashOut && random.chance(0.1)) {
      this.#cashedRound = roundId
      return this.#signed('cashout', '/api/crash', { roundId })
    }
    if (this.#hasTokens && random.chance(0.02)) return this.#withdrawal(random)
    if (random.chance(0.4)) {
      const selection = { game: 'limbo', params: { target: 2 } }
      const stake = { token, amountWei: STAKES[token], nonce: this.next.play }
      return this.#signed('play', '/api/entropy', { ...selection, ...stake })
    }
    return this.#bridge(random, token)
  }

  #bridge(random: Random, currency: string): Order {
    const fields = { playerId: this.wallet, currency, partnerTransactionId: randomUUID() }
    const original = random.pick(this.#transactions)
    if (original !== undefined && random.chance(0.3)) {
      // An original in another currency is refused, and its refusal stays.
      const body = { ...fields, originalTransactionId: original }
      return { kind: 'rollback', wallet: this.wallet, path: '/api/wallet/rollback', body }
    }
    this.#transactions.push(fields.partnerTransactionId)
    // Some debits are of more than anybody has.
    const amountWei = random.chance(0.05) ? `-${10n ** 24n}` : String(random.between(-5_000, 5_000))
    const body = { ...fields, amountWei }
    return { kind: 'transaction', wallet: this.wallet, path: '/api/wallet/transaction', body }
  }

  async #withdrawal(random: Random): Promise<Order> {
    const token = random.pick(TOKENS)
    const amountWei = BigInt(random.between(1, 10_000))
    const { withdrawal: nonce } = this.next
    const order = { player: this.account.address, token, amountWei, nonce }
    const signature = await this.account.sign({ hash: withdrawalHash(this.#vault, order) })
    const fields = { token, amountWei: amountWei.toString(), nonce, signature }
    return this.#signed('withdraw', '/api/crash', fields)
  }

  #signed(kind: Kind, path: string, fields: object): Order {
    const body = { action: kind, wallet: this.wallet, authSig: this.#authSig, ...fields }
    return { kind, wallet: this.wallet, path, body }
  }

  /** Notes what an answer says about the next nonces. */
  learn({ kind, body: { nonce } }: Order, status: number): void {
    if (status !== 200) return
    if (kind === 'play') this.next.play = Math.max(this.next.play, Number(nonce) + 1)
    if (kind === 'withdraw')
      this.next.withdrawal = Math.max(this.next.withdrawal, Number(nonce) + 1)
  }
}
