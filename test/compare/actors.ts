import { createTestClient, http, keccak256, publicActions, toHex, walletActions } from 'viem'
import type { Address, Hash, Hex } from 'viem'
import { privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts'
import { sign, soundToken, type Partner } from '../../src/certify/token.ts'
import type { Manifest } from '../../src/cli/shared/manifest.ts'
import { get, read, type Recorder, type Request } from './recording.ts'

/** A signed-in wallet. */
export interface Wallet {
  account: PrivateKeyAccount
  address: Address
  credentials: { wallet: Address; authSig: Hex }
}

/** The participants of every story. */
export interface Cast {
  manifest: Manifest
  recorder: Recorder
  chain: Chain
  owner: Wallet
  /** Five with chips, plus ETH and USDG on chain. */
  players: [Wallet, Wallet, Wallet, Wallet, Wallet]
  /** Signs in an empty wallet. The same name gives the same wallet in every recording. */
  stranger: (name: string) => Promise<Wallet>
}

export async function gather(manifest: Manifest, recorder: Recorder): Promise<Cast> {
  const signIn = async (privateKey: Hex): Promise<Wallet> => {
    const account = privateKeyToAccount(privateKey)
    const { address } = account
    const asked = await recorder.send(get('/api/auth/message', { wallet: address }))
    const authSig = await account.signMessage(read<{ message: string }>(asked))
    return { account, address, credentials: { wallet: address, authSig } }
  }
  const players = await Promise.all(manifest.players.map(({ privateKey }) => signIn(privateKey)))
  return {
    manifest,
    recorder,
    chain: new Chain(manifest),
    owner: await signIn(manifest.owner.privateKey),
    players: players as Cast['players'],
    stranger: (name) => signIn(keccak256(toHex(`fairhouse compare: ${name}`))),
  }
}

/** The local chain, which mines each transaction at once unless it is paused. */
export class Chain {
  readonly #client
  readonly #domain

  constructor({ rpcUrl, chainId, contracts }: Manifest) {
    this.#client = createTestClient({ mode: 'anvil', transport: http(rpcUrl) })
      .extend(publicActions)
      .extend(walletActions)
    const { vault: verifyingContract } = contracts
    this.#domain = { name: 'FairhouseVault', version: '1', chainId, verifyingContract } as const
  }

  /** Sends a transaction and returns its hash without waiting for its block. */
  send(
    { account }: Wallet,
    { to, value, data = '0x' }: { to: Address; value: bigint | string; data?: Hex },
  ): Promise<Hash> {
    const call = { account, to, value: BigInt(value), data }
    return this.#client.sendTransaction({ ...call, chain: null })
  }

  /** Sends a transaction and waits until it is mined. */
  async pay(from: Wallet, call: Parameters<Chain['send']>[1]): Promise<Hash> {
    const hash = await this.send(from, call)
    await this.#client.waitForTransactionReceipt({ hash, pollingInterval: 50 })
    return hash
  }

  /** Runs a task with mining paused. */
  async paused<T>(task: () => Promise<T>): Promise<T> {
    await this.#client.setAutomine(false)
    try {
      return await task()
    } finally {
      await this.#client.setAutomine(true)
      await this.#client.mine({ blocks: 1 })
    }
  }

  /** Signs EIP-712 data in the vault's domain. @param fields Solidity declarations, comma-separated */
  sign(
    { account }: Wallet,
    primaryType: string,
    fields: string,
    message: Record<string, unknown>,
  ): Promise<Hex> {
    const members = fields.split(', ').map((field) => {
      const [type = '', name = ''] = field.split(' ')
      return { type, name }
    })
    const types = { [primaryType]: members }
    return account.signTypedData({ domain: this.#domain, types, primaryType, message })
  }
}

/** Adds a partner's token to a call; `claims` and `header` replace parts of it. */
export function withToken(
  partner: Partner,
  request: Request,
  claims: Record<string, string | number | undefined> = {},
  header: Record<string, string> = {},
): Request {
  const token = soundToken(partner, request.body ?? null)
  const altered = {
    ...token,
    header: { ...token.header, ...header },
    claims: { ...token.claims, ...claims },
  }
  return { ...request, headers: { ...request.headers, authorization: `Bearer ${sign(altered)}` } }
}
