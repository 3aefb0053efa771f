import { createPublicClient, hexToNumber, http, type PublicClient } from 'viem'

const TIMEOUT_MS = 4_000

/**
 * A client for the configured node, a new one for each use: viem lets equal calls of one client share
 * an answer, and an answer that belongs to another request or object never comes.
 */
export function chainClient(rpcUrl: string): PublicClient {
  return createPublicClient({
    transport: http(rpcUrl, { timeout: TIMEOUT_MS, retryCount: 0 }),
  })
}

/**
 * The newest block's number, asked for now. Not by viem's own getBlockNumber, which remembers one for
 * every client that there ever was.
 */
export async function headOf(client: PublicClient): Promise<number> {
  return hexToNumber(await client.request({ method: 'eth_blockNumber' }))
}
