import { encodeFunctionData, type Hash, type Hex } from 'viem'
import { vaultAbi } from '../../chain/abi.ts'
import { tokenAbi } from '../../chain/foreign-abi.ts'
import { withdrawalHash, type WithdrawalMessage } from '../../chain/vault.ts'
import type { Token } from '../../money/token.ts'
import { tokenAddresses } from '../../vault/typed-data.ts'
import { ChainAccount, inPlainWords, type Holding } from './chain-account.ts'
import { MANIFEST, type VaultAccess } from './manifest.ts'
import { CommandError } from './terminal.ts'

/** An account's own tokens on chain, and its transactions with the vault. */
export class ChainWallet extends ChainAccount {
  readonly #vault: VaultAccess

  constructor(vault: VaultAccess, privateKey: Hex) {
    super(vault.rpcUrl, privateKey)
    this.#vault = vault
  }

  /** Asserts that the vault exists. @throws CommandError if the chain was restarted or is down */
  async expectVault(): Promise<void> {
    const { address, rpcUrl } = this.#vault
    const code = await this.chain.getCode({ address }).catch(() => null)
    if (code) return
    const advice = `Check --rpc. At npm run dev, start it again, or remove ${MANIFEST} to play without a chain.`
    throw new CommandError(`There is no vault ${address} at ${rpcUrl}. ${advice}`)
  }

  /** Reads the account's own balance, in smallest units. */
  balance(token: Token): Promise<bigint> {
    return this.holds(this.#addressOf(token))
  }

  /** Deposits the account's own tokens, and waits until it is mined. */
  deposit(token: Token, amountWei: bigint): Promise<Hash> {
    return inPlainWords(this.#put('deposit', token, amountWei))
  }

  /** Funds the house. */
  fund(token: Token, amountWei: bigint): Promise<Hash> {
    return inPlainWords(this.#put('fund', token, amountWei))
  }

  /** Signs a withdrawal of this account's chips (EIP-712). */
  signWithdrawal(order: Omit<WithdrawalMessage, 'player'>): Promise<Hex> {
    const hash = withdrawalHash(this.#vault, { player: this.address, ...order })
    return this.account.sign({ hash })
  }

  /** Reads the account's balance before and after a mined transaction's block, in smallest units. */
  received(token: Token, hash: Hash): Promise<Holding> {
    return this.holdsAround(this.#addressOf(token), hash)
  }

  /** Returns null for the chain's native coin. */
  #addressOf(token: Token) {
    return token === 'ETH' ? null : this.#vault.usdg
  }

  /**
   * USDG takes an approval first. A permit would save it, but the real USDG doesn't say which domain to sign one for
   * (EIP-5267).
   */
  async #put(functionName: 'deposit' | 'fund', token: Token, amountWei: bigint): Promise<Hash> {
    const { usdg, address: to } = this.#vault
    if (token === 'USDG') {
      const call = { chain: null, address: usdg, abi: tokenAbi, functionName: 'approve' } as const
      await this.mined(await this.chain.writeContract({ ...call, args: [to, amountWei] }))
    }
    const args = [tokenAddresses(this.#vault)[token], amountWei] as const
    const data = encodeFunctionData({ abi: vaultAbi, functionName, args })
    const value = token === 'ETH' ? amountWei : 0n
    return (await this.send({ to, value, data })).transactionHash
  }
}
