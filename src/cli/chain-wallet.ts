import {
  BaseError,
  createWalletClient,
  http,
  parseSignature,
  publicActions,
  type Address,
  type Hash,
  type Hex,
} from 'viem'
import { privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts'
import { usdgAbi, vaultAbi } from '../chain/abi.ts'
import { tokenAddresses, withdrawalHash, type WithdrawalOrder } from '../chain/vault.ts'
import type { Token } from '../money/token.ts'
import { MANIFEST, type VaultAccess } from './manifest.ts'
import { CommandError } from './terminal.ts'

/** A local chain mines at once. */
const POLL_MS = 50

/** How long a permit may be used, in seconds. */
const PERMIT_TTL = 3_600n

/** A node and an account that signs what it sends there. */
export function connect(rpcUrl: string, privateKey: Hex) {
  return createWalletClient({
    account: privateKeyToAccount(privateKey),
    transport: http(rpcUrl),
    pollingInterval: POLL_MS,
  }).extend(publicActions)
}

/** What an account owns on chain, outside the service, and what it does with the vault. */
export class ChainWallet {
  readonly #vault: VaultAccess
  readonly #account: PrivateKeyAccount
  readonly #chain: ReturnType<typeof connect>

  constructor(vault: VaultAccess, privateKey: Hex) {
    this.#vault = vault
    this.#account = privateKeyToAccount(privateKey)
    this.#chain = connect(vault.rpcUrl, privateKey)
  }

  get address(): Address {
    return this.#account.address
  }

  /** @throws CommandError where the vault is not there: the chain is a later one, or none */
  async expectVault(): Promise<void> {
    const { address, rpcUrl } = this.#vault
    const code = await this.#chain.getCode({ address }).catch(() => null)
    if (code) return
    const advice = `Start npm run dev again, or remove ${MANIFEST} to play without a chain.`
    throw new CommandError(`The vault that ${MANIFEST} names is not at ${rpcUrl}. ${advice}`)
  }

  /** What the account itself holds, in smallest units: now, or after a block. */
  balance(token: Token, blockNumber?: bigint): Promise<bigint> {
    const { address } = this
    const at = blockNumber === undefined ? {} : { blockNumber }
    if (token === 'ETH') return told(this.#chain.getBalance({ address, ...at }))
    const call = { address: this.#vault.usdg, abi: usdgAbi, functionName: 'balanceOf' } as const
    return told(this.#chain.readContract({ ...call, args: [address], ...at }))
  }

  /** Deposits from the account's own tokens, in one transaction. Returns when it is mined. */
  deposit(token: Token, amountWei: bigint): Promise<Hash> {
    return told(token === 'ETH' ? this.#depositEth(amountWei) : this.#depositUsdg(amountWei))
  }

  /** Puts up money for the house. */
  fund(token: Token, amountWei: bigint): Promise<Hash> {
    return told(this.#fund(token, amountWei))
  }

  /** Signs a withdrawal of this account's chips (EIP-712). */
  signWithdrawal(order: Omit<WithdrawalOrder, 'player'>): Promise<Hex> {
    const hash = withdrawalHash(this.#vault, { player: this.address, ...order })
    return this.#account.sign({ hash })
  }

  /** By how much a mined transaction's block changed what the account holds, in smallest units. */
  async received(token: Token, hash: Hash): Promise<{ before: bigint; after: bigint }> {
    const { blockNumber } = await told(this.#chain.getTransactionReceipt({ hash }))
    const [before, after] = await Promise.all([
      this.balance(token, blockNumber - 1n),
      this.balance(token, blockNumber),
    ])
    return { before, after }
  }

  async #depositEth(amountWei: bigint): Promise<Hash> {
    const hash = await this.#chain.writeContract({
      chain: null,
      address: this.#vault.address,
      abi: vaultAbi,
      functionName: 'deposit',
      args: [tokenAddresses(this.#vault).ETH, amountWei],
      value: amountWei,
    })
    return this.#mined(hash)
  }

  async #depositUsdg(amountWei: bigint): Promise<Hash> {
    const { usdg, address: vault } = this.#vault
    const [{ timestamp }, nonce, [, name, version, chainId]] = await Promise.all([
      this.#chain.getBlock(),
      this.#chain.readContract({
        address: usdg,
        abi: usdgAbi,
        functionName: 'nonces',
        args: [this.address],
      }),
      this.#chain.readContract({ address: usdg, abi: usdgAbi, functionName: 'eip712Domain' }),
    ])
    const deadline = timestamp + PERMIT_TTL
    const signature = await this.#account.signTypedData({
      domain: { name, version, chainId, verifyingContract: usdg },
      types: PERMIT,
      primaryType: 'Permit',
      message: { owner: this.address, spender: vault, value: amountWei, nonce, deadline },
    })
    const { r, s, yParity } = parseSignature(signature)
    const hash = await this.#chain.writeContract({
      chain: null,
      address: vault,
      abi: vaultAbi,
      functionName: 'depositWithPermit',
      args: [usdg, amountWei, deadline, 27 + yParity, r, s],
    })
    return this.#mined(hash)
  }

  async #fund(token: Token, amountWei: bigint): Promise<Hash> {
    const { usdg, address: vault } = this.#vault
    if (token === 'USDG') {
      const call = { chain: null, address: usdg, abi: usdgAbi, functionName: 'approve' } as const
      await this.#mined(await this.#chain.writeContract({ ...call, args: [vault, amountWei] }))
    }
    const hash = await this.#chain.writeContract({
      chain: null,
      address: vault,
      abi: vaultAbi,
      functionName: 'fund',
      args: [tokenAddresses(this.#vault)[token], amountWei],
      value: token === 'ETH' ? amountWei : 0n,
    })
    return this.#mined(hash)
  }

  async #mined(hash: Hash): Promise<Hash> {
    const { status } = await this.#chain.waitForTransactionReceipt({ hash })
    if (status !== 'success') throw new CommandError(`Transaction ${hash} was reverted.`)
    return hash
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

/** What went wrong on chain, in the words that a person can do something with. */
async function told<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (fault) {
    if (!(fault instanceof BaseError)) throw fault
    throw new CommandError(`The chain: ${fault.shortMessage}`, { cause: fault })
  }
}
