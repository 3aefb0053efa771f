import type { Address, Hex } from 'viem'
import { withdrawalHash, type WithdrawalMessage } from '../../../src/chain/vault.ts'
import { CHAIN } from '../chain/addresses.ts'
import { drawChange, drawWaste, ownersSignature, soundCode } from '../chain/wallet-code.ts'
import { checkSignedIn } from '../invariants/consents.ts'
import type { World } from '../world/world.ts'
import { type Answer, ask, insist, numbered, operate } from './client.ts'
import { credentialsOf, signedBy, signInHash } from './signers.ts'

const PAUSE_MS = [2_000, 15_000] as const
const MAX_TRIES = 4
const SETTLE_EVERY_MS = 1_000
const VAULT = { chainId: CHAIN.chainId, address: CHAIN.vault, usdg: CHAIN.usdg }

const UNITS = { USDG: 1_000_000n, ETH: 10n ** 16n } as const
/** A key that no contract's owner ever has. */
const STRANGERS_KEY = 1_000_000

/** A withdrawal that the service has accepted. */
export interface Accepted {
  wallet: string
  token: 'USDG' | 'ETH'
  nonce: number
  amountWei: string
}

/** A player at the cash desk: deposits into the vault, and withdraws from it. */
export class Cashier {
  readonly accepted: Accepted[] = []
  readonly #world: World
  readonly #wallet: string
  readonly #name: string
  readonly #next: () => string
  #deposits = 0

  constructor(world: World, wallet: string, name: string) {
    this.#world = world
    this.#wallet = wallet
    this.#name = `${name} at the desk`
    this.#next = numbered(this.#name)
  }

  /** Deposits, and waits until the chips have come. */
  async fund(): Promise<void> {
    this.#deposit(CHAIN.usdg, 1_000_000_000n)
    this.#deposit(CHAIN.eth, 500_000_000_000_000_000n)
    await this.#world.scheduler.sleep(8_000)
    await this.#state(`${this.#name} funds`)
  }

  /** Deposits and withdraws until a time. */
  async live(until: number): Promise<void> {
    const { random } = this.#world
    await operate(this.#world, this.#next, { pauseMs: PAUSE_MS, until }, async (name) => {
      if (random.chance(`${name} changes`, 0.3)) this.#changeCode(name)
      if (random.chance(`${name} is another's`, 0.2)) await this.#intrude(name)
      if (random.chance(`${name} deposits`, 0.4))
        this.#deposit(CHAIN.usdg, BigInt(random.between(`${name} amount`, 1, 50)) * 1_000_000n)
      else await this.#withdraw(name)
    })
  }

  #deposit(token: Address, amount: bigint): void {
    const from = this.#wallet as Address
    this.#world.tell(() => `${this.#name} sends a deposit of ${amount}`)
    this.#world.chain?.send(
      from,
      { kind: 'deposit', from, token, amount },
      `${this.#wallet} ${this.#deposits++}`,
    )
  }

  /** Has the wallet's code do what it should, if it has code, and waits until the chain has that. */
  async settle(): Promise<void> {
    const { chain, scheduler } = this.#world
    const code = chain?.codeOf(this.#wallet)
    if (!chain || !code) return
    const from = this.#wallet as Address
    const call = { kind: 'code', from, code: soundCode(code.key) } as const
    const hash = chain.send(from, call, `${this.#name} settles`)
    while (!chain.hasMined(hash)) await scheduler.sleep(SETTLE_EVERY_MS)
  }

  /** Changes the wallet's code, if it has any. */
  #changeCode(name: string): void {
    const { chain, faults, random } = this.#world
    const before = chain?.codeOf(this.#wallet)
    if (!chain || !before) return
    const from = this.#wallet as Address
    const wastes = faults.theme?.isOfWaste && random.chance(`${name} wastes gas`, 0.7)
    const code = (wastes ? drawWaste : drawChange)(random, name, before)
    this.#world.tell(() => `${name}: the wallet's code becomes ${JSON.stringify(code)}`)
    chain.send(from, { kind: 'code', from, code }, name)
  }

  /** Signs in as a contract with a key that its owner had before, or never has. */
  async #intrude(name: string): Promise<void> {
    const { chain } = this.#world
    const key = chain?.codeOf(this.#wallet)?.key
    if (key == null) return
    const authSig = ownersSignature(this.#wallet, this.#wrongKey(name, key), this.#signInHash())
    await this.#state(`${name} as another`, { wallet: this.#wallet, authSig })
  }

  async #withdraw(name: string): Promise<void> {
    const { chain, random } = this.#world
    const answered = await this.#state(name)
    if (answered?.status !== 200) return
    const { nonce } = answered.json['me'] as { nonce: number }
    const mayRefuse = chain?.codeOf(this.#wallet) != null
    const token = mayRefuse && random.chance(`${name} in ETH`, 0.6) ? 'ETH' : 'USDG'
    const amount = BigInt(random.between(`${name} amount`, 1, 9)) * UNITS[token]
    const amountWei = amount.toString()
    const player = this.#wallet as Address
    const signature = await this.#signature(name, { player, token, amountWei: amount, nonce })
    const order = { action: 'withdraw', token, amountWei, nonce, signature }
    const body = JSON.stringify({ ...order, ...this.#credentials() })
    const call = { method: 'POST', path: '/api/crash', action: 'withdraw' } as const
    const sent = { ...call, body, wallet: this.#wallet }
    const tries = random.between(`${name} tries`, 1, MAX_TRIES)
    const answer = await insist(this.#world, name, sent, tries)
    if (answer?.status !== 200) return
    const withdrawal = answer.json['withdrawal'] as Record<string, unknown>
    if (withdrawal['nonce'] !== nonce || withdrawal['amountWei'] !== amountWei)
      this.#world.violate(`withdrawal ${nonce} of ${this.#wallet} was answered as another one`)
    this.accepted.push({ wallet: this.#wallet, token, nonce, amountWei })
  }

  /** Signs a withdrawal; a contract's now and then with another key. */
  async #signature(name: string, order: WithdrawalMessage): Promise<Hex> {
    const { chain, random } = this.#world
    const hash = withdrawalHash(VAULT, order)
    const key = chain?.codeOf(this.#wallet)?.key
    if (key == null || !random.chance(`${name} has another key`, 0.2))
      return signedBy(this.#world, this.#wallet, hash)
    return ownersSignature(this.#wallet, this.#wrongKey(name, key), hash)
  }

  #wrongKey(name: string, key: number): number {
    return this.#world.random.chance(`${name} has the former key`, 0.7) && key > 0
      ? key - 1
      : STRANGERS_KEY
  }

  /** Reads the state. The service may accept only credentials that the wallet's contract does. */
  async #state(name: string, credentials = this.#credentials()): Promise<Answer | null> {
    const query = new URLSearchParams(credentials)
    const path = `/api/crash?${query.toString()}`
    const [sentAt, hash] = [this.#world.scheduler.now, this.#signInHash()]
    const sent = { method: 'GET', path, action: 'state', wallet: this.#wallet } as const
    const answer = await ask(this.#world, name, sent)
    if (answer?.status === 200)
      checkSignedIn(this.#world, sentAt, {
        wallet: this.#wallet,
        hash,
        signature: credentials.authSig as Hex,
      })
    return answer
  }

  #signInHash(): Hex {
    return signInHash(this.#world, this.#wallet)
  }

  #credentials() {
    return credentialsOf(this.#world, this.#wallet)
  }
}
