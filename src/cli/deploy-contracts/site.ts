import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { getAddress, type Abi, type Address, type Hex } from 'viem'
import { invariant } from '../../core/invariant.ts'
import { connect } from '../shared/chain-account.ts'
import type { DevAccount } from '../shared/dev-players.ts'

/** A contract compiled by forge or Uniswap. */
interface Artifact {
  abi: Abi
  bytecode: string | { object: string }
}

/** Deploys and calls contracts from one account, in sequence. */
export class Site {
  readonly #projectDir: string
  readonly #chain: ReturnType<typeof connect>

  constructor(projectDir: string, rpcUrl: string, owner: DevAccount) {
    this.#projectDir = projectDir
    this.#chain = connect(rpcUrl, owner.privateKey)
  }

  /** Deploys one of our own contracts. */
  deploy(name: string, args: unknown[]): Promise<{ address: Address; block: bigint }> {
    return this.deployFrom(`contracts/out/${name}.sol/${name}.json`, args)
  }

  /** Deploys a compiled contract. @param path of its artifact, relative to the project's folder */
  async deployFrom(path: string, args: unknown[]): Promise<{ address: Address; block: bigint }> {
    const text = await readFile(join(this.#projectDir, path), 'utf8')
    const { abi, bytecode } = JSON.parse(text) as Artifact
    const code = typeof bytecode === 'string' ? bytecode : bytecode.object
    const hash = await this.#chain.deployContract({
      chain: null,
      abi,
      bytecode: `0x${code.replace(/^0x/, '')}`,
      args,
    })
    const { contractAddress, blockNumber } = await this.#mined(hash)
    invariant(contractAddress, `${path} was deployed`)
    return { address: getAddress(contractAddress), block: blockNumber }
  }

  async call(
    address: Address,
    abi: Abi,
    functionName: string,
    args: unknown[],
    value = 0n,
  ): Promise<void> {
    const call = { chain: null, address, abi, functionName, args, value }
    await this.#mined(await this.#chain.writeContract(call))
  }

  async send(to: Address, value: bigint): Promise<void> {
    await this.#mined(await this.#chain.sendTransaction({ chain: null, to, value }))
  }

  async #mined(hash: Hex) {
    const receipt = await this.#chain.waitForTransactionReceipt({ hash })
    invariant(receipt.status === 'success', 'a transaction of the deployer succeeds')
    return receipt
  }
}
