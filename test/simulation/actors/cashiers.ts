import type { Address } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { vaultDomain, WITHDRAW_TYPES } from '../../../src/vault/typed-data.ts'
import { CHAIN } from '../chain/vault-state.ts'
import { credentialsOf, privateKeyOf } from '../wallets.ts'
import type { World } from '../world/world.ts'
import { ask, insist } from './client.ts'

const PAUSE_MS = [2_000, 15_000] as const
const MOST_TRIES = 4
const DOMAIN = vaultDomain({ chainId: CHAIN.chainId, address: CHAIN.vault })

const USDG = { token: 'USDG', address: CHAIN.usdg, unit: 1_000_000n } as const
const ETH = { token: 'ETH', address: CHAIN.eth, unit: 10n ** 16n } as const

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
  /** Whether the wallet is a contract, which may refuse payments in ETH. */
  readonly #isContract: boolean
  #deposits = 0

  constructor(world: World, wallet: string, name: string) {
    this.#world = world
    this.#wallet = wallet
    this.#name = `${name} at the desk`
    this.#isContract = world.random.chance(`${this.#name} is a contract`, 0.15)
  }

  /** Deposits, and waits until the chips have come. */
  async fund(): Promise<void> {
    this.#deposit(CHAIN.usdg, 1_000_000_000n)
    this.#deposit(CHAIN.eth, 500_000_000_000_000_000n)
    await this.#world.scheduler.sleep(8_000)
    await this.#nextNonce(`${this.#name} funds`)
  }

  /** Deposits and withdraws until a time. */
  async live(until: number): Promise<void> {
    const { scheduler, random, choice, done } = this.#world
    for (let count = 1; ; count++) {
      const name = `${this.#name} ${count}`
      await scheduler.sleep(random.between(`${name} pause`, ...PAUSE_MS))
      if (scheduler.now >= until) return
      if (choice.without.has(name)) continue
      done.push(name)
      if (this.#isContract && random.chance(`${name} changes`, 0.3)) this.#changeMind(name)
      if (random.chance(`${name} deposits`, 0.4))
        this.#deposit(CHAIN.usdg, BigInt(random.between(`${name} amount`, 1, 50)) * 1_000_000n)
      else await this.#withdraw(name)
    }
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

  /** Has a wallet that is a contract refuse payments in ETH, or take them again. */
  #changeMind(name: string): void {
    const refuses = this.#world.random.chance(`${name} refuses`, 0.6)
    const from = this.#wallet as Address
    this.#world.tell(() => `${name}: the wallet ${refuses ? 'refuses' : 'takes'} ETH`)
    this.#world.chain?.send(from, { kind: 'refuse', from, refuses }, name)
  }

  async #withdraw(name: string): Promise<void> {
    const { random } = this.#world
    const nonce = await this.#nextNonce(name)
    if (nonce === null) return
    const isEth = this.#isContract && random.chance(`${name} in ETH`, 0.6)
    const { token, address, unit } = isEth ? ETH : USDG
    const amountWei = (BigInt(random.between(`${name} amount`, 1, 9)) * unit).toString()
    const account = privateKeyToAccount(privateKeyOf(this.#wallet))
    const signature = await account.signTypedData({
      domain: DOMAIN,
      types: WITHDRAW_TYPES,
      primaryType: 'Withdraw',
      message: {
        player: account.address,
        token: address,
        amount: BigInt(amountWei),
        nonce: BigInt(nonce),
      },
    })
    const order = { action: 'withdraw', token, amountWei, nonce, signature }
    const body = JSON.stringify({ ...order, ...this.#credentials() })
    const sent = { method: 'POST', path: '/api/crash', action: 'withdraw', body } as const
    const tries = random.between(`${name} tries`, 1, MOST_TRIES)
    const answer = await insist(this.#world, name, sent, tries)
    if (answer?.status !== 200) return
    const withdrawal = answer.json['withdrawal'] as Record<string, unknown>
    if (withdrawal['nonce'] !== nonce || withdrawal['amountWei'] !== amountWei)
      this.#world.violate(`withdrawal ${nonce} of ${this.#wallet} was answered as another one`)
    this.accepted.push({ wallet: this.#wallet, token, nonce, amountWei })
  }

  async #nextNonce(name: string): Promise<number | null> {
    const query = new URLSearchParams(this.#credentials())
    const path = `/api/crash?${query.toString()}`
    const answer = await ask(this.#world, name, { method: 'GET', path, action: 'state' })
    if (answer?.status !== 200) return null
    return (answer.json['me'] as { nonce: number }).nonce
  }

  #credentials() {
    return credentialsOf(this.#wallet, this.#world.scheduler.now)
  }
}
