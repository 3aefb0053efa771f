import { createHash, createHmac } from 'node:crypto'
import {
  createTestClient,
  http,
  keccak256,
  publicActions,
  toHex,
  walletActions,
  type Address,
  type Hash,
  type Hex,
} from 'viem'
import { privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts'
import { get, read, type Recorder } from './recording.ts'
import type { DevPartner, Manifest } from './service.ts'

/** The participants of every story. */
export interface Cast {
  manifest: Manifest
  recorder: Recorder
  chain: Chain
  owner: Wallet
  /** Each has chips, plus ETH and USDG on chain. */
  players: Wallet[]
  /** Signs in an empty wallet. The same name gives the same wallet in every recording. */
  stranger: (name: string) => Promise<Wallet>
}

export async function gather(manifest: Manifest, recorder: Recorder): Promise<Cast> {
  const signIn = (privateKey: Hex) => Wallet.signIn(recorder, privateKey)
  const players: Wallet[] = []
  for (const { privateKey } of manifest.players) players.push(await signIn(privateKey))
  return {
    manifest,
    recorder,
    chain: new Chain(manifest),
    owner: await signIn(manifest.owner.privateKey),
    players,
    stranger: (name) => signIn(keccak256(toHex(`fairhouse compare: ${name}`))),
  }
}

/** A signed-in wallet. */
export class Wallet {
  readonly account: PrivateKeyAccount
  readonly authSig: Hex

  private constructor(account: PrivateKeyAccount, authSig: Hex) {
    this.account = account
    this.authSig = authSig
  }

  static async signIn(recorder: Recorder, privateKey: Hex): Promise<Wallet> {
    const account = privateKeyToAccount(privateKey)
    const asked = get('/api/auth/message', { wallet: account.address })
    const { message } = read<{ message: string }>(await recorder.send(asked))
    return new Wallet(account, await account.signMessage({ message }))
  }

  get address(): Address {
    return this.account.address
  }

  get credentials() {
    return { wallet: this.address, authSig: this.authSig }
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

  /** Signs EIP-712 data in the vault's domain. Each field is a Solidity declaration. */
  sign(
    { account }: Wallet,
    primaryType: string,
    fields: readonly string[],
    message: Record<string, unknown>,
  ): Promise<Hex> {
    const members = fields.map((field) => {
      const [type = '', name = ''] = field.split(' ')
      return { type, name }
    })
    const types = { [primaryType]: members }
    return account.signTypedData({ domain: this.#domain, types, primaryType, message })
  }
}

const TOKEN_SECONDS = 20

/** A partner's platform, which signs a token for each call. */
export class Partner {
  readonly id: string
  readonly #secret: string
  #made = 0

  constructor({ id, secret }: DevPartner) {
    this.id = id
    this.#secret = secret
  }

  /** Returns the header of one call. `claims` override the defaults; undefined omits one. */
  authorization(
    claims: Record<string, unknown> = {},
    header: object = {},
  ): { authorization: string } {
    const iat = Math.floor(Date.now() / 1_000)
    const usual = { iss: this.id, aud: 'wallet-bridge', iat, exp: iat + TOKEN_SECONDS }
    const jti = `${this.id}-call-${++this.#made}`
    const signed = [
      { alg: 'HS256', typ: 'JWT', ...header },
      { ...usual, jti, ...claims },
    ]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.')
    const signature = createHmac('sha256', this.#secret).update(signed).digest('base64url')
    return { authorization: `Bearer ${signed}.${signature}` }
  }

  /** Returns the claim that binds a token to the body of its call. */
  static bodyHash(body: object): string {
    return createHash('sha256').update(JSON.stringify(body)).digest('hex')
  }
}
