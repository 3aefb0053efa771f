import { encodeFunctionData, parseSignature, type Hash, type Hex } from 'viem'
import { vaultAbi } from '../../chain/abi.ts'
import { tokenAbi } from '../../chain/foreign-abi.ts'
import { withdrawalHash, type WithdrawalOrder } from '../../chain/vault.ts'
import type { Token } from '../../money/token.ts'
import { tokenAddresses } from '../../vault/typed-data.ts'
import { ChainAccount, told, type Holding } from './chain-account.ts'
import { MANIFEST, type VaultAccess } from './manifest.ts'
import { CommandError } from './terminal.ts'

/** The lifetime of a permit, in seconds. */
const PERMIT_TTL = 3_600n

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

  /** Deposits the account's own tokens in one transaction, and waits until it is mined. */
  deposit(token: Token, amountWei: bigint): Promise<Hash> {
    return told(token === 'ETH' ? this.#depositEth(amountWei) : this.#depositUsdg(amountWei))
  }

  /** Funds the house. */
  fund(token: Token, amountWei: bigint): Promise<Hash> {
    return told(this.#fund(token, amountWei))
  }

  /** Signs a withdrawal of this account's chips (EIP-712). */
  signWithdrawal(order: Omit<WithdrawalOrder, 'player'>): Promise<Hex> {
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

  #depositEth(amountWei: bigint): Promise<Hash> {
    const args = [tokenAddresses(this.#vault).ETH, amountWei] as const
    const data = encodeFunctionData({ abi: vaultAbi, functionName: 'deposit', args })
    return this.#callVault(data, amountWei)
  }

  async #depositUsdg(amountWei: bigint): Promise<Hash> {
    const { usdg, address: vault } = this.#vault
    const [{ timestamp }, nonce, [, name, version, chainId]] = await Promise.all([
      this.chain.getBlock(),
      this.chain.readContract({
        address: usdg,
        abi: tokenAbi,
        functionName: 'nonces',
        args: [this.address],
      }),
      this.chain.readContract({ address: usdg, abi: tokenAbi, functionName: 'eip712Domain' }),
    ])
    const deadline = timestamp + PERMIT_TTL
    const signature = await this.account.signTypedData({
      domain: { name, version, chainId, verifyingContract: usdg },
      types: PERMIT,
      primaryType: 'Permit',
      message: { owner: this.address, spender: vault, value: amountWei, nonce, deadline },
    })
    const { r, s, yParity } = parseSignature(signature)
    const args = [usdg, amountWei, deadline, 27 + yParity, r, s] as const
    return this.#callVault(
      encodeFunctionData({ abi: vaultAbi, functionName: 'depositWithPermit', args }),
    )
  }

  async #fund(token: Token, amountWei: bigint): Promise<Hash> {
    const { usdg, address: vault } = this.#vault
    if (token === 'USDG') {
      const call = { chain: null, address: usdg, abi: tokenAbi, functionName: 'approve' } as const
      await this.mined(await this.chain.writeContract({ ...call, args: [vault, amountWei] }))
    }
    const args = [tokenAddresses(this.#vault)[token], amountWei] as const
    const data = encodeFunctionData({ abi: vaultAbi, functionName: 'fund', args })
    return this.#callVault(data, token === 'ETH' ? amountWei : 0n)
  }

  async #callVault(data: Hex, value = 0n): Promise<Hash> {
    return (await this.send({ to: this.#vault.address, value, data })).transactionHash
  }
}

const PERMIT = {
  Permit: [
    { name: 'owner', type: 'address' },
    { name: 'spender', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
  ],
} as const
