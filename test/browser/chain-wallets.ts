import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  concatHex,
  encodeFunctionData,
  hashMessage,
  hashTypedData,
  hexToString,
  parseAbi,
  type Address,
  type Hex,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { vi } from 'vitest'
import { PROJECT_DIR } from '../scenarios/started-service.ts'
import { SOON } from '../shared/soon.ts'
import { WalletFault, type TestWallet } from './announced-wallets.ts'
import type { Chain } from './dev-service.ts'

/** What the player has to confirm. */
const PROMPTS = ['personal_sign', 'eth_signTypedData_v4', 'eth_sendTransaction', 'wallet_sendCalls']

const batchAbi = parseAbi([
  'struct Call { address to; uint256 value; bytes data; }',
  'function execute(Call[] calls)',
])

interface Batch {
  id: string
  from: Address
  atomicRequired: boolean
  calls: { to: Address; data: Hex; value: Hex }[]
}

/** A wallet of an account on the chain, which confirms everything unless a test says otherwise. */
export class ChainWallet implements TestWallet {
  readonly name = 'Owl'
  readonly rdns = 'test.owl'
  /** The prompts so far, the sign-in's included. */
  readonly prompts: string[] = []
  /** The transactions of batches, by id. */
  readonly batches = new Map<string, string>()
  /** How it handles batches. Without it, it knows nothing of them. */
  onBatch: ((batch: Batch) => Promise<unknown>) | null = null
  /** Whether it forgets its batches at once. */
  isForgetful = false

  readonly #chain: Chain
  readonly #address: Address
  readonly #key: Hex

  /** @param key the account's own, or that of its owner */
  constructor(chain: Chain, address: Address, key: Hex) {
    this.#chain = chain
    this.#address = address
    this.#key = key
  }

  readonly request = async (method: string, params: unknown[]): Promise<unknown> => {
    if (PROMPTS.includes(method)) this.prompts.push(method)
    const signer = privateKeyToAccount(this.#key)
    switch (method) {
      case 'eth_requestAccounts':
        return [this.#address.toLowerCase()]
      case 'wallet_switchEthereumChain':
        return null
      case 'personal_sign':
        return signer.sign({ hash: hashMessage(hexToString(params[0] as Hex)) })
      case 'eth_signTypedData_v4':
        return signer.sign({ hash: hashTypedData(JSON.parse(params[1] as string)) })
      case 'wallet_getCapabilities':
        if (!this.onBatch) break
        return { '0x7a69': { atomic: { status: 'supported' } } }
      case 'wallet_sendCalls':
        if (!this.onBatch) break
        return this.onBatch(params[0] as Batch)
      case 'wallet_getCallsStatus':
        return this.#status(params[0] as string)
      case 'eth_chainId':
      case 'eth_sendTransaction':
        return this.#chain.request(method, params)
    }
    throw new WalletFault(4200, `The wallet has no ${method}.`)
  }

  /** Carries out a batch in one transaction, by the code that the account delegates to. */
  readonly carryOut = async ({ id, from, calls }: Batch): Promise<{ id: string }> => {
    if (this.batches.has(id)) throw new WalletFault(5720, 'Duplicate id.')
    const list = calls.map(({ to, data, value }) => ({ to, data, value: BigInt(value) }))
    const data = encodeFunctionData({ abi: batchAbi, functionName: 'execute', args: [list] })
    const hash = await this.#chain.request('eth_sendTransaction', [{ from, to: from, data }])
    this.batches.set(id, hash as string)
    return { id }
  }

  async #status(id: string): Promise<object> {
    const hash = this.batches.get(id)
    if (hash === undefined || this.isForgetful) throw new WalletFault(5730, 'Unknown bundle.')
    const receipt = await this.#chain.request('eth_getTransactionReceipt', [hash])
    const about = { version: '2.0.0', id, chainId: '0x7a69', atomic: true }
    return receipt ? { ...about, status: 200, receipts: [receipt] } : { ...about, status: 100 }
  }
}

/** Deploys one of the doubles in contracts/test. @returns its address */
export async function deployDouble(chain: Chain, from: Address, name: string, args: Hex = '0x') {
  const path = join(PROJECT_DIR, `contracts/out/${name}.sol/${name}.json`)
  const { bytecode } = JSON.parse(await readFile(path, 'utf8')) as { bytecode: { object: Hex } }
  const data = concatHex([bytecode.object, args])
  const hash = await chain.request('eth_sendTransaction', [{ from, data }])
  const { contractAddress } = await vi.waitFor(async () => {
    const receipt = await chain.request('eth_getTransactionReceipt', [hash])
    if (!receipt) throw new Error('it is not deployed yet')
    return receipt as { contractAddress: Address }
  }, SOON)
  return contractAddress
}

/** Has an account delegate to code, as a transaction of EIP-7702 does. */
export async function delegate(chain: Chain, account: Address, code: Address): Promise<void> {
  await chain.request('anvil_setCode', [account, concatHex(['0xef0100', code])])
}
