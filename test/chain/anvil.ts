import { execFileSync, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { localChain } from '../../src/cli/dev/local-chain.ts'
import { freePort } from '../../src/cli/shared/port.ts'

const ROOT = join(import.meta.dirname, '../..')
const OUT = join(ROOT, 'contracts/out')

const HEADERS = { 'content-type': 'application/json' }

interface OutboundRequest {
  url: string
  text(): Promise<string>
}

/**
 * Starts a real chain, which each test resets. Returns the outbound service of the runtime under test:
 * `chain.test` is the chain, `contracts.test` serves what forge compiled, `uniswap.test` what Uniswap
 * published. No other host answers.
 */
export async function startChain(): Promise<(request: OutboundRequest) => Promise<Response>> {
  if (!existsSync(OUT)) {
    execFileSync(process.execPath, [join(ROOT, 'contracts/forge.mjs'), 'build'], { cwd: ROOT })
  }
  const port = await freePort()
  const [anvil = '', ...args] = localChain(ROOT, port)
  const chain = spawn(anvil, args, { stdio: 'ignore' })
  // It ends with this process but doesn't keep it alive.
  chain.unref()
  process.once('exit', () => chain.kill())
  const node = new Node(`http://127.0.0.1:${port}`)
  return async (request) => {
    const { hostname, pathname } = new URL(request.url)
    if (hostname === 'contracts.test') return built(join(OUT, pathname))
    if (hostname === 'uniswap.test') return built(join(ROOT, 'node_modules/@uniswap', pathname))
    if (hostname !== 'chain.test') return new Response('nobody', { status: 502 })
    return new Response(await node.ask(await request.text()), { headers: HEADERS })
  }
}

/** How long the node may take to mine a transaction that is ready to be mined, in milliseconds. */
const MINING_MS = 1_000

/**
 * Anvil confirms a transaction before it mines it. This proxy waits for the block first, so no test
 * depends on how fast that is.
 */
class Node {
  readonly #url: string
  #minesAtOnce = true

  constructor(url: string) {
    this.#url = url
  }

  async ask(body: string): Promise<string> {
    const answer = await this.#post(body)
    const call = JSON.parse(body) as { method?: string; params: unknown[] }
    if (call.method === 'evm_setAutomine') this.#minesAtOnce = call.params[0] === true
    if (call.method === 'eth_sendRawTransaction' && this.#minesAtOnce) await this.#mined(answer)
    return answer
  }

  /** Waits for the transaction's block. A transaction with too low a gas price never gets into one. */
  async #mined(answer: string): Promise<void> {
    const { result: hash } = JSON.parse(answer) as { result?: string }
    if (hash === undefined) return
    const question = { jsonrpc: '2.0', id: 1, method: 'eth_getTransactionReceipt', params: [hash] }
    const asked = Date.now()
    while (Date.now() - asked < MINING_MS) {
      const { result } = JSON.parse(await this.#post(JSON.stringify(question))) as {
        result: unknown
      }
      if (result !== null) return
    }
  }

  async #post(body: string): Promise<string> {
    return (await fetch(this.#url, { method: 'POST', headers: HEADERS, body })).text()
  }
}

/** Serves a compiler's output. */
function built(path: string): Response {
  return new Response(readFileSync(path, 'utf8'), { headers: HEADERS })
}
