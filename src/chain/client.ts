import { createPublicClient, http, type PublicClient } from 'viem'

const TIMEOUT_MS = 4_000

const clients = new Map<string, PublicClient>()

/** A client for the configured node. */
export function chainClient(rpcUrl: string): PublicClient {
  const known = clients.get(rpcUrl)
  if (known) return known
  const client = createPublicClient({
    transport: http(rpcUrl, { timeout: TIMEOUT_MS, retryCount: 0 }),
  })
  clients.set(rpcUrl, client)
  return client
}
