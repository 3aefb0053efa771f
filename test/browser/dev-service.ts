import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createPublicClient, http, toHex, type Address, type Hash } from 'viem'
import { vi } from 'vitest'
import { tokenAbi } from '../../src/chain/foreign-abi.ts'
import type { Manifest } from '../../src/cli/shared/manifest.ts'
import { freePort } from '../../src/cli/shared/port.ts'
import { createReadyCheckout, removeCheckout } from '../scenarios/started-service.ts'

/** Less than a hook may take, so that what the command has printed is shown. */
const READY = { timeout: 280_000, interval: 200 }

export interface DevService {
  manifest: Manifest
  /** What it has printed so far. */
  output(): string
  stop(): Promise<void>
}

/** Starts what `npm run dev` does, chain and all, in a checkout of its own with page and contracts built. */
export async function startDevService(): Promise<DevService> {
  const checkout = await createReadyCheckout()
  const port = await freePort()
  const child = spawn(process.execPath, ['src/cli/dev.ts', `--port=${port}`], { cwd: checkout })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  }
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const stop = async () => {
    child.kill('SIGINT')
    await ended
    await removeCheckout(checkout)
  }
  const path = join(checkout, '.dev/manifest.json')
  const readManifest = async () => JSON.parse(await readFile(path, 'utf8')) as Manifest
  const failed = ended.then(() => {
    throw new Error(`npm run dev has ended. It said: ${output}`)
  })
  try {
    return {
      manifest: await Promise.race([vi.waitFor(readManifest, READY), failed]),
      output: () => output,
      stop,
    }
  } catch (fault) {
    await stop()
    throw fault
  }
}

interface RpcAnswer {
  result: unknown
  error?: { message: string }
}

/** The chain, asked without the service. */
export class Chain {
  readonly #client
  readonly #rpcUrl: string

  constructor({ rpcUrl }: Manifest) {
    this.#rpcUrl = rpcUrl
    this.#client = createPublicClient({ transport: http(rpcUrl) })
  }

  eth(address: Address): Promise<bigint> {
    return this.#client.getBalance({ address })
  }

  /** Of an ERC-20 token. */
  tokens(token: Address, owner: Address): Promise<bigint> {
    const call = { address: token, abi: tokenAbi, functionName: 'balanceOf' } as const
    return this.#client.readContract({ ...call, args: [owner] })
  }

  /** How many transactions an account has sent. */
  sent(address: Address): Promise<number> {
    return this.#client.getTransactionCount({ address })
  }

  /** Pays somebody, from an account whose key the node has; resolves once it is in a block. */
  async pay(from: Address, to: Address, value: bigint): Promise<Hash> {
    const hash = await this.#client.request({
      method: 'eth_sendTransaction',
      params: [{ from, to, value: toHex(value) }],
    } as never)
    await this.#client.waitForTransactionReceipt({ hash, pollingInterval: 50 })
    return hash
  }

  /** A call to the node as an injected wallet makes them; throws what it refuses. */
  async request(method: string, params: unknown[]): Promise<unknown> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(this.#rpcUrl, { method: 'POST', headers, body })
    const answer: RpcAnswer = await response.json()
    const { result, error } = answer
    if (error) throw new Error(error.message)
    return result
  }
}
