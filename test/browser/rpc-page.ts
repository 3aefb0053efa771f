// The script of a page: unmodified viem, with the service's proxy as its node.
import { createPublicClient, http } from 'viem'

/** The page's findings, as text. */
async function look(url: string, address: `0x${string}`): Promise<string> {
  const client = createPublicClient({ transport: http(url, { batch: true, retryCount: 0 }) })
  const [chainId, balance, block] = await Promise.all([
    client.getChainId(),
    client.getBalance({ address }),
    client.getBlock({ blockNumber: 0n }),
  ])
  return `${chainId} ${balance} ${block.number}`
}

Object.assign(globalThis, { look })
